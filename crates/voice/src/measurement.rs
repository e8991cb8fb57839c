//! One measurement of one server: how `load` ends.

use photofinish_model::Load;

photofinish_model::messages! { "measurement";
    rate(rate: MeasuredRate, errors: Message)
        "{rate} requests/s, {errors}",
        "{rate} 请求/秒，{errors}";
    setting(level: Message, requests: Requests, duration: Time)
        "{level}, {requests} in {duration}",
        "{level}，{duration} 内{requests}";
    histogram(responses: Responses)
        "histogram of response times ({responses})",
        "响应时间直方图（{responses}）";
    level(load: Load) "{load}", "{load}";
    open_level(load: Load, connections: Connections)
        "{load} offered over {connections}",
        "给定 {load}、{connections}";
    no_errors() "no errors", "无错误";
    errors_of_requests(errors: ErrorCount, share: Percent)
        "{errors} ({share} of requests)",
        "{errors}（占请求的 {share}）";
    errors_of_all(errors: ErrorCount, share: Percent)
        "{errors} ({share} of requests and connects)",
        "{errors}（占请求和连接的 {share}）";
    overloaded_connections(achieved: MeasuredRate, offered: MeasuredRate, connections: Connections, needed: Count)
        "achieved {achieved}/s of {offered}/s offered: {connections} can carry no more at this service time, {needed} or more would do; the response times at the offered rate are not known",
        "实际 {achieved}/s，给定 {offered}/s：按此服务时间，{connections}已达上限，至少需要 {needed} 个；给定速率下的响应时间未知";
    overloaded(achieved: MeasuredRate, offered: MeasuredRate)
        "achieved {achieved}/s of {offered}/s offered; the response times at the offered rate are not known",
        "实际 {achieved}/s，给定 {offered}/s；给定速率下的响应时间未知";
    no_times() "none: no request was completed", "无：没有请求完成";
    short_window(responses: Figure)
        "the window is only {responses} response times long, and what ended after it is not in the requests/s: give a longer -d, or a number of requests (-n)",
        "测量窗口只有响应时间的 {responses} 倍，窗口之后才结束的请求不计入请求/秒：请用更长的 -d，或给定请求数（-n）";

    mute(mute: Count, of: Connections)
        "{mute} of {of} had none at all: the server may hold fewer",
        "{of}中有 {mute} 个始终没有响应：被测服务器可能容纳不了这么多";
    errors(kinds: Parts, first: Tail) "{kinds}{first}", "{kinds}{first}";
    unexpected_status(count: Count, status: Message)
        "{count} with an unexpected status (all responses: {status})",
        "{count} 个意外状态码（全部响应：{status}）";
    other_status(count: Count) "{count} with an unexpected status", "{count} 个意外状态码";
    unexpected_body(count: Count) "{count} with an unexpected body", "{count} 个意外正文";
    unanswered(count: Count)
        "{count} without a response when the load ended",
        "{count} 个在负载结束时仍无响应";
    timeouts(count: Timeouts) "{count}", "{count}";
    resets(count: ResetConnections) "{count}", "{count}";
    with_error(count: Count, kind: Message) "{count} with {kind}", "{count} 次 {kind}";
    error(count: Count, kind: Name) "{count} {kind}", "{count} 次 {kind}";
    by_status(each: Parts) "{each}", "{each}";
    of_status(count: Count, status: Name) "{count} × {status}", "{count} × {status}";

    status(status: Message) "responses by status: {status}", "各状态码的响应数：{status}";
    bytes(inwards: Size, outwards: Size)
        "bytes on the wire: {inwards} in, {outwards} out",
        "线路上的字节：收 {inwards}，发 {outwards}";
    connections(opened: Count) "connections opened: {opened}", "建立的连接：{opened}";
    connections_replaced(opened: Count, replaced: Count)
        "connections opened: {opened}, {replaced} of them to replace closed or lost ones",
        "建立的连接：{opened}，其中 {replaced} 个替换了被关闭或丢失的连接";
    opening(kinds: Clauses) "{kinds}", "{kinds}";
    tcp_connects(count: Count, p50: Time, p99: Time, max: Time)
        "{count} TCP connects (p50 {p50}, p99 {p99}, max {max})",
        "TCP 连接 {count} 次（p50 {p50}，p99 {p99}，最大 {max}）";
    full_handshakes(count: Count, p50: Time, p99: Time, max: Time)
        "{count} full TLS handshakes (p50 {p50}, p99 {p99}, max {max})",
        "完整 TLS 握手 {count} 次（p50 {p50}，p99 {p99}，最大 {max}）";
    resumed_handshakes(count: Count, p50: Time, p99: Time, max: Time)
        "{count} resumed TLS handshakes (p50 {p50}, p99 {p99}, max {max})",
        "恢复会话的 TLS 握手 {count} 次（p50 {p50}，p99 {p99}，最大 {max}）";
    in_flight_all_responded(requests: Requests)
        "in flight when the window ended: {requests}; all got their response later",
        "窗口结束时在途：{requests}；随后都得到了响应";
    in_flight(requests: Requests, drained: Count, censored: Count)
        "in flight when the window ended: {requests}; {drained} got a response later, {censored} never did",
        "窗口结束时在途：{requests}；{drained} 个随后得到响应，{censored} 个始终没有";

    generator(parts: Parts) "{parts}", "{parts}";
    threads(threads: Threads) "{threads}", "{threads}";
    busiest(share: Percent) "the busiest used {share} of a core", "最忙的占用一个核的 {share}";
    cpu_per_request(time: Time) "{time} of CPU per request", "每个请求 {time} CPU";
    turnaround(time: Time)
        "{time} from a response to the next request",
        "从响应到下一个请求 {time}";
    achieved(share: Percent) "{share} of the offered rate achieved", "达到给定速率的 {share}";
    timed_by_kernel() "responses timed by the kernel", "响应由内核计时";
    timed_by_kernel_lag(p50: Time, p99: Time, max: Time)
        "responses timed by the kernel; they then waited to be read (not included in any figure): p50 {p50}, p99 {p99}, max {max}",
        "响应由内核计时；此后等待读取的时间（不计入任何数字）：p50 {p50}，p99 {p99}，最大 {max}";
    timed_when_read()
        "responses timed when they were read, because there are no kernel timestamps: response times include the load generator's own delay",
        "没有内核时间戳，响应在读取时计时：响应时间含有负载发生器自身的延迟";
}

