// 页面上的全部中文文字。

import type { CheckStatus, Class, ClaimVerdict, Ended, Load, OutOfLine, Scaling } from "../types";
import { pieces, thousands } from "../format";
import { finding, largest } from "../law";
import type { Words } from "./en";

const checkStatus: Record<CheckStatus, string> = {
  ok: "通过",
  failed: "未通过",
  partly: "部分检查",
  "not-checked": "未检查",
};

const claimVerdict: Record<ClaimVerdict, string> = {
  holds: "成立",
  "same-direction": "方向一致，幅度不同",
  "does-not-hold": "在此不成立",
  undecided: "无法判定",
  shown: "仅列出，不评判",
  "not-measured": "未测量",
};

const classes: Record<Class, string> = {
  flat: "平稳：自始至终不变",
  "warm-up": "预热型：最终稳定，且之前从未更快",
  "slow-down": "变慢型：最终稳定，但之前更快",
  "no-steady-state": "无稳态：直到结束仍有突变或漂移",
};

const load = (load: Load): string | null => {
  switch (load.kind) {
    case "closed":
      return `${thousands(load.connections)} 个连接`;
    case "open":
      return `每秒 ${thousands(load.rate)} 个请求`;
    case "capacity":
      return `容量（${load.objective}）`;
    default:
      return null;
  }
};

const ended: Record<Ended, string> = {
  found: "足够接近",
  steps: "步数用尽",
  time: "时间用尽",
  interrupted: "被中断",
};

/** 伸缩性的一句话，由拟合得出的数字组成。 */
const scalingSays = (scaling: Scaling, residual: string): string => {
  const { target, knee } = scaling;
  const whole = (value: number): string => thousands(Math.round(value));
  const at = knee === null ? "" : whole(knee.value);
  switch (finding(scaling)) {
    case "poor":
      return `${target}：该定律不能描述这些数字（相差 ${residual}）`;
    case "no-peak":
      return `${target}：直到 ${thousands(largest(scaling))} 个连接，吞吐量都没有峰值`;
    case "not-shown":
      return `${target}：这些数字不足以看出峰值`;
    case "beyond":
      return `${target}：吞吐量的峰值在所测档位之外，约为 ${at} 个连接（外推）`;
    case "peak": {
      const interval = knee?.interval;
      const bounds = interval ? ` [${whole(interval.low)} … ${whole(interval.high)}]` : "";
      return `${target}：吞吐量在约 ${at} 个连接时达到峰值${bounds}`;
    }
  }
};

const outOfLineSays = (point: OutOfLine, place: string, rate: string, off: string, expected: string): string =>
  `${point.target}，${place}：${rate}，比按其他档位推断的 ${expected} ${point.ratio < 1 ? "低" : "高"} ${off}`;

const errors: Record<string, string> = {
  "connect-refused": "连接被拒绝",
  "connect-timeout": "连接超时",
  connect: "连接失败",
  reset: "连接被重置",
  "closed-early": "连接提前关闭",
  timeout: "超时",
  status: "状态码错误",
  body: "正文错误",
  malformed: "响应格式错误",
  "unasked-bytes": "未请求的字节",
  io: "I/O 错误",
  censored: "结束时仍无响应",
};

