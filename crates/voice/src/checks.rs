//! The validity checks: their names, what it means if one fails, and the arithmetic of each measurement.

use photofinish_model::message::Row;

/// The names of the checks.
pub mod titles {
    photofinish_model::messages! { "check.title";
        littles_law()
            "Little's law: connections = throughput × time of a cycle, within 5%",
            "利特尔法则：连接数 = 吞吐量 × 周期时间，误差不超过 5%";
        generator_limit()
            "Load generator was not the bottleneck",
            "负载发生器不是瓶颈";
        errors()
            "No errors, no timeouts",
            "没有错误，没有超时";
        steady()
            "Steady: no shift within a measurement",
            "稳定：测量期间没有突变";
        same_job()
            "Same job: equal status and body from all servers",
            "工作相同：所有被测服务器返回相同的状态码和正文";
        rows()
            "Rows in the table = requests that succeeded",
            "表中的行数 = 成功的请求数";
        quiet_machine()
            "Quiet machine",
            "机器没有受到干扰";
        fresh_and_interleaved()
            "Fresh processes, servers interleaved in random order",
            "进程全新，各被测服务器按随机顺序交错进行";
        noise_floor()
            "Noise floor (A/A)",
            "噪声下限（A/A）";
        bytes()
            "Bytes on the wire = responses × bytes of a response",
            "线路上的字节数 = 响应数 × 每个响应的字节数";
        as_verified()
            "Same job to the end: responses match the verified one",
            "工作始终如一：响应与验证时相同";
        body_length()
            "Bodies are as long as the first ones",
            "正文与最初的一样长";
        bystanders()
            "Idle servers were idle meanwhile",
            "其他被测服务器在此期间空闲";
        generators_as_one()
            "Several load generators measured as one",
            "多台负载发生器的结果可以合并";
        available()
            "Available: responses came throughout",
            "可用：测量期间始终有响应";
        own_cores()
            "Each pod or Slurm node has whole cores of its own",
            "每个 Pod 或 Slurm 节点独占整数个核";
        link()
            "No network link was full",
            "没有网络链路被占满";
    }
}

/// That a check failed, in a few words.
pub mod failures {
    photofinish_model::messages! { "check.failed";
        littles_law()
            "Little's law does not hold",
            "利特尔法则不成立";
        generator_limit()
            "the load generator held the servers back",
            "负载发生器拖慢了被测服务器";
        errors()
            "errors or timeouts",
            "有错误或超时";
        steady()
            "throughput or response time shifted",
            "吞吐量或响应时间发生了变化";
        same_job()
            "servers respond differently",
            "各被测服务器的响应不同";
        rows()
            "rows in the table do not match requests",
            "表中的行数与请求数不符";
        quiet_machine()
            "the machine was not quiet",
            "机器受到干扰";
        fresh_and_interleaved()
            "processes not fresh, or servers not interleaved",
            "进程不是全新的，或各被测服务器没有交错测量";
        noise_floor()
            "a server differs from itself",
            "同一被测服务器与自身有差异";
        bytes()
            "bytes on the wire do not match responses",
            "线路上的字节数与响应不符";
        as_verified()
            "responses changed after verification",
            "验证之后响应发生了变化";
        body_length()
            "bodies changed their length",
            "正文长度发生了变化";
        bystanders()
            "idle servers were not idle",
            "其他被测服务器没有空闲";
        generators_as_one()
            "several load generators did not agree",
            "多台负载发生器的结果不一致";
        available()
            "the server was unavailable",
            "被测服务器曾不可用";
        own_cores()
            "a pod or Slurm node has no cores of its own",
            "有 Pod 或 Slurm 节点没有独占的核";
        link()
            "a network link was full",
            "有网络链路被占满";
    }
}

