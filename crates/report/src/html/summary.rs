//! What the page holds before, or without, its script: the verdict, a picture of the ratios, and their table.
//!
//! The script puts the whole report in its place. Until then, and for who allows no scripts or looks at the file in a program that
//! runs none, this is the report.

use photofinish_judge::comparison::{Cell, Comparison, TargetProfile, Verdict};
use photofinish_model::units::{Unit, ratio, wide};
use photofinish_model::{Layer, Metric};
use photofinish_stats::Interval;
use photofinish_voice::{Language, Say};

use super::escape::escape;

/// The metrics of the table; the picture is of the first.
const METRICS: [Metric; 2] = [Metric::Throughput, Metric::P99];

/// The most rows; the script shows all of them.
const MOST: usize = 16;

/// Of the layers, the most places.
const MOST_LAYERS: usize = 4;

/// Sizes of the picture, in pixels.
const WIDTH: f64 = 760.0;
const LEFT: f64 = 330.0;
const RIGHT: f64 = 20.0;
const ROW: f64 = 36.0;
const FOOT: f64 = 24.0;

/// A pair of targets at one place, with its verdict on each metric.
struct Row<'a> {
    place: String,
    pair: String,
    verdicts: [Option<&'a Verdict>; METRICS.len()],
}

/// The summary as HTML.
pub(super) fn html(comparison: &Comparison, language: Language) -> String {
    let rows = rows(comparison, language);
    let mut page = format!(
        "<main class=\"summary\"><h1>{}</h1><p class=\"verdict\">{}</p>",
        escape(&comparison.head.title),
        escape(comparison.headline.text(language)),
    );
    if let Some(because) = &comparison.because {
        let text = escape(because.text(language));
        page.push_str(&format!("<p class=\"because\">{text}</p>"));
    }
    page.push_str(&picture(&rows, comparison.head.margin));
    if !rows.is_empty() {
        page.push_str(&table(&rows, language));
    }
    let profiled = (comparison.cells.iter()).filter_map(|cell| layers(cell, language));
    page.extend(profiled.take(MOST_LAYERS));
    page + "</main>"
}

fn rows(comparison: &Comparison, language: Language) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    for cell in &comparison.cells {
        let of = |metric| (cell.verdicts.iter()).filter(move |verdict| verdict.metric == metric);
        for first in of(METRICS[0]).filter(|verdict| verdict.ratio.is_some()) {
            let same = |verdict: &&Verdict| verdict.of == first.of && verdict.over == first.over;
            rows.push(Row {
                place: place(cell, language),
                pair: format!("{} / {}", first.of, first.over),
                verdicts: METRICS.map(|metric| of(metric).find(same)),
            });
        }
    }
    rows.truncate(MOST);
    rows
}

fn table(rows: &[Row], language: Language) -> String {
    let heads = METRICS.map(|metric| format!("<th scope=\"col\">{}</th>", metric.say(language)));
    let mut text = format!(
        "<div class=\"scroll\"><table><thead><tr><th></th>{}</tr></thead><tbody>",
        heads.concat()
    );
    for row in rows {
        let cells = row.verdicts.map(|verdict| match verdict {
            Some(verdict) => format!("<td>{}</td>", escape(&figure(verdict, language))),
            None => "<td>–</td>".to_owned(),
        });
        text.push_str(&format!(
            "<tr><th scope=\"row\">{}<span class=\"detail\">{}</span></th>{}</tr>",
            escape(&row.pair),
            escape(&row.place),
            cells.concat()
        ));
    }
    text + "</tbody></table></div>"
}

/// What a request's CPU time is spent on at one place, for each target that was profiled there; `None` where none was.
fn layers(cell: &Cell, language: Language) -> Option<String> {
    let us = |value: f64| Unit::Microseconds.text(value);
    let profiled: Vec<(&str, &TargetProfile)> = (cell.targets.iter())
        .filter_map(|target| Some((target.target.as_str(), target.profile.as_ref()?)))
        .collect();
    if profiled.is_empty() {
        return None;
    }
    let heads = (profiled.iter())
        .map(|(target, _)| format!("<th scope=\"col\">{}</th>", escape(target)))
        .collect::<String>();
    let spent = |layer: Layer| {
        let time = |profile: &TargetProfile| {
            let found = profile.layers.iter().find(|time| time.layer == layer)?;
            let interval = found
                .interval
                .map(|it| Unit::Microseconds.interval(found.us, it));
            let detail = interval.map(|it| format!("<span class=\"detail\">{it}</span>"));
            Some(us(found.us) + &detail.unwrap_or_default())
        };
        let times: Vec<Option<String>> = profiled.iter().map(|(_, it)| time(it)).collect();
        let name = Metric::of_layer(layer).say(language);
        let is_seen = times.iter().any(Option::is_some);
        is_seen.then(|| row(&name, times.into_iter().map(Option::unwrap_or_default)))
    };
    let layers: String = Layer::ALL.iter().copied().filter_map(spent).collect();
    let cpu = profiled.iter().map(|(_, profile)| us(profile.cpu_us));
    let all = row(&Metric::ServerCpu.say(language), cpu);
    Some(format!(
        "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">{}</th>{heads}</tr></thead><tbody>{layers}{all}</tbody></table></div>",
        escape(&place(cell, language))
    ))
}

