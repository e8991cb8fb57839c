//! How many rounds, how much time and how many machines a half-width takes.

use photofinish_model::Place;

photofinish_model::messages! { "half_width";
    stored(ratios: ThroughputRatios, rounds: Rounds, round: Brackets, half: Percent, of: Name, over: Name, place: Place)
        "{ratios} after {rounds}{round}; the widest interval is ±{half}: {of} / {over}, {place}",
        "{rounds}{round}之后有 {ratios}；最宽的区间为 ±{half}：{of} / {over}，{place}";
    round_takes(time: Span) "{time} each", "每轮 {time}";

    needs(half: Margin, rounds: Rounds, range: Brackets, time: Details)
        "±{half} for every ratio takes about {rounds}{range}{time}",
        "所有比值达到 ±{half} 约需 {rounds}{range}{time}";
    range(low: Count, high: Count)
        "{low} to {high}, since the spread itself is an estimate",
        "{low} 到 {high}，因为离散程度本身也是估计值";
    range_from(low: Count)
        "at least {low}, since the spread itself is an estimate",
        "至少 {low}，因为离散程度本身也是估计值";
    on_one_pair(time: Span) "{time} on one pair of machines", "一对机器上需 {time}";
    out_of_reach(half: Margin, most: Rounds)
        "±{half} for every ratio is out of reach: {most} are not enough",
        "所有比值无法达到 ±{half}：{most}也不够";

    pairs(half: Margin, within: Span, pairs: MachinePairs, rounds: Rounds)
        "±{half} within {within} takes {pairs} with {rounds} each",
        "在 {within} 内达到 ±{half} 需要 {pairs}，每对 {rounds}";
    too_many_pairs(half: Margin, within: Span, most: MachinePairs)
        "±{half} within {within} is out of reach: {most} are not enough",
        "在 {within} 内无法达到 ±{half}：{most}也不够";
    on_these_machines()
        "on several pairs of machines the interval is the one on these machines, which holds for no others",
        "在多对机器上，该区间只对这些机器成立，不适用于其他机器";
    assumption()
        "rounds are taken to be as long, and to differ as much, as the stored ones",
        "假定各轮与已存储的各轮一样长，差异也一样大";
    run_with(command: Name) "to reach it: {command}", "要达到它：{command}";

    /// Before a study starts.
    forecast(parts: Clauses, started: Name)
        "{parts} (by the run of {started})",
        "{parts}（依据 {started} 的运行）";
    reached_in(half: Margin, time: Span) "±{half} in {time}", "±{half} 需 {time}";
    needs_about(half: Margin, time: Span) "±{half} needs about {time} here", "在这里 ±{half} 约需 {time}";
    not_reached(half: Margin) "±{half} is out of reach here", "在这里无法达到 ±{half}";
}
