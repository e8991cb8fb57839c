//! The noise floor: a server against its second copy.

use photofinish_model::{Metric, Place};

photofinish_model::messages! { "noise_floor";
    invalid(server: Name, metric: Metric, reason: Message)
        "{server} against itself: no verdict on {metric}: {reason}",
        "{server} 与自身对照：{metric}无从判断：{reason}";
    nothing_to_compare(server: Name, metric: Metric)
        "{server} against itself: no {metric} to compare",
        "{server} 与自身对照：没有{metric}可比";
    differed(server: Name, metric: Metric, by: Percent, interval: PercentBounds, unseen: Tail)
        "{server} against itself: {metric} differed by {by}{interval}{unseen}",
        "{server} 与自身对照：{metric}相差 {by}{interval}{unseen}";
    /// The smallest difference that would usually be detected.
    unseen(share: Percent)
        "a difference below {share} would seldom be detected",
        "小于 {share} 的差别多半检测不出来";
    differed_in_rounds(server: Name, metric: Metric, by: Percent, rounds: Rounds)
        "{server} against itself: {metric} differed by {by} in {rounds}",
        "{server} 与自身对照：{metric}相差 {by}（{rounds}）";
    size(by: Percent, interval: PercentBounds) "{by}{interval}", "{by}{interval}";
    differs_from_itself(metric: Metric, size: Message)
        "the {metric} of its two copies differs by {size}: do not trust a smaller difference in {metric} here",
        "其{metric}与自身相差 {size}：在这台机器上，比这更小的{metric}差异不可信";
    at_place(place: Place, floor: Message) "{place}: {floor}", "{place}：{floor}";
    up_to(server: Name, metric: Metric, size: Message, place: Place)
        "{server} against itself differed in {metric} by up to {size} ({place})",
        "{server} 与自身对照：{metric}最多相差 {size}（{place}）";
}
