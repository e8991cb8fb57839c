"""Whether Poisson arrivals are that, by the kernel's stamps at the server.

The gaps between requests are tested against an exponential distribution whose mean is known, 1 / rate, by
Anderson–Darling's A² = −n − (1/n) Σ (2i − 1)(ln F(x_i) + ln(1 − F(x_{n+1−i}))). A true sample exceeds 2.492 in 5 and 3.857 in 1 of 100
cases (Stephens, JASA 69, 1974). wrk, oha and k6 have no Poisson arrivals. Where the generator's core stood still, what was due meanwhile
went out late and all at once: then a large A² says nothing of the generator."""

import math

from lib import process
from lib.truths.common import Finding, arrivals, ms, photofinish

TITLE = "Poisson arrivals: Anderson–Darling on the gaps that the server's kernel saw"
CASES = [(200, 5), (1000, 5)]
#: A larger part of the time, and a large A² is no verdict.
STILL = 0.01


def anderson_darling(gaps, mean):
    n = len(gaps)
    # A gap shorter than the clock's tick counts as one nanosecond.
    x = sorted(max(gap, 1e-9) / mean for gap in gaps)
    total = sum((2 * i + 1) * (math.log(-math.expm1(-x[i])) - x[n - 1 - i]) for i in range(n))
    return -n - total / n


def run():
    found = Finding(["rate", "gaps", "mean gap ms", "A²", "1% point", "core stood still ms"])
    for rate, seconds in CASES:
        with process.photofinish_server("delay", "--delay", "0ms", "--slow-one-in", "0") as port:
            told, _ = photofinish(port, "/plaintext", "-c", 100, "-d", f"{seconds}s", "--rate", rate, "--seed", 7)
            at = arrivals(port)
        still = told["generator"]["stood_still"]
        gaps = [b - a for a, b in zip(at, at[1:])]
        statistic = anderson_darling(gaps, 1 / rate)
        found.rows.append([f"{rate}/s", len(gaps), f"{sum(gaps) / len(gaps) * 1e3:.3f}", f"{statistic:.2f}", "3.857",
                           ms(still["total_us"])])
        if statistic >= 3.857 and still["total_us"] > STILL * told["duration_s"] * 1e6:
            found.verdict(None, f"{rate}/s: A² = {statistic:.2f}, but the core stood still for {ms(still['total_us'])} ms of "
                                f"{told['duration_s']:.1f} s, {ms(still['longest_us'])} ms at once")
        else:
            found.verdict(statistic < 3.857, f"{rate}/s: A² = {statistic:.2f}, below 3.857")
    return found
