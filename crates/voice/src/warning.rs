//! Warnings about a run: what to know before a figure is quoted.

use photofinish_model::Place;

photofinish_model::messages! { "warning";
    smoke()
        "a smoke run shows that everything works, but does not measure speed",
        "这是冒烟运行：只说明一切能跑通，不测量速度";
    one_already_up()
        "1 server was up already and not restarted between rounds: intervals do not cover differences between processes (memory layout, JIT), and photofinish did not pin it to cores",
        "有 1 个被测服务器事先已在运行，各轮之间没有重启：区间不含进程的偶然因素（内存布局、JIT），photofinish 也没有把它绑定到核心";
    already_up(servers: Count)
        "{servers} servers were up already and not restarted between rounds: intervals do not cover differences between processes (memory layout, JIT), and photofinish did not pin them to cores",
        "有 {servers} 个被测服务器事先已在运行，各轮之间没有重启：区间不含进程的偶然因素（内存布局、JIT），photofinish 也没有把它们绑定到核心";
    no_verdict(reason: Message) "{reason}", "{reason}";
    check_failed(failed: Message, effect: Message)
        "{failed}, {effect}",
        "{failed}，{effect}";
    check_failed_in(failed: Message, times: Count, of: Count, effect: Message)
        "{failed} ({times} of {of} times), {effect}",
        "{failed}（{of} 次中有 {times} 次），{effect}";
    not_quiet(failed: Message, times: Count, of: Count, name: Name, cores: Hundredths, effect: Message)
        "{failed} ({times} of {of} times; `{name}` used {cores} of a core), {effect}",
        "{failed}（{of} 次中有 {times} 次；`{name}` 占用一个核的 {cores}），{effect}";
    uneven(server: Name, place: Place, times: Figure)
        "uneven rounds: the throughput of {server} at {place} differs by a factor of up to {times} from round to round; the machine is busy, or the measurements are too short",
        "各轮差异很大：{place}时 {server} 的吞吐量在各轮之间最多相差 {times} 倍；机器繁忙，或者测量时间太短";
    two_groups(place: Place, groups: Message)
        "rounds fall into two groups: at {place} {groups}; its ratios depend on how many of each there were",
        "各轮分成两组：{place}时 {groups}；它的比值取决于两组各有几轮";
    short_slices(place: Place, server: Name, waits: Time, slice: Time)
        "short slices: at {place} a connection to {server} still waited for {waits} on average when a slice of {slice} ended; with `--sequential` more connections may wait at a time",
        "时间片太短：{place}时，到 {server} 的连接在时间片（{slice}）结束时平均还要等待 {waits}；用 `--sequential` 测量时，同时等待的连接可能更多";
    one_if_independent(rounds: Rounds)
        "1 verdict holds only if the rounds are independent: {rounds} cannot rule out correlated noise; run more",
        "有 1 项结论仅当各轮相互独立时成立：{rounds}不足以排除相关的噪声；请增加轮数";
    if_independent(verdicts: Count, rounds: Rounds)
        "{verdicts} verdicts hold only if the rounds are independent: {rounds} cannot rule out correlated noise; run more",
        "有 {verdicts} 项结论仅当各轮相互独立时成立：{rounds}不足以排除相关的噪声；请增加轮数";
    one_within_noise()
        "1 difference lies within the noise floor: the machine has shown as much between two copies of one server",
        "有 1 项差别不超过噪声下限：这台机器在同一被测服务器的两份副本之间也测出过这样大的差别";
    within_noise(verdicts: Count)
        "{verdicts} differences lie within the noise floor: the machine has shown as much between two copies of one server",
        "有 {verdicts} 项差别不超过噪声下限：这台机器在同一被测服务器的两份副本之间也测出过这样大的差别";
    reconnects(server: Name, closed: Count, share: Percent, other: Name, other_closed: Count, place: Place)
        "{server} closed {closed} connections at {place} ({share} of its requests), and {other} {other_closed}: its figures contain opening them again",
        "{place}时 {server} 关闭了 {closed} 个连接（占其请求的 {share}），{other} 关闭了 {other_closed} 个：其数字含有重新建立连接的开销";
    left_out(parts: StudyParts)
        "{parts} of the study left out",
        "研究中有 {parts}被略去";
    gaps(measurements: Measurements)
        "{measurements} failed or missing",
        "{measurements}失败或缺失";
}

/// The warnings in a few words.
pub mod short {
    photofinish_model::messages! { "warning.short";
        smoke() "a smoke run", "冒烟运行";
        no_verdict() "no verdict", "没有结论";
        already_up() "servers that were up already", "被测服务器事先已在运行";
        uneven() "uneven rounds", "各轮差异很大";
        two_groups() "two groups of rounds", "各轮分成两组";
        short_slices() "short slices", "时间片太短";
        reconnects() "closed connections", "连接被关闭";
        within_noise() "differences within the noise floor", "差别不超过噪声下限";
        if_independent() "few rounds", "轮数太少";
        left_out() "parts left out", "有部分被略去";
        gaps() "missing measurements", "有测量缺失";
    }
}
