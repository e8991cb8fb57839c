"""A server that freezes once for a second, under an open loop.

At a rate of R for T seconds R·T requests are due, R of them while the server is frozen. One that is due u seconds after
the freeze began waits 1 − u. The longest 1% of all, 0.01·R·T requests, were due in the first 0.01·T seconds of it, so
p99 = 1 s − 0.01·T, plus the server's usual delay. (The queue is answered in the order in which it was due; while
the first 0.01·R·T are answered a few milliseconds pass, which is far below the 5% that are allowed.)

wrk adds samples that it never measured, which fits a single freeze and little else: see the known delays. k6 skips the
requests for which none of its users is free; how far it is off depends on how many it has (here as many as connections)."""

from lib import peers, process
from lib.truths.common import Finding, ms, photofinish

TITLE = "A freeze of 1 s, open loop: the p99 told, against arithmetic"
RATE, SECONDS, CONNECTIONS, DELAY_US = 2000, 5, 50, 1000
EXPECTED_US = 1e6 - 0.01 * SECONDS * 1e6 + DELAY_US


def run():
    found = Finding(["generator", "p99 expected ms", "p99 told ms", "off", "remark"])
    with server() as port:
        # The server was not available throughout, which ends with 1.
        told, _ = photofinish(port, "/plaintext", "-c", CONNECTIONS, "-d", f"{SECONDS}s", "--rate", RATE, "--arrivals", "constant", codes=(1,))
    p99 = told["latency_us"]["p99"]
    row(found, "photofinish", p99, f"service time {ms(told['service_us']['p99'])} ms")
    found.verdict(abs(p99 / EXPECTED_US - 1) <= 0.05, f"p99 {ms(p99)} ms, expected {ms(EXPECTED_US)} ms; within 5%")
    others = {
        "wrk": (lambda j: ["-t1", f"-c{j.connections}", f"-d{SECONDS}s", "--latency", j.url], "closed loop; invents samples afterwards"),
        "oha": (lambda j: ["--no-tui", "--output-format", "json", "-c", str(j.connections), "-q", str(RATE),
                           "--latency-correction", "-z", f"{SECONDS}s", j.url], "with --latency-correction"),
        "k6": (lambda j: ["run", "--quiet", "--no-usage-report", "-e", f"TARGET={j.url}", "-e", f"RATE={RATE}", "-e", f"VUS={j.connections}",
                          "-e", f"DURATION={SECONDS}s", str(peers.BENCH / "lib/k6.js")], "skips what it cannot send"),
    }
    here, missing = peers.present(list(others))
    found.notes += [f"Not here: {name}." for name in missing]
    for peer in here:
        command, remark = others[peer.name]
        with server() as port:
            job = peers.Job("127.0.0.1", port, "/plaintext", CONNECTIONS, SECONDS)
            try:
                used = process.run([peers.find(peer.program), *command(job)], env=peer.env)
            except process.Failed as fault:
                found.notes.append(f"{peer.name}: {fault}")
                continue
        if peer.name == "k6":
            remark += f": {peers.k6_dropped(used.out)} of {RATE * SECONDS}"
        row(found, peer.name, peer.times(used.out)["p99"], remark)
    return found


def server():
    return process.photofinish_server("delay", "--delay", f"{DELAY_US}us", "--slow-one-in", "0", "--freeze-after", "2s", "--freeze-for", "1s")


def row(found, name, p99, remark):
    found.rows.append([name, ms(EXPECTED_US), ms(p99), f"{p99 / EXPECTED_US - 1:+.1%}", remark])
