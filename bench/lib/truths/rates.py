"""Constant rates from 1 to 200,000 per second: what is achieved, and no burst at the start.

The truth is the server's: how many requests it saw in all, and how many within a tenth of a second from the first, by
its kernel's stamps of their arrival. The server answers every read with the same bytes (bench/blind/server.c), so it
is about as fast as one core allows; where even that is full, or the generator's core, the run must say 'overloaded'."""

from lib import process
from lib.truths.common import Finding, photofinish

TITLE = "Rates: achieved over offered, and the first tenth of a second"
CASES = [(1, 3), (10, 2), (100, 2), (1000, 2), (20_000, 2), (50_000, 2), (100_000, 2), (150_000, 2), (200_000, 2)]


def run():
    found = Finding(["offered", "achieved", "of offered", "server saw", "first 0.1 s", "due then", "generator's core", "said"])
    for rate, seconds in CASES:
        one(found, rate, seconds)
    return found


def one(found, rate, seconds):
    with process.blind_server() as (port, seen):
        told, _ = photofinish(port, "/plaintext", "-c", 100, "-d", f"{seconds}s", "--rate", rate, "--arrivals", "constant")
        saw, first = seen()
    generator, overloaded = told["generator"], told["overloaded"]
    due = int(rate * 0.1) + 1
    found.rows.append([f"{rate:,}/s", f"{told['throughput_rps']:,.1f}/s", f"{told['throughput_rps'] / rate:.2%}", f"{saw:,}",
                       first, due, f"{generator['cpu_utilisation']:.0%}", "overloaded" if overloaded else ""])
    # If the very first was late, those after it are nearer: 5 ms of lateness are allowed.
    found.verdict(first <= due + rate * 0.005 + 1, f"{rate:,}/s: {first:,} in the first 0.1 s, {due:,} were due")
    if overloaded:
        found.verdict(None, f"{rate:,}/s: overloaded, and said; nothing is known of the generator beyond {told['throughput_rps']:,.0f}/s here")
        return
    # The request that is due at the very end is offered and may be answered after it: one is no shortfall.
    allowed = max(rate * seconds * 0.01, 1.5)
    answered = told["throughput_rps"] * seconds
    within = max(abs(rate * seconds - answered), abs(rate * seconds - saw)) <= allowed
    found.verdict(within, f"{rate:,}/s: {answered:,.0f} answers, {saw:,} requests at the server, {rate * seconds:,} due; within 1% or one request")
