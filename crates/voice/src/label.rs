//! Labels of drawings: headings, columns and legends.

photofinish_model::messages! { "label";
    capacity_achieved() "achieved", "实际";
    capacity_at_least() "a lower bound: it may sustain more", "只是下界，可能更高";
    capacity_ended() "ended", "结束";
    capacity_errors() "errors", "错误";
    capacity_failed() "lowest that missed", "不满足目标的最低速率";
    capacity_fails() "missed", "不满足";
    capacity_generator() "generator", "负载发生器";
    capacity_holds() "met", "满足";
    capacity_interrupted() "interrupted", "被中断";
    capacity_no_steps_left() "no steps left", "步数用尽";
    capacity_no_time_left() "no time left", "时间用尽";
    capacity_none() "none met", "没有满足目标的速率";
    capacity_objective() "objective", "目标";
    capacity_offered() "offered", "给定";
    capacity_steps() "All steps", "全部步骤";
    capacity_sustained() "sustained", "可持续";
    capacity_the_highest_rate_that_met()
        "The highest rate that met the objective, and the rates that were tried: filled marks met it, hollow ones missed it. Each server is at its own rate: response times belong to different rates, and there is no verdict on them.",
        "满足目标的最高速率，以及试过的速率：实心标记满足目标，空心标记不满足。各服务器处于各自的速率：响应时间属于不同的速率，对它们不下结论。";
    capacity_the_same_at_half_the() "the same at half the rate", "速率减半也大致相同";
    capacity_title() "Capacity", "容量";
    capacity_within_the_precision() "within the precision", "达到精度";
    checks_lead()
        "What must hold before a figure is quoted. A check that was not made counts as not passed.",
        "一次测量通过这些检查，其数字才可引用。没有做过的检查不算通过。";
    checks_title() "Validity checks", "有效性检查";
    checks_worth_knowing() "Worth knowing", "值得注意";
    claims_measured() "measured here", "本机实测";
    claims_published() "published", "发表值";
    claims_title() "Published and measured", "发表值与实测值";
    claims_what_others_have_published_next()
        "What others have published next to what was measured here. Only ratios carry over from one machine to another.",
        "他人发表的比值与本机实测的比值。从一台机器到另一台机器，只有比值可以沿用。";
    claims_why() "why", "原因";
    contents() "Contents", "目录";
    days_after() "after", "之后";
    days_before() "before", "之前";
    days_changes() "Changes", "变化";
    days_interval() "interval", "区间";
    days_none_to_show_the_runs()
        "None to show: the runs share no server, workload and load level.",
        "没有可显示的变化：两次运行没有相同的服务器、工作负载和负载档位。";
    days_ratio() "ratio", "比值";
    days_server_metric() "server, metric", "服务器，指标";
    days_verdict() "verdict", "结论";
    days_what_else_differs() "What else differs", "其他不同之处";
    details_switches() "switches/request", "切换/请求";
    evidence_cpu_time_context_switches_memory()
        "CPU time, context switches, memory and bytes of each server while it was measured: evidence for why they differ. Cores in use: 1.5 is what others call 150%. MB are 1,000,000 bytes. If a round is zero, the range over the rounds stands instead of the mean.",
        "关于原因的证据：各服务器在被测期间的 CPU 时间、上下文切换、内存和字节数。占用的核数：1.5 即他人所说的 150%。MB 为 1,000,000 字节。若某一轮为零，则给出各轮的范围而不是平均值。";
    evidence_quantity() "used", "用量";
    evidence_service_what_the_server_s()
        "Service: what the server's database used, per request of the server and in total.",
        "服务：服务器所用数据库的用量，按服务器的每个请求和总量计。";
    evidence_start_up() "Start-up time", "启动时间";
    evidence_start_up_lead()
        "From the start of a server's process until it was ready. Each round starts a new process.",
        "从服务器进程启动到就绪的时间。每一轮都启动新的进程。";
    evidence_title() "What the servers used", "服务器用掉了什么";
    evidence_waits()
        "Waits, per request: for how long threads of a Java server that had a request waited, all of them added up, by samples of their stacks in slices of their own.",
        "每个请求的等待：Java 服务器中正在处理请求的线程等待了多久（所有线程相加），由单独的时间片中对线程栈的采样得出。";
    figures_geometric_means_over_the_rounds()
        "Geometric means over the rounds with 95% intervals; response times; the maximum with its range over the rounds. In figures, small marks are single rounds. The scales do not begin at zero, and a dashed bar is an interval that bounds nothing.",
        "各轮的几何平均值及其 95% 区间；响应时间；最大值给出各轮的范围。图中的小标记是单轮结果。坐标轴不从零开始，虚线表示什么也界定不了的区间。";
    figures_max_note() "range", "范围";
    figures_mean() "mean of rounds", "各轮平均";
    figures_nothing() "Nothing was measured.", "没有测得任何结果。";
    figures_overload() "overloaded", "过载";
    figures_p50() "Median response time", "响应时间中位数";
    figures_per_round() "Each round", "每一轮";
    figures_share_of_limit() "share of limit", "占上限的比例";
    figures_sustained_s() "sustained/s", "可持续/秒";
    figures_throughput() "Throughput, requests/s", "吞吐量，请求/秒";
    figures_title() "Throughput and response time", "吞吐量与响应时间";
    figures_with_errors_throughput_counts_good()
        "* with errors: throughput counts good responses only, and failed requests are in the response times, with the time that they waited.",
        "* 有错误：吞吐量只计正确的响应；失败的请求按其已等待的时间计入响应时间。";
    flames_each_box_is_a_function()
        "Each box is a function, above the one that called it, as wide as the mean of both servers' CPU time per request. It has a colour only if the interval of the difference, which allows for all frames and pairs, excludes 0.",
        "每个方块是一个函数，位于调用它的函数之上，宽度为双方每个请求 CPU 时间的平均值。只有当差异的区间（已按所有函数和所有对校正）不含 0 时才着色。";
    flames_keys()
        "Arrow keys choose a frame, Enter zooms in, Escape zooms out.",
        "方向键选择方块，回车键放大，Esc 键缩小。";
    flames_title() "Flame graph", "火焰图";
    flames_width()
        "Each box is a function, above the one that called it, as wide as the CPU time per request that it and all that it calls take.",
        "每个方块是一个函数，位于调用它的函数之上，宽度为它及其所调用的一切在每个请求上用掉的 CPU 时间。";
    gaps_failed() "Failed", "失败";
    gaps_lost() "lost", "缺少的测量";
    gaps_missing() "Never measured", "从未测量";
    gaps_none() "Nothing failed, and nothing is missing.", "没有失败，也没有缺失。";
    gaps_rounds() "rounds", "轮次";
    gaps_title() "Failed and missing", "失败与缺失";
    gates_gate() "Gate", "关卡";
    head_a_smoke_run() "a smoke run", "冒烟运行";
    head_more() "More", "详情";
    half_width() "half-width", "半宽";
    half_width_half_of_the_ratios() "half of the ratios", "半数比值";
    half_width_on_pairs(half: Name)
        "{half} for every ratio on several pairs of machines",
        "在多对机器上使所有比值达到 {half}";
    half_width_pairs() "pairs of machines", "机器对数";
    half_width_range() "range", "范围";
    half_width_rounds() "rounds", "轮数";
    half_width_rounds_of_a_pair() "rounds of a pair", "每对的轮数";
    half_width_time() "time on one pair", "一对机器所需时间";
    half_width_time_on_pairs() "time", "时间";
    half_width_title() "Rounds that a half-width takes", "达到给定半宽所需的轮数";
    history_change_points() "Change points", "变化点";
    history_commit() "commit", "提交";
    history_differs_from_the_run_before() "differs from the run before", "与上次运行的不同";
    history_figures() "Figures", "数字";
    history_run() "run", "运行";
    history_runs() "Runs", "各次运行";
    layers_all() "all", "合计";
    layers_by_layer() "CPU time per request by layer", "每个请求的 CPU 时间，按层划分";
    layers_cost_of_profiling() "cost of profiling", "采样的代价";
    layers_function() "function", "函数";
    layers_layer() "layer", "层";
    layers_microseconds_of_the_server_s()
        "Microseconds of the server's CPU time per request, by what its sampled call stacks were doing, in slices next to the measured ones. The layers add up to the CPU time that was measured; lines are 95% intervals. A difference counts if its interval, which allows for all layers and pairs, excludes 0.",
        "每个请求用掉的服务器 CPU 时间（微秒），按其调用栈当时在做什么划分；采样在被测时段之外的时段里进行。各层之和等于实测的 CPU 时间，横线是 95% 区间。差异的区间（已按所有层和所有对校正）不含 0 时才算数。";
    layers_pair() "Pair", "对比双方";
    layers_profiled() "throughput with the profiler", "采样时的吞吐量";
    layers_ratio() "with / without", "采样时 / 不采样时";
    layers_samples() "samples", "样本数";
    layers_sure() "certain", "确定";
    layers_the_functions_with_the_most()
        "The functions with the most CPU time of their own",
        "自身用掉 CPU 时间最多的函数";
    layers_title() "Where a request's CPU time goes", "一个请求的 CPU 时间花在哪里";
    layers_unprofiled() "without", "不采样时";
    layers_unsure() "not certain", "不确定";
    layers_verdict() "outcome", "结果";
    leaders_ahead_at() "ahead at", "领先";
    leaders_in_p99() "in p99", "p99";
    leaders_in_requests_s() "in requests/s", "请求/秒";
    leaders_no_clear_order() "no clear order", "次序不明";
    level() "load", "负载";
    limit() "the limit, no contender", "上限，不参赛";
    load_connections() "connections", "连接数";
    load_lead()
        "How throughput and p99 change from level to level; bars are 95% intervals, small marks single rounds.",
        "吞吐量与 p99 如何随负载档位变化；竖线是 95% 区间，小标记是单轮结果。";
    load_rate() "offered requests/s", "给定的请求/秒";
    load_summary_warning() "Warning", "存疑";
    load_summary_failed() "FAILED", "未通过";
    load_summary_load_generator() "load generator", "负载发生器";
    load_summary_not_checked() "not checked:", "未检查：";
    load_summary_ok() "ok", "通过";
    load_summary_response() "response", "响应";
    load_summary_response_time() "response time", "响应时间";
    load_summary_service_time() "service time", "服务时间";
    load_summary_response_times() "Response times", "响应时间";
    load_summary_time() "time", "时间";
    load_summary_what_it_means() "what it means", "含义";
    load_title() "Against the load", "随负载的变化";
    load_trade_off() "p99 against throughput", "p99 与吞吐量的关系";
    machine_commit() "Commit", "提交";
    machine_cores() "Cores", "核";
    machine_cpu() "Processor", "处理器";
    machine_cpu_set() "CPU set", "核的分配";
    machine_cpu_sets() "CPU sets", "核的分配";
    machine_files() "Open files, limit", "打开文件数上限";
    machine_governor() "Frequency governor", "调频策略";
    machine_hypervisor() "Hypervisor", "虚拟化平台";
    machine_kernel() "Kernel", "内核";
    machine_machines() "Machines", "各机器";
    machine_memory() "Memory", "内存";
    machine_normal() "normal", "默认";
    machine_not_pinned() "not pinned", "未绑定";
    machine_priority() "CPU priority", "CPU 优先级";
    machine_rows() "rows", "行数";
    machine_seed() "Seed of the order", "顺序的随机种子";
    machine_service() "service", "服务";
    machine_services() "Services", "配套服务";
    machine_settings() "settings", "设置";
    machine_system() "System", "系统";
    machine_title() "The machine", "机器";
    machine_unknown() "not reported", "未报告";
    machine_used_by() "used by", "使用者";
    methods_how_every_figure_is_made() "How every figure is made.", "每个数字是如何得来的。";
    methods_title() "Methods", "方法";
    metric() "metric", "指标";
    noise_different() "called different from itself", "被判为与自身不同";
    noise_floor() "noise floor", "噪声下限";
    noise_itself() "against itself (A/A)", "与自身对照（A/A）";
    percentiles_count() "responses", "响应数";
    percentiles_lead()
        "Each further nine has the same width, so rare long responses are as easy to see as the usual ones. The histograms of all rounds are added.",
        "每多一个 9，横轴上的宽度相同，因此罕见的慢响应与普通响应同样看得清。各轮的直方图已相加。";
    percentiles_longest() "longest", "最长";
    percentiles_none() "There are no response times to draw", "没有可画的响应时间";
    percentiles_title() "Response time by percentile", "各百分位的响应时间";
    percentiles_x() "share of the responses that came within this time", "在此时间内到达的响应所占比例";
    pooled_by_itself() "by its own rounds", "仅凭自己的轮次";
    pooled_like_these() "on machines like these", "同类机器上";
    pooled_machines() "Pairs of machines", "各对机器";
    pooled_on_these() "on these machines", "这些机器上";
    pooled_pair() "pair of machines", "机器对";
    pooled_processor() "processor of the servers", "被测服务器的处理器";
    ratios_better(server: Name) "{server} is better", "{server} 更好";
    ratios_first_ahead() "first is ahead", "前者领先";
    ratios_nothing() "Nothing was measured, so there is nothing to compare.", "没有测得任何结果，无从比较。";
    ratios_second_ahead() "second is ahead", "后者领先";
    ratios_title() "Who is ahead, and by how much", "谁领先，领先多少";
    result_cpu() "CPU/request", "CPU/请求";
    result_difference() "difference", "差别";
    result_unclear() "[unclear]", "[不明确]";
    result_sustained() "sustained/s", "可承受/秒";
    runs_began() "shaded: where it may have begun", "阴影：可能的起点";
    runs_certain() "certain change", "确定的变化";
    runs_change_point() "change point", "变化点";
    runs_hollow() "hollow: a validity check failed", "空心：有一项有效性检查未通过";
    runs_machine() "dashed: the machine or photofinish changed", "虚线：机器或 photofinish 有变化";
    scaling_alpha() "contention (α)", "争用（α）";
    scaling_beta() "coherency (β)", "一致性开销（β）";
    scaling_gamma() "one connection (γ)", "单个连接（γ）";
    scaling_knee() "peak at", "峰值位置";
    scaling_residual() "residual", "残差";
    scaling_the_curve_through_the_marks()
        "The curve through the marks is the Universal Scalability Law, fitted over the closed-loop levels, with 95% intervals: contention is the share of work that waits for others, coherency the cost of keeping each consistent with every other. The hollow diamond near the axis is its peak.",
        "穿过各标记的曲线是按各连接数档位拟合的通用伸缩定律（USL），附 95% 区间：争用是等待他人的工作所占的比例，一致性开销是与其他各方达成一致的代价。靠近横轴的空心菱形是它的峰值。";
    scaling_unbounded() "not bounded", "无法界定";
    section_figures() "All figures", "全部数字";
    section_how() "How it was made", "测量方法";
    section_latency() "Latency and load", "延迟与负载";
    section_result() "Result", "结果";
    section_trust() "May I trust it?", "可信吗？";
    section_why() "Why", "原因";
    server() "server", "被测服务器";
    showing() "Show", "显示";
    skip() "Skip to the result", "跳到结果";
    study_as_asked_for() "as asked for", "按要求";
    study_begun() "Begun", "开始时间";
    study_command() "command", "启动命令";
    study_image() "image", "镜像";
    study_left_out() "Left out of the study", "研究中被略去的部分";
    study_notes() "Notes", "说明";
    study_rounds() "Rounds", "轮数";
    study_source() "Published", "发表于";
    study_title() "The study", "研究说明";
    sweep_out_of_line() "Outlier", "离群的档位";
    sweep_ring()
        "ring: outlier; short line: the value expected from its other levels",
        "圆圈：离群；短横线：按其他档位推断的值";
    sweeps_size_bytes() "size, bytes", "大小，字节";
    table() "Table", "数据表";
    time_p99() "p99 of the response time", "响应时间 p99";
    too_wide() "[too wide]", "[宽于 10 倍]";
    units_requests_per_second() "requests/s", "请求/秒";
    verdicts_all() "All verdicts", "全部结论";
    verdicts_invalid() "invalid", "无效";
    verdicts_noise_floor_a_a() "noise floor (A/A)", "噪声下限（A/A）";
    verdicts_rounds_needed() "rounds needed", "需要的轮数";
    verdicts_there_are_no_verdicts_no()
        "There are no verdicts: no two servers were measured in the same round.",
        "没有结论：没有两个服务器在同一轮中测得结果。";
    verdicts_there_are_no_verdicts_only()
        "There are no verdicts: only one server was measured.",
        "没有结论：只测了一个服务器。";
    verdicts_tie() "tie", "平局";
    verdicts_undecided() "undecided", "无法判定";
    warnings() "Warnings", "存疑之处";
    windows_every_thin_line_is_a()
        "Every thin line is a round. The shaded strip, with a scale of its own, is the warm-up with the same load if there was one; other measurements may lie between. Triangles mark where the throughput shifted.",
        "每条细线是一轮。左侧阴影窄条是相同负载的预热（如果有），横轴刻度另计；两者之间可能还有其他测量。三角形标出吞吐量发生突变之处。";
    windows_flat_the_same_from_start() "flat: the same from start to end", "平稳：自始至终不变";
    windows_no() "no, the bound ended it", "否，到达上限而结束";
    windows_no_steady_state_it_shifts()
        "no steady state: it shifts or drifts up to the end",
        "无稳态：直到结束仍有突变或漂移";
    windows_none() "No windows were recorded.", "没有记录窗口。";
    windows_steady() "warm-up steady", "预热已稳定";
    windows_shape() "shape", "形态";
    windows_shifts() "shifts at second", "突变时刻（秒）";
    windows_slow_down_it_ends_steady()
        "slow-down: it ends steady and was faster before",
        "变慢型：最终稳定，但之前更快";
    windows_title() "Over time", "随时间的变化";
    windows_too_few() "too few windows to say", "窗口太少，无法判断";
    windows_warm_up_it_ends_steady()
        "warm-up: it ends steady and was never faster before",
        "预热型：最终稳定，且之前从未更快";
    windows_warmup() "warm-up", "预热";
    windows_warmup_took() "warm-up took", "预热用时";
    windows_x() "seconds from the beginning of the measurement", "距测量开始的秒数";
    windows_yes() "yes", "是";
    writer_one_warning() "1 more warning", "另有 1 处存疑";
}
