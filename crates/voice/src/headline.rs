//! The headline: who, by how much, where; and under which conditions.

use photofinish_model::{Metric, Place, Places};

photofinish_model::messages! { "headline";
    nothing() "No verdict: nothing was measured", "没有结论：什么也没有测到";
    nothing_failed(failures: Failures)
        "No verdict: nothing was measured ({failures} recorded)",
        "没有结论：什么也没有测到（记录了 {failures}）";
    only_reference()
        "No verdict: only the reference server was measured",
        "没有结论：只测到了参照服务器";
    only_reference_failed(failures: Failures)
        "No verdict: only the reference server was measured ({failures} recorded)",
        "没有结论：只测到了参照服务器（记录了 {failures}）";
    smoke(done: Count, asked: Measurements)
        "Smoke run: {done} of {asked} completed; it does not measure speed",
        "冒烟运行：{asked}中完成了 {done} 次；它不测量速度";
    noise_floor(floors: Clauses)
        "A noise floor, no verdict: {floors}",
        "只有噪声下限，没有结论：{floors}";
    one_server(figures: Clauses)
        "One server, no verdict: {figures}",
        "只有一个被测服务器，没有结论：{figures}";
    no_common_round()
        "No verdict: no round has measurements of two servers",
        "没有结论：没有一轮同时测到两个被测服务器";
    one_round(figures: Clauses)
        "One round only, no verdict: {figures}",
        "只有一轮，没有结论：{figures}";
    verdict(groups: Clauses) "{groups}", "{groups}";
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
    figures_here(figures: Parts) "{figures}", "{figures}";
    figures_at(figures: Parts, place: Place)
        "{figures} at {place}",
        "{place}时 {figures}";
    figure(server: Name, rate: Rate, interval: RateBounds)
        "{server} {rate}{interval}",
        "{server} {rate}{interval}";

    // Where: all places, or those that are named.
    both_levels() "both levels", "两个负载档位";
    both_loads() "both loads", "两个负载";
    all_levels(levels: Count) "all {levels} levels", "全部 {levels} 个负载档位";
    all_loads(loads: Count) "all {loads} loads", "全部 {loads} 个负载";
    places(places: Places) "{places}", "{places}";

    // Many places: outcomes are counted.
    one_leads(server: Name, places: Count, of: Count)
        "{server} leads at {places} of {of} loads",
        "{of} 个负载中 {server} 在 {places} 个领先";
    several_lead(servers: Alternatives, places: Count, of: Count)
        "{servers} lead together at {places} of {of} loads",
        "{of} 个负载中 {servers} 在 {places} 个一同领先";
    some_tie(places: Count) "tie at {places}", "{places} 个打平";
    some_without_order(places: Count) "no clear order at {places}", "{places} 个分不出明确的先后";
    some_undecided(places: Count) "undecided at {places}", "{places} 个无法判定";
    some_invalid(places: Count) "no verdict at {places}", "{places} 个没有结论";

    // Who is ahead.
    one_is(server: Name, by: Message, at: AtPlaces, interval: Confidence, more: Brackets)
        "{server} is {by}{at}{interval}{more}",
        "{at}{server} {by}{interval}{more}";
    several_are(servers: Alternatives, by: Message, at: AtPlaces, interval: Confidence, more: Brackets)
        "{servers} are at least {by}{at}{interval}{more}",
        "{at}{servers} 都至少{by}{interval}{more}";
    one_sustains(server: Name, by: Message, at: AtPlaces, interval: Confidence, more: Brackets)
        "{server} sustains {by}{at}{interval}{more}",
        "{at}{server} {by}{interval}{more}";
    several_sustain(servers: Alternatives, by: Message, at: AtPlaces, interval: Confidence, more: Brackets)
        "{servers} sustain at least {by}{at}{interval}{more}",
        "{at}{servers} 都至少{by}{interval}{more}";
    one_uses(server: Name, by: Message, at: AtPlaces, interval: Confidence, more: Brackets)
        "{server} uses {by}{at}{interval}{more}",
        "{at}{server} {by}{interval}{more}";
    several_use(servers: Alternatives, by: Message, at: AtPlaces, interval: Confidence, more: Brackets)
        "{servers} use at least {by}{at}{interval}{more}",
        "{at}{servers} 都至少{by}{interval}{more}";
    one_has(server: Name, by: Message, at: AtPlaces, interval: Confidence, more: Brackets)
        "{server} has {by}{at}{interval}{more}",
        "{at}{server} {by}{interval}{more}";
    several_have(servers: Alternatives, by: Message, at: AtPlaces, interval: Confidence, more: Brackets)
        "{servers} have at least {by}{at}{interval}{more}",
        "{at}{servers} 都至少{by}{interval}{more}";
    one_best(server: Name, best: Message, at: AtPlaces, more: Brackets)
        "{server} {best}{at}{more}",
        "{at}{server} {best}{more}";
    several_best(servers: Alternatives, best: Message, at: AtPlaces, more: Brackets)
        "{servers} {best}{at}{more}",
        "{at}{servers} {best}{more}";
    is_fastest() "is fastest", "最快";
    are_fastest() "are fastest", "最快";
    sustains_most() "sustains most", "能承受的速率最高";
    sustain_most() "sustain most", "能承受的速率最高";
    uses_least() "uses the least CPU per request", "每个请求的 CPU 时间最少";
    use_least() "use the least CPU per request", "每个请求的 CPU 时间最少";
    has_lowest(metric: Metric) "has the lowest {metric}", "的{metric}最低";
    have_lowest(metric: Metric) "have the lowest {metric}", "的{metric}最低";

    next(server: Name) "{server}", " {server} ";
    next_is_runner_up(server: Name) "{server}, the runner-up", "第二名 {server} ";
    remarks(remarks: Clauses) "{remarks}", "{remarks}";
    within_margin(margin: Margin) "within the margin of {margin}", "不超过 {margin} 的界限";
    two_tie(margin: Margin)
        "the two tie within {margin}",
        "两者之间在 {margin} 之内打平";
    two_undecided() "undecided between the two", "两者之间无法判定";
    two_without_order() "no clear order between the two", "两者之间分不出明确的先后";
    these_tie(servers: Count, margin: Margin)
        "these {servers} tie within {margin}",
        "这 {servers} 个之间在 {margin} 之内打平";
    these_undecided(servers: Count)
        "undecided between these {servers}",
        "这 {servers} 个之间无法判定";
    these_without_order(servers: Count)
        "no clear order between these {servers}",
        "这 {servers} 个之间分不出明确的先后";
    one_beside(server: Name, leaders: Alternatives)
        "{server} is not distinguishable from {leaders}",
        "{server} 与 {leaders} 难分先后";
    several_beside(servers: Alternatives, leaders: Alternatives)
        "{servers} are not distinguishable from {leaders}",
        "{servers} 与 {leaders} 难分先后";

    // Nobody is ahead.
    tie(servers: Alternatives, margin: Margin, at: AtPlaces, interval: ChangeConfidence)
        "{servers} tie within {margin}{at}{interval}",
        "{at}{servers} 在 {margin} 之内打平{interval}";
    also_tie(servers: Alternatives, at: AtPlaces)
        "{servers} tie{at}",
        "{at}{servers} 打平";
    no_order(servers: Alternatives, at: AtPlaces)
        "no clear order between {servers}{at}",
        "{at}{servers} 之间分不出明确的先后";
    undecided(servers: Alternatives, at: AtPlaces)
        "undecided between {servers}{at}",
        "{at}{servers} 无法判定";
    undecided_rates(of: Name, over: Name, at: AtPlaces, slower: Percent, faster: Percent)
        "undecided between {of} and {over}{at}: {of} is at most {slower} slower or {faster} faster (95% CI)",
        "{at}{of} 与 {over} 无法判定：{of} 最多慢 {slower} 或快 {faster}（95% 置信区间）";
    undecided_times(metric: Metric, of: Name, over: Name, at: AtPlaces, higher: Percent, lower: Percent)
        "undecided between {of} and {over}{at}: the {metric} of {of} is at most {higher} higher or {lower} lower (95% CI)",
        "{at}{of} 与 {over} 无法判定：{of} 的{metric}最多高 {higher} 或低 {lower}（95% 置信区间）";
    undecided_too_wide(servers: Alternatives, at: AtPlaces)
        "undecided between {servers}{at}: the rounds differ too much to bound the difference",
        "{at}{servers} 无法判定：各轮相差太大，界定不了差别";
    invalid(at: AtPlaces, reason: Message)
        "no verdict{at}: {reason}",
        "{at}没有结论：{reason}";
    invalid_for(servers: Alternatives, at: AtPlaces, reason: Message)
        "no verdict on {servers}{at}: {reason}",
        "{at}对 {servers} 没有结论：{reason}";
}