/// What a failed check means for the figures.
pub mod meanings {
    photofinish_model::messages! { "check.meaning";
        littles_law()
            "throughput and response times contradict each other: connections were idle or lost, or one of the figures is wrong",
            "吞吐量与响应时间互相矛盾：有连接空闲或丢失，或者其中一个数字是错的";
        generator_limit()
            "the figures may show the load generator rather than the server: give it more cores or connections, or lower the load",
            "这些数字反映的可能是负载发生器，而不是被测服务器：请给它更多核或更多连接，或者降低负载";
        errors()
            "throughput counts good responses only; a request that timed out is in the response times, with the time that it waited",
            "吞吐量只计正确的响应；超时的请求按其已等待的时间计入响应时间";
        steady()
            "the server was still changing while it was measured: the mean mixes two states",
            "被测服务器在测量期间仍在变化：平均值混合了两种状态";
        same_job()
            "the servers do different work, so their speed cannot be compared",
            "各被测服务器做的工作不同，速度无法比较";
        rows()
            "the server reported success for work that it did not do, or did it twice: its figures are not those of the job",
            "被测服务器声称做完的事并没有做，或者做了两次：其数字不是这项工作的数字";
        quiet_machine()
            "something else used the machine and may have made the difference",
            "有其他程序占用了机器，差异可能由它造成";
        fresh_and_interleaved()
            "a slow change of the machine, or one server's history, may look like a difference between servers",
            "机器的缓慢变化或某个被测服务器的历史，可能被误认为被测服务器之间的差异";
        noise_floor()
            "on this machine a server differs from itself by more than chance: small differences are not significant",
            "在这台机器上，同一被测服务器与自身的差异超出偶然：小的差异没有意义";
        bytes()
            "requests were counted that did not carry the bytes of a whole response, or bytes that belong to no request",
            "计入了字节数不足一个完整响应的请求，或者有字节不属于任何请求";
        as_verified()
            "the server did different work while it was measured than when it was verified: its figures are not those of the job; if its responses differ by design, state their shape (`contains`, `rows`)",
            "被测服务器在测量时所做的工作与验证时不同，其数值不属于这项工作；若响应本就各不相同，请声明其形状（`contains`、`rows`）";
        body_length()
            "the server did other work than at first: its figures are not those of one job; if bodies differ by design, state what they contain (`--expect-contains`)",
            "被测服务器所做的工作与最初不同，其数值不属于同一项工作；若正文本就各不相同，请声明其中应有的内容（`--expect-contains`）";
        bystanders()
            "another server took CPU from this one: stop them meanwhile (`--freeze`), or measure one server after the other (`--sequential`)",
            "其他被测服务器占用了本服务器的 CPU：请在此期间暂停它们（`--freeze`），或逐个测量各被测服务器（`--sequential`）";
        generators_as_one()
            "what several load generators measured cannot be added up: give each a machine of its own with cores of its own, and the same network path to the server",
            "多台负载发生器测得的结果不能相加：请让每台独占一台机器和其上的核，并以相同的网络路径到达服务器";
        available()
            "the figures are those of a server that was partly not there",
            "这些数字来自一台部分时间不可用的服务器";
        own_cores()
            "threads are moved from core to core, meet those of others, and are stopped where a pod's time is used up: high percentiles may be the scheduler's; set kubelet's CPU manager policy to `static` on these nodes, or Slurm's TaskPlugin to task/affinity or task/cgroup",
            "线程会在各核之间迁移，与别人的线程相争，并在 Pod 的时间用尽时被暂停：高百分位可能来自调度器；请在这些节点上把 kubelet 的 CPU 管理策略设为 `static`，或把 Slurm 的 TaskPlugin 设为 task/affinity 或 task/cgroup";
        link()
            "the network bounded throughput and response times, not the server: use a faster link, smaller responses or a lower load",
            "限制吞吐量和响应时间的是网络，而不是被测服务器：请换用更快的链路、减小响应或降低负载";
    }
}

