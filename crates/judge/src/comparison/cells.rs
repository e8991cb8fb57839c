//! The figures and verdicts of a study, place by place.

use photofinish_model::store::Results;
use photofinish_model::{Metric, Role, TargetRecord};
use photofinish_voice::place as places_said;

use super::Cell;
use super::figures::TargetFigures;
use crate::comparison::checks::responses::responses;
use crate::comparison::cost::beside;
use crate::comparison::cost::frames;
use crate::comparison::cost::frames::Frames;
use crate::comparison::figures::places::places;
use crate::comparison::interference::{noise, placement};
use crate::comparison::reach::{limit, link, network, share};
use crate::comparison::verdict::interim::Analyses;
use crate::comparison::verdict::{headline, lead, pairwise};

/// One cell a workload and load level, in the order of the study.
pub(super) fn cells(results: &Results) -> Vec<Cell> {
    let study = &results.study;
    let analyses = Analyses::of(results);
    let role = |label: &str| {
        let record = study.targets.iter().find(|record| record.label == label);
        record.map_or(Role::default(), TargetRecord::role)
    };
    let mut cells: Vec<Cell> = places(results)
        .map(|place| {
            let lines = (place.targets.iter()).flat_map(|label| place.lines(results, label));
            let migration = placement::migration(lines);
            let figures = |label: &&str| {
                let responses = responses(results, label, place.workload);
                let lines = place.lines(results, label);
                TargetFigures {
                    full_link: link::in_rounds(results, &lines),
                    ..TargetFigures::from(label, role(label), &lines, responses, migration.clone())
                }
            };
            let targets: Vec<TargetFigures> = place.targets.iter().map(figures).collect();
            let mut cell = Cell {
                workload: place.workload.to_owned(),
                request: place.request.message(),
                load: place.load.clone(),
                level: places_said::level(place.load),
                network: network::network(results, &targets),
                targets,
                verdicts: Vec::new(),
                headline_metric: Metric::Throughput,
                leads: Vec::new(),
                noise: Vec::new(),
                layers: Vec::new(),
                functions: Vec::new(),
                limit_held_back: 0,
            };
            if !study.settings.smoke {
                let limit = cell.targets.iter().find(|t| t.role == Role::Limit);
                cell.limit_held_back = limit.map_or(0, |limit| {
                    share::held_back(&place.lines(results, &limit.target), &cell.load)
                });
                limit::say_held_back(&mut cell);
                limit::note_shares(
                    &mut cell.targets,
                    &cell.load,
                    &analyses,
                    study.settings.margin,
                );
                cell.noise = noise::floors(&cell.targets, &study.targets);
                cell.layers = beside::beside(&cell);
                let frames = Frames::of_cell(results, &cell);
                cell.functions = frames::functions(&frames, &frames.pairs(&cell));
            }
            cell
        })
        .collect();
    if !study.settings.smoke {
        let verdicts = pairwise::verdicts(&cells, study.settings.margin, &analyses);
        for (cell, mut verdicts) in cells.iter_mut().zip(verdicts) {
            let contenders: Vec<&TargetFigures> = cell.contenders().collect();
            cell.leads = lead::leads(&contenders, &verdicts);
            cell.headline_metric = headline::metric::headline_metric(cell);
            for verdict in &mut verdicts {
                verdict.beside_noise(cell.noise_of(verdict.metric));
            }
            cell.verdicts = verdicts;
        }
    }
    noise::judge(&mut cells);
    cells
}
