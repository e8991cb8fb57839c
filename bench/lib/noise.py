#!/usr/bin/env python3
"""A noise maker: another process that wants a core for seconds at a time, as those of a laptop, a CI runner and a shared machine do.

usage: bench/lib/noise.py CORE [SEED]   until it is ended
It is busy for 0.5 to 4 s, quiet for 0.5 to 6 s, and so on; the same seed gives the same lengths. It begins with either, so that
many short runs meet it in every state.
"""

import contextlib
import ctypes
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

BUSY_S, QUIET_S = (0.5, 4), (0.5, 6)


def spells(seed):
    """Endless: (whether it is busy, for how many seconds)."""
    chance = random.Random(seed)
    busy = chance.random() < 0.5
    while True:
        yield busy, chance.uniform(*(BUSY_S if busy else QUIET_S))
        busy = not busy


def make(core, seed):
    os.sched_setaffinity(0, {core})
    for busy, seconds in spells(seed):
        if not busy:
            time.sleep(seconds)
            continue
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            pass


#: prctl(2): the signal that a process gets when its parent has ended.
PR_SET_PDEATHSIG = 1


def ends_with_parent(by):
    """What a child does before it becomes its program, so that it gets the signal `by` when the bench is killed: what outlived that
    would disturb whatever is measured next."""
    return lambda: ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by)


@contextlib.contextmanager
def beside(core, seed):
    """The noise maker as a process of its own, for as long as the `with` block takes."""
    child = subprocess.Popen([sys.executable, Path(__file__).resolve(), str(core), str(seed)],
                             preexec_fn=ends_with_parent(signal.SIGKILL))
    try:
        yield child
    finally:
        child.kill()
        child.wait()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not all(word.isdigit() for word in sys.argv[1:]):
        sys.exit("usage: bench/lib/noise.py CORE [SEED]")
    if int(sys.argv[1]) not in os.sched_getaffinity(0):
        sys.exit(f"bench/lib/noise.py: there is no core {sys.argv[1]} here; there are {sorted(os.sched_getaffinity(0))}")
    with contextlib.suppress(KeyboardInterrupt):
        make(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 1)
