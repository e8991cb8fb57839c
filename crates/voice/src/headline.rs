//! The headline: who, by how much, where.

use photofinish_model::{Place, Places};

photofinish_model::messages! { "headline";
    nothing() "No verdict: nothing was measured.", "没有结论：什么也没有测到。";
    nothing_failed(failures: Failures)
        "No verdict: nothing was measured ({failures} recorded).",
        "没有结论：什么也没有测到（记录了 {failures}）。";
    only_reference()
        "No verdict: only the reference server was measured.",
        "没有结论：只测到了参照服务器。";
    only_reference_failed(failures: Failures)
        "No verdict: only the reference server was measured ({failures} recorded).",
        "没有结论：只测到了参照服务器（记录了 {failures}）。";
    smoke(done: Count, asked: Measurements)
        "Smoke run: {done} of {asked} completed; it does not measure speed.",
        "冒烟运行：{asked}中完成了 {done} 次；它不测量速度。";
    noise_floor(floors: Clauses)
        "A noise floor, no verdict: {floors}.",
        "只有噪声下限，没有结论：{floors}。";
    one_server(figures: Clauses)
        "One server, no verdict: {figures}.",
        "只有一个被测服务器，没有结论：{figures}。";
    no_common_round()
        "No verdict: no round has measurements of two servers.",
        "没有结论：没有一轮同时测到两个被测服务器。";
    one_round(figures: Clauses)
        "One round only, no verdict: {figures}.",
        "只有一轮，没有结论：{figures}。";
    verdict(groups: Clauses, rounds: Rounds)
        "{groups}; {rounds}.",
        "{groups}；共 {rounds}。";
    and_more(more: Count) "and {more} more", "另有 {more} 项";

    floor(server: Name, by: Percent, interval: PercentBounds, place: Place)
        "{server} against itself differed by {by}{interval} at {place}",
        "{place}时 {server} 与自身相差 {by}{interval}";
    floor_invalid(server: Name, place: Place, reason: Message)
        "{server} against itself at {place}: {reason}",
        "{place}时 {server} 与自身对照：{reason}";
    no_floor(server: Name, place: Place)
        "{server} against itself had no throughput to compare at {place}",
        "{place}时 {server} 与自身没有可比的吞吐量";
    figures_at(figures: Parts, place: Place)
        "{figures} at {place}",
        "{place}时 {figures}";
    figure(server: Name, rate: Rate, interval: RateBounds)
        "{server} {rate}{interval}",
        "{server} {rate}{interval}";

    tie(servers: Alternatives, margin: Margin, places: Places)
        "{servers} tie within {margin} at {places}",
        "{places}时 {servers} 在 {margin} 之内打平";
    no_order(servers: Alternatives, places: Places)
        "no clear order between {servers} at {places}",
        "{places}时 {servers} 之间分不出明确的先后";
    undecided_between(servers: Alternatives, places: Places, needed: Brackets)
        "undecided between {servers} at {places}{needed}",
        "{places}时 {servers} 无法判定{needed}";
    undecided(places: Places) "undecided at {places}", "{places}时无法判定";
    invalid(places: Places, reason: Message)
        "no verdict at {places}: {reason}",
        "{places}时没有结论：{reason}";
    invalid_for(servers: Alternatives, places: Places, reason: Message)
        "no verdict on {servers} at {places}: {reason}",
        "{places}时对 {servers} 没有结论：{reason}";

    // Who is ahead: the server or servers, and the points at which they are.
    one_is(server: Name, points: Parts, among: Brackets, beside: Brackets)
        "{server} is {points}{among}{beside}",
        "{server} {points}{among}{beside}";
    several_are(servers: Alternatives, points: Parts, among: Brackets, beside: Brackets)
        "{servers} are at least {points}{among}{beside}",
        "{servers} 都至少{points}{among}{beside}";
    one_sustains(server: Name, points: Parts, among: Brackets, beside: Brackets)
        "{server} sustains {points}{among}{beside}",
        "{server} {points}{among}{beside}";
    several_sustain(servers: Alternatives, points: Parts, among: Brackets, beside: Brackets)
        "{servers} sustain at least {points}{among}{beside}",
        "{servers} 都至少{points}{among}{beside}";
    two_tie(margin: Margin)
        "the two tie within {margin}",
        "两者之间在 {margin} 之内打平";
    two_undecided(needed: Tail)
        "undecided between the two{needed}",
        "两者之间无法判定{needed}";
    two_without_order() "no clear order between the two", "两者之间分不出明确的先后";
    these_tie(servers: Count, margin: Margin)
        "these {servers} tie within {margin}",
        "这 {servers} 个之间在 {margin} 之内打平";
    these_undecided(servers: Count, needed: Tail)
        "undecided between these {servers}{needed}",
        "这 {servers} 个之间无法判定{needed}";
    these_without_order(servers: Count)
        "no clear order between these {servers}",
        "这 {servers} 个之间分不出明确的先后";
    one_beside(server: Name, leaders: Alternatives)
        "{server} is not distinguishable from {leaders}",
        "{server} 与 {leaders} 难分先后";
    several_beside(servers: Alternatives, leaders: Alternatives)
        "{servers} are not distinguishable from {leaders}",
        "{servers} 与 {leaders} 难分先后";
    next(server: Name) "{server}", " {server} ";
    next_is_runner_up(server: Name) "{server}, the runner-up,", "第二名 {server} ";
    runner_up() "the runner-up", "第二名";
    hedges(hedges: Clauses) "{hedges}", "{hedges}";
    in_doubt(places: Count) "{places} in doubt", "其中 {places} 个存疑";
}

