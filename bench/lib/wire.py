"""HTTP/2 on loopback as the kernel passed it on: response times that neither end has noted.

An end reads several segments at once, and gets the time of the last one only. Where streams share a connection, its own notes are therefore off
by as long as segments waited for each other. Here each segment has its own time. Needs root (a raw socket)."""

import contextlib
import socket
import struct
import threading

_FORCED_BUFFER, _STAMPED, _ALL = 33, 35, 3
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HEADERS, _DATA, _END_STREAM = 1, 0, 1


@contextlib.contextmanager
def captured(port):
    """Captures the segments to and from a port: a list that is full once the block has ended."""
    segments, ended = [], threading.Event()
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL)) as raw:
        raw.bind(("lo", 0))
        raw.setsockopt(socket.SOL_SOCKET, _FORCED_BUFFER, 1 << 29)
        raw.setsockopt(socket.SOL_SOCKET, _STAMPED, 1)
        raw.settimeout(0.1)
        listener = threading.Thread(target=_listen, args=(raw, port, segments, ended), daemon=True)
        listener.start()
        try:
            yield segments
        finally:
            ended.set()
            listener.join()


def _listen(raw, port, segments, ended):
    while True:
        try:
            frame, ancillary, _, address = raw.recvmsg(1 << 17, 256)
        except TimeoutError:
            if ended.is_set():
                return
            continue
        incoming = address[2] != socket.PACKET_OUTGOING
        if incoming and frame[12:14] == b"\x08\x00" and frame[23] == socket.IPPROTO_TCP:
            at = next(struct.unpack("qq", told) for _, kind, told in ancillary if kind == _STAMPED)
            end = 14 + struct.unpack(">H", frame[16:18])[0]
            tcp = frame[14 + (frame[14] & 15) * 4:end]
            ports = struct.unpack(">HH", tcp[:4])
            payload = tcp[(tcp[12] >> 4) * 4:]
            if payload and port in ports:
                segments.append((at[0] * 10**9 + at[1], *ports, payload))


def response_times(segments, port):
    """How long each request waited, in microseconds, sorted: from the segment that ended its header block to the one that ended its response."""
    unread, sent, times = {}, {}, []
    for at, source, target, payload in segments:
        stream_of = unread.setdefault((source, target), bytearray())
        stream_of += payload
        if target == port and stream_of.startswith(_PREFACE):
            del stream_of[:len(_PREFACE)]
        for kind, flags, stream in _frames(stream_of):
            if target == port and kind == _HEADERS:
                sent[source, stream] = at
            elif source == port and kind in (_HEADERS, _DATA) and flags & _END_STREAM and (target, stream) in sent:
                times.append((at - sent.pop((target, stream))) / 1e3)
    return sorted(times)


def _frames(unread):
    """The whole frames at the beginning, which are taken from it: (kind, flags, stream)."""
    while len(unread) >= 9:
        length = int.from_bytes(unread[:3], "big")
        if len(unread) < 9 + length:
            return
        yield unread[3], unread[4], int.from_bytes(unread[5:9], "big")
        del unread[:9 + length]
