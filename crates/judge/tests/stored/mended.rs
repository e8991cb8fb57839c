//! What differs from version 1 on purpose, with the reason.

use crate::Facts;

/// What began so in one of the folders, and why it is another fact now.
struct Mended {
    folder: &'static str,
    what: &'static str,
    why: &'static str,
    /// What today's facts have: nothing, or another level of an interval (so other ends of it), or fewer targets in a lead.
    now: Now,
}

enum Now {
    Nothing,
    /// The rest of a metric in which some are void: they take nothing from the level of the others any more.
    OtherLevel,
}

const OVERLOADED: &str =
    "response times of an overloaded open loop are those of its queue: they were judged";
const SHARED: &str = "what is void takes nothing from the level of the others";
const FEW: &str = "fewer than ten requests of a round lie beyond the percentile: it was judged";

const MENDED: [Mended; 9] = [
    of_rich("paced at 150000/s: verdict Mean", OVERLOADED, Now::Nothing),
    of_rich("paced at 150000/s: verdict P50", OVERLOADED, Now::Nothing),
    of_rich("paced at 150000/s: verdict P99 ", OVERLOADED, Now::Nothing),
    of_rich("paced at 150000/s: verdict P999", OVERLOADED, Now::Nothing),
    of_rich("paced at 150000/s: verdict ", SHARED, Now::OtherLevel),
    of_rich("paced at 150000/s: lead ", OVERLOADED, Now::OtherLevel),
    of_quickstart(
        "sleep-20ms at 256 connections: verdict P999",
        FEW,
        Now::Nothing,
    ),
    of_quickstart(
        "sleep-20ms at 256 connections: lead P999",
        FEW,
        Now::Nothing,
    ),
    of_quickstart(
        "sleep-20ms at 256 connections: noise P999",
        FEW,
        Now::Nothing,
    ),
];

const fn of_rich(what: &'static str, why: &'static str, now: Now) -> Mended {
    Mended {
        folder: "rich",
        what,
        why,
        now,
    }
}

const fn of_quickstart(what: &'static str, why: &'static str, now: Now) -> Mended {
    Mended {
        folder: "quickstart",
        what,
        why,
        now,
    }
}

/// Why this fact is another one now; `None`: it must be the same.
pub fn why(folder: &str, what: &str, after: &Facts) -> Option<&'static str> {
    let is_so = |mended: &&Mended| {
        let named = mended.folder == folder && what.replace(",", "").starts_with(mended.what);
        named
            && match mended.now {
                // The level of a void verdict has no meaning.
                Now::Nothing => {
                    let is_void = what.contains("/ quarkus") || folder == "quickstart";
                    is_void && (!after.contains_key(what) || what.ends_with(" level"))
                }
                Now::OtherLevel => {
                    let of_others = !what.contains("quarkus") || what.contains(": lead ");
                    let about = [" level", " interval", " behind", " gap"];
                    of_others && about.iter().any(|end| what.ends_with(end))
                }
            }
    };
    MENDED.iter().find(is_so).map(|mended| mended.why)
}
