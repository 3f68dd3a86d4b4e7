#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The webhook under load: requests at a fixed rate over connections that stay open, as an API server sends them, beside clients
that leave before their answer, send requests in a row, or open connections and never ask. Prints the latency, the requests that
were lost and the memory; fails above the limits.

usage: webhook_load_test.py TRAINJOBC [--seconds 600] [--rate 1000] [--connections 10000] [--longest 5]
"""
import argparse
import http.client
import json
import multiprocessing
import pathlib
import random
import re
import resource
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

import webhook_test

MOST_MEMORY = 64   # MiB
WORKERS = 4        # that measure
KEPT = 5           # connections of each
IN_A_ROW = 10
LEAVING = 20       # a second
ROWS = 5           # a second
OPENED = 500       # silent connections a second, at most


class Target:
    def __init__(self, port, folder):
        self.address = ("127.0.0.1", port)
        self.folder = folder

    def connect(self):
        trust = ssl.create_default_context(cafile=self.folder / "tls.crt")
        raw = socket.create_connection(self.address, timeout=30)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return trust.wrap_socket(raw, server_hostname="127.0.0.1")


def request(job):
    body = json.dumps(webhook_test.review(job)).encode()
    return b"POST /validate HTTP/1.1\r\nHost: w\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


REQUEST = request(webhook_test.GOOD)


def is_answered(client):
    answer = http.client.HTTPResponse(client, method="POST")
    answer.begin()
    return answer.status == 200 and json.loads(answer.read())["response"]["allowed"] is True


def paced(rate, seconds):
    """Calls for an action at that rate; those that are late follow at once."""
    begin = time.monotonic()
    for i in range(int(rate * seconds)):
        rest = begin + i / rate - time.monotonic()
        if rest > 0:
            time.sleep(rest)
        yield i


def measure(target, rate, seconds, results):
    clients = [target.connect() for _ in range(KEPT)]
    times, lost, opened_again = [], 0, 0
    for i in paced(rate, seconds):
        begin = time.perf_counter()
        for is_last in (False, True):
            try:
                clients[i % KEPT].sendall(REQUEST)
                if is_answered(clients[i % KEPT]):
                    break
            except (OSError, http.client.HTTPException):
                pass
            if is_last:
                lost += 1
            else:  # as Go's client does, if the server has closed the connection
                opened_again += 1
                clients[i % KEPT] = target.connect()
        times.append(time.perf_counter() - begin)
    results.put(("measured", times, lost, opened_again))


def leave(target, seconds, results):
    """Closes connections before their answers, at once or in good order."""
    for i in paced(LEAVING, seconds):
        try:
            client = target.connect()
            client.sendall(REQUEST[:random.randrange(len(REQUEST) + 1)] if i % 2 else REQUEST)
            if i % 3:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
        except OSError:
            pass
    results.put(("left",))


def in_rows(target, seconds, results):
    lost = 0
    for _ in paced(ROWS, seconds):
        answered = 0
        try:
            with target.connect() as client:
                client.sendall(REQUEST * IN_A_ROW)
                while answered < IN_A_ROW and is_answered(client):
                    answered += 1
        except (OSError, http.client.HTTPException):
            pass
        lost += IN_A_ROW - answered
    results.put(("rows", lost))


def stay_silent(target, seconds, most, results):
    """Half of them with the beginning of a handshake. Those that the server closes are opened again."""
    silent = []
    opened = 0
    for i in paced(OPENED, seconds):
        if len(silent) >= most:
            silent.pop(0).close()
        try:
            client = socket.create_connection(target.address, timeout=5)
            opened += 1
            if i % 2:
                client.sendall(b"\x16\x03\x01\x02\x00\x01\x00")
            silent.append(client)
        except OSError:
            pass
    results.put(("silent", opened, len(silent)))


def memory_of(pid):
    """The most that it had, in MiB."""
    return int(re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def run(arguments):
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    test = webhook_test.Webhook()
    with tempfile.TemporaryDirectory() as name:
        test.folder = pathlib.Path(name)
        test.make_certificate("load")
        (test.folder / "runtime.json").write_text(json.dumps(webhook_test.RUNTIME))
        webhook_test.BINARY = str(pathlib.Path(arguments.binary).resolve())
        test.start("--runtimes=runtime.json")
        target = Target(test.port, test.folder)
        results = multiprocessing.Queue()
        silent = min(arguments.connections, most - 100)
        jobs = [(measure, arguments.rate / WORKERS, arguments.seconds)] * WORKERS
        jobs += [(leave, arguments.seconds), (in_rows, arguments.seconds), (stay_silent, arguments.seconds, silent)]
        processes = [multiprocessing.Process(target=job[0], args=(target, *job[1:], results)) for job in jobs]
        for process in processes:
            process.start()
        told = [results.get(timeout=arguments.seconds * 3 + 120) for _ in processes]
        for process in processes:
            process.join()
        memory = memory_of(test.process.pid)
        status = test.process.poll()
        test.process.send_signal(signal.SIGTERM)
        test.process.wait(timeout=60)
    return report(told, memory, status, arguments.longest)


def report(told, memory, status, longest):
    by_kind = {kind: [result for result in told if result[0] == kind] for kind in ("measured", "rows", "silent")}
    times = sorted(time for result in by_kind["measured"] for time in result[1])
    lost = sum(result[2] for result in by_kind["measured"]) + by_kind["rows"][0][1]
    late = times[len(times) * 99 // 100]
    print(f"{len(times)} requests, p50 {times[len(times) // 2] * 1000:.2f} ms, p99 {late * 1000:.2f} ms, "
          f"longest {times[-1] * 1000:.1f} ms; {sum(result[3] for result in by_kind['measured'])} connections opened again; "
          f"{by_kind['silent'][0][1]} silent connections, {by_kind['silent'][0][2]} at the end; {lost} lost; {memory:.0f} MiB")
    problems = [f"{lost} lost"] if lost else []
    problems += [f"p99 {late * 1000:.2f} ms"] if late * 1000 > longest else []
    problems += [f"{memory:.0f} MiB"] if memory > MOST_MEMORY else []
    problems += [f"the webhook ended with {status}"] if status is not None else []
    print("\n".join(problems) or "good")
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--rate", type=float, default=1000)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--longest", type=float, default=5, help="milliseconds: 99 of 100 answers")
    sys.exit(run(parser.parse_args()))