/// A row of cells that are markup already.
fn row(head: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: String = cells.map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", escape(head))
}

/// A cell's workload and level.
fn place(cell: &Cell, language: Language) -> String {
    format!("{}, {}", cell.workload, cell.level.text(language))
}

/// A ratio with its interval, and who is ahead; or why there is none.
fn figure(verdict: &Verdict, language: Language) -> String {
    let (Some(value), None) = (verdict.ratio, verdict.void()) else {
        return verdict.outcome.text(language).to_owned();
    };
    let interval = verdict
        .interval
        .filter(|_| !verdict.wide)
        .map(|interval| format!(" [{} … {}]", ratio(interval.low), ratio(interval.high)));
    let ahead = verdict.ahead().map(|name| format!(" → {name}"));
    format!(
        "{}{}{}",
        ratio(value),
        interval.unwrap_or_default(),
        ahead.unwrap_or_default()
    )
}

/// A logarithmic scale of ratios.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    /// One on which all of these lie, and the margin about 1. An interval that bounds nothing does not stretch it.
    fn of(rows: &[(&Row, f64, Option<Interval>)], margin: f64) -> Scale {
        let near = 1.0 + 2.0 * margin;
        let mut scale = Scale {
            low: near.recip(),
            high: near,
        };
        for (_, value, interval) in rows {
            let ends = interval.filter(|interval| wide(*interval).is_none());
            let ends = ends.map_or([*value; 2], |interval| [interval.low, interval.high]);
            scale.low = scale.low.min(*value).min(ends[0]);
            scale.high = scale.high.max(*value).max(ends[1]);
        }
        let space = (scale.high / scale.low).powf(0.03);
        Scale {
            low: scale.low / space,
            high: scale.high * space,
        }
    }

    /// How far right a ratio lies, in pixels; at an end where it is beyond.
    fn x(&self, value: f64) -> f64 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        LEFT + (WIDTH - LEFT - RIGHT) * share.clamp(0.0, 1.0)
    }

    /// Where labels stand: 1 and the ends, and what lies far enough between.
    fn ticks(&self) -> Vec<f64> {
        let mut ticks: Vec<f64> = vec![1.0];
        for value in [
            0.01, 0.1, 0.2, 0.5, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 100.0,
        ] {
            let apart = |tick: &f64| (self.x(*tick) - self.x(value)).abs() > 40.0;
            if value > self.low && value < self.high && ticks.iter().all(apart) {
                ticks.push(value);
            }
        }
        ticks
    }
}

/// The ratios of the first metric, on one scale.
fn picture(rows: &[Row], margin: f64) -> String {
    let drawn: Vec<(&Row, f64, Option<Interval>)> = rows
        .iter()
        .filter_map(|row| {
            let verdict = row.verdicts[0]?;
            Some((row, verdict.ratio.filter(|r| *r > 0.0)?, verdict.interval))
        })
        .collect();
    if drawn.is_empty() {
        return String::new();
    }
    let scale = Scale::of(&drawn, margin);
    let bottom = ROW * drawn.len() as f64;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\" fill=\"currentColor\" font-size=\"12\">",
        bottom + FOOT,
        escape(&reported(&drawn)),
    );
    let (from, to) = (scale.x((1.0 + margin).recip()), scale.x(1.0 + margin));
    svg.push_str(&format!(
        "<rect x=\"{from:.1}\" y=\"0\" width=\"{:.1}\" height=\"{bottom}\" opacity=\"0.12\"/>",
        to - from
    ));
    for tick in scale.ticks() {
        let x = scale.x(tick);
        svg.push_str(&format!(
            "<path d=\"M{x:.1} 0V{bottom}\" stroke=\"currentColor\" opacity=\"{}\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
            if tick == 1.0 { 0.6 } else { 0.15 },
            bottom + 16.0
        ));
    }
    for (index, (row, value, interval)) in drawn.iter().enumerate() {
        let y = ROW * (index as f64 + 0.5);
        for (below, text) in [(-4.0, &row.place), (11.0, &row.pair)] {
            svg.push_str(&format!(
                "<text x=\"0\" y=\"{}\">{}</text>",
                y + below,
                escape(&short(text))
            ));
        }
        if let Some(interval) = interval {
            let (from, to) = (scale.x(interval.low), scale.x(interval.high));
            svg.push_str(&format!(
                "<path d=\"M{from:.1} {y}H{to:.1}\" stroke=\"currentColor\" stroke-width=\"3\"/>"
            ));
        }
        svg.push_str(&format!(
            "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"5\"/>",
            scale.x(*value)
        ));
    }
    svg + "</svg>"
}

