# SPDX-License-Identifier: Apache-2.0
"""What must be true of a repository, whatever is in it. Each check returns a list of Failure."""
import collections
import copy
import dataclasses
import json
import random
import re

import commands
import yaml

REFUSED = ("yaml", "input", "jobset")  # stages of what the cluster would refuse to store
STATUSES = (0, 1, 2)
LEAK = re.compile(r"(?<!\$)(?:\$\$)*\$\{?ATTACK_LEAK")
DRIVE = re.compile(r"^[A-Za-z]:[/\\]")
FEW, MANY, MOST = 8, 8, 2.5  # jobs, of which many times as many may take this much more than as many times
RUNTIMES = ("ClusterTrainingRuntime", "TrainingRuntime")


@dataclasses.dataclass
class Failure:
    check: str     # "crash", "status", "format", "secret", "agreement", "fix", …
    command: str
    text: str      # what is wrong

    @property
    def key(self):
        return self.check, self.command

    @property
    def kind(self):
        """What probably has one cause."""
        return self.check, self.command.split(" ")[0]


def text_of_command(words):
    return "trainjobc " + " ".join(words)


class Runner:
    """Runs commands over one repository, and holds what is true of each of them."""

    def __init__(self, driver, repository):
        self.driver = driver
        self.repository = repository
        self.files = repository.files
        self.failures = []

    def version_words(self, words):
        takes = words[0] not in ("(the library)", "migrate", "function", "runtimes", "new", "lsp", "webhook") and "--from-version" not in words
        return [words[0], "--trainer-version", self.repository.version, *words[1:]] if takes and self.repository.version != "auto" else words

    def run_of(self, command, rng):
        if "methods" in command.more:
            return {**command.more, "path": self.path(), "positions": self.positions(rng),
                    "parameters": {"context": {}, "newName": rng.choice(("b", "", "x y")), "rule": "advice/image-tag", "namespace": rng.choice(("", "team")),
                                   "name": "j", "uri": "trainjobc-runtime://catalogue/v2.3/torch-distributed.yaml", "command": "trainjobc.showJobSet",
                                   "arguments": ["file:///repo/" + self.path(), "", "j"], "options": {"tabSize": 2, "insertSpaces": True}, "ch": "\n"}}
        if "review" in command.more:
            return {"review": self.review(rng)}
        if "library" in command.more:
            return dict(command.more)
        run = {"arguments": self.version_words(command.words), "programs": {**self.repository.programs, **command.programs}}
        if command.stdin == "resource-list":
            run["stdin"] = json.dumps({"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": self.repository.items["in.yaml"]})
        elif command.stdin:
            run["stdin"] = self.files[command.stdin]
        return run

    def path(self):
        return next(iter(self.repository.items))

    def positions(self, rng):
        lines = self.files[self.path()].split("\n")
        places = [(number, match.start()) for number, line in enumerate(lines) for match in re.finditer(r"\S+", line)]
        return [list(place) for place in rng.sample(places, min(4, len(places)))] + [[len(lines), 0]]

    def review(self, rng):
        item = rng.choice(self.repository.items["in.yaml"])
        return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u", "operation": "CREATE", "kind": {"group": "trainer.kubeflow.org", "version": "v1alpha1", "kind": item.get("kind")},
            "namespace": "team", "object": item}})

    def fail(self, check, command, text):
        self.failures.append(Failure(check, command, text))

    def run(self, runs, names):
        """The answers that came."""
        answers = self.driver.run(self.files, runs)
        if answers and "crash" in answers[-1]:
            self.fail("crash", names[len(answers) - 1], answers[-1]["crash"])
            answers.pop()
        for name, answer in zip(names, answers):
            self.check_status(name, answer)
        return answers

    def check_status(self, name, answer):
        if answer["status"] not in STATUSES:
            self.fail("status", name, f"ended with {answer['status']}")
        if "internal error" in answer["err"]:
            self.fail("internal error", name, answer["err"])
        if answer["status"] == 2 and not answer["err"] and not answer["out"]:
            self.fail("reason", name, f"ended with {answer['status']} and said nothing")
        if answer.get("unanswered"):
            self.fail("answer", name, f"no answer to {answer['unanswered']}")

    # ----- single commands -----

    def check_commands(self, chosen, rng):
        runs = [self.run_of(command, rng) for command in chosen]
        names = [command.name for command in chosen]
        for command, answer in zip(chosen, self.run(runs, names)):
            self.check_output(command, answer)

    def check_output(self, command, answer):
        if "review" in command.more:
            if answer["out"]:
                self.fail("webhook", command.name, answer["out"])
            return
        if answer["status"] not in command.silent:
            try:
                command.read(answer["out"])
            except Exception as error:  # of any parser
                self.fail("format", command.name, f"{type(error).__name__}: {error}\n{answer['out'][:2000]}")
        elif command.read is not commands.nothing and answer["status"] == 1 and answer["out"] and command.words[0] == "render":
            self.fail("output of a rejected input", command.name, answer["out"][:500])
        shown = answer["err"] if command.hides == "err" else answer["out"] + answer["err"] if command.hides == "all" else ""
        for secret in self.repository.secrets:
            if secret in shown:
                at = shown.index(secret)
                self.fail("secret", command.name, f"shows {secret}: …{shown[max(0, at - 200):at + 80]}…")
        if command.words[0] == "compose" and answer["status"] == 0:
            self.check_compose(command.name, answer["out"])

    def check_compose(self, name, text):
        if LEAK.search(text):
            self.fail("compose", name, f"a variable of the shell gets into the file: {LEAK.search(text)[0]}")
        for made in commands.documents(text):
            declared = set(made.get("volumes") or {})
            for service in (made.get("services") or {}).values():
                for volume in service.get("volumes") or []:
                    if isinstance(volume, str) and DRIVE.match(volume):
                        self.fail("compose", name, f"the volume is read as a drive: {volume}")
                    elif isinstance(volume, str) and volume[0] not in "./~$" and volume.split(":")[0] not in declared:
                        self.fail("compose", name, f"the volume is not declared: {volume}")

    # ----- several commands together -----

    def lint_words(self):
        return self.version_words(["lint", "--no-config", "-o", "json", "in.yaml"])

    def render_words(self):
        return self.version_words(["render", "--no-config", "--ssh-key", "omit", "-o", "name", "in.yaml"])

    def check_agreement(self):
        """render refuses exactly what lint calls an error of what the cluster would not store."""
        answers = self.run([{"arguments": self.lint_words()}, {"arguments": self.render_words()}], ["lint -o json", "render -o name"])
        if len(answers) < 2 or 2 in (answers[0]["status"], answers[1]["status"]):
            if len(answers) == 2 and answers[0]["status"] != answers[1]["status"] and 2 in (answers[1]["status"], answers[0]["status"]):
                if not any(item.get("kind") not in ("TrainJob", *RUNTIMES) for item in self.objects()):
                    self.fail("agreement", "lint and render", f"lint ends with {answers[0]['status']}, render with {answers[1]['status']}: {answers[1]['err']}{answers[0]['err']}")
            return answers
        found = json.loads(answers[0]["out"])["diagnostics"]
        errors = [each for each in found if each["severity"] == "error" and each["stage"] in REFUSED]
        if errors and all(self.is_unused(each) for each in errors):
            return answers
        if bool(errors) != (answers[1]["status"] == 1):
            what = f"lint: {[(each['rule'], each['message']) for each in errors]}, render ends with {answers[1]['status']}\n{answers[1]['err'][:1500]}"
            self.fail("agreement", "lint and render", what)
        if (answers[0]["status"] == 1) != any(each["severity"] == "error" for each in found):
            self.fail("status", "lint -o json", f"ended with {answers[0]['status']}: {found}")
        return answers

    def objects(self):
        return [item for item in self.repository.items["in.yaml"] if isinstance(item, dict)]

    def is_unused(self, diagnostic):
        """Of a runtime that no job names: lint tries it with a job of its own."""
        kind, _, name = (diagnostic.get("object") or "//").split("/", 2)
        if kind not in RUNTIMES:
            return False
        named = [item.get("spec", {}).get("runtimeRef", {}).get("name") for item in self.objects()
                 if item.get("kind") == "TrainJob" and isinstance(item.get("spec"), dict) and isinstance(item["spec"].get("runtimeRef"), dict)]
        return name not in named

    def check_fixes(self, before, words):
        """After a fix the text parses and renders as before, has no new error, and there is nothing left to fix."""
        fix = {"arguments": self.version_words(["lint", "--no-config", words, "in.yaml"])}
        runs = [fix, {"arguments": self.lint_words(), "keep": True}, {"arguments": self.render_words(), "keep": True}, {**fix, "keep": True}]
        name = f"lint {words}"
        answers = self.run(runs, [name, f"lint after {words}", f"render after {words}", f"{name}, again"])
        if len(answers) < 4 or "in.yaml" not in answers[0]["changed"]:
            return
        text = answers[0]["changed"]["in.yaml"]
        if self.reads(self.files["in.yaml"]) and not self.reads(text):
            return self.fail("fix", name, f"breaks the text:\n{text}")
        if before[1]["status"] == 0 and answers[2]["status"] != 0:
            self.fail("fix", name, f"what it wrote is not rendered: {answers[2]['err'][:1000]}\n{text}")
        old, new = self.errors_of(before[0]), self.errors_of(answers[1])
        if any(rule.startswith("jobset/") for rule in old):  # there were no Jobs to look at
            new = collections.Counter({rule: count for rule, count in new.items() if not rule.startswith("job/")})
        if before[1]["status"] == 0 and new - old:
            self.fail("fix", name, f"new errors: {dict(new - old)}\n{text}")
        if answers[3]["changed"]:
            self.fail("fix", name, f"changes again what it wrote:\n{text}\n----- again\n{answers[3]['changed'].get('in.yaml')}")

    def check_migrate(self):
        words = {"arguments": ["migrate", "--no-config", "--to", "2.3", "--write", "in.yaml"]}
        answers = self.run([words, {**words, "keep": True}], ["migrate --write", "migrate --write, again"])
        if len(answers) < 2 or "in.yaml" not in answers[0]["changed"]:
            return
        text = answers[0]["changed"]["in.yaml"]
        if self.reads(self.files["in.yaml"]) and not self.reads(text):
            return self.fail("migrate", "migrate --write", f"breaks the text:\n{text}")
        if answers[1]["changed"]:
            self.fail("migrate", "migrate --write", f"changes again what it wrote:\n{text}\n----- again\n{answers[1]['changed'].get('in.yaml')}")

    @staticmethod
    def reads(text):
        try:
            commands.documents(text)
            return True
        except yaml.YAMLError:
            return False

    @staticmethod
    def errors_of(answer):
        if answer["status"] == 2:
            return collections.Counter()
        return collections.Counter(each["rule"] for each in json.loads(answer["out"])["diagnostics"] if each["severity"] == "error")

    def check_sameness(self):
        """The order of documents and the number of threads change nothing; nothing differs from itself; masked or explained is the same objects."""
        render = ["render", "--no-config", "--ssh-key", "omit", "in.yaml"]
        explain = ["explain", "--no-config", "in.yaml"]
        runs = [{"arguments": self.version_words(words)} for words in (
            render, [*render, "--threads", "3"], ["render", "--no-config", "--mask-secrets", "in.yaml"], explain, ["diff", "--no-config", "--from", "in.yaml", "in.yaml"])]
        names = ["render", "render --threads 3", "render --mask-secrets", "explain", "diff --from"]
        answers = self.run(runs, names)
        if len(answers) < len(runs):
            return
        if answers[0]["out"] != answers[1]["out"] or answers[0]["err"] != answers[1]["err"]:
            self.fail("sameness", "render --threads 3", "prints something else than with one thread per processor")
        if answers[0]["status"] == 0 and answers[0]["out"]:
            if answers[3]["status"] != 0 or not self.reads(answers[3]["out"]):
                return self.fail("sameness", "explain", f"ended with {answers[3]['status']}: {answers[3]['err'][:500]}")
            if answers[4]["status"] != 0:
                self.fail("sameness", "diff --from", f"a file differs from itself: {answers[4]['out'][:1000]}{answers[4]['err'][:500]}")
            masked, explained = commands.documents(answers[2]["out"]), commands.documents(answers[3]["out"])
            if masked != explained:
                self.fail("sameness", "explain", f"explains other objects than render prints:\n{answers[2]['out'][:3000]}\n-----\n{answers[3]['out'][:3000]}")

    def check_growth(self, rng):
        """Of many times the jobs, a command takes about as many times the memory and time."""
        words = rng.choice((["lint", "--no-config", "in.yaml"], ["lint", "--no-config", "--fix=all", "--diff", "in.yaml"], ["explain", "--no-config", "in.yaml"],
                            ["render", "--no-config", "--ssh-key", "omit", "in.yaml"], ["plan", "--no-config", "in.yaml"], ["graph", "--no-config", "in.yaml"],
                            ["migrate", "--no-config", "in.yaml"], ["diff", "--no-config", "--from", "in.yaml", "in.yaml"]))
        renames = rng.random() < 0.7
        name = " ".join(words[:1]) + f" of {MANY} times the jobs"
        for _ in range(3):  # others use the machine, too
            costs = []
            for count in (FEW, FEW * MANY):
                files = {**self.files, "in.yaml": self.repeated(count, renames)}
                answers = self.driver.run(files, [{"arguments": words}] * 2)
                if "crash" in answers[-1]:
                    return self.fail("crash", name, answers[-1]["crash"])
                costs.append([min(each[cost] for each in answers) for cost in ("microseconds", "kilobytes")])
            (time, memory), (more_time, more_memory) = costs
            if more_time <= MOST * MANY * time + 50_000 and more_memory <= MOST * MANY * memory:
                return None
        return self.fail("growth", name, f"{FEW} times: {time} µs, {memory} kB; {FEW * MANY} times: {more_time} µs, {more_memory} kB")

    def repeated(self, count, renames):
        others = [item for item in self.objects() if item.get("kind") != "TrainJob"]
        jobs = [item for item in self.objects() if item.get("kind") == "TrainJob"]
        made = []
        for number in range(count):
            for job in copy.deepcopy(jobs):
                if renames and isinstance(job.get("metadata"), dict):
                    job["metadata"]["name"] = f"j-{number}"
                made.append(json.dumps(job) + "\n")
        return "---\n".join([json.dumps(item) + "\n" for item in others] + made)


def check_repository(driver, repository, seed, only=None, most=6):
    """All failures. The same commands each time for one seed; with `only`, just what finds that failure."""
    rng = random.Random(f"commands {seed}")
    runner = Runner(driver, repository)
    chosen = commands.of_kind(repository.kind)
    chosen = rng.sample(chosen, min(most, len(chosen)))
    if LEAK.search(runner.files.get("in.yaml", "")) and repository.kind in commands.ONE:
        chosen.append(commands.COMPOSE)  # which is what may fill it in
    single = [command for command in chosen if only and command.name == only.command]
    if not only or single:
        runner.check_commands(single[:1] or chosen, random.Random(f"positions {seed}"))
    if repository.kind in commands.ONE and not single:
        what = rng.choice(("fix", "fix=all", "fix=all", "fix=all", "migrate", "same", "same", "agree", "growth")) if repository.kind != "v1" else "migrate"
        before = runner.check_agreement()
        if what.startswith("fix") and len(before) == 2:
            runner.check_fixes(before, f"--{what}")
        elif what == "migrate":
            runner.check_migrate()
        elif what == "growth" and rng.random() < 0.1:
            runner.check_growth(rng)
        elif what == "same":
            runner.check_sameness()
    return runner.failures
