"""Known delay: what is told of a server that notes its own response times, by an idle and a busy generator.

The server (`photofinish server delay`) notes for each answer the time from the kernel's stamp of the request's
arrival until it writes the answer. A generator adds what loopback takes, some microseconds; anything more is its own.
A busy core is made by a process beside the generator that takes half of it, two milliseconds at a time. Over TLS and HTTP/2
photofinish is alone: the other generators tell no percentiles there, or other ones. Where streams share a connection the truth is that
of the wire (lib/wire.py), for the server's own notes are too short by as long as requests waited for each other."""

import contextlib
import os
import sys
import time
from pathlib import Path

from lib import peers, process, wire
from lib.truths.common import Finding, ms, truth

TITLE = "Known delay: p50 and p99 told, minus those that the server noted"
#: Connections, delay, one in so many slow ones of 20 ms, whether the generator's core is shared.
CASES = [(10, "1ms", 50, False), (100, "1ms", 50, False), (800, "4ms", 0, False), (100, "1ms", 50, True), (800, "4ms", 0, True)]
#: What the server speaks, how photofinish asks for it, and connections.
PROTOCOLS = {
    "HTTPS": (["--tls"], ["--insecure"], 100),
    "HTTP/2 over TLS": (["--tls", "--http2"], ["--insecure", "--http2", "--streams", "1"], 100),
    "h2c": (["--http2"], ["--http2", "--streams", "1"], 100),
    "h2c, 10 streams": (["--http2"], ["--http2", "--streams", "10"], 10),
    "h2c, 10 streams, in batches": (["--http2"], ["--http2", "--streams", "10", "--batch", "100us"], 10),
}
SECONDS = 2
HOG = "import time\nwhile True:\n e=time.perf_counter()+.002\n while time.perf_counter()<e: pass\n time.sleep(.002)"


def run():
    found = Finding(["connections, delay", "generator", "its core busy", "p50 true ms", "p50 off µs", "p99 true ms", "p99 off µs"])
    here, missing = peers.present(["photofinish", "wrk", "oha", "k6"])
    found.notes += [f"Not here: {name}." for name in missing]
    for case in CASES:
        for peer in here:
            one(found, peer, *case)
    for name, (server, load, connections) in PROTOCOLS.items():
        scheme = "https" if "--tls" in server else "http"
        ours = peers.Peer(name, peers.PHOTOFINISH, lambda j, scheme=scheme, load=load: [
            "load", f"{scheme}://{j.host}:{j.port}{j.path}", "-c", str(j.connections), "-d", f"{j.seconds}s", "-t", "1", "--json",
            "--expect-status", "200", *load], peers.photofinish_times)
        for delay in ("1ms", "4ms"):
            one(found, ours, connections, delay, 50, False, server, scheme)
    return found


def one(found, peer, connections, delay, slow_one_in, shared, speaks=(), scheme="http"):
    label = f"{connections}, {delay}{', shared core' if shared else ''}"
    flags = ["--delay", delay, "--slow", "20ms", "--slow-one-in", str(slow_one_in), *speaks]
    on_wire = "streams" in peer.name
    if on_wire and os.geteuid():
        found.notes.append(f"{peer.name}, {label}: not without root")
        return
    with process.photofinish_server("delay", *flags) as port, hog(shared), wire.captured(port) if on_wire else contextlib.nullcontext() as segments:
        job = peers.Job("127.0.0.1", port, "/plaintext", connections, SECONDS)
        before = idle()
        began = time.monotonic()
        try:
            used = process.run([peers.find(peer.program), *peer.command(job)], env=peer.env)
        except process.Failed as fault:
            found.notes.append(f"{peer.name}, {label}: {fault}")
            return
        busy = 1 - (idle() - before) / (time.monotonic() - began)
        told, true = peer.times(used.out), truth(port, scheme)
    if on_wire:
        times = wire.response_times(segments, port)
        true = {f"p{percent}": times[len(times) * percent // 100] for percent in (50, 99)}
    off = {p: told[p] - true[p] for p in ("p50", "p99")}
    found.rows.append([label, peer.name, f"{max(busy, 0):.0%}", ms(true["p50"]), f"{off['p50']:+.0f}", ms(true["p99"]), f"{off['p99']:+.0f}"])
    if peer.program == peers.PHOTOFINISH:
        label = label if not speaks else f"{peer.name}, {label}"
        # The bounds of docs/accuracy.md.
        holds = all(abs(off[p]) <= max(20, true[p] * 0.02) for p in off)
        found.verdict(holds, f"{label}: p50 {off['p50']:+.0f} µs, p99 {off['p99']:+.0f} µs from the truth; at most 20 µs or 2%")


@contextlib.contextmanager
def hog(wanted):
    if not wanted:
        yield
        return
    with process.started([sys.executable, "-c", HOG], process.LOAD_CORE):
        yield


def idle():
    """Seconds that the generator's core was idle since the machine started (its fourth and fifth figure, in hundredths)."""
    for line in Path("/proc/stat").read_text().splitlines():
        if line.startswith(f"cpu{process.LOAD_CORE} "):
            fields = line.split()
            return (int(fields[4]) + int(fields[5])) / 100
    return 0
