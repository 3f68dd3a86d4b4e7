# SPDX-License-Identifier: Apache-2.0

"""Overlays that `kubectl apply -k` applies: Trainer makes of them what `render -k` prints."""

import json
import os
import pathlib
import subprocess
import sys
import time

from comparison.content import content, differences, key
from support import EndToEnd

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "integrations"))
from kustomize_test import FILES  # noqa: E402

ROOTS = ("base", "overlays/patched", "overlays/replaced", "overlays/again", "configured")


class Kustomize(EndToEnd):
    def setUp(self):
        super().setUp()
        fields = subprocess.run([self.program, "kustomize-config"], capture_output=True, text=True, check=True).stdout
        for name, text in {**FILES, "configured/fields.yaml": fields}.items():
            self.write(name, text)
        self.cluster.kubectl("create", "namespace", "team-a")  # the one that an overlay sets
        self.addCleanup(self.cluster.kubectl, "delete", "namespace", "team-a", "--wait=false")

    def test_apply(self):
        for root in ROOTS:
            with self.subTest(root):
                status, out, err = self.run_program("render", "--with-defaults", "-o", "json", "-k", root)
                self.assertEqual((0, ""), (status, err))
                [rendered] = json.loads(out)["items"]
                _, namespace, name = key(rendered)

                def kubectl(*words, check=True):
                    return self.cluster.kubectl("-n", namespace, *words, check=check)

                self.apply(kubectl, root)
                try:
                    kubectl("wait", "--for=create", f"jobset/{name}", "--timeout=60s")
                    live = self.cluster.get("jobset", name, namespace)
                    self.assertEqual([], list(differences(content(live), content(rendered))))
                    self.assertEqual("TrainJob", live["metadata"]["ownerReferences"][0]["kind"])
                finally:
                    kubectl("delete", "-k", os.path.join(self.folder, root), "--ignore-not-found")
                    kubectl("wait", "--for=delete", f"jobset/{name}", "--timeout=60s")

    def apply(self, kubectl, root):
        """Trainer's webhook reads a cache, which may not hold the runtime yet."""
        for _ in range(100):
            applied = kubectl("apply", "-k", os.path.join(self.folder, root), check=False)
            if "trainjob.trainer.kubeflow.org/" in applied:
                return
            time.sleep(0.2)
        self.fail(f"{root} is refused")