/// How far who is ahead is ahead of who comes next.
pub mod by {
    use photofinish_model::Metric;

    photofinish_model::messages! { "headline.by";
        faster(by: Advantage, next: Message)
            "{by} faster than {next}",
            "的速度比{next}快 {by}";
        times_as_fast(by: Advantage, next: Message)
            "{by} as fast as {next}",
            "的速度是{next}的 {by}";
        more(by: Advantage, next: Message)
            "{by} more than {next}",
            "能承受的速率比{next}高 {by}";
        times_as_much(by: Advantage, next: Message)
            "{by} as much as {next}",
            "能承受的速率是{next}的 {by}";
        less_cpu(by: Advantage, next: Message)
            "{by} less CPU per request than {next}",
            "每个请求的 CPU 时间比{next}少 {by}";
        lower(metric: Metric, by: Advantage, next: Message)
            "a {metric} {by} lower than {next}",
            "的{metric}比{next}低 {by}";
    }
}

/// How far who is ahead is ahead, from the least to the most over several places.
pub mod range {
    use photofinish_model::Metric;

    photofinish_model::messages! { "headline.range";
        faster(least: Advantage, most: Advantage, next: Message)
            "{least} to {most} faster than {next}",
            "的速度比{next}快 {least} 到 {most}";
        faster_to_times(least: Advantage, most: Advantage, next: Message)
            "{least} faster to {most} as fast as {next}",
            "的速度比{next}快 {least}，最多是其 {most}";
        times_as_fast(least: Advantage, most: Advantage, next: Message)
            "{least} to {most} as fast as {next}",
            "的速度是{next}的 {least}到 {most}";
        more(least: Advantage, most: Advantage, next: Message)
            "{least} to {most} more than {next}",
            "能承受的速率比{next}高 {least} 到 {most}";
        more_to_times(least: Advantage, most: Advantage, next: Message)
            "{least} more to {most} as much as {next}",
            "能承受的速率比{next}高 {least}，最多是其 {most}";
        times_as_much(least: Advantage, most: Advantage, next: Message)
            "{least} to {most} as much as {next}",
            "能承受的速率是{next}的 {least}到 {most}";
        less_cpu(least: Advantage, most: Advantage, next: Message)
            "{least} to {most} less CPU per request than {next}",
            "每个请求的 CPU 时间比{next}少 {least} 到 {most}";
        lower(metric: Metric, least: Advantage, most: Advantage, next: Message)
            "a {metric} {least} to {most} lower than {next}",
            "的{metric}比{next}低 {least} 到 {most}";
    }
}

