// The types of what the page is given, made from the Rust types of the same names, which say what each field means.
// Do not edit; to make it anew: UPDATE_TYPES=1 cargo test -p photofinish-report page_types

export type Arrivals = "poisson" | "constant";

export type Better = "larger" | "smaller" | "neither";

export type Broken = {
  code: "not-achieved";
  ratio: number;
} | {
  code: "no-response";
} | {
  code: "errors";
  share: number;
} | {
  code: "time";
  figure: string;
  us: number;
} | {
  code: "recorded";
  says: string;
};

export interface Cell {
  workload: string;
  request: MessageForAsked;
  load: Load;
  level: MessageForLoad;
  network?: MessageForNetworkFinding | null;
  targets: Array<TargetFigures>;
  verdicts: Array<Verdict>;
  leads: Array<Lead>;
  noise: Array<NoiseFloor>;
  layers?: Array<LayersBeside>;
  functions?: Array<FunctionTime>;
  limit_held_back: number;
}

export interface CheckResult {
  name: string;
  title: MessageForRunCheckFinding;
  status: CheckStatus;
  checked: number;
  of: number;
  failing: Array<Failing>;
  notes: Array<MessageForRunCheckFinding>;
  says: MessageForRunCheckFinding;
}

export type CheckStatus = "ok" | "failed" | "partly" | "not-checked";

