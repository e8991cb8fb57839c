//! The validity checks of a whole run.

use photofinish_model::Load;

photofinish_model::messages! { "run_check";
    passed(checked: Message) "passed: {checked} checked", "通过：检查了 {checked}";
    failed(failing: Count, checked: Message, meaning: Message)
        "failed in {failing} of {checked}: {meaning}",
        "{checked}中有 {failing} 个未通过：{meaning}";
    partly(checked: Count, of: Message)
        "passed where it could be checked: {checked} of {of}",
        "在检查过的地方通过：{of}中检查了 {checked} 个";
    partly_because(checked: Count, of: Message, why: Message)
        "passed where it could be checked: {checked} of {of}; the others: {why}",
        "在检查过的地方通过：{of}中检查了 {checked} 个；其余：{why}";
    not_checked() "not checked", "未检查";
    not_checked_because(why: Message) "not checked: {why}", "未检查：{why}";

    // What is counted.
    measurements(count: Measurements) "{count}", "{count}";
    trials(count: Trials) "{count}", "{count}";
    pods(count: Pods) "{count}", "{count}";
    nodes(count: Nodes) "{count}", "{count}";
    servers_and_workloads(count: ServersAndWorkloads) "{count}", "{count}";
    aa_comparisons(count: AaComparisons) "{count}", "{count}";

    no_pair()
        "no A/A pair in this study: run with --aa",
        "本研究没有 A/A 对照：运行时请加 --aa";
    smoke_run() "a smoke run has no noise floor", "冒烟运行没有噪声下限";
    pair_needs_rounds()
        "an A/A pair needs two rounds with figures of both copies",
        "A/A 对照至少需要两轮，且两份副本都有数值";
    shared_process(pid: Number, server: Name, round: Number)
        "its server process {pid} is that of {server} in round {round}",
        "其服务器进程 {pid} 就是第 {round} 轮中 {server} 的进程";
    ran_already()
        "the servers were already running, and no process was started for a round",
        "被测服务器事先已在运行，没有为各轮启动进程";
    no_own_cores(pod: Name, asked: Cores, may: Count, machine: Name)
        "the pod {pod} asked for {asked} and may run on {may} of {machine}: it is limited by CPU time, not to cores of its own",
        "Pod {pod} 请求 {asked}，却可在 {machine} 的 {may} 个核上运行：限制它的是 CPU 时间，它没有独占的核";
    not_bound(job: Name, asked: Cores, machine: Name, may: Count)
        "job {job} asked for {asked} of {machine} and may run on {may} of them: Slurm does not bind it to those that it gave",
        "作业 {job} 请求 {machine} 的 {asked}，却可在其中 {may} 个核上运行：Slurm 没有把它绑定到分给它的核";
    no_interface(machine: Name)
        "the network interface of {machine} is not known",
        "{machine} 的网络接口未知";
    loopback(interface: Name, machine: Name)
        "{interface} of {machine} is the loopback interface, which has no speed",
        "{machine} 的 {interface} 是环回接口，没有速率";
    virtual_link(interface: Name, machine: Name)
        "{interface} of {machine} is a virtual link without a speed of its own",
        "{machine} 的 {interface} 是虚拟链路，自身没有速率";
    device(interface: Name, machine: Name)
        "{interface} of {machine} is a device that does not state its speed",
        "{machine} 的 {interface} 是未报告速率的设备";
    grouped()
        "all trials of one server were run before those of the next",
        "各被测服务器没有轮流：一个的全部试验做完才轮到下一个";
    seed(seed: Number) "seed {seed}", "随机种子 {seed}";
    other_response(got: Message, other: Name, expected: Message)
        "responded with {got}, but {other} responded with {expected}",
        "响应是{got}，而 {other} 的响应是{expected}";
    response(status: Number, bytes: ByteCount, sha256: Name)
        "status {status} and a body of {bytes} (SHA-256 {sha256}…)",
        "状态码 {status}，正文 {bytes}（SHA-256 {sha256}…）";
    body(bytes: ByteCount, sha256: Name)
        "a body of {bytes} (SHA-256 {sha256}…)",
        "正文 {bytes}（SHA-256 {sha256}…）";
    redirected(workload: Name, server: Name, path: Name)
        "{workload}: {server} redirects to {path}, which was loaded (the redirects themselves were not)",
        "{workload}：{server} 重定向到 {path}，测量的是该路径（没有测量重定向本身）";
    wire_bytes(workload: Name, servers: Parts)
        "{workload}: bytes of a response on the wire differ: {servers}",
        "{workload}：每个响应在线路上的字节数不同：{servers}";
    server_bytes(server: Name, bytes: Count) "{server} {bytes}", "{server} {bytes}";
    own_headers(workload: Name, servers: Clauses)
        "{workload}: headers that not all servers send: {servers}",
        "{workload}：并非所有被测服务器都发送的头部字段：{servers}";
    server_headers(server: Name, headers: Names)
        "{server} sends {headers}",
        "{server} 发送 {headers}";
    never_steady(server: Name, time: Time, workload: Name, level: Load, round: Number)
        "never steady: {server}, after {time} of warm-up on {workload} at {level} in round {round}",
        "始终没有稳定：第 {round} 轮中，{server} 在 {workload}（{level}）上预热 {time} 后仍未稳定";
}

use photofinish_model::kubernetes::PodRecord;
use photofinish_model::slurm::NodeRecord;

/// Returns that a pod has no cores of its own, unless it has.
pub fn pod_lacks_cores(pod: &PodRecord) -> Option<Message> {
    (!pod.has_own_cores())
        .then(|| no_own_cores(&pod.pod, pod.cpus_asked, pod.cpus.len(), &pod.machine))
}

/// Returns that a node of a Slurm job has no cores of its own, unless it has.
pub fn node_lacks_cores(node: &NodeRecord) -> Option<Message> {
    (!node.has_own_cores())
        .then(|| not_bound(&node.job, node.cpus_asked, &node.machine, node.cpus.len()))
}