/// How far who is ahead is ahead, at the first of a list of places.
pub mod first {
    use photofinish_model::Place;

    photofinish_model::messages! { "headline.first";
        faster(by: Advantage, next: Message, place: Place, interval: AdvantageBounds, hedges: Brackets)
            "{by} faster than {next} at {place}{interval}{hedges}",
            "在{place}时速度比{next}快 {by}{interval}{hedges}";
        times_as_fast(by: Advantage, next: Message, place: Place, interval: AdvantageBounds, hedges: Brackets)
            "{by} as fast as {next} at {place}{interval}{hedges}",
            "在{place}时速度是{next}的 {by}{interval}{hedges}";
        more(by: Advantage, next: Message, place: Place, interval: AdvantageBounds, hedges: Brackets)
            "{by} more than {next} at {place}{interval}{hedges}",
            "在{place}时能承受的速率比{next}高 {by}{interval}{hedges}";
        times_as_much(by: Advantage, next: Message, place: Place, interval: AdvantageBounds, hedges: Brackets)
            "{by} as much as {next} at {place}{interval}{hedges}",
            "在{place}时能承受的速率是{next}的 {by}{interval}{hedges}";
    }
}

/// How far who is ahead is ahead, at further places; the kind of figure is named if it changes.
pub mod further {
    use photofinish_model::NextPlace;

    photofinish_model::messages! { "headline.further";
        same(by: Advantage, place: NextPlace, hedges: Brackets)
            "{by} at {place}{hedges}",
            "在{place}时 {by}{hedges}";
        faster(by: Advantage, place: NextPlace, hedges: Brackets)
            "{by} faster at {place}{hedges}",
            "在{place}时快 {by}{hedges}";
        times_as_fast(by: Advantage, place: NextPlace, hedges: Brackets)
            "{by} as fast at {place}{hedges}",
            "在{place}时速度是其 {by}{hedges}";
        more(by: Advantage, place: NextPlace, hedges: Brackets)
            "{by} more at {place}{hedges}",
            "在{place}时高 {by}{hedges}";
        times_as_much(by: Advantage, place: NextPlace, hedges: Brackets)
            "{by} as much at {place}{hedges}",
            "在{place}时是其 {by}{hedges}";
    }
}

/// How far who is ahead is ahead, from the least to the most over many loads.
pub mod range {
    photofinish_model::messages! { "headline.range";
        faster(least: Advantage, most: Advantage, next: Message, loads: Count, doubt: Brackets)
            "{least} to {most} faster than {next} at {loads} loads{doubt}",
            "在 {loads} 个负载下速度比{next}快 {least}，最多快 {most}{doubt}";
        faster_to_times(least: Advantage, most: Advantage, next: Message, loads: Count, doubt: Brackets)
            "{least} faster to {most} as fast as {next} at {loads} loads{doubt}",
            "在 {loads} 个负载下速度比{next}快 {least}，最多是其 {most}{doubt}";
        times_as_fast(least: Advantage, most: Advantage, next: Message, loads: Count, doubt: Brackets)
            "{least} to {most} as fast as {next} at {loads} loads{doubt}",
            "在 {loads} 个负载下速度是{next}的 {least}，最多是 {most}{doubt}";
        more(least: Advantage, most: Advantage, next: Message, loads: Count, doubt: Brackets)
            "{least} to {most} more than {next} at {loads} loads{doubt}",
            "在 {loads} 个负载下能承受的速率比{next}高 {least}，最多高 {most}{doubt}";
        more_to_times(least: Advantage, most: Advantage, next: Message, loads: Count, doubt: Brackets)
            "{least} more to {most} as much as {next} at {loads} loads{doubt}",
            "在 {loads} 个负载下能承受的速率比{next}高 {least}，最多是其 {most}{doubt}";
        times_as_much(least: Advantage, most: Advantage, next: Message, loads: Count, doubt: Brackets)
            "{least} to {most} as much as {next} at {loads} loads{doubt}",
            "在 {loads} 个负载下能承受的速率是{next}的 {least}，最多是 {most}{doubt}";
    }
}
