#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps one comment on a pull or merge request up to date: the Markdown on standard input replaces what it said before.

usage: trainjobc diff --base origin/main --format markdown | comment.py [--id NAME]

In GitHub Actions it needs GITHUB_TOKEN (permission pull-requests: write), in GitLab CI GITLAB_TOKEN (scope api); the rest is in
the variables that they set. --number names another pull request than that of the run. --id tells several comments apart. Nothing
on standard input leaves no new comment.
"""
import argparse
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request


class Host:
    """A service's API. Subclasses say where comments are."""

    order = ""  # asks for the oldest first

    def __init__(self, base, headers):
        self.base = base.rstrip("/")
        self.headers = headers

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {**self.headers, "Content-Type": "application/json", "Accept": "application/json"}
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def find(self, marker):
        """The last comment that begins with the marker: earlier ones may be somebody else's."""
        page, found = 1, None
        while True:
            comments = self.call("GET", f"{self.comments}?{self.order}per_page=100&page={page}")
            for one in comments:
                if one["body"].startswith(marker):
                    found = one
            if len(comments) < 100:
                return found
            page += 1

    def write(self, marker, text):
        """What was done: created, updated, unchanged or nothing."""
        known = self.find(marker)
        body = f"{marker}\n{text}"
        if known is None:
            if not text.strip():
                return "nothing"
            self.call("POST", self.comments, {"body": body})
            return "created"
        if known["body"].replace("\r\n", "\n").strip() == body.strip():
            return "unchanged"
        try:
            self.call(self.update, self.path_of(known), {"body": body})
        except urllib.error.HTTPError as error:
            if error.code not in (403, 404):
                raise
            self.call("POST", self.comments, {"body": body})  # the comment is somebody else's
            return "created"
        return "updated"


class GitHub(Host):
    update = "PATCH"

    def __init__(self, number):
        super().__init__(os.environ.get("GITHUB_API_URL", "https://api.github.com"),
                         {"Authorization": f"Bearer {needed('GITHUB_TOKEN')}", "X-GitHub-Api-Version": "2022-11-28"})
        self.repository = f"/repos/{needed('GITHUB_REPOSITORY')}"
        ref = re.fullmatch(r"refs/pull/(\d+)/.*", os.environ.get("GITHUB_REF", ""))
        number = number or (ref[1] if ref else sys.exit("comment.py: this is no run of a pull request: --number names one"))
        self.comments = f"{self.repository}/issues/{number}/comments"

    def path_of(self, comment):
        return f"{self.repository}/issues/comments/{comment['id']}"


class GitLab(Host):
    update = "PUT"
    order = "sort=asc&"

    def __init__(self, number):
        super().__init__(needed("CI_API_V4_URL"), {"PRIVATE-TOKEN": needed("GITLAB_TOKEN")})
        project = urllib.parse.quote(needed("CI_PROJECT_ID"), safe="")
        self.comments = f"/projects/{project}/merge_requests/{number or needed('CI_MERGE_REQUEST_IID')}/notes"

    def path_of(self, comment):
        return f"{self.comments}/{comment['id']}"


def needed(name):
    return os.environ.get(name) or sys.exit(f"comment.py: the variable {name} is not set")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--id", default="diff")
    parser.add_argument("--number", type=int)
    flags = parser.parse_args()
    host = GitLab(flags.number) if os.environ.get("GITLAB_CI") else GitHub(flags.number)
    try:
        print("comment.py: " + host.write(f"<!-- trainjobc: {flags.id} -->", sys.stdin.read()))
    except urllib.error.URLError as error:
        sys.exit(f"comment.py: {host.base}: {error}")


main()
