//! Labels of drawings: headings, columns and legends.

photofinish_model::messages! { "label";
    units_requests_per_second() "requests/s", "请求/秒";
    units_cores() "cores", "核";
    dark() "Dark", "深色";
    contents() "Contents", "目录";
    light() "Light", "浅色";
    time_mean() "mean response time", "平均响应时间";
    time_p50() "median response time", "响应时间中位数";
    time_p99() "p99 of the response time", "响应时间 p99";
    time_p999() "p99.9 of the response time", "响应时间 p99.9";
    colon() ": ", "：";
    table() "Table", "数据表";
    method() "Method", "计算方法";
    server() "server", "被测服务器";
    servers() "Servers", "被测服务器";
    workload() "workload", "工作负载";
    level() "load", "负载";
    metric() "metric", "指标";
    none() "–", "–";
    showing() "Show", "显示";
    key() "Key", "图例";
    head_more() "More", "详情";
    ratios_title() "Who is ahead, and by how much", "谁领先，领先多少";
    ratios_first_ahead() "first is ahead", "前者领先";
    ratios_second_ahead() "second is ahead", "后者领先";
    ratios_wide() "[wider than ×10]", "[宽于 10 倍]";
    ratios_pair() "pair", "对比双方";
    ratios_none()
        "There are no verdicts: they need two rounds in which two servers were measured.",
        "没有结论：至少需要两个被测服务器都测得结果的两轮。";
    ratios_nothing()
        "Nothing was measured, so there is nothing to compare.",
        "没有测得任何结果，无从比较。";
    ratios_scale() "The scale of all ratios below", "以下所有比值共用的刻度";
    noise_itself() "against itself (A/A)", "与自身对照（A/A）";
    noise_floor() "noise floor", "噪声下限";
    noise_different() "called different from itself", "被判为与自身不同";
    figures_title() "Throughput and response time", "吞吐量与响应时间";
    figures_lead()
        "Small marks are single rounds; the large mark is their geometric mean, the bar its 95% interval. The scales do not begin at zero.",
        "小标记是单轮结果；大标记是各轮的几何平均值，横线是其 95% 区间。坐标轴不从零开始。";
    figures_throughput() "Throughput, requests/s", "吞吐量，请求/秒";
    figures_p50() "Median response time", "响应时间中位数";
    figures_p99() "p99 of the response time", "响应时间 p99";
    figures_per_round() "Each round", "每一轮";
    figures_max_note() "range", "范围";
    figures_mean() "mean of rounds", "各轮平均";
    figures_overload() "overloaded", "过载";
    figures_share() "share of the reference", "占参照服务器的比例";
    figures_limit() "the reference server, not a contender", "参照服务器，不参赛";
    figures_nothing() "Nothing was measured.", "没有测得任何结果。";
    figures_dashed()
        "A dashed bar is an interval wider than ×10, which bounds nothing.",
        "虚线表示宽于 10 倍的区间，它什么也界定不了。";
    percentiles_title() "Response time by percentile", "各百分位的响应时间";
    percentiles_lead()
        "Each further nine has the same width, so rare long responses are as easy to see as the usual ones. The histograms of all rounds are added.",
        "每多一个 9，横轴上的宽度相同，因此罕见的慢响应与普通响应同样看得清。各轮的直方图已相加。";
    percentiles_x()
        "share of the responses that came within this time",
        "在此时间内到达的响应所占比例";
    percentiles_count() "responses", "响应数";
    percentiles_longest() "longest", "最长";
    percentiles_none() "There are no response times to draw", "没有可画的响应时间";
    percentiles_empty() "There are no response times to draw.", "没有可画的响应时间。";
    load_title() "Against the load", "随负载的变化";
    load_lead()
        "How throughput and p99 change from level to level; bars are 95% intervals, small marks single rounds.",
        "吞吐量与 p99 如何随负载档位变化；竖线是 95% 区间，小标记是单轮结果。";
    load_connections() "connections", "连接数";
    load_rate() "offered requests/s", "给定的请求/秒";
    load_trade_off() "p99 against throughput", "p99 与吞吐量的关系";
    scaling_title() "Scaling", "伸缩性";
    scaling_lead()
        "The curve through the marks is the Universal Scalability Law, fitted over the levels of connections; the hollow diamond near the axis is its peak, the bar about it the peak's 95% interval.",
        "穿过各标记的曲线是按各连接数档位拟合的通用伸缩定律（USL）；靠近横轴的空心菱形是它的峰值，其横线是峰值的 95% 区间。";
    scaling_gamma() "one connection (γ)", "单个连接（γ）";
    scaling_alpha() "contention (α)", "争用（α）";
    scaling_beta() "coherency (β)", "一致性开销（β）";
    scaling_knee() "peak at", "峰值位置";
    scaling_residual() "residual", "残差";
    scaling_unbounded() "not bounded", "无法界定";
    sweep_out_of_line() "Outlier", "离群的档位";
    sweep_ring()
        "ring: outlier; short line: the value expected from its other levels",
        "圆圈：离群；短横线：按其他档位推断的值";
    capacity_title() "Capacity", "容量";
    capacity_lead()
        "The highest rate that met the objective, and every rate that was tried: filled marks met it, hollow ones missed it.",
        "满足目标的最高速率，以及试过的每个速率：实心标记满足目标，空心标记不满足。";
    capacity_sustained() "sustained", "可持续";
    capacity_failed() "lowest that missed", "不满足目标的最低速率";
    capacity_ended() "ended", "结束";
    capacity_x() "offered requests/s", "给定的请求/秒";
    capacity_objective() "objective", "目标";
    capacity_holds() "met", "满足";
    capacity_fails() "missed", "不满足";
    capacity_offered() "offered", "给定";
    capacity_errors() "errors", "错误";
    capacity_steps() "All steps", "全部步骤";
    capacity_none() "none met", "没有满足目标的速率";
    capacity_at_least() "a lower bound: it may sustain more", "只是下界，可能更高";
    study_title() "The study", "研究说明";
    study_source() "Published", "发表于";
    study_left_out() "Left out of the study", "研究中被略去的部分";
    study_notes() "Notes", "说明";
    study_rounds() "Rounds", "轮数";
    windows_title() "Over time", "随时间的变化";
    windows_lead()
        "Every thin line is a round. The shaded strip, with a scale of its own, is the warm-up with the same load where there was one; other measurements may lie between. Triangles mark where the throughput shifted.",
        "每条细线是一轮。左侧阴影窄条是相同负载的预热（如果有），横轴刻度另计；两者之间可能还有其他测量。三角形标出吞吐量发生突变之处。";
    windows_metric_rate() "requests/s", "请求/秒";
    windows_metric_p50() "p50", "p50";
    windows_metric_p99() "p99", "p99";
    windows_warmup() "warm-up", "预热";
    windows_x() "seconds from the beginning of the measurement", "距测量开始的秒数";
    windows_shape() "shape", "形态";
    windows_shifts() "shifts at second", "突变时刻（秒）";
    windows_settled() "warm-up settled", "预热已稳定";
    windows_warmup_took() "warm-up took", "预热用时";
    windows_yes() "yes", "是";
    windows_no() "no, the bound ended it", "否，到达上限而结束";
    windows_values() "Each window", "每个窗口";
    windows_too_few() "too few windows to say", "窗口太少，无法判断";
    windows_none() "No windows were recorded.", "没有记录窗口。";
    evidence_title() "What the servers used", "服务器用掉了什么";
    evidence_lead()
        "CPU time, context switches, memory and bytes of each server while it was measured: evidence for why they differ. Bars compare the servers within a row.",
        "关于原因的证据：各服务器在被测期间的 CPU 时间、上下文切换、内存和字节数。横条在同一行内比较各被测服务器。";
    evidence_quantity() "used", "用量";
    evidence_none()
        "No figures of the servers' processes were recorded.",
        "没有记录服务器进程的任何数据。";
    evidence_waits()
        "Waits: for how long threads of a Java server that had a request waited, all of them added up, by samples of their stacks in slices of their own.",
        "等待：Java 服务器中正在处理请求的线程等待了多久（所有线程相加），由单独的时间片中对线程栈的采样得出。";
    evidence_start_up() "Start-up time", "启动时间";
    evidence_start_up_lead()
        "From the start of a server's process until it was ready. Each round starts a new process.",
        "从服务器进程启动到就绪的时间。每一轮都启动新的进程。";
    layers_title() "Where a request's CPU time goes", "一个请求的 CPU 时间花在哪里";
    layers_lead()
        "Microseconds of the server's CPU time per request, by what its sampled call stacks were doing, in slices beside the measured ones. The layers add up to the CPU time that was measured; lines are 95% intervals.",
        "每个请求用掉的服务器 CPU 时间（微秒），按其调用栈当时在做什么划分；采样在被测时段之外的时段里进行。各层之和等于实测的 CPU 时间，横线是 95% 区间。";
    layers_by_layer() "CPU time per request by layer", "每个请求的 CPU 时间，按层划分";
    layers_layer() "layer", "层";
    layers_all() "all", "合计";
    layers_pair() "Pair", "对比双方";
    layers_differences() "Differences, the largest first", "差异，从大到小";
    layers_verdict() "outcome", "结果";
    layers_sure() "certain", "确定";
    layers_unsure() "not certain", "不确定";
    layers_price() "What profiling cost", "采样的代价";
    layers_profiled() "throughput with the profiler", "采样时的吞吐量";
    layers_unprofiled() "without", "不采样时";
    layers_ratio() "with / without", "采样时 / 不采样时";
    layers_samples() "samples", "样本数";
    flames_title() "Flame graph", "火焰图";
    flames_of() "Stacks of", "调用栈：";
    flames_all() "all", "全部";
    flames_width()
        "Each box is a function, above the one that called it, as wide as the CPU time per request that it and all that it calls take.",
        "每个方块是一个函数，位于调用它的函数之上，宽度为它及其所调用的一切在每个请求上用掉的 CPU 时间。";
    flames_both()
        "Each box is a function, above the one that called it, as wide as the mean of both servers' CPU time per request. It has a colour only where the interval of the difference, which allows for all frames and pairs, excludes 0.",
        "每个方块是一个函数，位于调用它的函数之上，宽度为双方每个请求 CPU 时间的平均值。只有当差异的区间（已按所有函数和所有对校正）不含 0 时才着色。";
    flames_same() "not certain", "不确定";
    flames_sure() "certain", "确定";
    flames_unsure() "not certain", "不确定";
    flames_small() "too small to be judged", "太小，不作判断";
    flames_search() "Search functions", "搜索函数";
    flames_reset() "All", "全部";
    flames_keys()
        "Arrow keys choose a frame, Enter zooms in, Escape zooms out.",
        "方向键选择方块，回车键放大，Esc 键缩小。";
    claims_title() "Published and measured", "发表值与实测值";
    claims_lead()
        "What others have published (diamond) beside what was measured here (mark with its interval). Only ratios carry over from one machine to another.",
        "他人发表的比值（菱形）与本机实测的比值（标记及区间）。从一台机器到另一台机器，只有比值可以沿用。";
    claims_published() "published", "发表值";
    claims_measured() "measured here", "本机实测";
    claims_verdict() "outcome", "结果";
    claims_table() "All claims", "全部说法";
    claims_claim() "claim", "说法";
    checks_title() "Validity checks", "有效性检查";
    checks_lead()
        "What must hold before a figure is quoted. A check that was not made counts as not passed.",
        "一次测量通过这些检查，其数字才可引用。没有做过的检查不算通过。";
    checks_worth_knowing() "Worth knowing", "值得注意";
    gaps_title() "Failed and missing", "失败与缺失";
    gaps_none() "Nothing failed, and nothing is missing.", "没有失败，也没有缺失。";
    gaps_failed() "Failed", "失败";
    gaps_missing() "Never measured", "从未测量";
    gaps_why() "why", "原因";
    gaps_lost() "lost", "缺少的测量";
    gaps_rounds() "rounds", "轮次";
    gaps_trial() "the trial", "该次试验";
    machine_title() "The machine", "机器";
    machine_cpu() "Processor", "处理器";
    machine_cores() "Cores", "核";
    machine_lanes() "Lanes", "核的分配";
    machine_not_pinned() "not pinned", "未绑定";
    machine_priority() "CPU priority", "CPU 优先级";
    machine_memory() "Memory", "内存";
    machine_system() "System", "系统";
    machine_kernel() "Kernel", "内核";
    machine_governor() "Frequency governor", "调频策略";
    machine_hypervisor() "Hypervisor", "虚拟化平台";
    machine_files() "Open files, limit", "打开文件数上限";
    machine_program() "photofinish", "photofinish";
    machine_commit() "Commit", "提交";
    machine_seed() "Seed of the order", "顺序的随机种子";
    machine_tools() "Tools", "工具";
    machine_unknown() "not reported", "未报告";
    machine_command() "Command", "启动命令";
    machine_services() "Services", "配套服务";
    machine_service() "service", "服务";
    machine_settings() "settings", "设置";
    machine_rows() "rows", "行数";
    machine_used_by() "used by", "使用者";
    machine_all() "all", "全部";
    machine_defaults() "default settings", "默认设置";
    methods_title() "Methods", "方法";
    methods_lead()
        "How every figure is made. The same texts stand behind each ‘Method’ above.",
        "每个数字是如何得来的。上文每处“计算方法”背后是同样的文字。";
    broken() "This report could not be drawn: ", "无法绘制本报告：";
}