/// Under which conditions the headline was measured.
pub mod setting {
    use photofinish_model::Load;

    photofinish_model::messages! { "headline.setting";
        setting(parts: Parts) "{parts}", "{parts}";
        level(load: Load) "{load}", "{load}";
        connections(fewest: Count, most: Count)
            "{fewest}–{most} connections",
            "{fewest}–{most} 个连接";
        levels(levels: Count) "{levels} levels", "{levels} 个负载档位";
        loads(loads: Count) "{loads} loads", "{loads} 个负载";
        cores(cores: Cores) "{cores}", "{cores}";
        rounds(rounds: Rounds) "{rounds}", "{rounds}";
        rounds_that_count(counted: Count, made: Rounds)
            "{counted} of {made} count",
            "{made}中有 {counted} 轮计入";
        took(time: Span) "{time}", "{time}";
    }
}

/// What else is decided, and what would decide the rest.
pub mod also {
    use photofinish_model::{Metric, Place, Places};

    photofinish_model::messages! { "headline.also";
        lower(server: Name, metric: Metric, over: Name, places: Places)
            "{server} has a lower {metric} than {over} at {places}",
            "{places}时 {server} 的{metric}低于 {over}";
        lower_by(server: Name, metric: Metric, over: Name, by: Advantage, interval: AdvantageBounds, place: Place)
            "{server} has a {metric} {by} lower than {over} at {place}{interval}",
            "{place}时 {server} 的{metric}比 {over} 低 {by}{interval}";
        all(parts: Clauses) "{parts}", "{parts}";
        more_rounds(rounds: MoreRounds, all: Number)
            "about {rounds} would decide it: repeat with --rounds {all}",
            "约再做 {rounds}可以判定：请用 --rounds {all} 重做";
        more_rounds_time(rounds: MoreRounds, all: Number, time: Span)
            "about {rounds} ({time}) would decide it: repeat with --rounds {all}",
            "约再做 {rounds}（{time}）可以判定：请用 --rounds {all} 重做";
        respond_alike()
            "make all servers send the same response, or state what must be alike: --same json, --expect-contains TEXT",
            "让各被测服务器发送相同的响应，或者指明哪些必须相同：--same json、--expect-contains TEXT";
        too_many()
            "a decision would take more rounds than are practical",
            "需要的轮数多得不切实际";
    }
}
