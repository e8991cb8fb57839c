"""A generator that is stopped for 200 ms (SIGSTOP) while answers come in: they wait in the sockets.

The server was not slow, so no response time may tell of it; the wait belongs to the generator's lag. In an open loop the requests
that fall due meanwhile are late, which their response times tell; then the run must say that this was the generator's doing."""

import json
import os
import signal
import time

from lib import peers, process
from lib.truths.common import Finding, ms, photofinish, truth

TITLE = "The generator stopped for 200 ms, closed loop: the largest response time told"
CONNECTIONS, SECONDS, STOP_S, RATE = 100, 3, 0.2, 1000


class Stall:
    """Stops a process once, a second after it was first seen."""

    def __init__(self):
        self.since = None
        self.done = False

    def __call__(self, child):
        self.since = self.since or time.monotonic()
        if not self.done and time.monotonic() - self.since > 1:
            self.done = True
            os.kill(child.pid, signal.SIGSTOP)
            time.sleep(STOP_S)
            os.kill(child.pid, signal.SIGCONT)


def run():
    found = Finding(["generator", "true max ms", "max told ms", "its own lag, max ms"])
    here, missing = peers.present(["photofinish", "wrk", "oha", "k6"])
    found.notes += [f"Not here: {name}." for name in missing]
    for peer in here:
        with process.photofinish_server("delay", "--delay", "1ms", "--slow-one-in", "0") as port:
            job = peers.Job("127.0.0.1", port, "/plaintext", CONNECTIONS, SECONDS)
            try:
                used = process.run([peers.find(peer.program), *peer.command(job)], env=peer.env, during=Stall())
            except process.Failed as fault:
                found.notes.append(f"{peer.name}: {fault}")
                continue
            told, true = peer.times(used.out)["max"], truth(port)["max"]
        lag = judge(found, used.out, told, true) if peer.name == "photofinish" else None
        found.rows.append([peer.name, ms(true), ms(told), "not told" if lag is None else ms(lag)])
    open_loop(found)
    return found


def judge(found, out, told, true):
    lag = json.loads(out)["generator"]["lag_us"]["max"]
    # A request that was being sent when the stop came may have lost some time to it on its way; most of the stop may not show.
    found.verdict(told < true + STOP_S * 1e6 / 4, f"max {ms(told)} ms, the server's own {ms(true)} ms: the stop is not in it")
    found.verdict(lag > STOP_S * 1e6 * 0.9, f"lag up to {ms(lag)} ms: the stop of {STOP_S * 1e3:.0f} ms is there")
    return lag


def open_loop(found):
    with process.photofinish_server("delay", "--delay", "1ms", "--slow-one-in", "0") as port:
        told, _ = photofinish(port, "/plaintext", "-c", CONNECTIONS, "-d", f"{SECONDS}s", "--rate", RATE, during=Stall())
    late, p99 = told["generator"]["late"], told["latency_us"]["p99"]
    owned = next(check["ok"] for check in told["checks"] if check["name"] == "generator-limit") is False
    in_time = f"{ms(late['p99_in_time_us'])} ms had it been in time" if late else "nothing late"
    found.verdict(owned, f"open loop, {RATE:,}/s: p99 {ms(p99)} ms, {in_time}: said to be the generator's")
