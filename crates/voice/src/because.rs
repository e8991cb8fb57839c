//! Why one target is ahead of another: what is the same in every language; the words are in [`Words`].

use photofinish_model::Metric;
use photofinish_model::finding::because::{AlsoMore, Because, LayerMore};
use photofinish_model::finding::headline::Place;
use photofinish_model::units::{Unit, number, percent};

/// From so many times on a difference is a factor, and below a percentage.
const FACTOR: f64 = 2.0;

/// A figure and the ends of its interval, as they are printed.
pub(crate) struct Size {
    pub(crate) value: String,
    /// ` [low … high]`
    pub(crate) bounds: String,
}

impl Size {
    fn of(value: String, [low, high]: [String; 2]) -> Size {
        Size {
            value,
            bounds: format!(" [{low} … {high}]"),
        }
    }

    /// How much more it is, with its unit.
    fn more(also: &AlsoMore) -> Size {
        let unit = also.metric.unit();
        Size {
            value: unit.text(also.more),
            bounds: format!(" {}", unit.interval(also.more, also.interval)),
        }
    }
}

/// The two that are compared.
pub(crate) struct Pair<'p> {
    pub(crate) ahead: &'p str,
    pub(crate) behind: &'p str,
}

/// What is said differently.
pub(crate) trait Words {
    fn name(metric: &Metric) -> &'static str;
    /// What is said of the place, with what separates it from its neighbour.
    fn at(place: &Place) -> String;
    /// It takes so many times as much of something.
    fn times(pair: &Pair, name: &str, size: &Size) -> String;
    /// It takes so much more of something.
    fn more(pair: &Pair, name: &str, size: &Size) -> String;
    /// What each of them takes, beside what was said of it.
    fn takes(said: &str, at: &str, behind: &str, ahead: &str) -> String;
    /// What else it takes more of; `costs`: what so many usually cost, where they are no time themselves.
    fn also(name: &str, size: &Size, costs: Option<&str>) -> String;
    /// What was said, and what else it takes more of.
    fn with(said: &str, also: &[String]) -> String;
    /// A layer on which so much more CPU time goes, in µs; negative: less.
    fn layer(name: &str, layer: &LayerMore) -> String;
    /// It spends more CPU time in all, and on these layers.
    fn spends(pair: &Pair, at: &str, more: &str, layers: &[String]) -> String;
}

/// So many µs more, and the ends of the interval, in the order of the numbers; `less` turns the sign, for a sentence that says it in a word.
pub(crate) fn microseconds(layer: &LayerMore, less: bool) -> Size {
    let (value, ends) = match less {
        false => (layer.more_us, [layer.interval.low, layer.interval.high]),
        true => (-layer.more_us, [-layer.interval.high, -layer.interval.low]),
    };
    Size::of(Unit::Microseconds.text(value), ends.map(number))
}

pub(crate) fn because<W: Words>(because: &Because) -> String {
    let at = |place: &Option<Place>| place.as_ref().map_or_else(String::new, W::at);
    match because {
        Because::SpendsMore {
            ahead,
            behind,
            more_us,
            layers,
            place,
        } => {
            let layer =
                |layer: &LayerMore| W::layer(W::name(&Metric::of_layer(layer.layer)), layer);
            let layers: Vec<String> = layers.iter().map(layer).collect();
            let more = Unit::Microseconds.text(*more_us);
            W::spends(&Pair { ahead, behind }, &at(place), &more, &layers)
        }
        Because::TakesMore {
            ahead,
            behind,
            metric,
            ratio,
            interval,
            ahead_takes,
            behind_takes,
            also,
            place,
        } => {
            let (pair, name) = (Pair { ahead, behind }, W::name(metric));
            let ends = [interval.low, interval.high];
            let more = |ratio: f64| percent(ratio - 1.0);
            let said = match *ratio >= FACTOR {
                true => W::times(&pair, name, &Size::of(number(*ratio), ends.map(number))),
                false => W::more(&pair, name, &Size::of(more(*ratio), ends.map(more))),
            };
            let text = |takes: f64| metric.unit().text(takes);
            let said = W::takes(&said, &at(place), &text(*behind_takes), &text(*ahead_takes));
            let also: Vec<String> = also.iter().map(also_more::<W>).collect();
            match also.is_empty() {
                true => said,
                false => W::with(&said, &also),
            }
        }
    }
}

fn also_more<W: Words>(also: &AlsoMore) -> String {
    let costs = Unit::Microseconds.text(also.explains_us);
    let is_time = also.metric.unit() == Unit::Microseconds;
    let costs = (!is_time).then_some(costs);
    W::also(W::name(&also.metric), &Size::more(also), costs.as_deref())
}

#[cfg(test)]
mod tests {
    use photofinish_model::Layer;
    use photofinish_stats::Interval;

    use super::*;
    use crate::{Language, Say};

    #[test]
    fn a_layer_that_takes_less_has_its_interval_with_the_same_sign() {
        let layer = |layer, more_us, low, high| LayerMore {
            layer,
            more_us,
            interval: Interval { low, high },
        };
        let because = Because::SpendsMore {
            ahead: "a".to_owned(),
            behind: "b".to_owned(),
            more_us: 1.5,
            layers: vec![
                layer(Layer::Application, 2.0, 1.5, 2.5),
                layer(Layer::KernelSend, -0.5, -0.75, -0.25),
                layer(Layer::Runtime, 0.25, -0.125, 0.5),
            ],
            place: None,
        };
        let english = because.say(Language::En);
        assert_eq!(
            english,
            "b spends 1.50 µs more CPU per request than a: 2.00 µs application [1.50 … 2.50], \
             −0.500 µs kernel send [−0.750 … −0.250], 0.250 µs runtime [−0.125 … 0.500]"
        );
        let chinese = because.say(Language::Zh);
        for part in [
            "多 2.00 µs [1.50 … 2.50]",
            "少 0.500 µs [0.250 … 0.750]",
            "多 0.250 µs [−0.125 … 0.500]",
        ] {
            assert!(chinese.contains(part), "{part}: {chinese}");
        }
    }

    #[test]
    fn what_else_is_taken_follows_the_first() {
        let also = |metric, more: f64, explains_us| AlsoMore {
            metric,
            more,
            interval: Interval {
                low: more - 0.25,
                high: more + 0.25,
            },
            explains_us,
        };
        let because = Because::TakesMore {
            ahead: "a".to_owned(),
            behind: "b".to_owned(),
            metric: Metric::ServerCpu,
            ratio: 3.0,
            interval: Interval {
                low: 2.5,
                high: 3.5,
            },
            ahead_takes: 5.0,
            behind_takes: 15.0,
            also: vec![
                also(Metric::CpuSystem, 9.5, 9.5),
                also(Metric::SwitchesVoluntary, 1.5, 4.5),
            ],
            place: None,
        };
        assert_eq!(
            because.say(Language::En),
            "b takes 3.00 × the CPU per request of a [2.50 … 3.50]: 15.0 µs against 5.00 µs, with 9.50 µs more system CPU \
             [9.25 … 9.75], 1.50 more voluntary switches [1.25 … 1.75] (which cost some 4.50 µs)"
        );
        assert_eq!(
            because.say(Language::Zh),
            "b 每个请求的 CPU 时间是 a 的 3.00 倍 [2.50 … 3.50]：15.0 µs 对 5.00 µs；内核态 CPU 时间多 9.50 µs [9.25 … 9.75]，自愿切换多 \
             1.50 [1.25 … 1.75]（通常约 4.50 µs）"
        );
    }
}
