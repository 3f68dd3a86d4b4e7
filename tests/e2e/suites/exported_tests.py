# SPDX-License-Identifier: Apache-2.0

"""TrainJobs that were exported from a cluster, with the server's fields: what is applied of them stays."""

import os
import time

from support import RUNTIME, EndToEnd, job

MINUTE = 60  # the garbage collector deletes an object whose owner is gone within seconds


class Exported(EndToEnd):
    def setUp(self):
        super().setUp()
        runtime = f"{self.namespace}-plain"
        self.runtime = runtime
        self.write("runtime.yaml", RUNTIME.replace("{name: plain,", f"{{name: {runtime},"))
        self.kubectl("create", "-f", os.path.join(self.folder, "runtime.yaml"))

    def export(self, name):
        """The file of a TrainJob that Trainer has made a JobSet for."""
        self.write("job.yaml", job(name, runtime=self.runtime))
        self.create_when_known("job.yaml")
        self.kubectl("wait", "--for=create", f"jobset/{name}", "--timeout=60s")
        self.write("job.yaml", self.kubectl("get", "trainjob", name, "-o", "yaml"))

    def delete(self, name):
        """The TrainJob, and with it its JobSet."""
        self.kubectl("delete", "trainjob", name, "--wait=false")
        self.kubectl("wait", "--for=delete", f"jobset/{name}", "--timeout=120s")
        self.kubectl("wait", "--for=delete", f"trainjob/{name}", "--timeout=60s")

    def apply(self, *flags):
        status, manifest, err = self.run_program("render", "job.yaml", "runtime.yaml", *flags)
        self.assertEqual((0, ""), (status, err))
        self.kubectl("apply", "-f", "-", stdin=manifest)

    def test_diff_of_an_exported_job(self):
        self.export("demo")
        for flags in ((), ("--server-side",)):
            self.expect(self.diff(*flags), 0, "no difference in 1 job\n")

    def test_an_exported_job_stays(self):
        self.export("rendered")
        self.delete("rendered")
        self.apply()
        self.export("submitted")
        self.delete("submitted")
        self.expect(self.submit(), 0, "JobSet NS/submitted created\n1 job: 1 created\n")
        before = [self.live("jobset", name)["metadata"]["uid"] for name in ("rendered", "submitted")]
        self.export("owned")
        self.delete("owned")
        self.apply("--owner-references")
        self.kubectl("wait", "--for=delete", "jobset/owned", f"--timeout={MINUTE}s")
        time.sleep(MINUTE)
        for name, uid in zip(("rendered", "submitted"), before):
            metadata = self.live("jobset", name)["metadata"]
            self.assertEqual((uid, None, None), (metadata["uid"], metadata.get("ownerReferences"), metadata.get("deletionTimestamp")))

    def test_fixed_by_lint(self):
        self.export("demo")
        status, out, err = self.run_program("lint", "--fix", "job.yaml", "runtime.yaml")
        self.assertEqual(0, status, out + err)
        self.assertIn("1 fixed\n", err)
        for word in ("uid:", "resourceVersion:", "managedFields:", "status:", "creationTimestamp:", "generation:"):
            self.assertNotIn(word, self.read("job.yaml"))
        self.kubectl("apply", "--dry-run=server", "-f", os.path.join(self.folder, "job.yaml"))
