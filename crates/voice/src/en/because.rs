//! Why one target is ahead of another.

use photofinish_model::Metric;
use photofinish_model::finding::because::{Because, LayerMore};
use photofinish_model::finding::headline::Place;

use super::{load, metric};
use crate::because::{self, Pair, Size, Words};

pub(crate) fn because(because: &Because) -> String {
    because::because::<En>(because)
}

struct En;

impl Words for En {
    fn name(metric: &Metric) -> &'static str {
        metric::name(metric)
    }

    fn at(place: &Place) -> String {
        format!(" at {}", load::place(place))
    }

    fn times(Pair { ahead, behind }: &Pair, name: &str, Size { value, bounds }: &Size) -> String {
        format!("{behind} takes {value} × the {name} per request of {ahead}{bounds}")
    }

    fn more(Pair { ahead, behind }: &Pair, name: &str, Size { value, bounds }: &Size) -> String {
        format!("{behind} takes {value} more {name} per request than {ahead}{bounds}")
    }

    fn takes(said: &str, at: &str, behind: &str, ahead: &str) -> String {
        format!("{said}{at}: {behind} against {ahead}")
    }

    fn also(name: &str, Size { value, bounds }: &Size, costs: Option<&str>) -> String {
        let costs = costs.map_or_else(String::new, |costs| format!(" (which cost some {costs})"));
        format!("{value} more {name}{bounds}{costs}")
    }

    fn with(said: &str, also: &[String]) -> String {
        format!("{said}, with {}", also.join(", "))
    }

    fn layer(name: &str, layer: &LayerMore) -> String {
        let Size { value, bounds } = because::microseconds(layer, false);
        format!("{value} {name}{bounds}")
    }

    fn spends(Pair { ahead, behind }: &Pair, at: &str, more: &str, layers: &[String]) -> String {
        format!(
            "{behind} spends {more} more CPU per request than {ahead}{at}: {}",
            layers.join(", ")
        )
    }
}
