use photofinish_model::folded;
use photofinish_stats::random::Random;

use super::*;

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// The place of the frame with this chain of callers.
fn place(frames: &Frames, chain: &str) -> usize {
    chain.split(';').fold(0, |at, name| {
        let name = frames.known[name];
        frames.children[&(at, name)]
    })
}

#[test]
fn a_frame_has_what_it_and_those_that_it_calls_spend() {
    let mut frames = Frames::new();
    frames.add("a", 1, 10.0, &folded::read("m;f;g 30\nm;f 20\nm;h;g 50\n"));
    frames.add("b", 1, 6.0, &folded::read("m;f;g 1\nm;h 2\n"));
    frames.add("a", 2, 20.0, &folded::read("m;f 4\n"));
    // (10 · 50 / 100 + 20) / 2, and 6 / 3.
    let spent = frames.spent_in(place(&frames, "m;f"));
    assert!(near(spent[0], 12.5) && near(spent[1], 2.0), "{spent:?}");
    let spent = frames.spent_in(0);
    assert!(near(spent[0], 15.0) && near(spent[1], 6.0), "{spent:?}");
    // Alone: (10 · 20 / 100 + 20) / 2; m never is.
    let top = functions(&frames, &[(0, 1)]);
    let names: Vec<&str> = top.iter().map(|of| of.function.as_str()).collect();
    assert_eq!(names, ["f", "g", "h", "m"]);
    assert!(near(top[0].times[0].self_us, 11.0), "{top:?}");
    assert!(near(top[0].times[0].total_us, 12.5), "{top:?}");
    assert!(near(top[1].times[0].self_us, 4.0), "{top:?}");
    assert!(near(top[3].times[1].total_us, 6.0), "{top:?}");
    // One round that both have: a difference without an interval.
    let difference = top[0].differences[0].difference;
    assert!(near(difference.more_us, -2.0) && !difference.is_sure);
    assert_eq!(difference.interval, None);
}

#[test]
fn a_function_that_calls_itself_counts_once() {
    let mut frames = Frames::new();
    frames.add("a", 1, 8.0, &folded::read("f;f;g;f 3\nf 1\n"));
    let top = functions(&frames, &[]);
    assert_eq!(top[0].function, "f");
    assert!(near(top[0].times[0].self_us, 8.0) && near(top[0].times[0].total_us, 8.0));
}

#[test]
fn the_largest_frames_are_shown_with_their_callers() {
    let mut frames = Frames::new();
    let mut text = String::new();
    for leaf in 0..1_000 {
        text.push_str(&format!("m;f{};g{leaf} {}\n", leaf % 7, 1 + leaf));
    }
    frames.add("a", 1, 8.0, &folded::read(&text));
    let shown = frames.shown(100);
    assert_eq!(shown.len(), 100);
    for frame in &shown {
        let parent = frames.frames[*frame].parent;
        assert!(parent.is_none_or(|parent| shown.contains(&parent)));
    }
    // None of less than a thousandth: 500 and 500,500 samples.
    let all = frames.shown(usize::MAX);
    assert!(!all.contains(&place(&frames, "m;f1;g498")));
    assert!(all.contains(&place(&frames, "m;f4;g501")));
}

/// Stacks of a server with 48 leaves; one of `hot` more weight. In this process each leaf takes by `uneven` (a share) more or less than usual.
fn drawn(random: &mut Random, samples: u64, hot: f64, uneven: f64) -> Vec<Stack> {
    let weights: Vec<f64> = (0..48)
        .map(|leaf| WEIGHTS[leaf % 16] * (uneven * random.normal()).exp())
        .collect();
    let all: f64 = weights.iter().sum::<f64>() + hot;
    let mut text = String::new();
    for _ in 0..samples {
        let mut at = random.uniform() * all;
        let leaf = weights.iter().position(|weight| {
            at -= weight;
            at < 0.0
        });
        let leaf = leaf.unwrap_or(5);
        text.push_str(&format!(
            "server;run;part{};step{};leaf{leaf} 1\n",
            leaf % 3,
            leaf % 12
        ));
    }
    folded::read(&text)
}

const WEIGHTS: [f64; 16] = [
    41.0, 21.0, 14.0, 11.0, 9.0, 7.0, 6.0, 6.0, 5.0, 5.0, 4.0, 4.0, 4.0, 3.0, 3.0, 3.0,
];

/// A race over so many rounds in which `b` spends `more` of 5 µs more, all of it in one function.
fn raced(race: u64, rounds: u32, samples: u64, more: f64, uneven: f64) -> Frames {
    let mut random = Random::stream(23, race);
    let mut frames = Frames::new();
    let all = 3.0 * WEIGHTS.iter().sum::<f64>();
    for round in 1..=rounds {
        for (target, more) in [("a", 0.0), ("b", more)] {
            let cpu_us = 5.0 * (1.0 + more) + 0.05 * random.normal();
            let stacks = drawn(&mut random, samples, all * more, uneven);
            frames.add(target, round, cpu_us, &stacks);
        }
    }
    frames
}

#[test]
fn equal_targets_have_no_frame_that_differs_in_95_of_100_races() {
    // Two rounds are not drawn together, three and more are; processes alike, and by a fifth apart in each function.
    for (rounds, uneven) in [(2, 0.0), (3, 0.0), (3, 0.2), (5, 0.0), (5, 0.2)] {
        let (mut coloured, mut ranked) = (0, 0);
        for race in 0..200 {
            let frames = raced(race, rounds, 300, 0.0, uneven);
            let differences = frames.differences(&frames.shown(1_000), (0, 1), 1);
            assert!(differences.len() > 30, "{}", differences.len());
            coloured += u32::from(differences.iter().any(|(_, by)| by.is_sure));
            let functions = functions(&frames, &[(0, 1)]);
            let mut differences = functions.iter().flat_map(|of| &of.differences);
            ranked += u32::from(differences.any(|of| of.difference.is_sure));
        }
        assert!(
            coloured <= 10 && ranked <= 10,
            "{rounds} rounds, {uneven}: {coloured}, {ranked} of 200"
        );
    }
}

#[test]
fn a_planted_function_differs_with_its_callers() {
    for (rounds, samples, more, uneven, least) in [
        (5, 500, 0.2, 0.0, 90),
        (5, 500, 0.1, 0.0, 90),
        (3, 500, 0.2, 0.0, 90),
        (4, 1000, 0.1, 0.1, 90),
    ] {
        let mut found = 0;
        for race in 0..100 {
            let frames = raced(race, rounds, samples, more, uneven);
            let differences = frames.differences(&frames.shown(1_000), (0, 1), 1);
            let sure: Vec<usize> = (differences.iter())
                .filter(|(_, by)| by.is_sure && by.more_us > 0.0)
                .map(|(frame, _)| *frame)
                .collect();
            let hot = place(&frames, "server;run;part2;step5;leaf5");
            found += u32::from(sure.contains(&hot));
        }
        assert!(found >= least, "{rounds} rounds of {samples}: {found}");
    }
}
