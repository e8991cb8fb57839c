// All that the page says in English. Chinese (zh.ts) has the same keys.

import type { CheckStatus, Class, Ended, Load, Metric } from "../types";
import { pieces, thousands } from "../format";

const plural = (count: number, one: string, several: string): string =>
  `${thousands(count)} ${count === 1 ? one : several}`;

const checkStatus: Record<CheckStatus, string> = {
  ok: "ok",
  failed: "failed",
  partly: "partly checked",
  "not-checked": "not checked",
};

const classes: Record<Class, string> = {
  flat: "flat: the same from beginning to end",
  "warm-up": "warm-up: it ends steady and was never faster before",
  "slow-down": "slow-down: it ends steady and was faster before",
  "no-steady-state": "no steady state: it shifts or drifts up to the end",
};

/** Null for a kind of load that is newer than the page. */
const load = (load: Load): string | null => {
  switch (load.kind) {
    case "closed":
      return plural(load.connections, "connection", "connections");
    case "open":
      return `${thousands(load.rate)}/s`;
    case "capacity":
      return `capacity (${load.objective})`;
    default:
      return null;
  }
};

const ended: Record<Ended, string> = {
  found: "near enough",
  steps: "no steps left",
  time: "no time left",
  interrupted: "interrupted",
};

/** Kinds of errors, as the load generator names them. */
const errors: Record<string, string> = {
  "connect-refused": "connection refused",
  "connect-timeout": "connect timed out",
  connect: "connect failed",
  reset: "connection reset",
  "closed-early": "closed early",
  timeout: "timed out",
  status: "wrong status",
  body: "wrong body",
  malformed: "malformed response",
  "unasked-bytes": "unsolicited bytes",
  io: "I/O error",
  censored: "no response by the end",
};

