// The curve of the Universal Scalability Law.

import type { Scaling } from "./types";

/** X(N) = γN / (1 + α(N − 1) + βN(N − 1)). */
export function throughput({ gamma, alpha, beta }: Scaling, connections: number): number {
  const others = connections - 1;
  return (gamma.value * connections) / (1 + alpha.value * others + beta.value * connections * others);
}