/// The picture in words.
fn reported(drawn: &[(&Row, f64, Option<Interval>)]) -> String {
    let one = |(row, value, _): &(&Row, f64, Option<Interval>)| {
        format!("{}, {}: {}", row.pair, row.place, ratio(*value))
    };
    drawn.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What has room left of the picture.
fn short(name: &str) -> String {
    const ROOM: usize = 50;
    match name.chars().count() > ROOM {
        true => name.chars().take(ROOM - 1).chain(['…']).collect(),
        false => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use photofinish_model::{Profile, samples};

    fn comparison(names: &[&str], rates: &[&[f64]]) -> Comparison {
        Comparison::from(&samples::race(names, rates))
    }

    #[test]
    fn it_has_the_verdict_and_each_ratio() {
        let comparison = comparison(
            &["a", "b"],
            &[&[200.0, 200.0, 200.0], &[100.0, 100.0, 100.0]],
        );
        let page = html(&comparison, Language::En);
        assert!(
            page.contains(&escape(comparison.headline.text(Language::En))),
            "{page}"
        );
        assert!(page.contains("<th scope=\"row\">a / b<span"), "{page}");
        assert!(
            page.contains("<td>2.000 [2.000 … 2.000] → a</td>"),
            "{page}"
        );
        assert!(page.contains(">p99</th>"), "{page}");
    }

    #[test]
    fn ratios_lie_where_arithmetic_puts_them() {
        let comparison = comparison(&["a", "b"], &[&[200.0, 200.0], &[100.0, 100.0]]);
        let rows = rows(&comparison, Language::En);
        let drawn = [(&rows[0], 2.0, None)];
        let scale = Scale::of(&drawn, 0.02);
        // From 1/1.04 to 2, with 3% of that, as logarithms, on both sides.
        let (low, high) = ((1.0_f64 / 1.04).ln(), 2.0_f64.ln());
        let space = 0.03 * (high - low);
        let share = (high - low + space) / (high - low + 2.0 * space);
        let expected = 330.0 + 410.0 * share;
        assert!((scale.x(2.0) - expected).abs() < 1e-9);
        assert!(picture(&rows, 0.02).contains(&format!("<circle cx=\"{expected:.1}\"")));
        assert_eq!(scale.x(1e9), 740.0);
        assert_eq!(scale.x(1e-9), 330.0);
        let ticks = scale.ticks();
        assert!(ticks.contains(&1.0) && ticks.contains(&1.5) && !ticks.contains(&3.0));
    }

    #[test]
    fn where_there_is_no_ratio_there_is_no_picture() {
        let page = html(&comparison(&["a"], &[&[100.0, 100.0]]), Language::Zh);
        assert!(!page.contains("<svg") && !page.contains("<table"), "{page}");
    }

    #[test]
    fn where_the_cpu_time_goes_is_a_table() {
        let mut results = samples::race(&["<a>", "b"], &[&[200.0, 200.0], &[100.0, 100.0]]);
        for line in &mut results.lines {
            line.profile = Some(Profile {
                throughput_rps: 99.0,
                cpu_us_per_request: None,
                hertz: 499,
                samples: 400,
                lost: 0,
                layers: [(Layer::KernelSend, 300), (Layer::Unknown, 100)].into(),
                stack_depth: None,
                program: None,
                file: "profiles/a.folded".to_owned(),
                merged: 0,
            });
        }
        let comparison = Comparison::from(&results);
        let cpu = comparison.cells[0].targets[0]
            .profile
            .as_ref()
            .expect("profiled")
            .cpu_us;
        let page = html(&comparison, Language::En);
        let send = Unit::Microseconds.text(cpu * 0.75);
        let row = format!("<th scope=\"row\">kernel send</th><td>{send}<span");
        assert!(page.contains(&row), "{page}");
        assert!(page.contains("<th scope=\"row\">unknown</th>"), "{page}");
        assert!(page.contains("<th scope=\"col\">&lt;a&gt;</th>"), "{page}");
    }

    #[test]
    fn a_name_is_no_markup() {
        let name = "</main><script>\"'&";
        let page = html(
            &comparison(&[name, "b"], &[&[2.0, 2.0], &[1.0, 1.0]]),
            Language::En,
        );
        assert!(!page.contains("<script"), "{page}");
        assert!(
            page.contains("&lt;/main&gt;&lt;script&gt;&quot;&#39;&amp;"),
            "{page}"
        );
    }
}
