#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parts of the end-to-end tests that need no cluster: reading answers and logs, comparing, generating."""

import json
import unittest

from cases import generator
from cases.case import Case
from comparison.content import content, differences
from controllers_test import ROUND_SIZE, rounds
from comparison.live_round import LiveJob
from comparison.round_trip import job_fields, replicated_job, waiting_jobs, with_live_uid, without_queue
from comparison.verdicts import fields_in, lasts, logged_errors, of_answer

DENIED = (
    'admission webhook "validator.trainjob.trainer.kubeflow.org" denied the request: '
    '[spec.trainer.env[0].name: Invalid value: "PET_NNODES": reserved, metadata.name: Required value]'
)


def job_set(**spec):
    jobs = [{"name": "node", "replicas": 2}, {"name": "launcher"}]
    return {"kind": "JobSet", "metadata": {"name": "demo"}, "spec": {"replicatedJobs": jobs, **spec}}


class Verdicts(unittest.TestCase):
    def test_fields(self):
        self.assertEqual(("metadata.name", "spec.trainer.env[0].name"), fields_in(DENIED))
        self.assertEqual(("spec.a[b/c].d",), fields_in("spec.a[b/c].d: Forbidden: no"))
        self.assertEqual(("spec.x",), fields_in('strict decoding error: unknown field "spec.x"'))
        self.assertEqual((), fields_in("the spec is: Invalid"))

    def test_answers(self):
        causes = [{"field": "spec.b"}, {"field": "spec.a"}, {"field": "<nil>"}]
        refused = of_answer(422, {"message": "no", "details": {"causes": causes}}, ["w"])
        self.assertEqual((False, ("spec.a", "spec.b"), "no", ("w",)), tuple(vars(refused).values()))
        self.assertEqual(("metadata.name", "spec.trainer.env[0].name"), of_answer(403, {"message": DENIED}, []).fields)
        self.assertTrue(of_answer(201, {}, []).allowed)

    def test_log(self):
        def line(error, level="error"):
            row = {"level": level, "namespace": "team", "name": "demo", "error": error}
            return json.dumps(row, separators=(",", ":")) + "\n"

        text = line("first\nsecond") + line("first") + line("the object has been modified") + line("x", "info")
        self.assertEqual({("team", "demo"): ["first", "second"]}, logged_errors(text))
        self.assertFalse(lasts('jobs.batch "demo" not found'))
        self.assertTrue(lasts('metadata.annotations[a/b]: Invalid value: "b": container not found'))


