//! How every figure is made, in one place; the sections lead to it.

use photofinish_judge::comparison::Comparison;
use photofinish_judge::page::Page;

use photofinish_voice::label;

use crate::document::{Block, part};
use crate::words::Text;

use super::source::Source;

/// How a kind of figure is made, in English and in Chinese.
struct Method {
    about: &'static str,
    title: (&'static str, &'static str),
    text: &'static [(&'static str, &'static str)],
}

/// The methods of a page, which alone has room for them.
pub(super) fn methods(source: &Source) -> Vec<Block> {
    let Some(page) = source.pictures else {
        return Vec::new();
    };
    let mut blocks = part(
        "methods",
        label::methods_title(),
        label::methods_how_every_figure_is_made(),
    );
    let both = |(en, zh): &(&str, &str)| Text::both(*en, zh);
    for method in METHODS {
        if applies(method.about, source.comparison, page) {
            blocks.push(Block::Heading(both(&method.title)));
            blocks.extend(method.text.iter().map(|text| Block::Line(both(text))));
        }
    }
    blocks
}

/// Whether the page has a figure that is made so.
fn applies(about: &str, comparison: &Comparison, page: &Page) -> bool {
    let mut targets = comparison.cells.iter().flat_map(|cell| &cell.targets);
    match about {
        "noise" => comparison.cells.iter().any(|cell| !cell.noise.is_empty()),
        "until" => comparison.head.settings.max_rounds.is_some(),
        "overload" => targets.any(|target| !target.overloaded.is_empty()),
        "limit" => comparison.head.limit().is_some(),
        "capacity" => !page.capacities.is_empty(),
        "scaling" => !comparison.scaling.is_empty(),
        "sweep" => !page.sweeps.is_empty(),
        "layers" => targets.any(|target| target.profile.is_some()),
        "flames" => !page.flames.is_empty(),
        _ => true,
    }
}

/// Declares the methods: what each is about, its title, and its paragraphs, in English and Chinese.
macro_rules! methods {
    ($($about:literal: $en:literal, $zh:literal { $($text_en:literal, $text_zh:literal;)+ })+) => {
        const METHODS: &[Method] = &[$(Method {
            about: $about,
            title: ($en, $zh),
            text: &[$(($text_en, $text_zh)),+],
        }),+];
    };
}

