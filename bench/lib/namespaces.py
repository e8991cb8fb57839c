"""Machines in network namespaces of this one, each with Debian's sshd: `a` for servers, `b` and `c` for load, seen from one more.

They share this machine's cores, so that what is measured here is the network's way and the agents', never what several machines could do."""

import contextlib
import os
import subprocess
import tempfile
import time
from pathlib import Path

from lib.process import Failed

NAMES = ("a", "b", "c")


def sh(script):
    done = subprocess.run(["sh", "-ec", script], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"{script}: {done.stderr.strip()}")


class Machines:
    """The namespaces, and a folder for what belongs to them."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.unique = self.folder.name.replace("_", "")

    def space(self, name):
        return f"pfb{name}-{self.unique}"

    def within(self, name, command):
        """A command as it is run on a machine; `h` is the one that they are seen from."""
        return ["ip", "netns", "exec", self.space(name), *map(str, command)]

    def address(self, name):
        return f"10.98.0.{NAMES.index(name) + 1}"

    def far(self, name):
        """A machine as hosts.toml has it."""
        return f'ssh = "{name}"\nssh-options = ["-F", "{self.folder}/ssh-config"]\n'

    def hosts(self, file, server, *generators):
        """Writes a file of hosts."""
        parts = [f"[server]\n{server}", *(f"[[generator]]\n{generator}" for generator in generators)]
        path = self.folder / file
        path.write_text("".join(parts))
        return path


@contextlib.contextmanager
def machines():
    """All of them, for as long as the block. They take root, sshd and ip."""
    if os.geteuid() != 0:
        raise Failed("namespaces take root")
    for program in ("/usr/sbin/sshd", "/usr/sbin/ip"):
        if not Path(program).exists():
            raise Failed(f"there is no {program} (Debian: openssh-server, iproute2)")
    with tempfile.TemporaryDirectory(prefix="pfb") as folder:
        made = Machines(folder)
        daemons = []
        try:
            make(made)
            daemons += [sshd(made, name) for name in NAMES]
            yield made
        finally:
            for daemon in daemons:
                daemon.kill()
                daemon.wait()
            for name in ("h", *NAMES):
                subprocess.run(["ip", "netns", "del", made.space(name)], capture_output=True)


def make(made):
    h = made.space("h")
    sh(f"ip netns add {h}; ip -n {h} link add br0 type bridge; ip -n {h} addr add 10.98.0.254/24 dev br0; "
       f"ip -n {h} link set br0 up; ip -n {h} link set lo up")
    for name in NAMES:
        space = made.space(name)
        sh(f"ip netns add {space}; ip -n {space} link set lo up; "
           f"ip -n {h} link add v{name} type veth peer name eth0 netns {space}; ip -n {h} link set v{name} master br0 up; "
           f"ip -n {space} addr add {made.address(name)}/24 dev eth0; ip -n {space} link set eth0 up")
    folder = made.folder
    sh(f"cd {folder}; ssh-keygen -q -t ed25519 -N '' -f hostkey; ssh-keygen -q -t ed25519 -N '' -f key; chmod 600 key hostkey; mkdir -p /run/sshd")
    config = (f"Host *\nUser root\nPort 2222\nIdentityFile {folder}/key\nUserKnownHostsFile {folder}/known\n"
              "StrictHostKeyChecking accept-new\n")
    (folder / "ssh-config").write_text(config + "".join(f"Host {n}\nHostName {made.address(n)}\n" for n in NAMES))


def sshd(made, name):
    """Starts a machine's sshd, and waits until it listens."""
    folder = made.folder
    config = folder / f"sshd-{name}"
    config.write_text(
        f"Port 2222\nListenAddress {made.address(name)}\nHostKey {folder}/hostkey\nAuthorizedKeysFile {folder}/key.pub\n"
        "StrictModes no\nPidFile none\nPermitRootLogin yes\nPasswordAuthentication no\nUsePAM no\n"
        f"SetEnv XDG_CACHE_HOME={folder}/far-{name}\n")
    log = folder / f"sshd-{name}.log"
    with log.open("w") as err:
        daemon = subprocess.Popen(made.within(name, ["/usr/sbin/sshd", "-D", "-e", "-f", config]), stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=err)
    until = time.monotonic() + 10
    while "listening" not in log.read_text():
        if time.monotonic() > until or daemon.poll() is not None:
            raise Failed(f"sshd did not start: {log.read_text().strip()[-300:]}")
        time.sleep(0.02)
    return daemon
