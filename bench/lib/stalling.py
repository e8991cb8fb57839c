#!/usr/bin/env python3
"""An HTTP/1.1 server on loopback that stands still in a known way.

stalling.py PORT none
stalling.py PORT timer PERIOD_S LENGTH_S   sleeps for LENGTH_S once in every PERIOD_S of wall-clock time, loaded or not
stalling.py PORT work COUNT LENGTH_S       sleeps for LENGTH_S after every COUNT responses, as a collector that stops the world and waits
stalling.py PORT burn COUNT LENGTH_S       the same, but uses a core for LENGTH_S, as a collector that works
stalling.py PORT some COUNT LENGTH_S       delays every COUNT-th response alone by LENGTH_S; the other connections go on
stalling.py PORT spread MEDIAN_S SIGMA     delays each response by a log-normal time, as a service that waits for others; it has no other limit

A last argument cost=MICROSECONDS: each response uses a core for so much longer, so that the server and not the generator is the limit.

One thread, one response per request of a closed-loop client without pipelining.
"""
import heapq
import math
import random
import selectors
import socket
import sys
import time

cost_s = float(sys.argv.pop().removeprefix("cost=")) / 1e6 if sys.argv[-1].startswith("cost=") else 0.0
port, mode = int(sys.argv[1]), sys.argv[2]
every, length = (float(sys.argv[3]), float(sys.argv[4])) if mode != "none" else (0.0, 0.0)
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

selector = selectors.DefaultSelector()
listener = socket.create_server(("127.0.0.1", port), backlog=1024)
listener.setblocking(False)
selector.register(listener, selectors.EVENT_READ)
buffers, late = {}, []
served, next_stall = 0, time.monotonic() + every


def close(conn):
    selector.unregister(conn)
    buffers.pop(conn, None)
    conn.close()


while True:
    wait = None
    if mode == "timer":
        wait = max(0.0, next_stall - time.monotonic())
    if late:
        due = max(0.0, late[0][0] - time.monotonic())
        wait = due if wait is None else min(wait, due)
    events = selector.select(wait)
    now = time.monotonic()
    if mode == "timer" and now >= next_stall:
        time.sleep(length)
        next_stall += every
        continue
    while late and late[0][0] <= now:
        _, _, conn = heapq.heappop(late)
        if conn in buffers:
            conn.send(RESPONSE)
    for key, _ in events:
        conn = key.fileobj
        if conn is listener:
            conn, _ = listener.accept()
            conn.setblocking(False)
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            buffers[conn] = b""
            selector.register(conn, selectors.EVENT_READ)
            continue
        try:
            data = conn.recv(65536)
        except BlockingIOError:
            continue
        except OSError:
            data = b""
        if not data:
            close(conn)
            continue
        buffers[conn] += data
        if not buffers[conn].endswith(b"\r\n\r\n"):
            continue
        buffers[conn] = b""
        served += 1
        if cost_s:
            end = time.perf_counter() + cost_s
            while time.perf_counter() < end:
                pass
        if mode == "spread":
            heapq.heappush(late, (now + every * math.exp(random.gauss(0, length)), served, conn))
            continue
        if mode == "some" and served % every == 0:
            heapq.heappush(late, (now + length, served, conn))
            continue
        try:
            conn.send(RESPONSE)
        except OSError:
            close(conn)
            continue
        if mode == "work" and served % every == 0:
            time.sleep(length)
        if mode == "burn" and served % every == 0:
            end = time.monotonic() + length
            while time.monotonic() < end:
                pass
