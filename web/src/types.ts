// The types of what the page is given, made from the Rust types of the same names, which say what each field means.
// Do not edit; to make it anew: UPDATE_TYPES=1 cargo test -p photofinish-report page_types

export interface AheadAt {
  place: Place;
  amount: Amount;
}

export type Among = {
  code: "tie";
  margin: number;
} | {
  code: "undecided";
  needed: Needed;
} | {
  code: "no-order";
};

export interface Amount {
  metric: Metric;
  ratio: number;
  interval: Interval | null;
}

export type Arrivals = "poisson" | "constant";

export type Because = {
  code: "takes-more";
  ahead: string;
  behind: string;
  metric: Metric;
  ratio: number;
  interval: Interval;
  ahead_takes: number;
  behind_takes: number;
  place: Place | null;
};

export type Better = "larger" | "smaller" | "neither";

export interface Cell {
  workload: string;
  request: string;
  load: Load;
  level: string;
  targets: Array<TargetFigures>;
  verdicts: Array<Verdict>;
  leads: Array<Lead>;
  noise: Array<NoiseFloor>;
  limit_held_back: number;
}

export interface Change {
  series: SteadySeries;
  class: Class;
  shift: Shift | null;
  drift: Drift | null;
  length_s: number;
}

export type CheckFinding = {
  code: "one-run-alone";
} | {
  code: "law-open-loop";
} | {
  code: "law-no-request";
} | {
  code: "law-lost";
  lost: number;
  requests: number;
} | {
  code: "law-holds";
  law: Law;
} | {
  code: "law-cannot-tell";
  law: Law;
} | {
  code: "law-broken";
  law: Law;
} | {
  code: "generator";
  limits: Array<GeneratorLimit>;
  busiest: number;
  hands: Hands | null;
  achieved: number | null;
  overloaded: Overloaded | null;
  lag_p50_us: number | null;
} | {
  code: "no-request";
  first: string | null;
} | {
  code: "no-errors";
  requests: number;
} | {
  code: "errors";
  failed: number;
  attempts: number;
  connects: boolean;
  kinds: Record<string, number>;
  first: string | null;
} | {
  code: "too-few-windows";
  windows: number;
  needed: number;
} | {
  code: "no-figures";
} | {
  code: "flat";
  series: Array<SteadySeries>;
  windows: number;
} | {
  code: "unsteady";
  compiling: number | null;
  changes: Array<Change>;
} | {
  code: "no-other-target";
} | {
  code: "other-status";
  workload: string;
  target: string;
  status: number;
  other: string;
  other_status: number;
} | {
  code: "other-body";
  workload: string;
  target: string;
  other: string;
  expected_bytes: number;
  got_bytes: number;
  difference: Difference | null;
} | {
  code: "same-shape";
  status: number;
  others: Array<string>;
} | {
  code: "same-response";
  status: number;
  bytes: number;
  others: Array<string>;
} | {
  code: "not-sampled";
} | {
  code: "machine";
  sources: Array<NoiseSource>;
} | {
  code: "bytes-of-failed";
} | {
  code: "bytes-not-stated";
} | {
  code: "echo-bytes";
  requests: number;
  size: number;
  came: number;
  went: number;
} | {
  code: "body-bytes";
  requests: number;
  body: number;
  head: number;
  came: number;
} | {
  code: "rows-not-counted";
  why: string;
} | {
  code: "rows";
  table: string;
  found: number;
  good: number;
  unknown: number;
};

export interface CheckResult {
  name: string;
  title: MessageForRunCheckFinding;
  status: CheckStatus;
  checked: number;
  of: number;
  failing: Array<Failing>;
  told: Array<MessageForRunCheckFinding>;
  says: MessageForRunCheckFinding;
}

export type CheckStatus = "ok" | "failed" | "partly" | "not-checked";

export interface Claim {
  id: string;
  says: string;
  metric: Metric;
  of: string;
  over: string;
  ratio: number;
  decimals: number | null;
  margin: number | null;
  workload: string;
  load: Load;
  measured_at: Load | null;
  over_workload: string | null;
  over_load: Load | null;
  figures: string;
  source: string;
  judged: boolean;
}

export type ClaimFinding = {
  code: "judged";
  published: number;
  margin: number | null;
  ratio: number | null;
  interval: Interval | null;
  at: Load | null;
} | {
  code: "void";
  reason: Void;
} | {
  code: "shown";
  of: Range;
  over: Range;
} | {
  code: "no-such-level";
  place: Place;
} | {
  code: "no-figure";
  target: string;
};

