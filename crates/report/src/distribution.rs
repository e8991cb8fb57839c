//! Response times as bars: a line a bin, of a length by the share of requests that are in it.

use photofinish_judge::bins::{Bin, bins};
use photofinish_model::units::{Unit, percent};

use hdrhistogram::Histogram;

/// The longest bar in columns, and the shortest that is worth drawing.
const LONGEST: usize = 50;
const SHORTEST: usize = 8;

/// Eighths of a column, from one to seven; eight are a full one.
const EIGHTHS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// Draws a histogram of nanoseconds on at most `width` columns; nothing where it is empty.
pub(crate) fn render(histogram: &Histogram<u64>, width: usize, unicode: bool) -> String {
    let bins = bins(histogram);
    if bins.is_empty() {
        return String::new();
    }
    let header = ["response time", "share", "slower"].map(str::to_owned);
    let rows: Vec<[String; 3]> = bins.iter().map(figures).collect();
    let widths = [0, 1, 2].map(|column| {
        let texts = rows
            .iter()
            .chain([&header])
            .map(|row| row[column].chars().count());
        texts.max().unwrap_or(0)
    });
    let beside: usize = widths.iter().map(|width| width + 2).sum();
    let room = width.saturating_sub(beside).min(LONGEST);
    let largest = bins.iter().map(|bin| bin.share).fold(0.0, f64::max);
    let mut text = line(&header, widths, "");
    for (bin, figures) in bins.iter().zip(&rows) {
        let drawn = match room {
            SHORTEST.. => bar(bin.share / largest, room, unicode),
            _ => String::new(),
        };
        text.push_str(&line(figures, widths, &drawn));
    }
    text
}

fn figures(bin: &Bin) -> [String; 3] {
    let share = |share: f64| match share {
        0.0 => "0%".to_owned(),
        share => percent(share),
    };
    [
        Unit::Microseconds.range(bin.low_us, bin.high_us),
        share(bin.share),
        share(bin.slower),
    ]
}

fn line(figures: &[String; 3], widths: [usize; 3], bar: &str) -> String {
    let [time, share, slower] = figures;
    let [a, b, c] = widths;
    let line = format!("{time:>a$}  {share:>b$}  {slower:>c$}  {bar}");
    format!("{}\n", line.trim_end())
}

/// A bar of a share of so many columns; something is always drawn of what is there.
fn bar(share: f64, room: usize, unicode: bool) -> String {
    if share <= 0.0 {
        return String::new();
    }
    if !unicode {
        let columns = (share * room as f64).round().max(1.0) as usize;
        return "#".repeat(columns);
    }
    let eighths = (share * room as f64 * 8.0).round().max(1.0) as usize;
    let mut bar = "█".repeat(eighths / 8);
    bar.extend(EIGHTHS.get((eighths % 8).wrapping_sub(1)));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_us(times: &[(u64, u64)]) -> Histogram<u64> {
        let mut histogram = Histogram::new(3).expect("three digits");
        for (us, count) in times {
            histogram.record_n(us * 1000, *count).expect("in range");
        }
        histogram
    }

    #[test]
    fn every_figure_is_counted_and_bars_are_as_long_as_shares() {
        // 50 of 100 are 1 µs, 25 are 15, 24 are 30, and one is 150.
        let histogram = of_us(&[(1, 50), (15, 25), (30, 24), (150, 1)]);
        let drawn = render(&histogram, 70, true);
        let rows: Vec<Vec<&str>> = drawn
            .lines()
            .map(|row| {
                row.split("  ")
                    .map(str::trim)
                    .filter(|cell| !cell.is_empty())
                    .collect()
            })
            .collect();
        assert_eq!(rows[0], ["response time", "share", "slower"]);
        let of = |time: &str| {
            rows.iter()
                .find(|row| row[0] == time)
                .unwrap_or_else(|| panic!("{drawn}"))
        };
        let fastest = of("1.00 … 2.00 µs");
        assert_eq!(fastest[1..3], ["50.0%", "50.0%"]);
        let second = of("10.0 … 20.0 µs");
        assert_eq!(second[1..3], ["25.0%", "25.0%"]);
        let third = of("20.0 … 50.0 µs");
        assert_eq!(third[1..3], ["24.0%", "1.0%"]);
        let length = |row: &[&str]| row[3].chars().count();
        // To the eighth of a column.
        assert!(length(fastest).abs_diff(2 * length(second)) <= 1, "{drawn}");
        assert_eq!(
            drawn.lines().last().map(|last| last.contains("0%")),
            Some(true)
        );
        assert!(drawn.lines().count() <= 12, "{drawn}");
    }

    #[test]
    fn lines_fit_and_need_no_unicode_bars() {
        let histogram = of_us(&[(7, 900_000), (60, 99_990), (8_000, 10)]);
        for width in [20, 40, 60, 80, 120] {
            for line in render(&histogram, width, true).lines() {
                let needed = 41.max(width);
                assert!(line.chars().count() <= needed, "{width}: {line}");
            }
        }
        let plain = render(&histogram, 80, false);
        assert!(plain.contains("####") && !plain.contains('█'), "{plain}");
        assert_eq!(render(&of_us(&[]), 80, true), "");
    }

    #[test]
    fn what_is_there_is_drawn() {
        assert_eq!(bar(0.0, 10, true), "");
        assert_eq!(bar(1e-9, 10, true), "▏");
        assert_eq!(bar(1e-9, 10, false), "#");
        assert_eq!(bar(1.0, 10, true), "█".repeat(10));
        assert_eq!(bar(0.55, 10, true), format!("{}▌", "█".repeat(5)));
    }
}
