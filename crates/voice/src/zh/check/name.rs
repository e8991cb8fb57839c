//! What the checks are called, and what it means when one fails.

use photofinish_model::check;

/// A check in a few words; its name where it is none that is known.
pub(crate) fn title(name: &str) -> &str {
    match name {
        check::LITTLES_LAW => "利特尔法则：连接数 = 吞吐量 × 周期时间，误差不超过 5%",
        check::GENERATOR => "负载发生器不是瓶颈",
        check::ERRORS => "没有错误，没有超时",
        check::STEADY => "稳定：测量期间没有突变",
        check::SAME_JOB => "工作相同：所有对象返回相同的状态码和正文",
        check::ROWS => "表中的行数 = 成功的请求数",
        check::QUIET => "机器没有受到干扰",
        check::INTERLEAVED => "进程全新，各对象按随机顺序交错进行",
        check::NOISE_FLOOR => "噪声下限（A/A）",
        check::BYTES => "线路上的字节数 = 响应数 × 每个响应的字节数",
        check::AS_VERIFIED => "工作始终如一：响应与验证时相同",
        check::BYSTANDERS => "其他对象的服务器在此期间空闲",
        check::GENERATORS => "多台负载发生器的结果可以合并",
        check::OWN_CORES => "每个 Pod 或 Slurm 节点独占整数个核",
        check::LINK => "没有网络链路被占满",
        other => other,
    }
}

/// That a check failed, in a few words, for a list of what to doubt.
pub(crate) fn failed(name: &str) -> &str {
    match name {
        check::LITTLES_LAW => "利特尔法则不成立",
        check::GENERATOR => "负载发生器成了瓶颈",
        check::ERRORS => "有错误或超时",
        check::STEADY => "吞吐量或响应时间发生了变化",
        check::SAME_JOB => "各对象的响应不同",
        check::ROWS => "表中的行数与请求数不符",
        check::QUIET => "机器受到干扰",
        check::INTERLEAVED => "进程不是全新的，或各对象没有交错测量",
        check::NOISE_FLOOR => "同一对象与自身有差异",
        check::BYTES => "线路上的字节数与响应不符",
        check::AS_VERIFIED => "验证之后响应发生了变化",
        check::BYSTANDERS => "其他对象的服务器没有空闲",
        check::GENERATORS => "多台负载发生器的结果不一致",
        check::OWN_CORES => "有 Pod 或 Slurm 节点没有独占的核",
        check::LINK => "有网络链路被占满",
        other => other,
    }
}

/// What it means for the figures when a check fails.
pub(crate) fn meaning(name: &str) -> &'static str {
    match name {
        check::LITTLES_LAW => "吞吐量与响应时间互相矛盾：有连接空闲或丢失，或者其中一个数字是错的",
        check::GENERATOR => {
            "这些数字反映的可能是负载发生器，而不是服务器：请给它更多核或更多连接，或者降低负载"
        }
        check::ERRORS => "吞吐量只计正确的响应；超时的请求按其已等待的时间计入响应时间",
        check::STEADY => "服务器在测量期间仍在变化：平均值混合了两种状态",
        check::SAME_JOB => "各对象做的工作不同，速度无法比较",
        check::ROWS => "服务器声称做完的事并没有做，或者做了两次：其数字不是这项工作的数字",
        check::QUIET => "有其他程序占用了机器，差异可能由它造成",
        check::INTERLEAVED => "机器的缓慢变化或某个服务器的历史，可能被误认为对象之间的差异",
        check::NOISE_FLOOR => "在这台机器上，同一对象与自身的差异超出偶然：小的差异没有意义",
        check::BYTES => "计入了字节数不足一个完整响应的请求，或者有字节不属于任何请求",
        check::AS_VERIFIED => {
            "服务器在测量时所做的工作与验证时不同，其数值不属于这项工作；若响应本就各不相同，请声明其形状（`contains`、`rows`）"
        }
        check::BYSTANDERS => {
            "其他对象的服务器占用了本对象的 CPU：请在此期间暂停它们（`--freeze`），或逐个测量各对象（`--sequential`）"
        }
        check::GENERATORS => {
            "多台负载发生器测得的结果不能相加：请让每台独占一台机器和其上的核，并以相同的网络路径到达服务器"
        }
        check::OWN_CORES => {
            "线程会在各核之间迁移，与别人的线程相争，并在 Pod 的时间用尽时被暂停：高百分位可能来自调度器；请在这些节点上把 kubelet 的 CPU 管理策略设为 `static`，或把 Slurm 的 TaskPlugin 设为 task/affinity 或 task/cgroup"
        }
        check::LINK => {
            "限制吞吐量和响应时间的是网络，而不是服务器：请换用更快的链路、减小响应或降低负载"
        }
        _ => "见 docs/methods.md",
    }
}