/// What a failed check may have changed, at the end of a sentence that names the check.
pub mod effects {
    photofinish_model::messages! { "check.effect";
        littles_law()
            "so throughput and response times contradict each other",
            "吞吐量与响应时间因此互相矛盾";
        generator_limit()
            "so the faster servers may be faster than measured",
            "较快的被测服务器可能比测得的更快";
        errors()
            "so throughput counts good responses only",
            "吞吐量因此只计正确的响应";
        steady()
            "so figures may mix two states of a server",
            "数字可能混合了被测服务器的两种状态";
        same_job()
            "so their speed cannot be compared",
            "速度因此无法比较";
        rows()
            "so a server did not do the work that it reported",
            "有被测服务器没有做完它声称做完的事";
        quiet_machine()
            "which may have slowed some servers more than others",
            "可能使某些被测服务器变慢更多";
        fresh_and_interleaved()
            "so drift of the machine may look like a difference",
            "机器的缓慢变化可能被误认为差别";
        noise_floor()
            "so smaller differences may be noise",
            "更小的差别可能只是噪声";
        bytes()
            "so requests may be counted wrongly",
            "请求可能计数有误";
        available()
            "so the figures mix a server that responds with one that does not",
            "数字混合了有响应和无响应的时间";
        as_verified()
            "so the server did other work than the verified one",
            "被测服务器所做的工作与验证时不同";
        body_length()
            "so the server did other work than at first",
            "被测服务器所做的工作与最初不同";
        bystanders()
            "which took CPU from the server under load",
            "占用了受测者的 CPU";
        generators_as_one()
            "so their figures cannot be added up",
            "其数字不能相加";
        own_cores()
            "so high percentiles may be those of the scheduler",
            "高百分位可能来自调度器";
        link()
            "which bounded throughput and response times",
            "限制了吞吐量和响应时间";
    }
}

/// The same of a load on one server, if other words than of several are needed.
pub mod failures_of_one {
    photofinish_model::messages! { "check.failed-of-one";
        generator_limit()
            "the load generator held the server back",
            "负载发生器拖慢了被测服务器";
    }
}

/// What a failed check may have changed in a load on one server, if other words than of several are needed.
pub mod effects_of_one {
    photofinish_model::messages! { "check.effect-of-one";
        generator_limit()
            "so it may be faster than measured",
            "被测服务器可能比测得的更快";
        quiet_machine()
            "which may have slowed the server",
            "可能使被测服务器变慢";
    }
}

/// Returns a check's name in a few words.
pub fn title(name: &str) -> Message {
    named(titles::ALL, name)
}

/// Returns that a check failed, in a few words.
pub fn failed(name: &str) -> Message {
    named(failures::ALL, name)
}

/// Returns the same for a load on one server.
pub fn failed_of_one(name: &str) -> Message {
    Row::find(failures_of_one::ALL, name).unwrap_or_else(|| failed(name))
}

/// Returns what it means for the figures that a check failed.
pub fn meaning(name: &str) -> Message {
    named(meanings::ALL, name)
}

/// Returns what a failed check may have changed.
pub fn effect(name: &str) -> Message {
    named(effects::ALL, name)
}

/// Returns the same for a load on one server.
pub fn effect_of_one(name: &str) -> Message {
    Row::find(effects_of_one::ALL, name).unwrap_or_else(|| effect(name))
}

/// Returns the row of a check; its name if the check is not known.
fn named(rows: &[Row], name: &str) -> Message {
    Row::find(rows, name).unwrap_or_else(|| unknown(name))
}

