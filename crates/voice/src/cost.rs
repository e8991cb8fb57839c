//! Why one server is ahead of another: what a request costs.

use photofinish_model::{Metric, Place};

photofinish_model::messages! { "cost";
    takes(more: Message, behind_takes: InUnit, ahead_takes: InUnit)
        "{more}: {behind_takes} against {ahead_takes}",
        "{more}：{behind_takes} 对 {ahead_takes}";
    takes_with(more: Message, behind_takes: InUnit, ahead_takes: InUnit, also: Parts)
        "{more}: {behind_takes} against {ahead_takes}, with {also}",
        "{more}：{behind_takes} 对 {ahead_takes}；{also}";
    times_as_much(behind: Name, times: Figure, metric: Metric, ahead: Name, interval: FigureBounds)
        "{behind} takes {times} × the {metric} per request of {ahead}{interval}",
        "{behind} 每个请求的{metric}是 {ahead} 的 {times} 倍{interval}";
    times_as_much_at(behind: Name, times: Figure, metric: Metric, ahead: Name, interval: FigureBounds, place: Place)
        "{behind} takes {times} × the {metric} per request of {ahead}{interval} at {place}",
        "{place}时，{behind} 每个请求的{metric}是 {ahead} 的 {times} 倍{interval}";
    more(behind: Name, more: Percent, metric: Metric, ahead: Name, interval: PercentBounds)
        "{behind} takes {more} more {metric} per request than {ahead}{interval}",
        "{behind} 每个请求的{metric}比 {ahead} 多 {more}{interval}";
    more_at(behind: Name, more: Percent, metric: Metric, ahead: Name, interval: PercentBounds, place: Place)
        "{behind} takes {more} more {metric} per request than {ahead}{interval} at {place}",
        "{place}时，{behind} 每个请求的{metric}比 {ahead} 多 {more}{interval}";
    also_time(more: InUnit, metric: Metric, interval: InUnitBounds)
        "{more} more {metric}{interval}",
        "{metric}多 {more}{interval}";
    also_count(more: InUnit, metric: Metric, interval: InUnitBounds, cost: Time)
        "{more} more {metric}{interval} (which cost some {cost})",
        "{metric}多 {more}{interval}（通常约 {cost}）";
    spends(behind: Name, more: Time, ahead: Name, layers: Parts)
        "{behind} spends {more} more CPU per request than {ahead}: {layers}",
        "{behind} 每个请求比 {ahead} 多用 {more} CPU 时间：{layers}";
    spends_at(behind: Name, more: Time, ahead: Name, layers: Parts, place: Place)
        "{behind} spends {more} more CPU per request than {ahead} at {place}: {layers}",
        "{place}时，{behind} 每个请求比 {ahead} 多用 {more} CPU 时间：{layers}";
    layer_more(more: Time, layer: Metric, interval: FigureBounds)
        "{more} {layer}{interval}",
        "{layer}多 {more}{interval}";
    layer_less(less: Time, layer: Metric, interval: FigureBounds)
        "{less} less {layer}{interval}",
        "{layer}少 {less}{interval}";
}