class Comparison(unittest.TestCase):
    def test_queued(self):
        ours = {"metadata": {"name": "a"}, "spec": {"suspend": False}}
        labels = {"kueue.x-k8s.io/queue-name": "q"}
        live = {"metadata": {"name": "a", "labels": labels}, "spec": {"suspend": True}}
        self.assertEqual(ours, without_queue(live, ours))
        by_runtime = {"metadata": {"name": "a", "labels": labels}, "spec": {"suspend": False}}
        self.assertEqual(live, without_queue(live, by_runtime))
        unlabelled = {**live, "metadata": {"name": "a", "labels": {"team": "red"}}}
        self.assertEqual(unlabelled, without_queue(unlabelled, ours))
        self.assertEqual((None, live), (without_queue(None, ours), without_queue(live, None)))

    def test_content(self):
        secret = {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "a", "uid": "1", "ownerReferences": [], "labels": None},
            "data": {"key": "hidden"},
            "status": {},
        }
        expected = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"key": "generated"}}
        expected["type"] = "Opaque"
        self.assertEqual(expected, content(secret))

    def test_differences(self):
        live = {"a": {"x/y": 1, "b": [1, 2]}, "c": True, "same": [{}]}
        ours = {"a": {"x/y": 2, "b": [1]}, "c": 1, "same": [{}]}
        self.assertEqual([("a.b", [1, 2], [1]), ("a[x/y]", 1, 2), ("c", True, 1)], list(differences(live, ours)))

    def test_order_of_variables(self):
        one, other = {"name": "A", "value": "1"}, {"name": "B"}
        self.assertEqual([], list(differences({"env": [one, other]}, {"env": [other, one]})))
        self.assertEqual(1, len(list(differences({"args": ["a", "b"]}, {"args": ["a", "c"]}))))
        self.assertEqual([("env", [one], None)], list(differences({"env": [one]}, {})))

    def test_jobs(self):
        live = LiveJob(objects=[job_set()], jobs=[{"metadata": {"name": f"demo-node-{index}"}} for index in (0, 1)])
        self.assertEqual({"demo-node-0", "demo-node-1", "demo-launcher-0"}, live.expected_jobs())
        self.assertFalse(live.has_settled())
        self.assertEqual(set(), waiting_jobs(live))
        live.objects[0]["spec"]["replicatedJobs"][1]["dependsOn"] = [{"name": "node", "status": "Complete"}]
        self.assertEqual({1}, waiting_jobs(live))
        self.assertEqual(1, replicated_job({"field": "spec.replicatedJobs[1].template"}))
        self.assertIsNone(replicated_job({"field": None}))
        text = 'Job.batch "demo-launcher-0" is invalid: spec.template.spec.containers[0].image: Required value'
        path = "spec.replicatedJobs[1].template.spec.template.spec.containers[0].image"
        self.assertEqual([path], list(job_fields(text, live)))

    def test_refused_by_the_controller(self):
        pod_group = ["PodGroup.scheduling.x-k8s.io \"demo\" is invalid: spec.minMember: Invalid value: 0"]
        for errors, objects, refused, complete in (
            ([], [], False, False),
            ([], [job_set()], False, True),
            (["no"], [], True, False),
            (["no"], [job_set()], False, True),
            (pod_group, [job_set()], True, False),
        ):
            live = LiveJob(objects=objects, trainer_errors=errors)
            self.assertEqual((refused, complete), (live.is_refused(), live.is_complete()))

    def test_uid_of_an_exported_job(self):
        live = LiveJob(objects=[{"kind": "JobSet", "metadata": {"ownerReferences": [{"uid": "live"}]}}])
        for metadata in ({"name": "a"}, {"name": "a", "uid": "old"}):
            expected = {**metadata, "uid": "live"} if "uid" in metadata else metadata
            self.assertEqual({"metadata": expected}, with_live_uid({"metadata": metadata}, live))


class Rounds(unittest.TestCase):
    def test_what_shares_a_name_is_in_another_round(self):
        def case(name, job):
            return Case(name, "", [{"kind": "TrainJob", "metadata": {"name": job}}])

        named = [case("1", "a"), case("2", "a"), case("3", "b"), case("4", "a")]
        self.assertEqual([["1", "3"], ["2"], ["4"]], [[one.name for one in batch] for batch in rounds(named)])
        many = [case(str(index), f"job-{index}") for index in range(ROUND_SIZE + 1)]
        self.assertEqual([ROUND_SIZE, 1], [len(batch) for batch in rounds(many)])


class Generated(unittest.TestCase):
    def test_the_same_for_a_seed(self):
        self.assertEqual(list(generator.cases(7, 40)), list(generator.cases(7, 40)))
        self.assertNotEqual(list(generator.cases(7, 3)), list(generator.cases(8, 3)))

    def test_a_case_depends_on_no_other(self):
        def texts(indexes):
            return {index: json.dumps(generator.case(7, index, 3, "2.3")) for index in indexes}

        self.assertEqual(texts(range(300)), texts(reversed(range(300))))

    def test_for_an_older_version(self):
        text = json.dumps(list(generator.cases(7, 60, "2.1")))
        self.assertIn("podTemplateOverrides", text)
        for name in ("runtimePatches", '"jax"', '"flux"', '"xgboost"'):
            self.assertNotIn(name, text)

    def test_as_many_as_asked_for(self):
        for count in (0, 1, 5, 100):
            items = [item for _, case in generator.cases(1, count) for item in case]
            self.assertEqual(count, sum(item["kind"] == "TrainJob" for item in items))


if __name__ == "__main__":
    unittest.main()
