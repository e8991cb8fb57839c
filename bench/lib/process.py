"""Processes on cores of their own, and what they used."""

import contextlib
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from lib.peers import BENCH, PHOTOFINISH

#: The server's core and the generator's.
SERVER_CORE, LOAD_CORE = (int(c) for c in os.environ.get("BENCH_CORES", "0,1").split(","))


class Failed(Exception):
    """A program did not do what it was called for."""


def pin(core):
    """What a child does before it becomes its program: takes its core, and may open as many files as are allowed."""
    def child():
        os.sched_setaffinity(0, {core})
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return child


@dataclass
class Used:
    """What a run of a generator left behind."""

    out: str
    user_s: float
    kernel_s: float
    wall_s: float
    rss_kib: int
    #: How often it went to sleep.
    sleeps: int

    @property
    def cpu_s(self):
        return self.user_s + self.kernel_s


def run(command, core=LOAD_CORE, env=(), during=None, limit_s=120, codes=(0,)):
    """Runs a generator to its end on a core; any other exit code is a fault. `during` is called with it some fifty times a second."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        began = time.monotonic()
        child = subprocess.Popen([str(c) for c in command], stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                 env={**os.environ, **dict(env)}, preexec_fn=pin(core))
        rss = 0
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            rss = max(rss, high_water(child.pid))
            if during:
                during(child)
            if time.monotonic() - began > limit_s:
                child.kill()
                os.wait4(child.pid, 0)
                child.returncode = -signal.SIGKILL
                raise Failed(f"{command[0]} did not end within {limit_s} s")
            time.sleep(0.02)
        wall = time.monotonic() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        told = out.read()
        if child.returncode not in codes:
            raise Failed(f"{Path(str(command[0])).name} ended with {child.returncode}: {(err.read() or told).strip()[-300:]}")
        return Used(told, usage.ru_utime, usage.ru_stime, wall, rss, usage.ru_nvcsw)


def high_water(pid):
    """The largest resident memory of the program itself in KiB (ru_maxrss would count its parent's, before exec)."""
    try:
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
        return int(found.group(1)) if found else 0
    except OSError:
        return 0


def children_cpu_s():
    """The CPU time that this process's children and theirs have used, as far as they still run: between two generators, the servers."""
    parents, used = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            used[int(entry.name)] = int((entry / "schedstat").read_text().split()[0]) / 1e9
    family = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(used.get(pid, 0) for pid in family - {os.getpid()})


@contextlib.contextmanager
def started(command, core, **options):
    """A process that runs for as long as the block."""
    child = subprocess.Popen([str(c) for c in command], stdin=subprocess.DEVNULL, preexec_fn=pin(core), **options)
    try:
        yield child
    finally:
        child.send_signal(signal.SIGCONT)
        child.terminate()
        try:
            child.wait(5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


@contextlib.contextmanager
def photofinish_server(kind, *flags):
    """A built-in server on the server's core: its port."""
    command = [PHOTOFINISH, "server", kind, "--port", "0", *flags]
    with started(command, SERVER_CORE, stdout=subprocess.PIPE, text=True) as child:
        line = child.stdout.readline()
        found = re.search(r":(\d+)\s*$", line)
        if not found:
            raise Failed(f"the server did not start: {line!r}")
        yield int(found.group(1))


@contextlib.contextmanager
def blind_server():
    """bench/blind/server.c on the server's core: its port, and a function that ends it and returns (how many requests
    came, how many of them within a tenth of a second from the first)."""
    program = BENCH / "blind" / "server"
    subprocess.run(["cc", "-O2", "-Wall", "-o", program, program.with_suffix(".c")], check=True)
    with started([program], SERVER_CORE, stdout=subprocess.PIPE, text=True) as child:
        port = int(child.stdout.readline())

        def seen():
            child.terminate()
            told = child.stdout.readline().split()
            if len(told) != 2:
                raise Failed(f"the blind server ended without its count: {told}")
            return int(told[0]), int(told[1])

        yield port, seen


NGINX = """
worker_processes 1; daemon off; pid {dir}/pid; error_log {dir}/error.log;
events {{ worker_connections 12000; }}
http {{
    access_log off; keepalive_requests 1000000000; keepalive_timeout 600s; default_type text/plain;
    client_body_temp_path {dir}/a; proxy_temp_path {dir}/b; fastcgi_temp_path {dir}/c;
    uwsgi_temp_path {dir}/d; scgi_temp_path {dir}/e;
    server {{
        listen 127.0.0.1:{port} backlog=4096;
        {other}
        location = /plaintext {{ return 200 "Hello, World!"; }}
        location = /status {{ stub_status; }}
    }}
}}
"""


#: A certificate on the curve P-256, made by OpenSSL.
CERTIFICATE = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
               "-subj", "/CN=localhost"]
OTHER = """listen 127.0.0.1:{port} {speaks} backlog=4096; ssl_protocols TLSv1.3; ssl_session_cache shared:all:10m;
        ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
        ssl_certificate {dir}/certificate.pem; ssl_certificate_key {dir}/key.pem;"""


@contextlib.contextmanager
def nginx_that_speaks(program, speaks):
    """The same, with another port on which it speaks something else (`ssl`, `http2`, `ssl http2`): the two ports."""
    other = free_port()
    with nginx(program, lambda folder: other_listener(folder, other, speaks)) as port:
        yield port, other


def other_listener(folder, port, speaks):
    made = subprocess.run([*CERTIFICATE, "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"], capture_output=True, text=True)
    if made.returncode:
        raise Failed(f"openssl made no certificate: {made.stderr.strip()[-300:]}")
    return OTHER.format(dir=folder, port=port, speaks=speaks)


@contextlib.contextmanager
def nginx(program, other=lambda _: ""):
    """nginx with one worker on the server's core: its port. `other` adds lines, given its folder."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "nginx.conf"
        config.write_text(NGINX.format(dir=folder, port=port, other=other(folder)))
        with started([program, "-c", config, "-p", folder], SERVER_CORE, stderr=subprocess.DEVNULL):
            until = time.monotonic() + 10
            while True:
                try:
                    get(port, "/plaintext")
                    break
                except OSError as error:
                    if time.monotonic() > until:
                        raise Failed(f"nginx did not start: {error}") from error
                    time.sleep(0.02)
            yield port


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(port, path, scheme="http"):
    # A built-in server makes its certificate as it starts.
    trusting = ssl._create_unverified_context() if scheme == "https" else None
    with urllib.request.urlopen(f"{scheme}://127.0.0.1:{port}{path}", timeout=30, context=trusting) as answer:
        return answer.read().decode()


def served(port):
    """How many requests nginx has answered, by its own count (this one included)."""
    return int(get(port, "/status").splitlines()[2].split()[2])
