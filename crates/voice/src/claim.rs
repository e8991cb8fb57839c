//! Published claims.

use photofinish_model::{Load, Metric, Place};

photofinish_model::messages! { "claim";
    holds() "holds", "成立";
    direction_holds() "direction holds, size undecided", "方向成立，幅度无法判定";
    same_direction() "same direction, other size", "方向一致，幅度不同";
    does_not_hold() "does not hold here", "在这里不成立";
    undecided() "undecided", "无法判定";
    shown() "shown, not judged", "只列出，不判定";
    not_measured() "not measured", "未测量";
    invalid() "invalid", "无效";

    /// A published ratio.
    ratio(ratio: Published) "{ratio}", "{ratio}";
    ratio_within(ratio: Published, margin: Margin) "{ratio} ± {margin}", "{ratio} ± {margin}";
    less() "less (no figure given)", "更少（未给出数值）";
    more() "more (no figure given)", "更多（未给出数值）";

    judged(stated: Message, zone: Brackets, measured: Message)
        "published {stated}{zone}, {measured}",
        "发表值 {stated}{zone}，{measured}";
    zone(low: Ratio, high: Ratio) "holds from {low} to {high}", "{low} 到 {high} 为成立";
    measured(ratio: Ratio, interval: RatioBounds)
        "measured {ratio}{interval}",
        "实测 {ratio}{interval}";
    measured_at(ratio: Ratio, interval: RatioBounds, level: Load)
        "measured {ratio}{interval} at {level}",
        "实测 {ratio}{interval}（在{level}时）";
    no_ratio() "no ratio could be measured", "测不出比值";
    figures(of: Message, over: Message) "{of}; {over}", "{of}；{over}";
    range(server: Name, metric: Metric, times: TimeRange)
        "{server} {metric} {times}",
        "{server} 的{metric} {times}";
    range_of_max(server: Name, metric: Metric, times: TimeRange, p999: TimeRange)
        "{server} {metric} {times} (p99.9 {p999})",
        "{server} 的{metric} {times}（p99.9 {p999}）";
    no_such_level(place: Place)
        "{place} is not among the levels of this run",
        "这次运行没有这个负载：{place}";
    no_profile()
        "profiles of this run do not show it; run with --profile",
        "这次运行的性能剖析没有给出该项；请加上 --profile 再运行";
    no_figure(server: Name)
        "{server} has no figure for it in this run",
        "这次运行中 {server} 没有这项数值";
    /// How many claims had an outcome.
    outcome_count(claims: Count, outcome: Message) "{claims} {outcome}", "{claims} 个{outcome}";
}

use photofinish_model::finding::claim::{ClaimVerdict, Stated};

/// Returns the outcome of a claim in a few words.
pub fn outcome(verdict: ClaimVerdict) -> Message {
    match verdict {
        ClaimVerdict::Holds => holds(),
        ClaimVerdict::DirectionHolds => direction_holds(),
        ClaimVerdict::SameDirection => same_direction(),
        ClaimVerdict::DoesNotHold => does_not_hold(),
        ClaimVerdict::Undecided => undecided(),
        ClaimVerdict::Shown => shown(),
        ClaimVerdict::NotMeasured => not_measured(),
        ClaimVerdict::Void => invalid(),
    }
}

/// Returns what was published.
pub fn stated(stated: Stated) -> Message {
    match stated {
        Stated::Ratio {
            ratio: published,
            margin: None,
            decimals,
        } => ratio((published, decimals)),
        Stated::Ratio {
            ratio: published,
            margin: Some(margin),
            decimals,
        } => ratio_within((published, decimals), margin),
        Stated::Less {} => less(),
        Stated::More {} => more(),
    }
}
