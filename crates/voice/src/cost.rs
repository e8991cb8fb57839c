//! The cost line: what a request costs one server more than another.

use photofinish_model::Metric;

photofinish_model::messages! { "cost";
    takes(behind: Name, more: Name, metric: Metric, at: AtPlaces, parts: Details, counts: Tail)
        "{behind} +{more} {metric} per request{at}{parts}{counts}",
        "{at}{behind} 每个请求的{metric}多 {more}{parts}{counts}";
    parts(parts: Parts) "{parts}", "{parts}";
    part(of: Metric, more: Name) "{of} {more}", "{of} {more}";
    unexplained(more: Name) "unexplained {more}", "未解释 {more}";
    with_count(more: InUnit, metric: Metric, cost: Time)
        "{more} more {metric}, which usually cost {cost}",
        "{metric}多 {more}，通常花费 {cost}";
}
