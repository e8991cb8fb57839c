//! The study as it was run: its servers, its rounds, where it was published, what its authors note, and what was left out.

use photofinish_judge::comparison::Head;
use photofinish_model::TargetRecord;

use photofinish_voice::label;

use crate::document::{Block, Item};
use crate::labels;
use crate::words::{Text, Tone};

use super::head::how_many;
use super::source::Source;

pub(super) fn study(source: &Source) -> Vec<Block> {
    let head = &source.comparison.head;
    let mut blocks = vec![Block::Part("study", Text::from(label::study_title()))];
    let servers = head.targets.iter().map(|target| server(source, target));
    blocks.push(Block::List(servers.collect()));
    blocks.push(Block::Facts(facts(head)));
    if !head.left_out.is_empty() {
        let title = Text::from(label::study_left_out());
        blocks.push(Block::Heading(title));
        let items = head
            .left_out
            .iter()
            .map(|part| Item::new(part, Tone::Plain));
        blocks.push(Block::List(items.collect()));
    }
    // A blank line ends a paragraph; single line ends are only where the file's lines were full.
    let notes = head.notes.iter().flat_map(|notes| notes.split("\n\n"));
    let notes = notes.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let notes: Vec<String> = notes.filter(|text| !text.is_empty()).collect();
    if !notes.is_empty() {
        blocks.push(Block::Heading(Text::from(label::study_notes())));
        blocks.extend(notes.iter().map(|text| Block::Line(Text::authored(text))));
    }
    blocks
}

/// A server with its title, and with what it was built and started.
fn server(source: &Source, target: &TargetRecord) -> Item {
    let comparison = source.comparison;
    let mut name = source.server(&target.label);
    if target.limit {
        name = name.then(" (").then(Text::from(label::limit())).then(")");
    }
    if let Some(same_as) = &target.same_as {
        name = name
            .then(format!(" ({same_as} "))
            .then(Text::from(label::noise_itself()))
            .then(")");
    }
    let text = match target.title.as_str() {
        "" => name,
        title => Text::labelled(name, Text::authored(title)),
    };
    let mut item = Item::new(text, Tone::Plain);
    let tools = target.tools.iter();
    let tools = tools.map(|(name, found)| Text::code(format!("{name} {found}")));
    item.below.extend(tools);
    let ran = comparison
        .images
        .iter()
        .filter(|ran| ran.target == target.label);
    let images = ran.flat_map(|ran| &ran.images);
    let image = Text::from(label::study_image());
    item.below
        .extend(images.map(|it| Text::labelled(image.clone(), Text::code(it.as_str()))));
    // A page has room for it.
    if source.pictures.is_some() && !target.command.is_empty() {
        let command = Text::code(target.command.join(" "));
        item.below
            .push(Text::labelled(Text::from(label::study_command()), command));
    }
    item
}

fn facts(head: &Head) -> Vec<(Text, Text)> {
    let rounds = labels::count_of_rounds(head.rounds_asked as usize);
    let rounds = match how_many(head) {
        None => Text::list([rounds, Text::from(label::study_as_asked_for())]),
        Some(why) => Text::sentences([rounds, why]),
    };
    let mut facts = vec![
        (Text::from(label::study_rounds()), rounds),
        (Text::from(label::study_begun()), Text::from(&head.started)),
        (
            Text::from(label::machine_seed()),
            head.seed.to_string().into(),
        ),
    ];
    let source = head.source.as_ref();
    facts.extend(source.map(|source| (Text::from(label::study_source()), Text::authored(source))));
    facts
}