export const zh: Words = {
  tag: "zh-Hans",
  units: { requestsPerSecond: "请求/秒", cores: "核" },
  otherLanguage: "English",
  copy: {
    image: "复制图片",
    imageName: "复制为图片",
    markdown: "复制 Markdown",
    markdownName: "复制为 Markdown",
    summaryName: "将结论及其数据表复制为 Markdown",
    done: "已复制",
    saved: "已保存",
    failed: "未能复制",
  },
  dark: "深色",
  contents: "目录",
  light: "浅色",
  load,
  place: (workload, level) => `${workload}，${level}`,
  errors,
  time: { mean: "平均响应时间", p50: "响应时间中位数", p99: "响应时间 p99", p999: "响应时间 p99.9" },
  checkStatus,
  claimVerdict,
  classes,
  colon: "：",
  stop: "。",
  roundsList: (rounds) => `第 ${pieces(rounds, "、")} 轮`,
  list: (parts) => parts.join("，"),
  sentences: (parts) => parts.join("；"),
  table: "数据表",
  method: "计算方法",
  target: "对象",
  targets: "参赛对象",
  round: (round) => `第 ${round} 轮`,
  rounds: (count) => `${thousands(count)} 轮`,
  interval95: "95% 区间",
  workload: "工作负载",
  level: "负载",
  metric: "指标",
  none: "–",
  showing: "显示",
  key: "图例",
  head: {
    run: (name, rounds, seconds) => `${name}：${rounds}，每次测量 ${seconds}`,
    added: (most) => `不断加轮直到有结论，最多 ${thousands(most)} 轮`,
    doubts: (count) => `存疑 ${thousands(count)} 处`,
    more: "详情",
    leftOut: (parts) => `研究中有 ${thousands(parts)} 部分被略去。`,
    incomplete: (done, asked) => `${asked} 轮中完成了 ${done} 轮`,
    smoke: "这是冒烟运行：只说明一切能跑通，不说明任何速度。",
    checks: (failed) => `有 ${thousands(failed)} 项有效性检查未通过；引用任何数字之前，请先看这意味着什么。`,
    gaps: (count) => `${thousands(count)} 次测量失败或缺失。`,
    uneven: (target, place, times) =>
      `各轮差异很大：${place}时 ${target} 的吞吐量在各轮之间最多相差 ${times} 倍；机器繁忙，或者测量时间太短。`,
  },
  ratios: {
    title: "谁领先，领先多少",
    lead: (metric, margin) =>
      `每行是一对对象的${metric}之比（前者除以后者）及其区间。区间不含 1 即为有差异；区间含 1 且落在阴影带（±${margin}）内即为平局。`,
    band: (margin) => `平局带 ±${margin}`,
    firstAhead: "前者领先",
    secondAhead: "后者领先",
    ahead: (name) => `${name} 领先`,
    tie: "平局",
    undecided: (rounds) => (rounds === null ? "无法判定" : `无法判定（约需 ${thousands(rounds)} 轮）`),
    decided: (round) => `第 ${thousands(round)} 轮后判定`,
    cap: (rounds) => `已到上限 ${thousands(rounds)} 轮`,
    overloaded: "无效：过载",
    wide: "[宽于 10 倍]",
    noVerdict: "没有结论",
    over: (name) => `对比 ${name}`,
    ratio: "比值",
    verdict: "结论",
    pair: "对比双方",
    none: "没有结论：至少需要两个对象和两轮。",
    level: (level) => `置信水平 ${level}（经 Holm 校正）`,
    scale: "以下所有比值共用的刻度",
  },
  noise: {
    title: "噪声下限",
    itself: "与自身对照（A/A）",
    floor: "噪声下限",
    different: "被判为与自身不同",
    within: (reach) => `在 A/A 噪声之内（±${reach}）`,
    reach: (reach) => `所及范围 ±${reach}（虚线）`,
    says: (target, metric, size) => `${target} 与自身对照：${metric}相差 ${size}`,
  },
  figures: {
    title: "吞吐量与响应时间",
    lead: "小标记是单轮结果；大标记是各轮的几何平均值，横线是其 95% 区间。坐标轴不从零开始。",
    throughput: "吞吐量，请求/秒",
    p50: "响应时间中位数",
    p99: "响应时间 p99",
    perRound: "每一轮",
    maxNote: "范围",
    errors: (kinds, rounds) => `错误：${kinds}（${rounds}）`,
    mean: "各轮平均",
    overloaded: (target, rounds, offered, achieved) =>
      `${target}：过载（${rounds}）：给定 ${offered}，实际 ${achieved}；其响应时间的结论无效。`,
    overload: "过载",
    offered: (offered) => `给定 ${offered}`,
    share: "占上限的比例",
    limit: "上限，不参赛",
    heldBack: (rounds, of) => `在 ${of} 轮中的 ${rounds} 轮里，负载发生器拖住了上限服务器，它本可以更快：所占比例最多如表中所示。`,
  },
  percentiles: {
    title: "各百分位的响应时间",
    lead: "每多一个 9，横轴上的宽度相同，因此罕见的慢响应与普通响应同样看得清。各轮的直方图已相加。",
    x: "在此时间内到达的响应所占比例",
    y: "响应时间",
    count: "响应数",
    longest: "最长",
    none: "没有可画的响应时间",
  },
  load_: {
    title: "随负载的变化",
    lead: "吞吐量与 p99 如何随负载档位变化；竖线是 95% 区间，小标记是单轮结果。",
    connections: "连接数",
    rate: "给定的请求/秒",
    tradeOff: "p99 与吞吐量的关系",
  },
  scaling: {
    title: "伸缩性",
    lead: "穿过各标记的曲线是按各连接数档位拟合的通用伸缩定律（USL）；靠近横轴的空心菱形是它的峰值，其横线是峰值的 95% 区间。",
    says: scalingSays,
    few: (levels) => `没有拟合：至少需要 4 个连接数档位，这里只有 ${thousands(levels)} 个。`,
    none: (target) => `${target}：没有拟合，测得的档位不足 4 个`,
    gamma: "单个连接（γ）",
    alpha: "争用（α）",
    beta: "一致性开销（β）",
    knee: "峰值位置",
    residual: "偏差",
    connections: (count) => `${count} 个连接`,
    unbounded: "无法界定",
  },
  sweep: {
    title: (name, level) => `扫描 ${name}，${level}`,
    variable: (name) => (name === "size" ? "大小，字节" : name),
    says: outOfLineSays,
    outOfLine: "反常的档位",
    inLine: "没有反常的档位。",
    few: "档位少于 5 个：无法判断哪个反常。",
    expected: (rate) => `按其他档位推断为 ${rate}`,
    ring: "圆圈：反常；短横线：按其他档位推断的值",
  },
  capacity: {
    title: "容量",
    lead: "满足目标的最高速率，以及试过的每个速率：实心标记满足目标，空心标记不满足。",
    sustained: "可持续",
    failed: "不满足的最低速率",
    ended: "结束",
    endings: ended,
    x: "给定的请求/秒",
    holds: "满足",
    fails: "不满足",
    offered: "给定",
    errors: "错误",
    steps: "全部步骤",
    none: "没有满足的速率",
    atLeast: "只是下界，可能更高",
  },
  study: {
    title: "研究说明",
    source: "发表于",
    leftOut: "研究中被略去的部分（程序记录的英文原文）",
    notes: "说明（研究文件的原文）",
    rounds: "轮数",
    fixed: (rounds) => `${rounds}，按要求`,
    until: (rounds, most) => `${rounds}；不断加轮直到有结论，最多 ${thousands(most)} 轮`,
  },
  windows: {
    title: "随时间的变化",
    lead: "每条细线是一轮。左侧阴影窄条是相同负载的预热（如果有），横轴刻度另计；两者之间可能还有其他测量。三角形标出吞吐量发生突变之处。",
    metric: { rate: "请求/秒", p50: "p50", p99: "p99" },
    warmup: "预热",
    x: "距测量开始的秒数",
    shift: "突变",
    shape: "形态",
    shifts: "突变时刻（秒）",
    settled: "预热已稳定",
    warmupTook: "预热用时",
    yes: "是",
    no: "否，到达上限而结束",
    values: "每个窗口",
    tooFew: "窗口太少，无法判断",
    allFlat: "测量期间吞吐量均无突变。",
    shifted: (count, of) => `${of} 次测量中有 ${count} 次在测量期间发生突变或漂移。`,
    none: "没有记录窗口。",
  },
  evidence: {
    title: "服务器用掉了什么",
    lead: "关于原因的证据：各服务器在被测期间的 CPU 时间、上下文切换、内存和字节数。横条在同一行内比较各对象。",
    quantity: "用量",
    perRequest: (name) => `每个请求的${name}`,
    none: "没有记录服务器进程的任何数据。",
  },
  claims: {
    title: "发表值与实测值",
    lead: "他人发表的比值（菱形）与本机实测的比值（标记及区间）。从一台机器到另一台机器，只有比值可以沿用。",
    published: "发表值",
    measured: "本机实测",
    instead: (level) => `改在 ${level} 下检验`,
    verdict: "结果",
    table: "全部说法",
    claim: "说法",
    figures: "发表的数字",
    source: "来源",
  },
  checks: {
    title: "有效性检查",
    lead: "一次测量通过这些检查，其数字才可引用。没有做过的检查不算通过。",
    where: (count) => `位置：${thousands(count)} 处`,
    worthKnowing: "值得注意",
    rule: "规则",
    outcome: "结果",
  },
  gaps: {
    title: "失败与缺失",
    none: "没有失败，也没有缺失。",
    failed: "失败",
    missing: "从未测量",
    why: "原因（程序记录的英文原文）",
    lost: "损失",
    rounds: "轮次",
    trial: "该次试验",
  },
  machine: {
    title: "机器",
    cpu: "处理器",
    cores: "核",
    lanes: "核的分配",
    lanesSays: (server, generator) => `服务器 ${server}；负载发生器 ${generator}`,
    notPinned: "未绑定",
    memory: "内存",
    system: "系统",
    kernel: "内核",
    governor: "调频策略",
    hypervisor: "虚拟化平台",
    files: "打开文件数上限",
    program: "photofinish",
    commit: "提交",
    seed: "顺序的随机种子",
    tools: "工具",
    unknown: "未报告",
    command: "启动命令",
    services: "配套服务",
    service: "服务",
    settings: "设置",
    rows: "行数",
    origin: "来源",
    usedBy: "使用者",
    all: "全部",
    defaults: "出厂默认",
  },
  methods: { title: "方法", lead: "每个数字是如何得来的。上文每处“计算方法”背后是同样的文字。" },
  footer: (version) => `由 photofinish ${version} 生成。本文件不加载任何外部内容，也不发送任何数据。`,
  broken: "无法绘制本报告：",
};
