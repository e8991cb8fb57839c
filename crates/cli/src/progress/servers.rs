//! A row for each server that is measured in turns: its rate, its p99 and how both went from turn to turn.

use photofinish_lab::SliceFigures;

use crate::view::{Piece, Style, chart};
use crate::words;

/// So many turns are drawn.
const TURNS: usize = 24;

/// What the servers of a level did so far.
#[derive(Default)]
pub(super) struct Servers(Vec<Server>);

struct Server {
    name: String,
    rates: Vec<f64>,
    p99_us: Option<f64>,
}

impl Servers {
    /// Adds a turn.
    pub(super) fn turn(&mut self, slices: Vec<SliceFigures>) {
        for slice in slices {
            let known = self.0.iter().position(|it| it.name == slice.target);
            let place = known.unwrap_or_else(|| {
                self.0.push(Server {
                    name: slice.target.clone(),
                    rates: Vec::new(),
                    p99_us: None,
                });
                self.0.len() - 1
            });
            let server = &mut self.0[place];
            server.rates.push(slice.rate);
            server.p99_us = slice.p99_us;
        }
        // The order of slices is random; rows stay where they are.
        self.0.sort_by(|a, b| a.name.cmp(&b.name));
    }

    /// A row for each, in columns.
    pub(super) fn rows(&self, unicode: bool) -> Vec<Piece> {
        let figures = self.0.iter().map(|server| {
            let count = server.rates.len().max(1) as f64;
            let mean = server.rates.iter().sum::<f64>() / count;
            let p99 = server.p99_us.map_or_else(|| "–".to_owned(), words::micros);
            (server, words::rate(mean.round() as u64, 1.0), p99)
        });
        let figures: Vec<(&Server, String, String)> = figures.collect();
        let widest = |text: &dyn Fn(&(&Server, String, String)) -> usize| {
            figures.iter().map(text).max().unwrap_or(0)
        };
        let name = widest(&|it| it.0.name.chars().count());
        let rate = widest(&|it| it.1.chars().count());
        let p99 = widest(&|it| it.2.chars().count());
        let row = |(server, mean, slowest): &(&Server, String, String)| {
            let from = server.rates.len().saturating_sub(TURNS);
            let line = match unicode {
                true => chart(&server.rates[from..]),
                false => String::new(),
            };
            let text = format!(
                "  {:<name$}  {mean:>rate$}  p99 {slowest:>p99$}  {line}",
                server.name
            );
            Style::Plain.line(text.trim_end())
        };
        figures.iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_server_has_its_mean_rate_its_last_p99_and_a_bar_a_turn() {
        let slice = |target: &str, rate, p99_us| SliceFigures {
            target: target.to_owned(),
            rate,
            p99_us,
        };
        let mut servers = Servers::default();
        servers.turn(vec![
            slice("b", 500.0, None),
            slice("a", 1_000.0, Some(900.0)),
        ]);
        servers.turn(vec![
            slice("a", 2_000.0, Some(1_100.0)),
            slice("b", 500.0, None),
        ]);
        let rows = |unicode| -> Vec<String> {
            servers
                .rows(unicode)
                .into_iter()
                .map(|it| it.text)
                .collect()
        };
        assert_eq!(
            rows(true),
            [
                "  a  1,500/s  p99 1.10 ms  ▄█",
                "  b    500/s  p99       –  ██"
            ]
        );
        assert_eq!(rows(false)[0], "  a  1,500/s  p99 1.10 ms");
        assert!(Servers::default().rows(true).is_empty());
    }
}