export interface ClaimResult {
  claim: Claim;
  level: string;
  measured_level: string | null;
  over_place: string | null;
  verdict: ClaimVerdict;
  outcome: MessageForClaimVerdict;
  ratio: number | null;
  interval: Interval | null;
  of: ClaimSide | null;
  over: ClaimSide | null;
  says: MessageForClaimFinding;
}

export interface ClaimSide {
  target: string;
  figure: Figure;
  p999: Figure | null;
}

export type ClaimVerdict = "holds" | "direction-holds" | "same-direction" | "does-not-hold" | "undecided" | "shown" | "not-measured" | "void";

export type Class = "flat" | "warm-up" | "slow-down" | "no-steady-state";

export interface Comparison {
  version: number;
  headline: MessageForHeadline;
  because: MessageForBecause | null;
  head: Head;
  cells: Array<Cell>;
  scaling: Array<Scaling>;
  out_of_line: Array<OutOfLine>;
  claims: Array<ClaimResult>;
  checks: Array<CheckResult>;
  start_up: Array<StartUp>;
  failures: Array<Failure>;
  missing: Array<Missing>;
}

export type Counted = "measurements" | "trials" | "targets-and-workloads" | "aa-comparisons";

export interface Data {
  comparison: Comparison;
  page: Page;
}

export interface Difference {
  offset: number;
  expected: string;
  got: string;
}

export type Direction = "above" | "below" | "tie" | "undecided";

export interface Distribution {
  cell: number;
  target: number;
  rounds: number;
  count: number;
  curve_us: Array<number>;
  max_us: number;
  percentiles: Array<Percentile>;
}

export interface Drift {
  from: number;
  to: number;
}

export type Ended = "found" | "steps" | "time" | "interrupted";

export interface Environment {
  version: number;
  photofinish: string;
  commit: string | null;
  cpu: string;
  cpus: Array<number>;
  server_cpus: Array<number>;
  generator_cpus: Array<number>;
  memory_bytes: number;
  kernel: string;
  os: string;
  governor: string | null;
  hypervisor: string | null;
  open_files: number;
  tools: Record<string, string>;
}

export interface Failing {
  target: string | null;
  workload: string | null;
  level: string | null;
  round: number | null;
  says: MessageForRunCheckFinding;
}

export interface Failure {
  target: string;
  round: number;
  measurements: Array<string>;
  why: MessageForGapFinding;
}

export interface Figure {
  unit: Unit;
  mean: number | null;
  interval: Interval | null;
  min: number;
  max: number;
  rounds: Array<number | null>;
}

export interface Fitted {
  value: number;
  interval: Interval | null;
}

export interface Floor {
  place: Place;
  target: string;
  ratio: number | null;
  interval: Interval | null;
}

export interface Gap {
  of: string;
  over: string;
  ratio: number;
  interval: Interval;
  amount: MessageForAmount;
}

export type GapFinding = {
  code: "recorded";
  says: string;
} | {
  code: "no-reason";
};

export type GeneratorLimit = {
  why: "busy";
} | {
  why: "busy-at-failed";
  rate_rps: number;
} | {
  why: "starved";
  at_server: number;
  more: number;
} | {
  why: "clock-stepped";
  by_us: number;
};

export type Group = {
  code: "ahead";
  leaders: Array<string>;
  over: string | null;
  others_behind: boolean;
  among: Among | null;
  beside: Array<string>;
  sustained: boolean;
  at: Array<AheadAt>;
} | {
  code: "tie";
  targets: Array<string>;
  margin: number;
  at: Array<Place>;
} | {
  code: "no-order";
  targets: Array<string>;
  at: Array<Place>;
} | {
  code: "undecided";
  targets: Array<string>;
  needed: Needed;
  at: Array<Place>;
} | {
  code: "void";
  reason: Void;
  at: Array<Place>;
};

export interface Hands {
  turnaround_us: number;
  cycle_us: number;
  at_server: number;
}

export interface Head {
  name: string;
  title: string;
  source: string | null;
  notes: string | null;
  left_out: Array<string>;
  started: string;
  rounds_done: number;
  rounds_asked: number;
  max_rounds: number | null;
  duration_s: number;
  seed: number;
  margin: number;
  smoke: boolean;
  targets: Array<TargetRecord>;
  services: Array<ServiceRecord>;
  machine: Environment;
}

export type Headline = {
  code: "nothing";
  limit: boolean;
  failures: number;
} | {
  code: "smoke";
  done: number;
  asked: number;
} | {
  code: "noise-floor";
  floors: Array<Floor>;
} | {
  code: "alone";
  figures: Array<Rate>;
} | {
  code: "no-common-round";
} | {
  code: "one-round";
  figures: Array<Rate>;
} | {
  code: "verdict";
  groups: Array<Group>;
  rounds: number;
};

