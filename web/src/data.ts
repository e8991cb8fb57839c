// What the page is given: the comparison and the pictures' data, as `photofinish-results` writes them.

export interface Interval {
  low: number;
  high: number;
}

export type Load =
  | { kind: "closed"; connections: number }
  | { kind: "open"; rate: number; arrivals: "poisson" | "constant"; connections: number };

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
  | "cpu-cores"
  | "switches-voluntary"
  | "switches-forced"
  | "faults-minor"
  | "faults-major"
  | "threads"
  | "bytes-per-answer"
  | "bytes-in"
  | "bytes-out";

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
  says: string;
}

export interface Cell {
  workload: string;
  request: string;
  load: Load;
  level: string;
  targets: TargetFigures[];
  verdicts: Verdict[];
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
    workload: string;
    load: Load;
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

export interface Head {
  name: string;
  title: string;
  source: string | null;
  started: string;
  rounds_done: number;
  rounds_asked: number;
  duration_s: number;
  seed: number;
  margin: number;
  smoke: boolean;
  targets: { label: string; title: string; command: string[]; tools: Record<string, string> }[];
  machine: Machine;
}

export interface Comparison {
  version: number;
  headline: string;
  head: Head;
  cells: Cell[];
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

export interface Data {
  comparison: Comparison;
  page: {
    measurements: Measured[];
    warmups: Warmed[];
    distributions: Distribution[];
    latency_problem: string | null;
  };
}

/** The metrics on which verdicts are given, in their order. */
export const JUDGED: Metric[] = ["throughput", "mean", "p50", "p99", "p999"];

export function read(): Data {
  const text = document.getElementById("data")?.textContent ?? "";
  const data: unknown = JSON.parse(text);
  if (typeof data !== "object" || data === null) throw new Error("this page holds no data");
  return data as Data;
}
