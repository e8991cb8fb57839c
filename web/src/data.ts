// What the page is given: the comparison and the pictures' data, as `photofinish-judge` writes them.

export interface Interval {
  low: number;
  high: number;
}

export type Load =
  | { kind: "closed"; connections: number }
  | { kind: "open"; rate: number; arrivals: "poisson" | "constant"; connections: number }
  | { kind: "capacity"; objective: string; connections: number };

export type Unit = "requests-per-second" | "microseconds" | "per-request" | "cores" | "bytes" | "bytes-per-second" | "count";

export type Metric =
  | "throughput"
  | "mean"
  | "p50"
  | "p90"
  | "p95"
  | "p99"
  | "p999"
  | "max"
  | "server-cpu"
  | "context-switches"
  | "memory"
  | "server-cores"
  | "network";

export type Quantity =
  | Metric
  | "cpu-user"
  | "cpu-system"
  | "compilers"
  | "switches-voluntary"
  | "switches-forced"
  | "faults-minor"
  | "faults-major"
  | "threads"
  | "bytes-per-response"
  | "response-bytes"
  | "request-bytes";

export interface Figure {
  unit: Unit;
  /** The geometric mean over the rounds; null for a maximum. */
  mean: number | null;
  interval: Interval | null;
  min: number;
  max: number;
  /** Round 1 first. */
  rounds: (number | null)[];
}

export interface TargetFigures {
  target: string;
  rounds: number;
  requests: number;
  errors: Record<string, number>;
  rounds_with_errors: number[];
  figures: Partial<Record<Quantity, Figure>>;
  /** Its throughput over that of the limit target, where the study has one. */
  share_of_limit?: Share | null;
}

/** A ratio over the rounds. */
export interface Share {
  ratio: number;
  interval: Interval | null;
}

export type Direction = "above" | "below" | "tie" | "undecided";

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
  rounds_needed: number | null;
  /** The round after which a look decided it, where rounds are added until it is decided. */
  decided_after: number | null;
  says: string;
}

/** By how much a target differed from a second copy of itself (A/A). */
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

export interface Cell {
  workload: string;
  request: string;
  load: Load;
  level: string;
  targets: TargetFigures[];
  verdicts: Verdict[];
  /** Who leads in each metric; a metric without any verdict is left out. */
  leads: Lead[];
  noise: NoiseFloor[];
  limit_held_back: number;
}

/** Who leads in a metric: each of the leaders is ahead of each of those behind. */
export interface Lead {
  metric: Metric;
  leaders: string[];
  behind: string[];
  /** No order between these and the leaders is claimed. */
  beside: string[];
  /** By how much the leaders are ahead at the least; null where none is behind. */
  gap: { of: string; over: string; ratio: number; interval: Interval } | null;
  /** How the leaders stand to one another; null where there is one. */
  among: "tie" | "undecided" | "mixed" | null;
  rounds_needed: number | null;
}

/** A fitted value; without an interval the figures do not bound it. */
export interface Fitted {
  value: number;
  interval: Interval | null;
}

/** The Universal Scalability Law, fitted to one target's throughput over connections. */
export interface Scaling {
  workload: string;
  target: string;
  levels: number[];
  gamma: Fitted;
  alpha: Fitted;
  beta: Fitted;
  knee: Fitted | null;
  residual: number;
  says: string;
}

/** A level of a sweep that does not fit those around it. */
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

export type ClaimVerdict = "holds" | "same-direction" | "does-not-hold" | "undecided" | "shown" | "not-measured";

export interface ClaimSide {
  target: string;
  figure: Figure;
  p999: Figure | null;
}

export interface ClaimResult {
  claim: {
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
  };
  level: string;
  verdict: ClaimVerdict;
  ratio: number | null;
  interval: Interval | null;
  of: ClaimSide | null;
  over: ClaimSide | null;
  says: string;
}

export type CheckStatus = "ok" | "failed" | "partly" | "not-checked";

export interface CheckResult {
  name: string;
  title: string;
  status: CheckStatus;
  checked: number;
  of: number;
  failing: {
    target: string | null;
    workload: string | null;
    level: string | null;
    round: number | null;
    says: string;
  }[];
  told: string[];
  says: string;
}