export interface Interval {
  low: number;
  high: number;
}

export type Judgement = {
  kind: "judged";
  direction: Direction;
  ahead: string | null;
  rounds_needed: number | null;
  decided_after: number | null;
} | {
  kind: "void";
  reason: MessageForVoid;
};

export interface Law {
  rate_rps: number;
  latency_us: number;
  turnaround_us: number;
  in_flight: number;
  connections: number;
  edge: number;
}

export interface Lead {
  metric: Metric;
  leaders: Array<string>;
  behind: Array<string>;
  beside: Array<string>;
  void: Array<string>;
  gap: Gap | null;
  among: Standing | null;
  rounds_needed: number | null;
}

export type Load = {
  kind: "closed";
  connections: number;
} | {
  kind: "open";
  rate: number;
  arrivals: Arrivals;
  connections: number;
} | Search & {
  kind: "capacity";
};

export type LowerBound = "generator-busy" | "no-higher-rate" | "steps" | "time" | "interrupted";

export interface Measured {
  cell: number;
  target: number;
  round: number;
  windows: Series;
  class: Class | null;
  shifts: Array<number>;
}

export interface MessageForAmount {
  finding: Amount;
  en: string;
  zh: string;
}

export interface MessageForBecause {
  finding: Because;
  en: string;
  zh: string;
}

export interface MessageForClaimFinding {
  finding: ClaimFinding;
  en: string;
  zh: string;
}

export interface MessageForClaimVerdict {
  finding: ClaimVerdict;
  en: string;
  zh: string;
}

export interface MessageForGapFinding {
  finding: GapFinding;
  en: string;
  zh: string;
}

export interface MessageForHeadline {
  finding: Headline;
  en: string;
  zh: string;
}

export interface MessageForNoiseFinding {
  finding: NoiseFinding;
  en: string;
  zh: string;
}

export interface MessageForNote {
  finding: Note;
  en: string;
  zh: string;
}

export interface MessageForOutcome {
  finding: Outcome;
  en: string;
  zh: string;
}

export interface MessageForRunCheckFinding {
  finding: RunCheckFinding;
  en: string;
  zh: string;
}

export interface MessageForScalingFinding {
  finding: ScalingFinding;
  en: string;
  zh: string;
}

export interface MessageForSustainedFinding {
  finding: SustainedFinding;
  en: string;
  zh: string;
}

export interface MessageForSweepFinding {
  finding: SweepFinding;
  en: string;
  zh: string;
}

export interface MessageForVerdictFinding {
  finding: VerdictFinding;
  en: string;
  zh: string;
}

export interface MessageForVoid {
  finding: Void;
  en: string;
  zh: string;
}

export type Metric = "throughput" | "mean" | "p50" | "p90" | "p95" | "p99" | "p999" | "max" | "server-cpu" | "cpu-user" | "cpu-system" | "server-cores" | "compilers" | "context-switches" | "switches-voluntary" | "switches-forced" | "faults-minor" | "faults-major" | "memory" | "threads" | "service-cpu" | "service-cores" | "bytes-per-response" | "response-bytes" | "request-bytes" | "network";

export interface Missing {
  target: string;
  workload: string;
  level: string;
  rounds: Array<number>;
}

export type Needed = {
  code: "about";
  rounds: number;
} | {
  code: "impractical";
} | {
  code: "unknown";
};

export type Noise = "steal" | "other-processes" | "hiccups" | "memory-stall" | "swap";

export type NoiseFinding = {
  code: "nothing-to-compare";
  target: string;
  metric: Metric;
} | {
  code: "differed";
  target: string;
  metric: Metric;
  by: number;
  interval: Interval | null;
  rounds: number;
};

export interface NoiseFloor {
  metric: Metric;
  target: string;
  again: string;
  rounds: number;
  ratio: number | null;
  interval: Interval | null;
  different: boolean | null;
  void: MessageForVoid | null;
  says: MessageForNoiseFinding;
}

export interface NoiseSource {
  what: Noise;
  value: number;
  limit: number;
}

export type Note = {
  code: "decided-after";
  rounds: number;
} | {
  code: "at-the-cap";
  rounds: number;
} | {
  code: "within-noise";
  reach: number;
} | {
  code: "coarse";
  gap: number;
} | {
  code: "generator-bound";
  target: string;
  rounds: Array<number>;
};