export interface Claim {
  id: string;
  says: string;
  metric: Metric;
  of: string;
  over: string;
  ratio: number | null;
  direction: ClaimDirection | null;
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

export type ClaimDirection = "less" | "more";

export interface ClaimResult {
  claim: Claim;
  level: MessageForLoad;
  measured_level: MessageForLoad | null;
  over_place: MessageForPlace | null;
  stated: MessageForStated | null;
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
  doubts: Array<MessageForDoubtFinding>;
  head: Head;
  cells: Array<Cell>;
  scaling: Array<Scaling>;
  out_of_line: Array<OutOfLine>;
  claims: Array<ClaimResult>;
  checks: Array<CheckResult>;
  start_up: Array<StartUp>;
  images?: Array<Images>;
  failures: Array<Failure>;
  missing: Array<Missing>;
}

export interface Data {
  comparison: Comparison;
  page: Page;
}

export interface Difference {
  more_us: number;
  interval: Interval | null;
  is_sure: boolean;
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

export type Disturbed = "other-processes" | "bystanders" | "stopped-core" | "moved-cores" | "uneven-cores";

export interface DisturbedTurns {
  what: Disturbed;
  turns: number;
}

export type Ended = "found" | "floor" | "steps" | "time" | "interrupted";

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
  server_nice?: number | null;
  tools: Record<string, string>;
  machines?: Machines | null;
}

export interface Failing {
  target: string | null;
  workload: string | null;
  level: MessageForLoad | null;
  round: number | null;
  says: MessageForRunCheckFinding;
}

export interface Failure {
  target: string;
  round: number;
  measurements: Array<MessageForPlace>;
  why: MessageForFailureFinding;
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

export interface Flames {
  cell: number;
  targets: Array<number>;
  names: Array<string>;
  callers: Array<number | null>;
  frames: Array<number>;
  us: Array<Array<number>>;
  pairs: Array<FlamesBeside>;
}

export interface FlamesBeside {
  a: number;
  b: number;
  frames: Array<number>;
  more_us: Array<number>;
  low: Array<number | null>;
  high: Array<number | null>;
  is_sure: Array<boolean>;
}

export interface FunctionDifference {
  a: string;
  b: string;
  difference: Difference;
}

export interface FunctionTime {
  function: string;
  times: Array<OnFunction>;
  differences: Array<FunctionDifference>;
}

export interface Gap {
  of: string;
  over: string;
  ratio: number;
  interval: Interval;
  amount: MessageForAmount;
}

export interface GeneratorFigures {
  machine: string;
  throughput_rps: Interval;
  p50_us: Interval | null;
  p99_us: Interval | null;
  clock_uncertain_us: number;
}

export interface GeneratorMachine {
  name: string;
  same: boolean;
  cpu: string;
  cores: number;
  kernel: string;
}

export interface Head {
  name: string;
  title: string;
  source: string | null;
  notes: string | null;
  left_out: Array<MessageForLeftOut>;
  started: string;
  rounds_done: number;
  rounds_asked: number;
  max_rounds: number | null;
  rounds_planned: number;
  within_s: number | null;
  duration_s: number;
  seed: number;
  margin: number;
  smoke: boolean;
  targets: Array<TargetRecord>;
  services: Array<ServiceRecord>;
  machine: Environment;
}

export interface Images {
  target: string;
  images: Array<string>;
}

export interface Interface {
  name: string;
  kind: InterfaceKind;
  mbit_per_s: number | null;
}

export type InterfaceKind = "loopback" | "virtual" | "device";

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
  taken_back?: number | null;
  chance?: number | null;
} | {
  kind: "void";
  reason: MessageForVoid;
};

export type Layer = "kernel-receive" | "kernel-send" | "waiting" | "memory" | "kernel-other" | "tls" | "runtime" | "framework" | "application" | "compiled" | "unknown";

export interface LayerDifference {
  layer: Layer;
  more_us: number;
  interval: Interval | null;
  is_sure: boolean;
}

export interface LayerTime {
  layer: Layer;
  us: number;
  interval: Interval | null;
  share: number;
}

export interface LayersBeside {
  a: string;
  b: string;
  rounds: number;
  layers: Array<LayerDifference>;
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

export interface Machines {
  server: string;
  generator: string;
  same: boolean;
  generator_cpu: string;
  generator_cores: number;
  generator_kernel: string;
  generators?: Array<GeneratorMachine>;
  pods?: Array<PodRecord>;
  nodes?: Array<NodeRecord>;
  networks?: Array<Network>;
}

export interface Measured {
  cell: number;
  target: number;
  round: number;
  windows: Series;
  class: Class | null;
  shifts: Array<number>;
}

export interface MessageForAmount {
  finding: object;
  en: string;
  zh: string;
}

export interface MessageForAsked {
  finding: { code: "http" | "requests" | "web-socket" | "grpc" | "tcp-echo" | "written" };
  en: string;
  zh: string;
}

export interface MessageForBecause {
  finding: { code: "takes-more" | "spends-more" };
  en: string;
  zh: string;
}

export interface MessageForBroken {
  finding: { code: "not-achieved" | "no-response" | "errors" | "time" | "recorded" };
  en: string;
  zh: string;
}

export interface MessageForClaimFinding {
  finding: { code: "judged" | "void" | "shown" | "no-such-level" | "no-profile" | "no-figure" };
  en: string;
  zh: string;
}

export interface MessageForClaimVerdict {
  finding: ClaimVerdict;
  en: string;
  zh: string;
}

export interface MessageForDoubtFinding {
  finding: { code: "smoke" | "already" | "checks" | "uneven" | "two-groups" | "short-slices" | "if-independent" | "within-noise" | "left-out" | "gaps" };
  en: string;
  zh: string;
}

export interface MessageForFailureFinding {
  finding: { code: "recorded" | "no-reason" | "tool" | "build" | "image" | "start" | "around" | "unreachable" | "elsewhere" | "no-port" | "no-temporary-folder" | "unkillable" | "machine" | "not-served" | "service" | "no-service" | "port" | "socket" | "server" | "response" | "load" | "silent" | "gone" | "given-up" | "no-step" };
  en: string;
  zh: string;
}

export interface MessageForFigureFinding {
  finding: { code: "errors" | "overloaded" | "limit-held-back" };
  en: string;
  zh: string;
}

export interface MessageForHeadline {
  finding: { code: "nothing" | "smoke" | "noise-floor" | "alone" | "no-common-round" | "one-round" | "verdict" };
  en: string;
  zh: string;
}

export interface MessageForLatencyProblem {
  finding: { code: "not-there" | "unreadable" | "line" | "entry" };
  en: string;
  zh: string;
}

export interface MessageForLeftOut {
  finding: { code: "recorded" | "target" | "limit" | "workload" | "claim" };
  en: string;
  zh: string;
}

export interface MessageForLoad {
  finding: object;
  en: string;
  zh: string;
}

export interface MessageForNetworkFinding {
  finding: { code: "empty-exchange" };
  en: string;
  zh: string;
}

export interface MessageForNoiseFinding {
  finding: { code: "void" | "nothing-to-compare" | "differed" };
  en: string;
  zh: string;
}

export interface MessageForNote {
  finding: { code: "decided-after" | "taken-back" | "at-the-cap" | "improbable" | "within-noise" | "if-independent" | "correlated" | "two-groups" | "coarse" | "set-aside" | "moved-cores" | "in-turns" | "medians-by-turn" | "at-equal-speed" | "in-one-piece" | "turns-differ" | "generator-bound" };
  en: string;
  zh: string;
}

export interface MessageForOutcome {
  finding: { code: "ahead" | "tie" | "undecided" | "void" };
  en: string;
  zh: string;
}

export interface MessageForPlace {
  finding: object;
  en: string;
  zh: string;
}

export interface MessageForRunCheckFinding {
  finding: { code: "title" | "passed" | "failed" | "partly" | "not-checked" | "measured" | "recorded" | "no-pair" | "smoke-run" | "pair-needs-rounds" | "noise-floor" | "differs-from-itself" | "shared-process" | "ran-already" | "no-own-cores" | "not-bound" | "full-link" | "no-link-speed" | "grouped" | "seed" | "other-response" | "wire-bytes" | "own-headers" | "never-settled" };
  en: string;
  zh: string;
}

export interface MessageForScalingFinding {
  finding: { code: "does-not-fit" | "no-peak" | "peak-unknown" | "peak-beyond" | "peak" | "too-few-levels" | "not-fitted" };
  en: string;
  zh: string;
}

export interface MessageForStated {
  finding: { code: "ratio" | "less" | "more" };
  en: string;
  zh: string;
}

export interface MessageForSustainedFinding {
  finding: { code: "sustains" | "no-rate-holds" | "lower-bound" | "ended-early" | "none-held" | "too-noisy" };
  en: string;
  zh: string;
}

export interface MessageForSweepFinding {
  finding: { code: "out-of-line" | "in-line" | "too-few-levels" };
  en: string;
  zh: string;
}

export interface MessageForVerdictFinding {
  finding: { code: "ahead" | "tie" | "undecided" | "void" };
  en: string;
  zh: string;
}

export interface MessageForVoid {
  finding: { code: "smoke" | "no-common-round" | "one-round" | "zero" | "no-interval" | "not-the-same-job" | "not-measured" | "other-response" | "changed-since" | "overloaded" | "few-beyond" | "uneven-pair" | "no-rate-held" | "lower-bound" | "generators" | "generators-disagree" | "full-link" | "rates-of-their-own" };
  en: string;
  zh: string;
}

export interface MessageForWindowsFinding {
  finding: { code: "all-flat" | "changed" };
  en: string;
  zh: string;
}

export type Metric = "throughput" | "mean" | "p50" | "p90" | "p95" | "p99" | "p999" | "max" | "server-cpu" | "cpu-user" | "cpu-system" | "server-cores" | "compilers" | "context-switches" | "switches-voluntary" | "switches-forced" | "run-queue" | "faults-minor" | "faults-major" | "safepoints" | "gc-pause" | "memory" | "threads" | "service-cpu" | "service-cores" | "bytes-per-response" | "response-bytes" | "request-bytes" | "network" | "layer:kernel-receive" | "layer:kernel-send" | "layer:waiting" | "layer:memory" | "layer:kernel-other" | "layer:tls" | "layer:runtime" | "layer:framework" | "layer:application" | "layer:compiled" | "layer:unknown" | "stack-depth" | "wait:pool" | "wait:lock" | "wait:network" | "wait:thread" | "wait:sleep" | "wait:other";

export interface Missing {
  target: string;
  workload: string;
  level: MessageForLoad;
  rounds: Array<number>;
}

export interface Network {
  generator: string;
  round_trip: RoundTrip | null;
  generator_interface: Interface | null;
  server_interface: Interface | null;
}

export interface NodeRecord {
  machine: string;
  job: string;
  partition: string;
  exclusive: boolean;
  cpus_asked: number;
  all_cpus: boolean;
  cpus: Array<number>;
}

export interface NoiseFloor {
  metric: Metric;
  target: string;
  again: string;
  rounds: number;
  ratio: number | null;
  interval: Interval | null;
  reach: number | null;
  different: boolean | null;
  void: MessageForVoid | null;
  says: MessageForNoiseFinding;
}

export type Of = "throughput" | "mean-time" | {
  percentile: number;
} | "longest-time" | "server" | "service" | "wire" | "profile" | "waits";

export interface OnFunction {
  target: string;
  self_us: number;
  total_us: number;
}

export interface OutOfLine {
  sweep: string;
  variable: string;
  value: number;
  workload: string;
  level: MessageForLoad;
  target: string;
  throughput: number;
  expected: number;
  ratio: number;
  says: MessageForSweepFinding;
}

export interface Page {
  metrics: Array<Shown>;
  measurements: Array<Measured>;
  steady: MessageForWindowsFinding | null;
  warmups: Array<Warmed>;
  distributions: Array<Distribution>;
  latency_problem: MessageForLatencyProblem | null;
  sweeps: Array<Sweep>;
  unfitted: Array<Unfitted>;
  capacities: Array<Searched>;
  flames: Array<Flames>;
}

export interface PairedBlocks {
  rounds: number;
  ratio: number;
  turns_ratio: number;
  over_turns: Interval | null;
}

export interface PairedTurns {
  made: number;
  kept: number;
  disturbed: number;
  why: Array<DisturbedTurns>;
  freeze: boolean;
  all_turns_ratio: number | null;
  trimmed_ratio: number | null;
  blocks: PairedBlocks | null;
}

export type Per = "request" | "run";

export interface Percentile {
  share: number;
  us: number;
}

export interface PodRecord {
  machine: string;
  pod: string;
  image: string;
  cpus_asked: number;
  cpus: Array<number>;
  host_network: boolean;
}

export interface Point {
  offered_rps: number;
  steps: number;
  held: number;
  p50_us: Interval | null;
  p99_us: Interval | null;
  requests: number;
  errors: number;
  why: MessageForBroken | null;
}

export interface Response {
  status: number;
  body_sha256: string | null;
}

export interface Revision {
  given: string;
  commit: string;
}

export type Role = "contender" | "copy" | "limit";

export interface RoundTrip {
  exchanges: number;
  min_us: number;
  p50_us: number;
  p99_us: number;
}

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

export interface StartUp {
  target: string;
  time: Figure;
}

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
  why: Broken | null;
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

export interface Sweep {
  name: string;
  variable: string;
  cell: number;
  points: Array<SweepPoint>;
  says: MessageForSweepFinding | null;
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
  overloaded: Array<number>;
  changed: Array<number>;
  generator_bound: Array<number>;
  fewest_requests: number | null;
  responses: Array<Response>;
  says?: Array<MessageForFigureFinding>;
  void?: Array<Metric>;
  offered_rps?: Interval | null;
  figures: Record<string, Figure>;
  sustained: Sustained | null;
  profile?: TargetProfile | null;
  has_unseen_waits?: boolean;
  generators?: Array<GeneratorFigures>;
  share_of_limit: Share | null;
}

export interface TargetProfile {
  rounds: number;
  samples: number;
  lost: number;
  throughput_ratio: number | null;
  throughput_interval: Interval | null;
  profiled_rps: number | null;
  unprofiled_rps: number | null;
  cpu_us: number;
  layers: Array<LayerTime>;
}

export interface TargetRecord {
  label: string;
  title: string;
  same_as: string | null;
  limit: boolean;
  command: Array<string>;
  image?: string | null;
  prepare?: Array<string>;
  cleanup?: Array<string>;
  tools: Record<string, string>;
  already?: boolean;
  revision?: Revision | null;
}

export interface Unfitted {
  workload: string;
  says: MessageForScalingFinding;
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
  raised?: boolean;
  judgement: Judgement;
  outcome: MessageForOutcome;
  says: MessageForVerdictFinding;
  turns?: PairedTurns | null;
  notes: Array<MessageForNote>;
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
