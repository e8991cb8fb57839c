//! `--fail-if` conditions.

use photofinish_model::Place;

photofinish_model::messages! { "threshold";
    is(place: Place, subject: Name, low: Change, high: Change, base: Name, limit: Tail)
        "{place}: {subject} is {low} to {high} compared with {base}{limit}",
        "{place}：{subject} 与 {base} 相比为 {low} 到 {high}{limit}";
    could_be(place: Place, subject: Name, low: Change, high: Change, base: Name, limit: Tail)
        "{place}: {subject} could be {low} to {high} compared with {base}{limit}",
        "{place}：{subject} 与 {base} 相比可能为 {low} 到 {high}{limit}";
    limit_above(margin: Margin) "the limit is +{margin}", "界限为 +{margin}";
    limit_below(margin: Margin) "the limit is −{margin}", "界限为 −{margin}";
    /// A difference in place of a ratio, because a side is zero or below.
    differs(place: Place, subject: Name, base: Name, difference: DifferenceRange)
        "{place}: {subject} − {base} is {difference}",
        "{place}：{subject} − {base} 为 {difference}";
    could_differ(place: Place, subject: Name, base: Name, difference: DifferenceRange)
        "{place}: {subject} − {base} could be {difference}",
        "{place}：{subject} − {base} 可能为 {difference}";
    nothing_measured() "nothing was measured", "没有测到任何数值";
    few_rounds(place: Place, rounds: Rounds)
        "{place}: {rounds} with all of its figures, which is too few to decide it",
        "{place}：只有 {rounds}具备全部数值，无法判定";
    claim(id: Name, outcome: Message, claim: Message)
        "claim {id}: {outcome}: {claim}",
        "说法 {id}：{outcome}：{claim}";
    check(title: Message, failing: Count, checked: Count)
        "{title}: fails in {failing} of {checked}",
        "{title}：{checked} 处中有 {failing} 处不通过";
    at_place(place: Place, found: Message) "{place}: {found}", "{place}：{found}";
}
