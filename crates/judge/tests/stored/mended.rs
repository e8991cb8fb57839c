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

/// All verdicts on throughput are one family, since the headline speaks of all of them: levels are stricter, intervals wider and
/// decisions later. A tie is judged at the level of one pair alone, so some that were open are ties.
const FAMILY: &str = "the headline accounts for all comparisons that it speaks of";

/// The spread of a pair is drawn toward that of all pairs that are judged with it: intervals are other ones, and what was open may be decided, or
/// the other way round. Nobody is ahead who was behind.
const POOLED: &str = "three targets' pairs say more of their spread together";

/// What was called different before the headline accounted for all comparisons: a difference of 2 to 3% among 23 and 42 of them.
const CALLED: [(&str, &str); 2] = [
    ("usual", "plaintext at 64 connections"),
    ("rich", "echo-256 at 50 connections"),
];

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
pub fn why(folder: &str, what: &str, before: &str, after: &Facts) -> Option<&'static str> {
    if is_of_the_family(folder, what, before, after) {
        return Some(FAMILY);
    }
    if is_of_pooling(folder, what, before, after) {
        return Some(POOLED);
    }
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

fn is_of_pooling(folder: &str, what: &str, before: &str, after: &Facts) -> bool {
    let Some((subject, figure)) = what.rsplit_once(' ') else {
        return false;
    };
    let is_judged = [": verdict ", ": lead "]
        .iter()
        .any(|part| subject.contains(part));
    if !["usual", "rich"].contains(&folder) || !is_judged {
        return false;
    }
    let now = after.get(what).map_or("null", String::as_str);
    let is_open = |text: &str| ["null", "\"undecided\"", "\"tie\""].contains(&text);
    match figure {
        "interval" | "gap" | "level" | "rounds_needed" | "decided_after" => true,
        "direction" | "ahead" => is_open(before) || is_open(now),
        "among" | "behind" | "leaders" | "beside" => true,
        _ => false,
    }
}

fn is_of_the_family(folder: &str, what: &str, before: &str, after: &Facts) -> bool {
    let Some((subject, figure)) = what.rsplit_once(' ') else {
        return false;
    };
    let now = after.get(what).map(String::as_str);
    let number = |text: &str| text.parse::<f64>().ok();
    let is_tie = |of: &str| {
        after
            .get(&format!("{of} direction"))
            .is_some_and(|d| d == "\"tie\"")
    };
    let was_open_is_tie = subject.contains(": verdict ") && is_tie(subject);
    let of_throughput = [": verdict Throughput", ": lead Throughput"];
    if !of_throughput.iter().any(|part| what.contains(part)) {
        // Of several targets, in another metric.
        return match figure {
            "direction" => before == "\"undecided\"" && was_open_is_tie,
            "rounds_needed" => now.is_none() && was_open_is_tie,
            "level" | "interval" => was_open_is_tie,
            _ => false,
        };
    }
    match figure {
        // Stricter, but for a tie.
        "level" => was_open_is_tie || now.and_then(number) >= number(before),
        "interval" | "gap" => true,
        // More rounds, or none.
        "rounds_needed" | "decided_after" => {
            now.is_none_or(|now| number(now) >= number(before)) && now != Some(before)
        }
        "direction" if before == "\"undecided\"" => was_open_is_tie,
        "among" => before == "\"undecided\"" && now == Some("\"tie\""),
        _ => {
            let pair = what.contains("event-loop / tio-boot") || what.contains(": lead ");
            let place = |(of, place): &&(&str, &str)| *of == folder && what.starts_with(place);
            let about = ["direction", "ahead", "behind", "leaders"];
            pair && CALLED.iter().any(|at| place(&at)) && about.contains(&figure)
        }
    }
}