/// What a race ends with next to its verdict.
pub mod ending {
    use photofinish_model::{Metric, Place};

    photofinish_model::messages! { "ending";
        waits(servers: Clauses, place: Place)
            "{servers}; per request, at {place}",
            "{servers}（每个请求，{place}）";
        server_waits(server: Name, waits: Parts) "{server}: {waits}", "{server}：{waits}";
        wait(metric: Metric, time: Time) "{metric} {time}", "{metric} {time}";
        unseen() "those of virtual threads not seen", "虚拟线程的等待无法观察到";
        no_waits() "none", "无";
        short_load(time: Time)
            "each server was under load for {time}; waits that come less often than that were not seen",
            "每个服务器只加载了 {time}；比这更少见的等待没有测到";
        stands_still(server: Name, share: WholePercent, longest: Time, place: Brackets)
            "{server} stands still for {share} of the time, {longest} at most{place}",
            "{server} 有 {share} 的时间处于停顿，最长 {longest}{place}";
        stands_still_slower(server: Name, share: WholePercent, longest: Time, by: Percent, over: Name, place: Brackets)
            "{server} stands still for {share} of the time, {longest} at most; without stalls it is {by} slower than {over}{place}",
            "{server} 有 {share} 的时间处于停顿，最长 {longest}；不计停顿时比 {over} 慢 {by}{place}";
        stands_still_faster(server: Name, share: WholePercent, longest: Time, by: Percent, over: Name, place: Brackets)
            "{server} stands still for {share} of the time, {longest} at most; without stalls it is {by} faster than {over}{place}",
            "{server} 有 {share} 的时间处于停顿，最长 {longest}；不计停顿时比 {over} 快 {by}{place}";
        stood_still(server: Name, longest: Time, round: Number, place: Brackets)
            "{server} once gave no response for {longest} (round {round}){place}",
            "{server} 有一次在 {longest} 内没有任何响应（第 {round} 轮）{place}";
        stood_still_from(server: Name, longest: Time, at: Name, round: Number, place: Brackets)
            "{server} once gave no response for {longest}, from {at} on (round {round}){place}",
            "{server} 有一次在 {longest} 内没有任何响应，始于 {at}（第 {round} 轮）{place}";
        claims(outcomes: Parts) "{outcomes}", "{outcomes}";
        failed(trials: FailedTrials, server: Name, round: Number, why: Quoted)
            "{trials}; {server}, round {round}: {why}",
            "{trials}；{server}，第 {round} 轮：{why}";
        failed_with_log(trials: FailedTrials, server: Name, round: Number, log: Quoted, why: Quoted)
            "{trials}; {server}, round {round} ({log}): {why}",
            "{trials}；{server}，第 {round} 轮（{log}）：{why}";
    }
}
