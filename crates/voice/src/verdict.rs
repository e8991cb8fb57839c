//! Verdicts on pairs, and what a reader should know next to them.

use photofinish_model::Metric;

photofinish_model::messages! { "verdict";
    /// An advantage by itself.
    amount(amount: Advantage, interval: AdvantageBounds)
        "{amount}{interval}",
        "{amount}{interval}";

    // The outcome in a few words.
    ahead(server: Name) "{server} ahead", "{server} 领先";
    tied() "tie", "打平";
    undecided(needed: Tail) "undecided{needed}", "无法判定{needed}";
    invalid(reason: Message) "invalid: {reason}", "无效：{reason}";

    // The rounds that a decision needs.
    needs_rounds(rounds: MoreRounds)
        "about {rounds} would decide it",
        "约再做 {rounds}可以判定";
    needs_too_many()
        "a decision would take more rounds than are practical",
        "需要的轮数多得不切实际";

    // The verdict in a sentence.
    faster(server: Name, by: Advantage, over: Name, interval: AdvantageBounds)
        "{server} is {by} faster than {over}{interval}",
        "{server} 比 {over} 快 {by}{interval}";
    times_as_fast(server: Name, by: Advantage, over: Name, interval: AdvantageBounds)
        "{server} is {by} as fast as {over}{interval}",
        "{server} 的速度是 {over} 的 {by}{interval}";
    sustains_more(server: Name, by: Advantage, over: Name, interval: AdvantageBounds)
        "{server} sustains {by} more than {over}{interval}",
        "{server} 能承受的速率比 {over} 高 {by}{interval}";
    sustains_times_as_much(server: Name, by: Advantage, over: Name, interval: AdvantageBounds)
        "{server} sustains {by} as much as {over}{interval}",
        "{server} 能承受的速率是 {over} 的 {by}{interval}";
    lower(server: Name, metric: Metric, by: Advantage, over: Name, interval: AdvantageBounds)
        "{server}'s {metric} is {by} lower than {over}'s{interval}",
        "{server} 的{metric}比 {over} 低 {by}{interval}";
    tie(of: Name, over: Name, margin: Margin, metric: Metric, ratio: Ratio, interval: RatioBounds)
        "{of} and {over} tie within {margin}: {of}'s {metric} is {ratio} × {over}'s{interval}",
        "{of} 与 {over} 在 {margin} 之内打平：{of} 的{metric}是 {over} 的 {ratio} 倍{interval}";
    undecided_after(rounds: Rounds, of: Name, over: Name, metric: Metric, ratio: Ratio, interval: RatioBounds, needed: Tail)
        "undecided after {rounds}: {of}'s {metric} is {ratio} × {over}'s{interval}{needed}",
        "{rounds}之后无法判定：{of} 的{metric}是 {over} 的 {ratio} 倍{interval}{needed}";
    too_wide(rounds: Rounds, of: Name, over: Name, metric: Metric, ratio: Ratio, needed: Tail)
        "undecided after {rounds}: {of}'s {metric} is {ratio} × {over}'s; the interval is too wide to show a difference{needed}",
        "{rounds}之后无法判定：{of} 的{metric}是 {over} 的 {ratio} 倍，区间太宽，看不出差别{needed}";
    no_verdict(reason: Message) "no verdict: {reason}", "没有结论：{reason}";
}

/// Why a verdict is invalid.
pub mod reason {
    use photofinish_model::Metric;

    photofinish_model::messages! { "invalid";
        smoke()
            "a smoke run does not measure speed",
            "冒烟运行不测量速度";
        no_common_round(of: Name, over: Name)
            "no round has a figure of both {of} and {over}",
            "没有一轮同时测到 {of} 和 {over}";
        one_round() "one round only", "只有一轮";
        zero(server: Name) "a figure of {server} is zero", "{server} 的数值为零";
        no_interval()
            "the rounds differ too much to give an interval",
            "各轮相差太大，得不出区间";
        not_the_same_job(of: Name, over: Name)
            "{of} and {over} did not do the same job: their responses differ",
            "{of} 与 {over} 的响应不同，所做的不是同一项工作";
        not_measured(server: Name) "{server} was not measured", "没有测到 {server}";
        other_response(server: Name)
            "{server} did not do the same job in both runs: its responses differ",
            "{server} 在两次运行中的响应不同，所做的不是同一项工作";
        changed_since(server: Name, rounds: InRounds)
            "{server} responded differently in {rounds} than when it was verified: more than 1 in 100 of its responses had another status or body",
            "{server} 在{rounds}所做的已不是验证时的那项工作：超过 1% 的响应状态或正文不同";
        overloaded(server: Name, rounds: InRounds)
            "{server} was overloaded in {rounds}: it was offered more than it could serve, so its response times measure a growing queue",
            "{server} 在{rounds}过载：给定的请求多于它能处理的请求，响应时间只反映越排越长的队列";
        few_beyond(server: Name, requests: Requests, metric: Metric, needed: Requests)
            "a round of {server} has only {requests}: {metric} needs {needed}",
            "{server} 有一轮只有{requests}：判定 {metric} 需要{needed}";
        no_rate_held(server: Name, rounds: InRounds)
            "no rate of {server} met the objective ({rounds})",
            "{server} 在{rounds}没有任何速率满足目标";
        lower_bound(server: Name, rounds: InRounds)
            "the rate of {server} is a lower bound ({rounds})",
            "{server} 的速率在{rounds}只是下限";
        generators(trouble: Message, rounds: InRounds)
            "{trouble} ({rounds})",
            "{trouble}（{rounds}）";
        generators_disagree(low: Figure, high: Figure, one: Name, other_low: Figure, other_high: Figure, other: Name)
            "load generators disagree: the ratio is {low} to {high} according to {one}, and {other_low} to {other_high} according to {other}",
            "负载发生器互相矛盾：{one} 测得的比值为 {low} 至 {high}，{other} 测得的为 {other_low} 至 {other_high}";
        full_link(link: Message, server: Name, rounds: InRounds)
            "{link}, which bounded {server} ({rounds})",
            "{link}，限制了 {server}（{rounds}）";
        turns_differ(metric: Metric, turns: Ratio, continuous: Ratio, rounds: Rounds)
            "turns and continuous runs of the same processes contradict each other: the ratio in {metric} is {turns} in turns and {continuous} in continuous runs ({rounds}); measure with `--sequential`",
            "同一批进程的轮换测量与连续测量互相矛盾：{metric}的比值在轮换中为 {turns}，在连续测量中为 {continuous}（{rounds}）；请用 `--sequential` 测量";
        rates_of_their_own()
            "response times were measured at a different rate for each server",
            "各被测服务器的响应时间是在各自不同的速率下测得的";
    }
}