export interface Machine {
  photofinish: string;
  commit: string | null;
  cpu: string;
  cpus: number[];
  server_cpus: number[];
  generator_cpus: number[];
  memory_bytes: number;
  kernel: string;
  os: string;
  governor: string | null;
  hypervisor: string | null;
  open_files: number;
  tools: Record<string, string>;
}

export interface Target {
  label: string;
  title: string;
  /** The contender that it is a second copy of. */
  same_as: string | null;
  /** Whether it is the limit that the machine sets, and no contender. */
  limit?: boolean;
  command: string[];
  tools: Record<string, string>;
}

export interface Head {
  name: string;
  title: string;
  source: string | null;
  notes: string | null;
  left_out: string[];
  started: string;
  rounds_done: number;
  rounds_asked: number;
  max_rounds: number | null;
  duration_s: number;
  seed: number;
  margin: number;
  smoke: boolean;
  targets: Target[];
  machine: Machine;
}

export interface Comparison {
  version: number;
  headline: string;
  head: Head;
  cells: Cell[];
  scaling: Scaling[];
  out_of_line: OutOfLine[];
  claims: ClaimResult[];
  checks: CheckResult[];
  failures: { target: string; round: number; measurements: string[]; why: string }[];
  missing: { target: string; workload: string; level: string; rounds: number[] }[];
}

export interface Series {
  at: number[];
  rate: number[];
  p50: (number | null)[];
  p99: (number | null)[];
}

export type Class = "flat" | "warm-up" | "slow-down" | "no-steady-state";

export interface Measured {
  cell: number;
  target: number;
  round: number;
  windows: Series;
  class: Class | null;
  shifts: number[];
}

export interface Warmed {
  cell: number | null;
  target: number;
  round: number;
  duration_s: number;
  settled: boolean;
  windows: Series;
  shifts: number[];
}

export interface Distribution {
  cell: number;
  target: number;
  rounds: number;
  count: number;
  /** The k-th is the time of the share 1 − 10^(−k/10). */
  curve_us: number[];
  max_us: number;
  percentiles: { share: number; us: number }[];
}

/** Workloads that differ in one variable, at one level. */
export interface Sweep {
  name: string;
  variable: string;
  cell: number;
  points: { value: number; cell: number }[];
}

/** A measurement whose open loop was offered more than was answered. */
export interface Overload {
  cell: number;
  target: number;
  round: number;
  offered_rps: number;
  achieved_rps: number;
}

/** A database beside the contenders. */
export interface Service {
  name: string;
  kind: string;
  version: string;
  origin: string;
  settings: Record<string, string>;
  cpus: number[];
  rows: Record<string, number>;
  targets: string[];
}

export type Ended = "found" | "steps" | "time" | "interrupted";

/** One rate that a search for the capacity tried. */
export interface Step {
  offered_rps: number;
  p50_us: number | null;
  p99_us: number | null;
  errors: number;
  holds: boolean;
}

/** A search for the highest rate at which an objective holds. */
export interface Capacity {
  cell: number;
  target: number;
  round: number;
  sustained_rps: number | null;
  failed_rps: number | null;
  ended: Ended;
  /** Whether the server may sustain more than the highest rate that held. */
  lower_bound: boolean;
  /** Every step, by rising rate. */
  steps: Step[];
}

export interface Data {
  comparison: Comparison;
  page: {
    measurements: Measured[];
    warmups: Warmed[];
    distributions: Distribution[];
    latency_problem: string | null;
    sweeps: Sweep[];
    overloads: Overload[];
    services: Service[];
    /** None in pages made before there were searches. */
    capacities?: Capacity[];
  };
}

/** The metrics on which verdicts are given, in their order. */
export const JUDGED: Metric[] = ["throughput", "mean", "p50", "p99", "p999"];

export function read(): Data {
  const text = document.getElementById("data")?.textContent ?? "";
  const data: unknown = JSON.parse(text);
  if (typeof data !== "object" || data === null) throw new Error("this page holds no data");
  return arranged(data as Data);
}

/** The same data with the limit at the end of every cell's targets, so that contenders stand together. */
function arranged(data: Data): Data {
  const { cells, head } = data.comparison;
  const limits = new Set(head.targets.filter((target) => target.limit).map((target) => target.label));
  const place = (target: TargetFigures): number => Number(limits.has(target.target));
  for (const cell of cells) cell.targets.sort((a, b) => place(a) - place(b));
  return data;
}