export type Of = "throughput" | "mean-time" | {
  percentile: number;
} | "longest-time" | "server" | "service" | "wire";

export interface OutOfLine {
  sweep: string;
  variable: string;
  value: number;
  workload: string;
  level: string;
  target: string;
  throughput: number;
  expected: number;
  ratio: number;
  says: MessageForSweepFinding;
}

export type Outcome = {
  code: "ahead";
  target: string;
} | {
  code: "tie";
} | {
  code: "undecided";
  needed: Needed;
} | {
  code: "void";
  reason: Void;
};

export interface Overload {
  cell: number;
  target: number;
  round: number;
  offered_rps: number;
  achieved_rps: number;
}

export interface Overloaded {
  offered_rps: number;
  achieved_rps: number;
}

export interface Page {
  metrics: Array<Shown>;
  measurements: Array<Measured>;
  warmups: Array<Warmed>;
  distributions: Array<Distribution>;
  latency_problem: string | null;
  sweeps: Array<Sweep>;
  overloads: Array<Overload>;
  capacities: Array<Searched>;
}

export type Per = "request" | "run";

export interface Percentile {
  share: number;
  us: number;
}

export interface Place {
  workload: string | null;
  load: Load;
}

export interface Point {
  offered_rps: number;
  steps: number;
  held: number;
  p50_us: Interval | null;
  p99_us: Interval | null;
  requests: number;
  errors: number;
  why: string | null;
}

export interface Range {
  target: string;
  metric: Metric;
  range: Interval;
  p999: Interval | null;
}

export interface Rate {
  place: Place;
  target: string;
  rate: number;
  interval: Interval | null;
}

export interface Responded {
  status: number;
  bytes: number;
  sha256: string;
}

export interface Response {
  status: number;
  body_sha256: string | null;
}

export type Role = "contender" | "copy" | "limit";

export type RunCheckFinding = {
  code: "title";
  check: string;
} | {
  code: "passed";
  checked: number;
  counted: Counted;
} | {
  code: "failed";
  check: string;
  failing: number;
  checked: number;
  counted: Counted;
} | {
  code: "partly";
  checked: number;
  of: number;
  counted: Counted;
  why: RunCheckFinding | null;
} | {
  code: "not-checked";
  why: RunCheckFinding | null;
} | {
  code: "measured";
  finding: CheckFinding;
} | {
  code: "recorded";
  says: string;
} | {
  code: "no-pair";
} | {
  code: "smoke-run";
} | {
  code: "pair-needs-rounds";
} | {
  code: "noise-floor";
  workload: string;
  load: Load;
  floor: NoiseFinding;
} | {
  code: "differs-from-itself";
  floor: NoiseFinding;
} | {
  code: "shared-process";
  pid: number;
  target: string;
  round: number;
} | {
  code: "grouped";
} | {
  code: "seed";
  seed: number;
} | {
  code: "other-response";
  got: Responded;
  other: string;
  expected: Responded;
} | {
  code: "wire-bytes";
  workload: string;
  bytes: Array<[string, number]>;
} | {
  code: "own-headers";
  workload: string;
  headers: Array<[string, Array<string>]>;
} | {
  code: "never-settled";
  target: string;
  duration_s: number;
  workload: string;
  load: Load;
  round: number;
};

export interface Scaling {
  workload: string;
  target: string;
  levels: Array<number>;
  gamma: Fitted;
  alpha: Fitted;
  beta: Fitted;
  knee: Fitted | null;
  residual: number;
  says: MessageForScalingFinding;
}

export type ScalingFinding = {
  code: "does-not-fit";
  target: string;
  residual: number;
} | {
  code: "no-peak";
  target: string;
  largest: number;
} | {
  code: "peak-unknown";
  target: string;
} | {
  code: "peak-beyond";
  target: string;
  connections: number;
} | {
  code: "peak";
  target: string;
  connections: number;
  interval: Interval;
};

export interface Search {
  objective: string;
  connections: number;
  precision: number;
  step_s: number;
  start: number;
  max_steps: number;
  max_time_s: number;
}

export interface Searched {
  cell: number;
  target: number;
  round: number;
  sustained_rps: number | null;
  failed_rps: number | null;
  ended: Ended;
  lower_bound: boolean;
  steps: Array<Step>;
}

export interface Series {
  at: Array<number>;
  rate: Array<number>;
  p50: Array<number | null>;
  p99: Array<number | null>;
}

export interface ServiceRecord {
  name: string;
  kind: string;
  version: string;
  origin: string;
  settings: Record<string, string>;
  cpus: Array<number>;
  schema: Array<string>;
  rows: Record<string, number>;
  targets: Array<string>;
}

