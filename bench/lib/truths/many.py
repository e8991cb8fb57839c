"""10,000 connections on loopback: the generator's own memory for each, and failed connects.

Memory is the largest resident set of the program itself (VmHWM) with 10,000 connections, minus that with 100, over
the 9,900 between. What the kernel keeps for sockets is not in it."""

from lib import peers, process
from lib.truths.common import Finding, photofinish

TITLE = "10,000 connections: own memory for each"
FEW, MANY, SECONDS = 100, 10_000, 3


def run():
    found = Finding(["generator", f"MiB with {FEW}", f"MiB with {MANY:,}", "KiB a connection", "remark"])
    here, missing = peers.present(["photofinish", "wrk", "oha", "h2load"])
    found.notes += [f"Not here: {name}." for name in missing]
    for peer in here:
        try:
            (few, _), (many, remark) = (one(peer, connections) for connections in (FEW, MANY))
        except process.Failed as fault:
            found.notes.append(f"{peer.name}: {fault}")
            if peer.name == "photofinish":
                found.verdict(False, f"the run failed: {fault}")
            continue
        each = (many - few) / (MANY - FEW)
        found.rows.append([peer.name, f"{few / 1024:.1f}", f"{many / 1024:.1f}", f"{each:.2f}", remark])
        if peer.name == "photofinish":
            found.verdict(each <= 4, f"{each:.2f} KiB a connection, at most 4")
            found.verdict(remark == "every connect succeeded", remark)
    return found


def one(peer, connections):
    with process.photofinish_server("event-loop", "--threads", "1") as port:
        if peer.name != "photofinish":
            job = peers.Job("127.0.0.1", port, "/plaintext", connections, SECONDS)
            return process.run([peers.find(peer.program), *peer.command(job)], env=peer.env).rss_kib, ""
        told, used = photofinish(port, "/plaintext", "-c", connections, "-d", f"{SECONDS}s")
    fine = told["connects"] == connections and not told["errors"]
    remark = "every connect succeeded" if fine else f"{told['connects']} connects, errors {told['errors']}"
    return used.rss_kib, remark
