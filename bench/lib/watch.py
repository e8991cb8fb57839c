"""Whether a core stands still: the host of a virtual machine may take it away for milliseconds, and need not say so."""

import os
import threading
import time

#: A thread sleeps for so long, again and again; what it oversleeps by more than the second figure is a standstill. A scheduler
#: whose core is not busy wakes it within a tenth of a millisecond.
TICK_S, LATE_S = 0.002, 0.003


class Watch:
    """Watches a core for as long as the `with` block takes; it uses about 1% of it."""

    def __init__(self, core):
        self.core = core
        #: How long the core stood still in all, the longest time at once, and how long it was watched.
        self.still_s = self.longest_s = self.wall_s = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _watch(self):
        # Of this thread alone.
        os.sched_setaffinity(0, {self.core})
        began = last = time.monotonic()
        while not self._over.is_set():
            time.sleep(TICK_S)
            now = time.monotonic()
            late = now - last - TICK_S
            if late > LATE_S:
                self.still_s += late
                self.longest_s = max(self.longest_s, late)
            last = now
        self.wall_s = last - began

    def says(self):
        """A clause about what was seen."""
        return (f"the core stood still for {self.still_s * 1e3:.0f} ms of {self.wall_s:.1f} s, "
                f"{self.longest_s * 1e3:.0f} ms at once")
