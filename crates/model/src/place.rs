//! Where figures were measured: a workload at a load.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Load;
use crate::message::{Alternatives, Argument, Language, Names};
use crate::units::thousands;

/// A workload at a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The workload; `null` if all places have the same.
    pub workload: Option<String>,
    /// The load.
    pub load: Load,
}

impl Place {
    /// Returns a workload at a load.
    pub fn of(workload: &str, load: &Load) -> Place {
        Place {
            workload: Some(workload.to_owned()),
            load: load.clone(),
        }
    }
}

impl Argument for Place {
    fn text(&self, language: Language) -> String {
        let level = self.load.level(language);
        match (&self.workload, language) {
            (None, _) => level,
            (Some(workload), Language::En) => format!("{workload}, {level}"),
            (Some(workload), Language::Zh) => format!("{workload}，{level}"),
        }
    }

    fn value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl From<&Place> for Place {
    fn from(place: &Place) -> Place {
        place.clone()
    }
}

/// A place in a list: English does not repeat what follows from the place before it.
#[derive(Clone, Debug, PartialEq)]
pub struct NextPlace {
    place: Place,
    is_same_kind: bool,
}

impl NextPlace {
    /// Returns the place as it follows another in a list.
    pub fn after(place: &Place, before: &Place) -> NextPlace {
        let both = (&place.load, &before.load);
        NextPlace {
            is_same_kind: place.workload == before.workload
                && matches!(both, (Load::Closed { .. }, Load::Closed { .. })),
            place: place.clone(),
        }
    }
}

impl Argument for NextPlace {
    fn text(&self, language: Language) -> String {
        match (&self.place.load, language) {
            (Load::Closed { connections }, Language::En) if self.is_same_kind => {
                thousands(f64::from(*connections))
            }
            _ => self.place.text(language),
        }
    }

    fn value(&self) -> Value {
        self.place.value()
    }
}

/// Several places in a sentence; many are counted instead of named.
#[derive(Clone, Debug, PartialEq)]
pub struct Places(pub Vec<Place>);

impl Places {
    /// With more places than this, sentences count them.
    pub const NAMED: usize = 4;
}

impl From<&Vec<Place>> for Places {
    fn from(places: &Vec<Place>) -> Places {
        Places(places.clone())
    }
}

impl Argument for Places {
    fn text(&self, language: Language) -> String {
        let places = &self.0;
        if places.len() > Places::NAMED {
            return match language {
                Language::En => format!("{} loads", places.len()),
                Language::Zh => format!("{} 个负载下", places.len()),
            };
        }
        let first = places.first().map(|place| place.text(language));
        let rest = places
            .windows(2)
            .map(|two| NextPlace::after(&two[1], &two[0]).text(language));
        let texts: Vec<String> = first.into_iter().chain(rest).collect();
        match language {
            Language::En => Alternatives(texts).text(language),
            Language::Zh => Names(texts).text(language),
        }
    }

    fn value(&self) -> Value {
        self.0.iter().map(Argument::value).collect()
    }
}