/// Remarks next to a verdict.
pub mod note {
    photofinish_model::messages! { "note";
        decided_after(rounds: Rounds) "decided after {rounds}", "{rounds}后判定";
        withdrawn(rounds: Rounds)
            "an earlier decision was withdrawn after {rounds}: later rounds contradict it",
            "{rounds}后撤回了先前的判定：后来的轮次与之矛盾";
        at_the_cap(rounds: Rounds) "at the cap of {rounds}", "已达 {rounds}的上限";
        improbable(cap: Rounds)
            "the chance of a decision by the cap of {cap} is less than 5%",
            "在 {cap}的上限之内得出判定的机会不到 5%";
        within_noise(reach: Percent)
            "within the noise floor of {reach}",
            "不超过 {reach} 的噪声下限";
        if_independent(rounds: Rounds, correlation: Tenths)
            "holds only if the rounds are independent: {rounds} cannot rule out correlated noise, and with a correlation of {correlation} it would be undecided",
            "仅当各轮相互独立时成立：{rounds}不足以排除相关的噪声，若相关系数为 {correlation}，则无法判定";
        unseen_kind(rounds: Rounds, share: Percent)
            "{rounds} may not show a kind of process that up to {share} of all processes belong to",
            "{rounds}可能没有遇到某一类进程，而这类进程最多可占全部进程的 {share}";
        if_interference(disturbed: Count, excluded: Ratio, all: Ratio)
            "holds only without the {disturbed} excluded turns, in which the ratio is {excluded}: with them it is {all}, and a server that itself causes what passes for interference would be favored",
            "仅在不计入的 {disturbed} 次轮换之外成立：这些轮换中的比值为 {excluded}，若计入则为 {all}；如果干扰其实由某个被测服务器自己造成，结果就偏向它";
        correlated(correlation: Tenths, times: Figure)
            "consecutive rounds are correlated ({correlation}), so the interval is {times} times as wide",
            "相邻各轮彼此相关（相关系数 {correlation}），区间因此加宽到 {times} 倍";
        two_groups(groups: Message)
            "{groups}: the ratio depends on how many of each there were",
            "{groups}：比值取决于两组各有几轮";
        one_in_group(rounds: Count, server: Name, ratio: Ratio)
            "1 of {rounds} rounds of {server} is {ratio} × the others",
            "{server} 的 {rounds} 轮中有 1 轮是其余各轮的 {ratio} 倍";
        several_in_group(few: Count, rounds: Count, server: Name, ratio: Ratio)
            "{few} of {rounds} rounds of {server} are {ratio} × the others",
            "{server} 的 {rounds} 轮中有 {few} 轮是其余各轮的 {ratio} 倍";
        coarse(gap: Percent)
            "the searches cannot resolve a difference below {gap}: use a smaller `precision`; more rounds do not help",
            "搜索分辨不出小于 {gap} 的差别：增加轮数没有用，减小 `precision` 可能有用";
        excluded(disturbed: Count, made: Count, why: Parts, all: Ratio)
            "{disturbed} of {made} turns were excluded ({why}); including them the ratio is {all}",
            "{made} 次轮换中有 {disturbed} 次受干扰（{why}），不计入；若计入，比值为 {all}";
        kept_use_freeze(disturbed: Count, made: Count, why: Parts, kept: Count, all: Ratio)
            "{disturbed} of {made} turns were disturbed ({why}), too many to exclude them all: {kept} are kept, the least disturbed first; use --freeze, which pauses the idle servers; over all turns the ratio is {all}",
            "{made} 次轮换中有 {disturbed} 次受干扰（{why}），多到其中干扰最小的也须计入，共计 {kept} 次：请用 --freeze 暂停空闲的被测服务器；若全部计入，比值为 {all}";
        kept(disturbed: Count, made: Count, why: Parts, kept: Count, all: Ratio)
            "{disturbed} of {made} turns were disturbed ({why}), too many to exclude them all: {kept} are kept, the least disturbed first; measure on a quieter machine; over all turns the ratio is {all}",
            "{made} 次轮换中有 {disturbed} 次受干扰（{why}），多到其中干扰最小的也须计入，共计 {kept} 次：请在干扰更少的机器上测量；若全部计入，比值为 {all}";
        other_processes(turns: Count) "other processes: {turns}", "其他进程 {turns} 次";
        idle_servers(turns: Count) "idle servers: {turns}", "空闲的被测服务器 {turns} 次";
        stopped_core(turns: Count) "a stopped core: {turns}", "核停顿 {turns} 次";
        migrated(turns: Count) "vCPU migration: {turns}", "虚拟核迁移 {turns} 次";
        unequal_cores(turns: Count) "unequal core speed: {turns}", "核速不一 {turns} 次";
        migrated_excluded(rounds: InRounds, latency_ns: Count, usual_ns: Count)
            "in {rounds} the core-to-core latency between server and load generator was {latency_ns} ns ({usual_ns} ns in the others), as after a vCPU migration: these rounds are excluded",
            "在{rounds}，被测服务器与负载发生器之间的核间延迟为 {latency_ns} ns（其余各轮为 {usual_ns} ns），像是虚拟核发生了迁移：这些轮不计入";
        migrated_spread(rounds: InRounds, latency_ns: Count, usual_ns: Count)
            "in {rounds} the core-to-core latency between server and load generator was {latency_ns} ns ({usual_ns} ns in the others), as after a vCPU migration: the ratio is that of the other rounds, and the spread that of all",
            "在{rounds}，被测服务器与负载发生器之间的核间延迟为 {latency_ns} ns（其余各轮为 {usual_ns} ns），像是虚拟核发生了迁移：比值取自其余各轮，各轮之间的差异则由所有轮得出";
        migrated_kept(rounds: InRounds, latency_ns: Count, usual_ns: Count)
            "in {rounds} the core-to-core latency between server and load generator was {latency_ns} ns ({usual_ns} ns in the others), as after a vCPU migration: they are kept, because too few rounds would be left",
            "在{rounds}，被测服务器与负载发生器之间的核间延迟为 {latency_ns} ns（其余各轮为 {usual_ns} ns），像是虚拟核发生了迁移：但若不计入则剩下的轮太少，所以仍然计入";
        in_turns(kept: Count, made: Count, trimmed: Tail, continuous: Tail)
            "{kept} of {made} turns count{trimmed}{continuous}",
            "{made} 次轮换中有 {kept} 次计入{trimmed}{continuous}";
        trimmed_mean(ratio: Ratio)
            "the trimmed mean of their ratios is {ratio}",
            "各次比值的截尾平均为 {ratio}";
        in_continuous_run(ratio: Ratio)
            "the ratio in a continuous run is {ratio}",
            "连续测量的比值为 {ratio}";
        medians_by_turn(pooled: Ratio)
            "each round's ratio is the median of its turns' ratios; the medians of all its requests give {pooled}",
            "每轮的比值取其各次轮换比值的中位数；按全部请求的中位数计算，比值为 {pooled}";
        at_equal_speed(more: Percent, measured: Ratio)
            "the cores' speed changed from slice to slice, and 10% faster cores gave {more} more throughput: the ratio is corrected to equal core speed; as measured it is {measured}",
            "各时间片中核的速度不同，核快 10% 时吞吐量高 {more}：比值已校正到相同的核速；实测的比值为 {measured}";
        continuous(rounds: InRounds, why: Message)
            "measured in a continuous run, not in turns, in {rounds}: {why}",
            "在{rounds}是连续测量，而非轮换：{why}";
        searched() "a capacity is searched for", "要搜索容量";
        slow()
            "it is too slow for slices: four slices within twice the duration would have too few requests, or too few of its longest response times",
            "它太慢，不宜切成时间片：在两倍时长内的四个时间片里请求太少，或装不下足够多的最长响应时间";
        rate_not_achieved() "its rate is not achieved", "达不到给定的速率";
        turns_differ(turns: Ratio, continuous: Ratio, rounds: Rounds)
            "turns and continuous runs differ: {turns} in turns, {continuous} in continuous runs of the same {rounds}: measure with `--sequential` too",
            "轮换与连续测量不一致：在同样的 {rounds}中，轮换为 {turns}，连续测量为 {continuous}：请再用 `--sequential` 测量";
        generator_bound(server: Name, rounds: InRounds)
            "the load generator held {server} back in {rounds}: it may be faster than that",
            "在{rounds}，负载发生器是 {server} 的瓶颈：它可能还要更快";
    }
}
