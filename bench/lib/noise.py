#!/usr/bin/env python3
"""A noise maker: another process that wants a core for seconds at a time, as those of a laptop, a CI runner and a shared machine do.

usage: bench/lib/noise.py CORE [SEED [KIND]]   until it is ended; CORE: any, where it may run on all of them
It is busy for 0.5 to 4 s, quiet for 0.5 to 6 s, and so on; the same seed gives the same lengths. It begins with either, so that
many short runs meet it in every state. KIND is what it does meanwhile: spin (the default), copy (memory), talk (over loopback) or start
(short processes); or burst: it spins for 2 to 8 ms and is quiet for 5 to 30 ms.
"""

import argparse
import contextlib
import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

BUSY_S, QUIET_S = (0.5, 4), (0.5, 6)
BURST_BUSY_S, BURST_QUIET_S = (0.002, 0.008), (0.005, 0.03)
#: What no cache holds.
COPIED_BYTES = 64 << 20


def spells(seed, busy_s, quiet_s):
    """Endless: (whether it is busy, for how many seconds)."""
    chance = random.Random(seed)
    busy = chance.random() < 0.5
    while True:
        yield busy, chance.uniform(*(busy_s if busy else quiet_s))
        busy = not busy


def spin():
    return lambda: None


def copy():
    memory = bytes(COPIED_BYTES)
    return lambda: bytearray(memory)


def talk():
    listener = socket.create_server(("127.0.0.1", 0))
    ours = socket.create_connection(listener.getsockname())
    theirs, _ = listener.accept()

    def listen():
        while theirs.recv(1 << 16):
            pass

    threading.Thread(target=listen, daemon=True).start()
    blob = bytes(1 << 16)
    return lambda: ours.sendall(blob)


def start():
    return lambda: subprocess.run(["ls", "-lR", "/usr/lib"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


#: What each kind does again and again while it is busy, made once, and for how long it is busy and quiet.
KINDS = {
    "spin": (spin, BUSY_S, QUIET_S),
    "copy": (copy, BUSY_S, QUIET_S),
    "talk": (talk, BUSY_S, QUIET_S),
    "start": (start, BUSY_S, QUIET_S),
    "burst": (spin, BURST_BUSY_S, BURST_QUIET_S),
}


def make(core, seed, kind):
    if core != "any":
        os.sched_setaffinity(0, {int(core)})
    work, busy_s, quiet_s = KINDS[kind]
    step = work()
    for busy, seconds in spells(seed, busy_s, quiet_s):
        if not busy:
            time.sleep(seconds)
            continue
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            step()


#: prctl(2): the signal that a process gets when its parent has ended.
PR_SET_PDEATHSIG = 1


def ends_with_parent(by):
    """What a child does before it becomes its program, so that it gets the signal `by` when the bench is killed: what outlived that
    would disturb whatever is measured next."""
    return lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by)


@contextlib.contextmanager
def beside(core, seed, kind="spin"):
    """The noise maker as a process of its own, for as long as the `with` block takes."""
    child = subprocess.Popen([sys.executable, Path(__file__).resolve(), str(core), str(seed), kind],
                             preexec_fn=ends_with_parent(signal.SIGKILL))
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def main():
    args = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    cores = [str(core) for core in sorted(os.sched_getaffinity(0))]
    args.add_argument("core", choices=[*cores, "any"])
    args.add_argument("seed", type=int, nargs="?", default=1)
    args.add_argument("kind", choices=KINDS, nargs="?", default="spin")
    args = args.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        make(args.core, args.seed, args.kind)


if __name__ == "__main__":
    main()
