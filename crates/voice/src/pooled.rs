//! Verdicts over several pairs of machines.

photofinish_model::messages! { "pooled";
    on_these(machines: MachinePairs, says: Message)
        "on these {machines}: {says}",
        "在这 {machines}上：{says}";
    like_these(says: Message)
        "on machines like these: {says}",
        "在同类机器上：{says}";
    needs_machines(needed: MachinePairs)
        "a verdict on machines like these takes {needed}",
        "要对同类机器下结论，需要 {needed}";
    alike(q: Figure, p: Name)
        "the ratio does not certainly differ from machine to machine (Cochran's Q {q}, {p})",
        "不能确定比值因机器而异（Cochran Q {q}，{p}）";
    differ(sd: TenthsPercent, q: Figure, p: Name)
        "the ratio differs from machine to machine: standard deviation {sd} (Cochran's Q {q}, {p})",
        "比值因机器而异：标准差 {sd}（Cochran Q {q}，{p}）";
    deviates(machine: Name, ratio: Ratio)
        "{machine} disagrees with the other machines: its ratio is {ratio} × theirs",
        "{machine} 与其他机器不一致：其比值是它们的 {ratio} 倍";
    does_not_count(machine: Name, reason: Message)
        "{machine} does not count: {reason}",
        "{machine} 不计入：{reason}";
    another_study(machine: Name, differs: Message)
        "it did not measure what {machine} measured: {differs}",
        "它测的与 {machine} 不同：{differs}";
    trust(machine: Name, says: Message) "{machine}: {says}", "{machine}：{says}";
    share_node(machines: Names, node: Name)
        "{machines} share the node {node}: they are pairs of pods, not of machines",
        "{machines} 共用节点 {node}：它们是成对的 Pod，而不是成对的机器";
    failed(machine: Name, server: Name, round: Number, why: Message)
        "{machine}: {server} failed in round {round}: {why}",
        "{machine}：{server} 在第 {round} 轮失败：{why}";
    smoke() "a smoke run does not measure speed", "冒烟运行不测量速度";
    nothing() "there is no ratio: no two servers were measured in one round", "没有比值：没有两个服务器在同一轮中被测到";
}
