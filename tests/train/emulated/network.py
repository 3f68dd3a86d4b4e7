# SPDX-License-Identifier: Apache-2.0

"""The network of the pods: one bridge, an address for each pod, and a DNS server that knows the pods."""

import socket
import struct
import subprocess
import threading

GATEWAY = "10.77.0.1"
DOMAIN = "svc.cluster.local"

_A, _PTR, _IN = 1, 12, 1
_NXDOMAIN = 3


def _ip(*words):
    subprocess.run(["ip", *words], check=True)


def create_bridge():
    _ip("link", "set", "lo", "up")
    _ip("link", "add", "pods", "type", "bridge")
    _ip("addr", "add", f"{GATEWAY}/16", "dev", "pods")
    _ip("link", "set", "pods", "up")


def connect(pid, number):
    """Gives the network namespace of the process an eth0 with the address of that number, and returns it."""
    address = f"10.77.{1 + number // 250}.{1 + number % 250}"
    _ip("link", "add", f"pod{number}", "type", "veth", "peer", "name", "eth0", "netns", str(pid))
    _ip("link", "set", f"pod{number}", "master", "pods", "up")
    lines = f"link set lo up\naddr add {address}/16 dev eth0\nlink set eth0 up\nroute add default via {GATEWAY}\n"
    command = ["nsenter", f"--net=/proc/{pid}/ns/net", "ip", "-batch", "-"]
    subprocess.run(command, input=lines, text=True, check=True)
    return address


def disconnect(number):
    subprocess.run(["ip", "link", "del", f"pod{number}"], check=False, stderr=subprocess.DEVNULL)


def _read_name(message, at):
    labels = []
    while message[at]:
        length = message[at]
        labels.append(message[at + 1 : at + 1 + length].decode("ascii", "replace"))
        at += 1 + length
    return ".".join(labels).lower(), at + 1


def _write_name(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


class Resolver:
    """Answers for pods while they have a name, as the cluster's DNS does for a headless Service."""

    def __init__(self):
        self.addresses = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((GATEWAY, 53))
        threading.Thread(target=self._serve, daemon=True).start()

    def publish(self, name, address):
        self.addresses[name.lower()] = address

    def withdraw(self, name, address):
        """Unless a younger pod has taken the name."""
        if self.addresses.get(name.lower()) == address:
            del self.addresses[name.lower()]

    def _serve(self):
        while True:
            message, client = self._socket.recvfrom(4096)
            try:
                self._socket.sendto(self._answer(message), client)
            except (IndexError, struct.error, OSError):
                pass  # not a query, or the pod has gone

    def _answer(self, query):
        name, end = _read_name(query, 12)
        kind, _ = struct.unpack_from(">HH", query, end)
        question = query[12 : end + 4]
        exists, data = self._find(name, kind)
        header = query[:2] + struct.pack(">HHHHH", 0x8580 | (0 if exists else _NXDOMAIN), 1, 1 if data else 0, 0, 0)
        record = b"\xc0\x0c" + struct.pack(">HHIH", kind, _IN, 0, len(data)) + data if data else b""
        return header + question + record

    def _find(self, name, kind):
        if name.endswith(".in-addr.arpa"):
            address = ".".join(reversed(name.split(".")[:4]))
            names = [known for known, own in self.addresses.items() if own == address]
            return bool(names), _write_name(names[0]) if names and kind == _PTR else b""
        address = self.addresses.get(name)
        return address is not None, socket.inet_aton(address) if address and kind == _A else b""