photofinish_model::messages! { "check";
    unknown(name: Name) "{name}", "{name}";

    // Little's law.
    law_open_loop()
        "an open loop has no fixed number of requests in flight",
        "开环没有固定的在途请求数";
    no_request() "no request was completed", "没有请求完成";
    no_request_because(first: Quoted)
        "no request was completed: {first}",
        "没有请求完成：{first}";
    law_lost(lost: Count, requests: Requests)
        "{lost} of {requests} ended without a response, and their connections with them",
        "{requests}中有 {lost} 个没有得到响应，其连接也随之丢失";
    law_few_requests(requests: Requests, room: Count)
        "{requests}, though {room} can be in flight: some connections had none; send more requests",
        "只有{requests}，而可同时在途 {room} 个：部分连接没有请求；请发送更多请求";
    law(rate: MeasuredRate, latency_us: Tenths, turnaround_us: Tenths, in_flight: Tenths, room: Message, off: Deviation)
        "{rate} sent/s × ({latency_us} + {turnaround_us}) µs = {in_flight} of {room} ({off})",
        "每秒发出 {rate} 个 ×（{latency_us} + {turnaround_us}）µs = {room}中的 {in_flight} 个（{off}）";
    connections(connections: Connections) "{connections}", "{connections}";
    streams(connections: Count, streams: Count)
        "{connections} × {streams} streams",
        "{connections} × {streams} 个流";
    law_idle_places(share: WholePercent)
        "places for requests were idle for {share} of the time, since no request was left or the server allowed no more: too little is left to check",
        "由于没有剩余请求或服务器不允许更多，请求位有 {share} 的时间空闲：剩下的不足以检查";
    places_without_idle(places: Message, idle: Figure)
        "{places}, of which {idle} were idle on average",
        "{places}，其中平均 {idle} 个空闲";
    law_cannot_tell(law: Message, edge: Percent)
        "{law}; requests in flight at either end of the window can account for {edge} on top of the 5%: measure for longer",
        "{law}；除 5% 的误差外，仅窗口开启和关闭时在途的请求就可能造成 {edge} 的偏差：请延长测量时间";

    // The load generator.
    generator(parts: Clauses) "{parts}", "{parts}";
    generator_busy()
        "its busiest thread was saturated: give it more cores",
        "其最忙的线程已饱和：请给它更多核";
    generator_busy_at_failed(rate: WholeRate)
        "its busiest thread was saturated at {rate}, the rate that failed: the server may sustain more; give the load generator more cores",
        "在不满足目标的速率 {rate} 下，其最忙的线程已饱和：被测服务器也许能承受更多；请给负载发生器更多核";
    generator_starves(at_server: Figure, more: WholePercent)
        "with {at_server} requests at the server on average, it often waited for the load generator and could serve up to {more} more; response times are not affected; use more connections",
        "被测服务器处平均只有 {at_server} 个请求，它常在等待负载发生器，最多还能多处理 {more}；响应时间不受影响；请用更多连接";
    generator_kept(turnaround: Time, share: WholePercent)
        "it was kept from its core: connections waited {turnaround} for it on average, though its busiest thread used only {share} of a core; give it cores that nothing else uses",
        "它得不到自己的核：连接平均等待它 {turnaround}，而其最忙的线程只用了一个核的 {share}；请给它没有其他程序使用的核";
    generator_starves_mostly(at_server: Figure)
        "with {at_server} requests at the server on average, it waited for the load generator most of the time, so its throughput is not known; response times are not affected; use more connections",
        "被测服务器处平均只有 {at_server} 个请求，它大部分时间都在等待负载发生器，因此其吞吐量无从得知；响应时间不受影响；请用更多连接";
    generator_late(requests: Count, of: Requests, longest: Time, in_time: Time, p99: Time)
        "{requests} of {of} were sent up to {longest} late although a connection was idle, because its thread did not run: sent in time, p99 would be {in_time}, not {p99}",
        "{of}中有 {requests} 个虽有空闲连接，却最多迟发 {longest}，因为其线程没有运行：若按时发出，p99 会是 {in_time}，而不是 {p99}";
    clock_stepped(by: Time)
        "the wall clock was stepped by {by} meanwhile, which invalidates kernel timestamps: measure again",
        "期间系统时钟被调整了 {by}，内核时间戳因此失效：请重新测量";
    overloaded(achieved: MeasuredRate, offered: MeasuredRate)
        "overloaded: achieved {achieved}/s of {offered}/s offered: the response times at the offered rate are not known",
        "过载：给定 {offered}/s，实际 {achieved}/s：给定速率下的响应时间未知";
    overloaded_server(achieved: MeasuredRate, offered: MeasuredRate)
        "overloaded: achieved {achieved}/s of {offered}/s offered: the server, or the number of connections, was the bottleneck; the response times at the offered rate are not known",
        "过载：给定 {offered}/s，实际 {achieved}/s：瓶颈是被测服务器或连接数；给定速率下的响应时间未知";
    busiest_thread(share: WholePercent)
        "its busiest thread used {share} of a core",
        "其最忙的线程占用一个核的 {share}";
    turnaround(share: WholePercent, turnaround_us: Tenths, cycle_us: Tenths, at_server: Figure)
        "a connection spent {share} of its cycle in the load generator ({turnaround_us} of {cycle_us} µs), with {at_server} requests at the server on average",
        "每个连接的周期有 {share} 花在负载发生器中（{turnaround_us} / {cycle_us} µs），平均有 {at_server} 个请求在被测服务器处";
    achieved(share: TenthsPercent)
        "achieved {share} of the offered rate",
        "实现了给定速率的 {share}";
    lag(lag_us: Tenths)
        "responses waited {lag_us} µs to be read (median), not included in any figure",
        "响应等待读取 {lag_us} µs（中位数），不计入任何数字";

    // Several load generators.
    generators(of: Count, apart: Time)
        "{of} load generators, whose windows differed by at most {apart}",
        "{of} 台负载发生器，其测量窗口最多相差 {apart}";
    troubles(troubles: Clauses) "{troubles}", "{troubles}";
    trouble_bottleneck(machine: Name)
        "load generator {machine} was the bottleneck",
        "负载发生器 {machine} 成了瓶颈";
    trouble_unpinned(machine: Name)
        "load generator {machine} did not stay on its cores",
        "负载发生器 {machine} 没有留在分配给它的核上";
    trouble_shares_server(machine: Name)
        "load generator {machine} runs on the servers' machine",
        "负载发生器 {machine} 与被测服务器在同一台机器上";
    trouble_clock(machine: Name)
        "the clock offset of {machine} is not known precisely enough to start with the others: its link is slow or busy",
        "{machine} 的时钟偏差无法足够准确地得知，不能保证与其他负载发生器同时开始：到它的链路太慢或太忙";

    // Errors.
    no_errors(responses: Responses)
        "{responses} as expected",
        "{responses}全部符合预期";
    errors(failed: Count, attempts: Count, kinds: Parts, first: Tail)
        "{failed} of {attempts} requests failed: {kinds}{first}",
        "{attempts} 个请求中有 {failed} 个失败：{kinds}{first}";
    errors_and_connects(failed: Count, attempts: Count, kinds: Parts, first: Tail)
        "{failed} of {attempts} requests and connects failed: {kinds}{first}",
        "{attempts} 次请求和连接中有 {failed} 个失败：{kinds}{first}";
    the_first(complaint: Quoted) "the first: {complaint}", "第一个：{complaint}";
    the_first_at(at: Time, complaint: Quoted)
        "the first after {at}: {complaint}",
        "第一个（{at}后）：{complaint}";
    generator_throttled(share: Percent)
        "the load generator's own CPU limit (cgroup) stopped it for {share} of the time",
        "负载发生器因自身的 CPU 限额（cgroup）有 {share} 的时间被暂停";
    generator_ports(connects: Count)
        "the load generator had no free local port for {connects} connections: closed ones hold theirs for a minute (TIME_WAIT)",
        "负载发生器有 {connects} 次连接没有空闲的本地端口：已关闭的连接占用端口一分钟（TIME_WAIT）";
    unavailable(without: Time, of: Time)
        "unavailable for {without} of {of}: no response on any connection",
        "{of} 中有 {without} 不可用：所有连接上都没有响应";
    unavailable_times(without: Time, of: Time, outages: Count)
        "unavailable for {without} of {of}, {outages} times: no response on any connection",
        "{of} 中有 {without} 不可用，共 {outages} 次：所有连接上都没有响应";
    while_idle(kind: Message) "{kind} while nothing was asked", "没有请求时 {kind}";
    no_errors_and_closed(responses: Responses, closed: Connections)
        "{responses} as expected; the server closed {closed} while they were idle",
        "{responses}全部符合预期；服务器关闭了 {closed}空闲的连接";

    // Steady.
    too_few_windows(windows: Windows, needed: Count)
        "{windows}, and {needed} are needed to detect a shift: measure for longer",
        "{windows}看不出突变，需要 {needed} 个：请延长测量时间";
    no_figures() "the windows have no figures", "各窗口没有数值";
    flat(series: Message, windows: Windows)
        "flat: {series} over {windows}",
        "平稳：{windows}内的{series}";
    throughput() "throughput", "吞吐量";
    median_response_time() "median response time", "响应时间中位数";
    both_series() "throughput and median response time", "吞吐量和响应时间中位数";
    unsteady(parts: Clauses) "{parts}", "{parts}";
    compiling(share: Percent)
        "warm-up: its just-in-time compiler still took {share} of its CPU time",
        "预热：其即时编译器仍占其 CPU 时间的 {share}";
    warm_up() "warm-up", "预热";
    slow_down() "slow-down", "变慢";
    no_steady_state() "no steady state", "无稳态";
    is_flat() "flat", "平稳";
    shape(class: Message, series: Message) "{class}: {series}", "{class}：{series}";
    shifted(class: Message, series: Message, change: Message, from: InUnit, to: InUnit, at_s: Tenths, length_s: Tenths)
        "{class}: {series} {change} from {from} to {to} at {at_s} s of {length_s} s",
        "{class}：{series}在第 {at_s} 秒（共 {length_s} 秒）从 {from} {change}，变为 {to}";
    shifted_most(class: Message, series: Message, change: Message, from: InUnit, to: InUnit, at_s: Tenths, length_s: Tenths, shifts: Count)
        "{class}: {series} {change} from {from} to {to} at {at_s} s of {length_s} s, the largest of {shifts} shifts",
        "{class}：{series}在第 {at_s} 秒（共 {length_s} 秒）从 {from} {change}，变为 {to}，是 {shifts} 次突变中最大的一次";
    drifted(class: Message, series: Message, change: Message, from: InUnit, to: InUnit, length_s: Tenths)
        "{class}: {series} {change} from {from} to {to} from start to end (linear fit over {length_s} s)",
        "{class}：{series}在 {length_s} 秒内从 {from} {change}，变为 {to}（线性拟合）";
    fell() "fell", "下降";
    rose() "rose", "上升";
    fell_by(share: Percent) "fell by {share}", "下降 {share}";
    rose_by(share: Percent) "rose by {share}", "上升 {share}";
    rose_times(times: Figure) "rose {times} ×", "升至 {times} 倍";

    // The same job.
    no_other_server() "no other server has responded yet", "还没有其他被测服务器作出响应";
    other_status(workload: Name, server: Name, status: Number, other: Name, other_status: Number)
        "{workload}: {server} responds with status {status}, {other} with {other_status}",
        "{workload}：{server} 的状态码是 {status}，{other} 的是 {other_status}";
    other_body(workload: Name, server: Name, other: Name, got: ByteCount, expected: ByteCount)
        "{workload}: the body of {server} differs from that of {other}: {got} against {expected}",
        "{workload}：{server} 的正文与 {other} 的不同：{got}对 {expected}";
    other_body_at(workload: Name, server: Name, other: Name, got: ByteCount, expected: ByteCount, difference: Message)
        "{workload}: the body of {server} differs from that of {other}: {got} against {expected}; {difference}",
        "{workload}：{server} 的正文与 {other} 的不同：{got}对 {expected}；{difference}";
    body_differs_at(offset: Number, expected: Quoted, got: Quoted)
        "they differ first at offset {offset}: expected {expected}, got {got}",
        "最先不同处是第 {offset} 字节：应为 {expected}，实为 {got}";
    body_is_longer(offset: Number, got: Quoted)
        "they differ first at offset {offset}: expected nothing, got {got}",
        "最先不同处是第 {offset} 字节：应已结束，实为 {got}";
    body_is_shorter(offset: Number, expected: Quoted)
        "they differ first at offset {offset}: expected {expected}, got nothing",
        "最先不同处是第 {offset} 字节：应为 {expected}，实已结束";
    same_shape(status: Number, others: Names)
        "status {status} and a body of the stated shape, as {others}",
        "与 {others} 一样：状态码 {status}，正文符合规定的形式";
    same_bytes(bytes: ByteCount, others: Names)
        "the same {bytes} as {others}",
        "与 {others} 相同的 {bytes}";
    same_response(status: Number, bytes: ByteCount, others: Names)
        "status {status} and the same body of {bytes} as {others}",
        "与 {others} 一样：状态码 {status}，相同的 {bytes}正文";
    responses_vary()
        "responses differ from one another, so none can be compared with the verified one",
        "响应彼此不同，无法与验证时的响应比较";
    as_stated(responses: Count)
        "all {responses} responses were as stated",
        "全部 {responses} 个响应都与声明相符";
    not_as_stated(wrong: Count, responses: Count)
        "{wrong} of {responses} responses had another status or body than stated",
        "{responses} 个响应中有 {wrong} 个的状态或正文与声明不符";
    as_verified(responses: Count)
        "all {responses} responses matched the verified one",
        "全部 {responses} 个响应都与验证时相同";
    not_as_verified(changed: Count, responses: Count, first: Tail)
        "{changed} of {responses} responses did not match the verified one{first}",
        "{responses} 个响应中有 {changed} 个与验证时不同{first}";
    other_length(changed: Count, responses: Count, share: Percent, first: Tail)
        "{changed} of {responses} responses ({share}) had a body of another length than the first ones{first}",
        "{responses} 个响应中有 {changed} 个（{share}）的正文长度与最初的不同{first}";

    // The machine.
    not_sampled() "the machine was not sampled", "没有对机器采样";
    machine(sources: Parts) "{sources}", "{sources}";
    at_most(source: Message, limit: Name) "{source} (at most {limit})", "{source}（至多 {limit}）";
    steal(share: TenthsPercent) "steal {share}", "被宿主机占去的 CPU 时间 {share}";
    other_processes(cores: Hundredths) "other processes {cores} cores", "其他进程占用 {cores} 核";
    other_processes_most(cores: Hundredths, name: Name, most: Hundredths)
        "other processes {cores} cores, of which `{name}` {most}",
        "其他进程占用 {cores} 核，其中 `{name}` {most}";
    hiccups(p99_ms: Hundredths) "hiccups p99 {p99_ms} ms", "停顿 p99 {p99_ms} ms";
    never_stalled(limit: Time)
        "the load generator's core was never stalled for {limit}",
        "负载发生器所在的核没有停顿达到 {limit}";
    stalled(longest: Time)
        "the load generator's core was stalled for up to {longest}",
        "负载发生器所在的核一次停顿 {longest}";
    memory_stall(share: TenthsPercent) "waiting for memory {share}", "等待内存 {share}";
    swap(pages: Count) "swap {pages} pages/s", "换页 {pages} 页/s";
    throttled(share: TenthsPercent)
        "the servers' container throttled by its CPU limit {share}",
        "被测服务器所在容器因 CPU 限额被暂停 {share}";
    migrated(times: Figure)
        "core-to-core latency changed by a factor of {times}",
        "核间延迟前后相差 {times} 倍";
    idle_servers(used: Name)
        "the idle servers used {used} of a core meanwhile",
        "空闲的被测服务器在此期间使用了一个核的 {used}";
    busy_servers(used: Name, most: Name)
        "the idle servers used {used} of a core meanwhile (at most {most}): stop them meanwhile (`--freeze`), or measure one server after the other (`--sequential`)",
        "空闲的被测服务器在此期间使用了一个核的 {used}（上限 {most}）：请在此期间暂停它们（`--freeze`），或逐个测量各被测服务器（`--sequential`）";

    // Bytes and rows.
    bytes_of_failed()
        "requests failed, and their bytes are not known",
        "有请求失败，其字节数未知";
    bytes_not_stated()
        "the workload does not state the body of a response",
        "负载没有规定响应的正文";
    echo_bytes(requests: Count, size: Count, total: ByteCount, came: Count, went: Count)
        "{requests} echoes × {size} bytes = {total}; {came} received, {went} sent",
        "{requests} 次回显 × {size} 字节 = {total}；收到 {came}，发出 {went}";
    body_bytes(requests: Count, body: Count, head: Count, total: ByteCount, came: Count)
        "{requests} responses × {body} bytes of body and a head of at least {head} = at least {total}; {came} received",
        "{requests} 个响应 ×（{body} 字节正文，至少 {head} 字节头部）= 至少 {total}；收到 {came}";
    rows_not_counted(why: Quoted) "rows were not counted: {why}", "没有数行数：{why}";
    rows(table: Name, found: RowCount, good: Requests)
        "{table} has {found} after {good} that succeeded",
        "{good}成功，{table} 有 {found}";
    rows_and_unknown(table: Name, found: RowCount, good: Requests, unknown: Count)
        "{table} has {found} after {good} that succeeded and {unknown} that did not, each of which may have left a row",
        "{good}成功，另有 {unknown} 个未成功，各自可能留下一行，{table} 有 {found}";
    rows_missing(rows: RowCount, found: Message) "{rows} missing: {found}", "缺 {rows}：{found}";
    rows_too_many(rows: RowCount, found: Message) "{rows} too many: {found}", "多 {rows}：{found}";
}