export interface Share {
  rounds: number;
  ratio: number;
  interval: Interval | null;
}

export interface Shift {
  from: number;
  to: number;
  at_s: number;
  of: number;
}

export interface Shown {
  metric: Metric;
  unit: Unit;
  better: Better;
  per: Per;
  of: Of;
  part_of: Metric | null;
  en: string;
  zh: string;
}

export type Standing = "tie" | "undecided" | "mixed";

export interface StartUp {
  target: string;
  time: Figure;
}

export type SteadySeries = "throughput" | "median-response-time";

export interface Step {
  offered_rps: number;
  achieved_rps: number;
  requests: number;
  errors: number;
  p50_us: number | null;
  p99_us: number | null;
  generator_cpu: number;
  hiccup_us: number | null;
  holds: boolean;
  why: string | null;
}

export interface Sustained {
  objective: string;
  none_held: Array<number>;
  lower_bound: Array<number>;
  gap: number;
  says: MessageForSustainedFinding;
  doubts: Array<MessageForSustainedFinding>;
  curve: Array<Point>;
}

export type SustainedFinding = {
  code: "sustains";
  objective: string;
  at_least: boolean;
  mean: number | null;
  interval: Interval | null;
  range: Interval;
  none_held: Array<number>;
} | {
  code: "no-rate-holds";
  objective: string;
  down_to: number | null;
} | {
  code: "lower-bound";
  round: number;
  held: number;
  why: LowerBound;
} | {
  code: "ended-early";
  round: number;
  ended: Ended;
  held: number;
  failed: number;
} | {
  code: "none-held";
  round: number;
  failed: number | null;
  why: string | null;
  ended: Ended;
} | {
  code: "too-noisy";
  round: number;
  late_us: number;
};

export interface Sweep {
  name: string;
  variable: string;
  cell: number;
  points: Array<SweepPoint>;
}

export type SweepFinding = {
  code: "out-of-line";
  target: string;
  workload: string;
  load: Load;
  throughput: number;
  expected: number;
};

export interface SweepPoint {
  value: number;
  cell: number;
}

export interface TargetFigures {
  target: string;
  role: Role;
  rounds: number;
  requests: number;
  errors: Record<string, number>;
  rounds_with_errors: Array<number>;
  overloaded: Array<number>;
  generator_bound: Array<number>;
  fewest_requests: number | null;
  responses: Array<Response>;
  figures: Record<string, Figure>;
  sustained: Sustained | null;
  share_of_limit: Share | null;
}

export interface TargetRecord {
  label: string;
  title: string;
  same_as: string | null;
  limit: boolean;
  command: Array<string>;
  tools: Record<string, string>;
}

export type Unit = "requests-per-second" | "microseconds" | "per-request" | "cores" | "bytes" | "bytes-per-second" | "count";

export interface Verdict {
  metric: Metric;
  of: string;
  over: string;
  rounds: number;
  ratio: number | null;
  interval: Interval | null;
  wide: boolean;
  level: number;
  judgement: Judgement;
  outcome: MessageForOutcome;
  says: MessageForVerdictFinding;
  notes: Array<MessageForNote>;
}

export type VerdictFinding = {
  code: "ahead";
  target: string;
  over: string;
  amount: Amount;
  sustained: boolean;
} | {
  code: "tie";
  metric: Metric;
  of: string;
  over: string;
  ratio: number;
  interval: Interval | null;
  margin: number;
} | {
  code: "undecided";
  metric: Metric;
  of: string;
  over: string;
  rounds: number;
  ratio: number;
  interval: Interval | null;
  wide: boolean;
  needed: Needed;
} | {
  code: "void";
  reason: Void;
};

export type Void = {
  code: "smoke";
} | {
  code: "no-common-round";
  of: string;
  over: string;
} | {
  code: "one-round";
} | {
  code: "zero";
  target: string;
} | {
  code: "no-interval";
} | {
  code: "not-the-same-job";
  of: string;
  over: string;
} | {
  code: "overloaded";
  target: string;
  rounds: Array<number>;
} | {
  code: "few-beyond";
  metric: Metric;
  target: string;
  requests: number;
  needed: number;
} | {
  code: "no-rate-held";
  target: string;
  rounds: Array<number>;
} | {
  code: "lower-bound";
  target: string;
  rounds: Array<number>;
} | {
  code: "rates-of-their-own";
};

export interface Warmed {
  cell: number | null;
  target: number;
  round: number;
  duration_s: number;
  settled: boolean;
  windows: Series;
  shifts: Array<number>;
}
