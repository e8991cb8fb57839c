//! Flame graphs: frames as boxes, callers below those that they call, as wide as their CPU time.

use crate::figure::{Flame, FlameOption};

use super::escape::escape;
use super::svg::short;

/// The height of a row; the page's script has the same.
const ROW: f64 = 19.0;

/// Frames with a smaller share of the width are not shown, as in the page's script.
const LEAST: f64 = 0.0006;

/// The place of each frame: from the left and how wide, as shares of the width, and how many callers it has.
struct Place {
    left: f64,
    width: f64,
    depth: usize,
}

pub(super) fn drawing(flame: &Flame) -> String {
    let Some(option) = flame.options.get(flame.first) else {
        return String::new();
    };
    let widths = widths(flame, option);
    let places = places(flame, &widths);
    let drawn = places.iter().filter(|place| place.width >= LEAST);
    let deepest = drawn.map(|place| place.depth + 1).max().unwrap_or(1);
    let height = ROW * deepest as f64;
    let mut svg = format!("<svg class=\"frames\" height=\"{height}\" aria-hidden=\"true\">");
    for (frame, (place, name)) in places.iter().zip(&flame.names).enumerate() {
        let hidden = match place.width >= LEAST {
            true => "",
            false => " display=\"none\"",
        };
        svg.push_str(&format!(
            "<svg x=\"{}%\" y=\"{}\" width=\"{}%\" height=\"{}\"{hidden}><rect width=\"100%\" height=\"100%\" class=\"{}\"/><text x=\"4\" y=\"13\">{}</text></svg>",
            short(place.left * 100.0, 3),
            height - ROW * (place.depth + 1) as f64,
            short(place.width * 100.0, 3),
            ROW - 1.0,
            colour(option, frame, name),
            escape(name)
        ));
    }
    svg + "</svg>"
}

/// The CPU time of each frame: a server's, or the mean of two.
fn widths(flame: &Flame, option: &FlameOption) -> Vec<f64> {
    let of = |server: usize, frame: usize| {
        let us = flame.us.get(server).and_then(|us| us.get(frame));
        us.copied().unwrap_or_default()
    };
    let width = |frame| match option.and {
        None => of(option.of, frame),
        Some(other) => (of(option.of, frame) + of(other, frame)) / 2.0,
    };
    (0..flame.callers.len()).map(width).collect()
}

/// Callers come before those that they call, which lie side by side by their names.
fn places(flame: &Flame, widths: &[f64]) -> Vec<Place> {
    let count = flame.callers.len();
    let mut called: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (frame, caller) in flame.callers.iter().enumerate() {
        if let Some(caller) = caller.filter(|caller| *caller < frame) {
            called[caller].push(frame);
        }
    }
    for list in &mut called {
        list.sort_by(|a, b| flame.names[*a].cmp(&flame.names[*b]));
    }
    let all = widths.first().copied().unwrap_or_default();
    let share = |frame: usize| if all > 0.0 { widths[frame] / all } else { 0.0 };
    let mut places: Vec<Place> = Vec::with_capacity(count);
    places.extend((0..count).map(|frame| Place {
        left: 0.0,
        width: share(frame),
        depth: 0,
    }));
    for frame in 0..count {
        let mut left = places[frame].left;
        for &other in &called[frame] {
            places[other].left = left;
            places[other].depth = places[frame].depth + 1;
            left += places[other].width;
        }
    }
    places
}

/// A frame's colour by its module; between two servers by who certainly spends more.
fn colour(option: &FlameOption, frame: usize, name: &str) -> &'static str {
    if option.and.is_some() {
        let judged = option.differences.iter().find(|it| it.frame == frame);
        return match judged.filter(|it| it.is_sure) {
            Some(it) if it.more_us > 0.0 => "more",
            Some(_) => "less",
            None => "same",
        };
    }
    match name.split('`').next().unwrap_or_default() {
        "kernel" => "kernel",
        module if module.starts_with('[') => "unknown",
        _ => "program",
    }
}
