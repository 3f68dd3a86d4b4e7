#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""plugin/comment.py keeps one comment: the calls that it makes of GitHub's and GitLab's API are recorded by a server with their
paths, which keeps the comments."""
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "plugin/comment.py"
HOSTS = {
    "GitHub": {
        "variables": {"GITHUB_TOKEN": "t0ken", "GITHUB_REPOSITORY": "team/jobs", "GITHUB_REF": "refs/pull/7/merge"},
        "url": "GITHUB_API_URL",
        "token": ("Authorization", "Bearer t0ken"),
        "list": "/repos/team/jobs/issues/7/comments",
        "one": "/repos/team/jobs/issues/comments/{}",
        "update": "PATCH",
        "order": "",
    },
    "GitLab": {
        "variables": {"GITLAB_CI": "true", "GITLAB_TOKEN": "t0ken", "CI_PROJECT_ID": "team/jobs", "CI_MERGE_REQUEST_IID": "7"},
        "url": "CI_API_V4_URL",
        "token": ("PRIVATE-TOKEN", "t0ken"),
        "list": "/projects/team%2Fjobs/merge_requests/7/notes",
        "one": "/projects/team%2Fjobs/merge_requests/7/notes/{}",
        "update": "PUT",
        "order": "sort=asc&",
    },
}
problems = []


class Api(http.server.BaseHTTPRequestHandler):
    host, comments, calls, locked = {}, [], [], set()

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do(self):
        path, _, query = self.path.partition("?")
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        Api.calls.append(f"{self.command} {self.path}")
        name, value = self.host["token"]
        if self.headers[name] != value:
            return self.answer(401, {})
        if self.command == "GET" and path == self.host["list"]:
            page = int(re.search(r"\bpage=(\d+)", query)[1])
            return self.answer(200, Api.comments[100 * (page - 1):100 * page])
        if self.command == "POST" and path == self.host["list"]:
            Api.comments.append({"id": len(Api.comments) + 1, "body": body["body"]})
            return self.answer(201, Api.comments[-1])
        for one in Api.comments:
            if self.command == self.host["update"] and path == self.host["one"].format(one["id"]):
                if one["id"] in Api.locked:
                    return self.answer(403, {})
                one["body"] = body["body"]
                return self.answer(200, one)
        return self.answer(404, {})

    do_GET = do_POST = do_PUT = do_PATCH = do

    def log_message(self, *_):
        pass


def check(got, wanted, what):
    if got != wanted:
        problems.append(f"{what}: {got!r}, wanted {wanted!r}")


def try_host(name, host):
    Api.host, Api.comments, Api.locked = host, [{"id": i + 1, "body": "looks good"} for i in range(100)], set()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = {"PATH": os.environ["PATH"], **host["variables"], host["url"]: f"http://127.0.0.1:{server.server_port}"}

    def comment(text, *words):
        Api.calls.clear()
        done = subprocess.run([sys.executable, SCRIPT, *words], input=text, env=base, capture_output=True, text=True)
        return done.stdout + done.stderr

    pages = [f"GET {host['list']}?{host['order']}per_page=100&page={page}" for page in (1, 2)]
    check(comment(""), "comment.py: nothing\n", f"{name}: nothing to say")
    check(comment("### 1 of 2 jobs changes\n"), "comment.py: created\n", f"{name}: the first")
    check(Api.calls, pages + [f"POST {host['list']}"], f"{name}: the first")
    check(comment("### 1 of 2 jobs changes\n"), "comment.py: unchanged\n", f"{name}: the same")
    check(Api.calls, pages, f"{name}: the same")
    check(comment("### 2 of 2 jobs change\n"), "comment.py: updated\n", f"{name}: another")
    check(Api.calls, pages + [f"{host['update']} {host['one'].format(101)}"], f"{name}: another")
    check([one["body"] for one in Api.comments[100:]], ["<!-- trainjobc: diff -->\n### 2 of 2 jobs change\n"], f"{name}: one comment")
    check(comment("### findings\n", "--id", "lint"), "comment.py: created\n", f"{name}: another name")
    Api.locked = {101}
    check(comment("### no difference\n"), "comment.py: created\n", f"{name}: somebody else's")
    check(comment("### 3 of 3 jobs change\n"), "comment.py: updated\n", f"{name}: the own one, after somebody else's")
    base.pop(next(key for key in base if key.endswith("_TOKEN")))
    check(comment("a")[:34], "comment.py: the variable " + ("GITHUB_TO" if name == "GitHub" else "GITLAB_TO"), f"{name}: no token")
    server.shutdown()


for name, host in HOSTS.items():
    try_host(name, host)
print("\n".join(problems))
print(f"{len(HOSTS)} hosts, {len(problems)} problems")
sys.exit(1 if problems else 0)
