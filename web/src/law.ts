// The Universal Scalability Law: its curve, and what follows from a fit, by the rules of `comparison/scaling.rs`.

import type { Scaling } from "./types";

/** From this root mean square of the relative errors on, the law does not describe the figures. */
const POOR = 0.1;

/** X(N) = γN / (1 + α(N − 1) + βN(N − 1)). */
export function throughput({ gamma, alpha, beta }: Scaling, connections: number): number {
  const others = connections - 1;
  return (gamma.value * connections) / (1 + alpha.value * others + beta.value * connections * others);
}

export function largest({ levels }: Scaling): number {
  return Math.max(0, ...levels);
}

export type Finding = "poor" | "no-peak" | "not-shown" | "beyond" | "peak";

export function finding(scaling: Scaling): Finding {
  const { knee, residual } = scaling;
  if (residual > POOR) return "poor";
  if (knee === null) return "no-peak";
  if (knee.interval === null) return "not-shown";
  return knee.value > largest(scaling) ? "beyond" : "peak";
}
