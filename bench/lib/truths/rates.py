"""Constant rates from 1 to 200,000 per second: what is achieved, and no burst at the start.

Up to 20,000/s the server keeps the kernel's stamps, so the requests of the first tenth of a second can be counted
where they arrived. Beyond that the plain server answers; it is on one core, and where that is full, the run must say
'overloaded'."""

import bisect

from lib import process
from lib.truths.common import Finding, arrivals, photofinish

TITLE = "Rates: achieved over offered, and the first tenth of a second"
CASES = [(1, 3), (10, 2), (100, 2), (1000, 2), (20_000, 2), (50_000, 2), (100_000, 2), (150_000, 2), (200_000, 2)]
STAMPED = 20_000


def run():
    found = Finding(["offered", "achieved", "of offered", "first 0.1 s", "due then", "generator's core", "said"])
    for rate, seconds in CASES:
        one(found, rate, seconds)
    return found


def one(found, rate, seconds):
    stamped = rate <= STAMPED
    server = ("delay", "--delay", "0ms", "--slow-one-in", "0") if stamped else ("event-loop", "--threads", "1")
    with process.photofinish_server(*server) as port:
        told, _ = photofinish(port, "/plaintext", "-c", 100, "-d", f"{seconds}s", "--rate", rate, "--arrivals", "constant")
        at = arrivals(port) if stamped else []
    generator, overloaded = told["generator"], told["overloaded"]
    # The request that is due at the very end is offered and may be answered after it: one is no shortfall.
    missing = rate * seconds - told["throughput_rps"] * seconds
    within = abs(missing) <= max(rate * seconds * 0.01, 1.5)
    first = bisect.bisect_right(at, at[0] + 0.1) if at else None
    due = int(rate * 0.1) + 1
    found.rows.append([f"{rate:,}/s", f"{told['throughput_rps']:,.1f}/s", f"{told['throughput_rps'] / rate:.2%}",
                       "–" if first is None else first, "–" if first is None else due,
                       f"{generator['cpu_utilisation']:.0%}", "overloaded" if overloaded else ""])
    if overloaded:
        found.verdict(None, f"{rate:,}/s: overloaded, and said; nothing is known of the generator beyond {told['throughput_rps']:,.0f}/s here")
    else:
        found.verdict(within, f"{rate:,}/s: {told['throughput_rps']:,.1f}/s achieved, within 1% or one request")
    if first is not None:
        # If the very first was late, those after it are nearer: 5 ms of lateness are allowed.
        found.verdict(first <= due + rate * 0.005 + 1, f"{rate:,}/s: {first} in the first 0.1 s, {due} were due")
