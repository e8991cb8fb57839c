//! Flame graphs: the stacks of one server, and by how much two servers differ in each frame.

use photofinish_judge::comparison::Cell;
use photofinish_judge::page::FlamePair;

use photofinish_voice::label;

use crate::document::Block;
use crate::figure::{Body, Figure, Flame, FlameOption};
use crate::words::Text;

use super::source::{Source, place};

/// The flame graph of a cell behind its title; nothing if no stacks were kept.
pub(super) fn flames(source: &Source, index: usize, cell: &Cell) -> Option<Block> {
    let page = source.pictures?;
    let stacks = page.flames.iter().find(|stacks| stacks.cell == index)?;
    let names = stacks
        .frames
        .iter()
        .enumerate()
        .map(|(frame, name)| match frame {
            0 => Text::from(label::layers_all()).text(photofinish_voice::Language::En),
            _ => stacks.names.get(*name).cloned().unwrap_or_default(),
        });
    let labels = stacks.targets.iter().map(|target| source.label(*target));
    let labels: Vec<&str> = labels.collect();
    let alone = labels.iter().enumerate();
    let alone = alone.map(|(of, label)| self::alone(of, label));
    let pairs = stacks.pairs.iter().map(|pair| both(pair, &labels));
    let flame = Flame {
        names: names.collect(),
        callers: stacks.callers.clone(),
        servers: labels.iter().map(|label| (*label).to_owned()).collect(),
        us: stacks.us.clone(),
        options: alone.chain(pairs).collect(),
        first: if stacks.pairs.is_empty() {
            0
        } else {
            labels.len()
        },
    };
    let title = Text::from(label::flames_title());
    let says = Text::from(label::flames_keys());
    let figure = Figure::new(place(cell), says, Body::Flame(Box::new(flame)));
    Some(Block::Fold(title, vec![Block::Figures(vec![figure])]))
}

fn alone(of: usize, label: &str) -> FlameOption {
    FlameOption {
        name: label.into(),
        lead: Text::from(label::flames_width()),
        of,
        and: None,
        differences: Vec::new(),
    }
}

fn both(pair: &FlamePair, labels: &[&str]) -> FlameOption {
    let [a, b] = [pair.a, pair.b].map(|at| labels.get(at).copied().unwrap_or_default());
    FlameOption {
        name: format!("{b} − {a}").into(),
        lead: Text::from(label::flames_each_box_is_a_function()).then(Text::both(
            format!(" Orange: {b} spends more; blue: {a} does."),
            format!("橙色：{b} 用得更多；蓝色：{a} 用得更多。"),
        )),
        of: pair.a,
        and: Some(pair.b),
        differences: pair.frames.clone(),
    }
}
