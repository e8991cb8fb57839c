// The types of what the page is given, made from the Rust types of the same names, which say what each field means.
// Do not edit; to make it anew: UPDATE_TYPES=1 cargo test -p photofinish-report page_types

export type Arrivals = "poisson" | "constant";

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

export interface CheckResult {
  name: string;
  title: string;
  status: CheckStatus;
  checked: number;
  of: number;
  failing: Array<Failing>;
  told: Array<string>;
  says: string;
}

export type CheckStatus = "ok" | "failed" | "partly" | "not-checked";

export interface Claim {
  id: string;
  says: string;
  metric: Metric;
  of: string;
  over: string;
  ratio: number;
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

export interface ClaimResult {
  claim: Claim;
  level: string;
  measured_level: string | null;
  over_place: string | null;
  verdict: ClaimVerdict;
  ratio: number | null;
  interval: Interval | null;
  of: ClaimSide | null;
  over: ClaimSide | null;
  says: string;
}

export interface ClaimSide {
  target: string;
  figure: Figure;
  p999: Figure | null;
}

export type ClaimVerdict = "holds" | "same-direction" | "does-not-hold" | "undecided" | "shown" | "not-measured";

export type Class = "flat" | "warm-up" | "slow-down" | "no-steady-state";

export interface Comparison {
  version: number;
  headline: string;
  head: Head;
  cells: Array<Cell>;
  scaling: Array<Scaling>;
  out_of_line: Array<OutOfLine>;
  claims: Array<ClaimResult>;
  checks: Array<CheckResult>;
  failures: Array<Failure>;
  missing: Array<Missing>;
}

export interface Data {
  comparison: Comparison;
  page: Page;
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
  says: string;
}

export interface Failure {
  target: string;
  round: number;
  measurements: Array<string>;
  why: string;
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

export interface Gap {
  of: string;
  over: string;
  ratio: number;
  interval: Interval;
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

export interface Interval {
  low: number;
  high: number;
}

export interface Lead {
  metric: Metric;
  leaders: Array<string>;
  behind: Array<string>;
  beside: Array<string>;
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

export interface Measured {
  cell: number;
  target: number;
  round: number;
  windows: Series;
  class: Class | null;
  shifts: Array<number>;
}

export type Metric = "throughput" | "mean" | "p50" | "p90" | "p95" | "p99" | "p999" | "max" | "server-cpu" | "cpu-user" | "cpu-system" | "server-cores" | "compilers" | "context-switches" | "switches-voluntary" | "switches-forced" | "faults-minor" | "faults-major" | "memory" | "threads" | "service-cpu" | "service-cores" | "bytes-per-response" | "response-bytes" | "request-bytes" | "network";

export interface Missing {
  target: string;
  workload: string;
  level: string;
  rounds: Array<number>;
}

export interface NoiseFloor {
  metric: Metric;
  target: string;
  again: string;
  rounds: number;
  ratio: number | null;
  interval: Interval | null;
  different: boolean | null;
  says: string;
}

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
  says: string;
}

export interface Overload {
  cell: number;
  target: number;
  round: number;
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

export type Role = "contender" | "copy" | "limit";

export interface Scaling {
  workload: string;
  target: string;
  levels: Array<number>;
  gamma: Fitted;
  alpha: Fitted;
  beta: Fitted;
  knee: Fitted | null;
  residual: number;
  says: string;
}

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
  says: string;
  doubts: Array<string>;
  curve: Array<Point>;
}

export interface Sweep {
  name: string;
  variable: string;
  cell: number;
  points: Array<SweepPoint>;
}

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
  level: number;
  direction: Direction | null;
  ahead: string | null;
  unjudged: string | null;
  rounds_needed: number | null;
  decided_after: number | null;
  says: string;
}

export interface Warmed {
  cell: number | null;
  target: number;
  round: number;
  duration_s: number;
  settled: boolean;
  windows: Series;
  shifts: Array<number>;
}
