//! Why one target is ahead of another.

use photofinish_model::Metric;
use photofinish_model::finding::because::{Because, LayerMore};
use photofinish_model::finding::headline::Place;

use super::{load, metric};
use crate::because::{self, Pair, Size, Words};

pub(crate) fn because(because: &Because) -> String {
    because::because::<Zh>(because)
}

struct Zh;

impl Words for Zh {
    fn name(metric: &Metric) -> &'static str {
        metric::name(metric)
    }

    fn at(place: &Place) -> String {
        format!("{}时，", load::place(place))
    }

    fn times(Pair { ahead, behind }: &Pair, name: &str, Size { value, bounds }: &Size) -> String {
        format!("{behind} 每个请求的{name}是 {ahead} 的 {value} 倍{bounds}")
    }

    fn more(Pair { ahead, behind }: &Pair, name: &str, Size { value, bounds }: &Size) -> String {
        format!("{behind} 每个请求的{name}比 {ahead} 多 {value}{bounds}")
    }

    fn takes(said: &str, at: &str, behind: &str, ahead: &str) -> String {
        format!("{at}{said}：{behind} 对 {ahead}")
    }

    fn also(name: &str, Size { value, bounds }: &Size, costs: Option<&str>) -> String {
        let costs = costs.map_or_else(String::new, |costs| format!("（通常约 {costs}）"));
        format!("{name}多 {value}{bounds}{costs}")
    }

    fn with(said: &str, also: &[String]) -> String {
        format!("{said}；{}", also.join("，"))
    }

    fn layer(name: &str, layer: &LayerMore) -> String {
        let less = layer.more_us < 0.0;
        let Size { value, bounds } = because::microseconds(layer, less);
        let more = if less { "少" } else { "多" };
        format!("{name}{more} {value}{bounds}")
    }

    fn spends(Pair { ahead, behind }: &Pair, at: &str, more: &str, layers: &[String]) -> String {
        format!(
            "{at}{behind} 每个请求比 {ahead} 多用 {more} CPU 时间：{}",
            layers.join("，")
        )
    }
}