export const en = {
  tag: "en",
  units: { requestsPerSecond: "requests/s", cores: "cores" },
  otherLanguage: "中文",
  copy: {
    image: "Copy image",
    imageName: "Copy as an image",
    markdown: "Copy Markdown",
    markdownName: "Copy as Markdown",
    summaryName: "Copy the verdict and its table as Markdown",
    done: "Copied",
    saved: "Saved",
    failed: "Not copied",
  },
  dark: "Dark",
  contents: "Contents",
  light: "Light",
  load,
  /** The level in a sentence about all of a run. */
  place: (workload: string, level: string): string => `${workload}, ${level}`,
  errors,
  time: {
    mean: "mean response time",
    p50: "median response time",
    p99: "p99 of the response time",
    p999: "p99.9 of the response time",
  } as Partial<Record<Metric, string>>,
  checkStatus,
  classes,
  /** After what a sentence is about, and at its end. */
  colon: ": ",
  stop: ".",
  roundsList: (rounds: number[]): string => `${rounds.length === 1 ? "round" : "rounds"} ${pieces(rounds, ", ")}`,
  list: (parts: string[]): string => parts.join(", "),
  sentences: (parts: string[]): string => parts.join("; "),
  table: "Table",
  method: "Method",
  target: "target",
  targets: "Targets",
  round: (round: number): string => `round ${round}`,
  rounds: (count: number): string => plural(count, "round", "rounds"),
  interval95: "95% interval",
  workload: "workload",
  level: "load",
  metric: "metric",
  none: "–",
  showing: "Show",
  key: "Key",
  head: {
    run: (name: string, rounds: string, seconds: string): string => `${name}: ${rounds} of ${seconds}`,
    added: (most: number): string => `rounds added until decided, at most ${thousands(most)}`,
    doubts: (count: number): string => (count === 1 ? "One thing to doubt" : `${thousands(count)} things to doubt`),
    more: "More",
    leftOut: (parts: number): string => `${plural(parts, "part", "parts")} of the study left out.`,
    incomplete: (done: number, asked: number): string => `${done} of ${asked} rounds complete`,
    smoke: "A smoke run: it shows that everything works, and nothing about speed.",
    checks: (failed: number): string =>
      `${plural(failed, "validity check", "validity checks")} failed; read what that means before quoting a figure.`,
    gaps: (count: number): string => `${plural(count, "measurement", "measurements")} failed or missing.`,
    uneven: (target: string, place: string, times: string): string =>
      `Uneven rounds: the throughput of ${target} at ${place} differs up to ${times} times from round to round; the machine is busy, or the measurements are too short.`,
  },
  ratios: {
    title: "Who is ahead, and by how much",
    lead: (metric: string, margin: string): string =>
      `Each row is the ratio of one pair's ${metric}, the first over the second, with its interval. An interval that excludes 1 is a difference; one that includes 1 and stays in the shaded band (±${margin}) is a tie.`,
    band: (margin: string): string => `tie band ±${margin}`,
    firstAhead: "first is ahead",
    secondAhead: "second is ahead",
    wide: "[wider than ×10]",
    over: (name: string): string => `over ${name}`,
    ratio: "ratio",
    pair: "pair",
    none: "There are no verdicts: they take two targets and two rounds.",
    level: (level: string): string => `at ${level} after Holm`,
    scale: "The scale of all ratios below",
  },
  noise: {
    itself: "against itself (A/A)",
    floor: "noise floor",
    different: "called different from itself",
    reach: (reach: string): string => `reach ±${reach} (dashed)`,
  },
  figures: {
    title: "Throughput and response time",
    lead: "Small marks are single rounds; the large mark is their geometric mean, the bar its 95% interval. The scales do not begin at zero.",
    throughput: "Throughput, requests/s",
    p50: "Median response time",
    p99: "p99 of the response time",
    perRound: "Each round",
    maxNote: "range",
    errors: (kinds: string, rounds: string): string => `errors: ${kinds} (${rounds})`,
    mean: "mean of rounds",
    overloaded: (target: string, rounds: string, offered: string, achieved: string): string =>
      `${target}: overloaded (${rounds}): ${offered} offered, ${achieved} achieved; verdicts on its response time are void.`,
    overload: "overloaded",
    offered: (offered: string): string => `of ${offered} offered`,
    share: "share of the limit",
    limit: "the limit, no contender",
    heldBack: (rounds: number, of: number): string =>
      `In ${rounds} of ${of} rounds the load generator was the bottleneck of the limit, which could do more: the shares are upper bounds.`,
  },
  percentiles: {
    title: "Response time by percentile",
    lead: "Each further nine has the same width, so rare long responses are as easy to see as the usual ones. The histograms of all rounds are added.",
    x: "share of the responses that came within this time",
    y: "response time",
    count: "responses",
    longest: "longest",
    none: "There are no response times to draw",
  },
  load_: {
    title: "Against the load",
    lead: "How throughput and p99 change from level to level; bars are 95% intervals, small marks single rounds.",
    connections: "connections",
    rate: "offered requests/s",
    tradeOff: "p99 against throughput",
  },
  scaling: {
    title: "Scaling",
    lead: "The curve through the marks is the Universal Scalability Law, fitted over the levels of connections; the hollow diamond near the axis is its peak, the bar about it the peak's 95% interval.",
    few: (levels: number): string => `No law is fitted: it takes 4 levels of connections, and here are ${thousands(levels)}.`,
    none: (target: string): string => `${target}: no fit, fewer than 4 levels were measured`,
    gamma: "one connection (γ)",
    alpha: "contention (α)",
    beta: "coherency (β)",
    knee: "peak at",
    residual: "off by",
    connections: (count: string): string => `${count} connections`,
    unbounded: "not bounded",
  },
  sweep: {
    title: (name: string, level: string): string => `Sweep ${name}, ${level}`,
    variable: (name: string): string => (name === "size" ? "size, bytes" : name),
    outOfLine: "Out of line",
    inLine: "No level is out of line.",
    few: "Fewer than 5 levels: none can be called out of line.",
    expected: (rate: string): string => `its other levels lead to expect ${rate}`,
    ring: "ring: out of line; short line: what its other levels lead to expect",
  },
  capacity: {
    title: "Capacity",
    lead: "The highest rate at which the objective held, and every rate that was tried: filled marks held, hollow ones did not.",
    sustained: "sustained",
    failed: "lowest that failed",
    ended: "ended",
    endings: ended,
    x: "offered requests/s",
    holds: "held",
    fails: "did not hold",
    offered: "offered",
    errors: "errors",
    steps: "All steps",
    none: "none held",
    atLeast: "a lower bound: it may sustain more",
  },
  study: {
    title: "The study",
    source: "Published",
    leftOut: "Left out of the study",
    notes: "Notes",
    rounds: "Rounds",
    fixed: (rounds: string): string => `${rounds}, as asked for`,
    until: (rounds: string, most: number): string => `${rounds}; added until it was decided, ${thousands(most)} at most`,
  },
  windows: {
    title: "Over time",
    lead: "Every thin line is a round. The shaded strip, with a scale of its own, is the warm-up with the same load where there was one; other measurements may lie between. Triangles mark where the throughput shifted.",
    metric: { rate: "requests/s", p50: "p50", p99: "p99" },
    warmup: "warm-up",
    x: "seconds from the beginning of the measurement",
    shift: "shift",
    shape: "shape",
    shifts: "shifts at second",
    settled: "warm-up settled",
    warmupTook: "warm-up took",
    yes: "yes",
    no: "no, the bound ended it",
    values: "Each window",
    tooFew: "too few windows to say",
    allFlat: "No throughput shifted within a measurement.",
    shifted: (count: number, of: number): string =>
      `${count} of ${plural(of, "measurement", "measurements")} shifted or drifted within the measurement.`,
    none: "No windows were recorded.",
  },
  evidence: {
    title: "What the servers used",
    lead: "CPU time, context switches, memory and bytes of each server while it was measured: evidence for why they differ. Bars compare the targets within a row.",
    quantity: "used",
    perRequest: (name: string): string => `${name} per request`,
    none: "No figures of the servers' processes were recorded.",
  },
  claims: {
    title: "Published and measured",
    lead: "What others have published (diamond) beside what was measured here (mark with its interval). Only ratios carry over from one machine to another.",
    published: "published",
    measured: "measured here",
    instead: (level: string): string => `tested at ${level} in its stead`,
    verdict: "outcome",
    table: "All claims",
    claim: "claim",
    figures: "published figures",
    source: "source",
  },
  checks: {
    title: "Validity checks",
    lead: "What must hold before a figure is quoted. A check that was not made counts as not passed.",
    where: (count: number): string => `Where: ${plural(count, "place", "places")}`,
    worthKnowing: "Worth knowing",
    rule: "check",
    outcome: "outcome",
  },
  gaps: {
    title: "Failed and missing",
    none: "Nothing failed, and nothing is missing.",
    failed: "Failed",
    missing: "Never measured",
    why: "why",
    lost: "lost",
    rounds: "rounds",
    trial: "the trial",
  },
  machine: {
    title: "The machine",
    cpu: "Processor",
    cores: "Cores",
    lanes: "Lanes",
    lanesSays: (server: string, generator: string): string => `server ${server}; load generator ${generator}`,
    notPinned: "not pinned",
    memory: "Memory",
    system: "System",
    kernel: "Kernel",
    governor: "Frequency governor",
    hypervisor: "Hypervisor",
    files: "Open files, limit",
    program: "photofinish",
    commit: "Commit",
    seed: "Seed of the order",
    tools: "Tools",
    unknown: "not reported",
    command: "Command",
    services: "Services",
    service: "service",
    settings: "settings",
    rows: "rows",
    origin: "from",
    usedBy: "used by",
    all: "all",
    defaults: "its makers' defaults",
  },
  methods: { title: "Methods", lead: "How every figure is made. The same texts stand behind each ‘Method’ above." },
  footer: (version: string): string => `Made by photofinish ${version}. This file loads nothing and sends nothing.`,
  broken: "This report could not be drawn: ",
};

export type Words = typeof en;