methods! {
    "verdict": "Ratios and verdicts", "比值与结论" {
        "Rounds are the sample, not requests. For a metric m, targets A and B and round r, d_r = ln(m_A,r / m_B,r). The ratio is exp(mean d), its 95% interval exp(mean d ± t · s / √R), with Student's t for R − 1 degrees of freedom. For percentiles the interval is never narrower than a histogram's bucket (0.1%).",
        "样本是“轮”，不是请求。对于指标 m、对象 A 与 B 以及第 r 轮，d_r = ln(m_A,r / m_B,r)。比值为 exp(d 的平均值)，95% 区间为 exp(d 的平均值 ± t · s / √R)，其中 t 取自由度为 R − 1 的学生 t 分布。百分位的区间不会窄于直方图的一个桶（0.1%）。";
        "Intervals are widened by Holm's procedure, in throughput over all pairs, workloads and loads, in other metrics over the pairs of one load, so that the chance of calling any equal pair different stays at 5%. Where there are enough comparisons (three, or four targets) each pair's spread is drawn toward that of all of them, as far as they spread alike.",
        "各区间按 Holm 方法加宽（吞吐量对所有对、所有工作负载和负载级别一并校正，其他指标对同一负载下的各对校正），使“把任何一对相同的对象判为不同”的概率保持在 5%。比较足够多时（三对，或四个对象），每一对的离散程度会向全体靠拢，靠拢多少取决于它们的离散程度有多相近。";
        "Ahead: the interval excludes 1. Tie: it includes 1 and lies within the margin. Else undecided, with the number of rounds that are needed for a decision. One round alone gives no verdict. After Kalibera and Jones (2013) and Georges et al. (2007).",
        "领先：区间不含 1。平局：区间含 1 且全部落在容差之内。否则为无法判定，并给出大约需要的轮数。只有一轮时不下结论。依据 Kalibera 与 Jones（2013）、Georges 等（2007）。";
    }
    "noise": "Noise floor (A/A)", "噪声下限（A/A）" {
        "A second copy of a target races as one more contender, by the same rules and in the same rounds. By how much the two differ is what this machine measures where there is no difference: the noise floor, with its 95% interval by Student's t. The copy is no contender in the verdicts and does not make their levels stricter.",
        "让一个对象的第二份副本作为另一名参赛者，按同样的规则、在同样的各轮中比赛。两者之差就是这台机器在毫无差异时测出的“差异”，即噪声下限，并附按学生 t 分布得出的 95% 区间。副本不参与结论，也不使结论的置信水平更严。";
        "The floor reaches as far as the end of its interval that is farther from 1, whichever copy is called the first. A verdict whose ratio lies within that reach is marked: the machine has shown differences of that size between equal servers. Whether the copies are called different is judged by Holm's procedure over all A/A comparisons of the run together.",
        "噪声所及的范围是其区间离 1 较远的一端，与哪份副本在前无关。比值落在此范围内的结论会被标出：这台机器在相同的服务器之间也测出过这样大的差异。两份副本是否被判为不同，由 Holm 方法对本次运行的全部 A/A 对照一并判断。";
    }
    "until": "Rounds until it is decided", "加轮直到有结论" {
        "Rounds were added until the verdict of each level's headline and every claim were decided, or every condition of the job, up to a cap. Whoever tests a 95% interval after each round until it excludes 1 calls equal targets different far too often. So the 5 in 100 are shared by all interim analyses that the run may have (alpha spending; Lan and DeMets 1983), and the interval of each analysis is drawn at a level of its own. What one analysis has decided stays decided, unless later rounds contradict it: then the decision is withdrawn.",
        "不断加轮，直到每个档位的标题结论和每个说法（或任务的每个条件）都有定论，或到达上限。若每轮之后都检验 95% 区间，直到它不含 1，就会过于频繁地把相同的对象判为不同；因此把 5% 的错误概率分配给可能的各次期中分析（α 支出函数；Lan 与 DeMets 1983），每次分析的区间都有各自的置信水平。一次分析判定的结论此后不变，除非之后的各轮与之矛盾：那时该结论会被撤回。";
    }
    "throughput": "Throughput", "吞吐量" {
        "Good responses that arrived within the measurement, per second: expected status, length and body. The figure of a target is the geometric mean over its rounds, each in a new server process; its interval comes from the rounds' logarithms and Student's t.",
        "测量期间每秒到达的正确响应数：状态码、长度和正文都正确。对象的数字是各轮的几何平均值，每轮都使用全新的服务器进程；区间由各轮的对数和学生 t 分布得出。";
    }
    "latency": "Response time", "响应时间" {
        "From when a request should have been sent until its response reached this machine, by the kernel's receive timestamp where there is one; so neither a busy load generator nor a late request flatters the server. In a closed loop a request is due when the previous response is in.",
        "从请求应当发出的时刻起，到响应到达本机为止；在可用时以内核的接收时间戳为准。因此，无论负载发生器繁忙还是请求发得晚，都不会美化服务器。在闭环中，上一个响应到达时，下一个请求即应发出。";
        "Nothing is dropped: a timeout counts with the time that it had waited. Times go into a histogram with three significant digits. A percentile over the rounds is the geometric mean of the rounds' percentiles; the maximum is a single request, so it is shown with its range and never judged.",
        "不丢弃任何请求：超时按其已等待的时间计入。时间记入保留三位有效数字的直方图。多轮的百分位取各轮百分位的几何平均值；最大值只是单个请求，因此只给出范围，从不用于评判。";
    }
    "overload": "Overloaded levels", "过载的档位" {
        "An open loop is overloaded where requests fell due faster than the server responded. The queue then grows for as long as the measurement lasts, so its response times depend on how long one measured rather than on how fast the server is. Their verdicts are invalid, and they have no point and no curve here. Shown instead are the offered rate and the achieved rate of good responses.",
        "当开环的请求到期快于服务器的响应时，即为过载。此时队列在测量期间不断增长，响应时间反映的是测了多久，而不是服务器有多快。因此其响应时间的结论无效，这里没有它的标记和曲线，只给出给定的速率与实际达到的正确响应速率。";
    }
    "limit": "Share of the limit", "占上限的比例" {
        "The limit is a server that does as little as can be done for the same response. It races in the same rounds and is no contender. A target's share is the ratio of its throughput to the limit's, round by round, with the interval of such a ratio (see Ratios and verdicts). Shares near 100% are a property of the machine, its network stack and the load generator rather than of the target.",
        "上限是为同一响应做最少工作的服务器。它在同样的各轮中测量，但不参赛。对象的比例是其吞吐量与上限吞吐量逐轮之比，并附此类比值的区间（见“比值与结论”）。接近 100% 的比例反映的是机器、网络栈和负载发生器，而不是对象。";
    }
    "capacity": "Capacity", "容量" {
        "Rates are offered in an open loop, higher and higher until the objective is missed, and then between the highest rate that met it and the lowest that missed it. The throughput of such a level is the highest rate that met it. Each rate that was tried is a point: what was offered against the p99 of the response time.",
        "以开环给定越来越高的速率，直到目标不再满足，然后在满足的最高速率与不满足的最低速率之间继续试。此类档位的吞吐量就是满足目标的最高速率。试过的每个速率是一个点：给定的速率与响应时间 p99。";
    }
    "percentiles": "Response time by percentile", "各百分位的响应时间" {
        "The histograms of all rounds of a target are added, and read at shares of 1 − 10^(−k/10), drawn from the median on. Percentiles are never averaged here, so the p99 of this figure can differ a little from the mean of the rounds' p99. A curve ends where fewer than one response is left beyond it: at the longest.",
        "把一个对象各轮的直方图相加，再在比例 1 − 10^(−k/10) 处读数，图从中位数开始。这里从不对百分位求平均，因此图中的 p99 可能与各轮 p99 的平均值略有不同。曲线止于其后不足一个响应之处，也就是最长的响应。";
    }
    "load": "Against the load", "随负载的变化" {
        "The same figures as above, one point a load level, on logarithmic axes of load and time. Closed loop: each connection sends when its previous response is in, so the load adapts to the server. Open loop: requests fall due by a schedule whether or not responses come.",
        "数字与上文相同，每个负载档位一个点，负载轴与时间轴为对数坐标。闭环：每个连接收到上一个响应后才发送，因此负载会随服务器自行调整。开环：无论响应是否到达，请求都按时间表发出。";
    }
    "scaling": "Scaling with connections", "随连接数的伸缩性" {
        "Where a workload has at least 4 closed-loop levels, the Universal Scalability Law X(N) = γN / (1 + α(N − 1) + βN(N − 1)) is fitted to each target's throughput X at N connections, over all rounds, by least squares of the relative errors with α, β ≥ 0 (Gunther 2007). γ is the throughput of one connection, α contention (the share of the work that waits for others), β coherency (the cost of keeping each consistent with every other). Intervals are those of the profile likelihood, at 95%.",
        "一个工作负载至少有 4 个闭环档位时，对每个对象在 N 个连接下的吞吐量 X，用全部各轮拟合通用伸缩定律 X(N) = γN / (1 + α(N − 1) + βN(N − 1))，以相对误差的最小二乘为准，且 α、β ≥ 0（Gunther 2007）。γ 是单个连接的吞吐量，α 是争用（等待他人的工作所占的比例），β 是一致性开销（与其他各方达成一致的代价）。区间为剖面似然的 95% 区间。";
        "With β > 0 throughput peaks at √((1 − α) / β). A peak without an interval is not shown by the figures, one beyond the largest level is an extrapolation and is called so. Where the figures lie more than 10% off (root mean square), the law does not describe them: no curve is drawn then.",
        "β > 0 时，吞吐量在 √((1 − α) / β) 处达到峰值。没有区间的峰值不能由这些数字看出；位于最大档位之外的峰值是外推，并会注明。数字与定律相差超过 10%（均方根）时，该定律不能描述它们，此时不画曲线。";
    }
    "sweep": "Outliers among the levels", "离群的档位" {
        "Over the size of a message, throughput has no law but a shape: on logarithmic scales it is concave. Outliers are the fewest levels without which the rest is concave, if they are off by more than 12% and by more than three times as much as the rest. That needs 5 levels, and the first and the last cannot be judged. The expected value is that of the nearest curve through the others.",
        "吞吐量随消息大小的变化没有定律，但有形状：在对数坐标上是凹的。离群的档位是去掉之后其余各档成为凹形的最少几个，且偏离超过 12%，并超过其余各档偏离的三倍。这至少需要 5 个档位，对第一个和最后一个无法判断。推断值取自穿过其余各档的最近曲线。";
    }
    "windows": "Windows, warm-up and shifts", "窗口、预热与突变" {
        "Each point is one window: a second, or less where the measurement is short. The warm-up goes on until the last windows show neither a shift nor a drift, or its bound ends it. Shifts are found by PELT on mean and variance (Killick et al. 2012), within a measurement with the penalty 15 · ln n; the shape of a series is classed as in Barrett et al. (2017). During a warm-up the penalty is 4 · ln n, because ending it too early would spoil the measurement.",
        "每个点是一个窗口：一秒，测量较短时则更短。预热一直进行到最后若干窗口既无突变也无漂移，或到达上限为止。突变由 PELT 算法在均值和方差上找出（Killick 等 2012），测量内的罚项为 15 · ln n；序列的形态按 Barrett 等（2017）分类。预热期间的罚项为 4 · ln n，因为过早结束预热会毁掉测量。";
        "A last window that is shorter than the others is left out. Points are drawn with four significant digits.",
        "比其他窗口短的最后一个窗口不计入。图中的点保留四位有效数字。";
    }
    "layers": "Where a request's CPU time goes", "一个请求的 CPU 时间花在哪里" {
        "In slices next to the measured ones a timer of the kernel samples each of the server's cores 499 times per second of its busy time, and records the call stack of what runs there. Each sample belongs to one layer, by its functions' names; what has no name is unknown, or compiled code without symbols. A layer's time is its share of the samples × the CPU time per request that was measured without the profiler: the mean over the rounds, with Student's t.",
        "在被测时段之外的时段里，内核的时钟在服务器的每个核忙碌的每一秒内查看 499 次，记下正在运行者的调用栈。每个样本按其函数名归入一层；没有名字的归入“未知”或“无符号的即时编译代码”。一层的时间等于它在样本中的比例 × 不采样时实测的每个请求 CPU 时间：取各轮的平均值，区间按学生 t 分布得出。";
        "A difference of two targets is that of each round; its interval is at a level that allows for all layers and pairs at this load, and no narrower than so few samples allow. It is certain where that interval excludes 0.",
        "两个对象之差取自每一轮；其区间的置信水平已按此负载下所有层和所有对校正，且不会窄于样本数所允许的程度。区间不含 0，差异才是确定的。";
    }
    "flames": "Flame graph", "火焰图" {
        "A frame's time is its share of a round's samples × the CPU time per request of that round, the mean over the rounds. Shown are the frames with at least 0.1% of any target's time, the largest where there are too many. Two targets are compared in every frame that has 1% of their time on average: the difference of each round, with the t interval of its mean at level 5% / (frames × pairs at this load). Frames that were seen in just the same samples count once. A frame without a colour may differ; the rounds do not show it.",
        "一个方块的时间等于它在一轮样本中的比例 × 该轮每个请求的 CPU 时间，取各轮的平均值。所示为占任一对象时间 0.1% 以上的方块，过多时只取最大的。双方在平均占时 1% 以上的每个方块上比较：取每一轮之差，其平均值的 t 区间的置信水平为 5% /（方块数 × 此负载下的对数）。在完全相同的样本中出现的方块只算一次。没有着色的方块也可能不同，只是各轮的数据显示不出来。";
    }
    "evidence": "Evidence per request", "每个请求的证据" {
        "CPU time, context switches and page faults of all of the server's processes, as the kernel counts them, from the beginning to the end of a measurement, divided by the good responses that arrived in it. They show what accompanies a difference; whether it is the cause takes an experiment. Memory and threads are the largest seen. Bytes of a response are those on the wire, headers included. Shown is the geometric mean over the rounds (for a figure that was zero in a round, its range instead).",
        "服务器全部进程的 CPU 时间、上下文切换和缺页次数由内核统计，从测量开始到结束，再除以其间到达的正确响应数。它们说明差异伴随着什么；是否为其原因，需要实验来证明。内存与线程数取所见的最大值。响应字节数是线路上的字节数，包括响应的头部。所示为各轮的几何平均值（若某轮为零，则不给平均值，只给范围）。";
    }
    "claims": "Published claims", "已发表的说法" {
        "A claim is ‘metric of A over metric of B = r’. r is taken as precisely as it was published: ± the margin, or ± half a unit of its last digit where that is wider. The claim holds when the whole 95% interval of the measured ratio lies within these bounds. It is ‘direction holds, size undecided’ when the interval is on r's side of 1 and reaches beyond them, ‘same direction, other size’ when it is on that side and shares nothing with them. It does not hold when the interval shares nothing with them and none of it is on r's side of 1, or when the targets tie and r is no tie. Else it is undecided: a wide interval confirms nothing. Claims are judged one by one.",
        "一个说法的形式是“A 的指标 / B 的指标 = r”。r 的精度以发表时为准：± 容差，或其末位数字的半个单位，取较宽者。实测比值的 95% 区间全部落在这一范围之内时成立；区间与 r 在 1 的同侧但超出这一范围时为“方向成立，幅度无法判定”；在同侧而与这一范围没有重叠时为“方向一致，幅度不同”；与这一范围没有重叠且不在 r 的那一侧，或者对象打平而 r 不是平局时，为不成立；其余为无法判定：区间很宽时什么也证实不了。各说法逐一评判。";
    }
    "checks": "Validity checks", "有效性检查" {
        "Little's law: connections = throughput × mean time of a connection's cycle, within 5%. The load generator was not the bottleneck: its busiest thread below 95% of a core, its share of a connection's cycle, its achieved against the offered rate. Errors and timeouts: none. Steady: no shift within a measurement. Same job: equal status and body. A quiet machine: CPU steal, other processes, late wake-ups. Fresh and interleaved: a new process for each trial, in random order. Noise floor: a target against itself (A/A).",
        "利特尔法则：连接数 = 吞吐量 × 一个连接的平均周期时间，误差不超过 5%。负载发生器：最忙的线程占用不到一个核的 95%、它在一个连接周期中所占的份额、实际速率与给定速率之比。错误与超时：没有。稳定：测量期间没有突变。工作相同：状态码和正文相同。机器没有受到干扰：被宿主机占去的 CPU 时间、其他进程、迟到的唤醒。全新且交错：每次试验都用新进程，顺序随机。噪声下限：对象与自身对照（A/A）。";
        "A failed check does not hide a figure; it says what the figure must not be used for.",
        "检查未通过并不隐藏数字，而是说明该数字不能用来证明什么。";
    }
    "gaps": "Failed and missing", "失败与缺失" {
        "A measurement that failed is recorded with its reason and is part of no figure; the pair of that round is lost. Missing is what the study asks for and was never tried because the run was stopped.",
        "失败的测量会连同原因一起记录，不参与任何数字；该轮的配对也随之作废。缺失是指研究要求、但因运行被中止而从未进行的测量。";
    }
    "study": "The study", "研究说明" {
        "The study's file as it was run: its source and notes are in its author's words. What flags or missing tools left out of it was recorded when the run began.",
        "所运行的研究文件：来源与说明是其作者的原文。选项或缺少的工具使哪些部分被略去，在运行开始时记录。";
    }
    "machine": "The machine", "机器" {
        "Read from the system when the run began. CPU sets are the cores to which the server and the load generator were pinned, so that neither takes the other's time.",
        "在运行开始时从系统读取。“核的分配”是服务器与负载发生器各自绑定的核，使双方互不占用对方的时间。";
    }
}
