# SPDX-License-Identifier: Apache-2.0

"""The MPI implementations of the OME dialect: MPICH and Intel MPI, with mpi4py from the package index."""

from cluster import reports
from mpi_tests import expected, manifests, migrated
from support import SECONDS, TrainTest, venv, venv_image, with_env, with_hostfile, with_other_key

PROGRAMS = {"/workspace/train.py": "mpi_ranks.py", "/workspace/hydra.py": "hydra_ranks.py"}


class Hydra(TrainTest):
    """What both have in common: their launcher."""

    implementation = ""
    mpirun = ""
    library = ""
    refusal = "Permission denied (publickey"
    needs_venv = "small"

    def objects(self, program="train.py", **how):
        command = f"[{self.mpirun}, {venv('small', 'bin', 'python')}, {program}]"
        return self.render(manifests(self.implementation, command=command, **how))

    def check(self, hosts, **how):
        reports = self.run_job(self.objects(**how))
        self.assertEqual(reports, expected(hosts, how.get("processes", 2), self.library))

    def check_the_launcher_is_a_node(self):
        self.check(["sums-node-0-0", "sums-launcher-0-0"])

    def check_the_launcher_is_no_node(self):
        self.check(["sums-node-0-0", "sums-node-0-1", "sums-node-0-2"], as_node=False, nodes=3, processes=1)

    def check_wrong_slots_are_seen(self):
        right = self.objects()
        self.assertNotEqual(self.run_job(with_hostfile(right, ":2", ":1")), self.run_job(right))

    def check_a_wrong_address_fails(self):
        wrong = with_hostfile(self.objects(), "sums-node-0-0.", "sums-node-0-1.")
        self.assert_fails(wrong, saying="sums-node-0-1.sums")

    def check_a_migrated_job_runs_as_root(self):
        command = f"[{self.mpirun}, -n, '2', {venv('small', 'bin', 'python')}, train.py]"
        reports = self.run_job(migrated(self, command, implementation=self.implementation))
        self.assertEqual(reports, expected(["sums-node-0-0", "sums-node-0-1"], 1, self.library, user=0))

    def check_another_key_fails(self):
        self.assert_fails(with_other_key(self.objects(), self.objects()), saying=self.refusal)


class MPICH(Hydra):
    """MPICH 4.0.2 over UCX often hangs or fails in MPI_Finalize; see README.md. So a job that uses MPI is over when all
    its ranks have said what they saw; how a job ends is seen with a program that does not."""

    needs = ("mpirun.mpich", "sshd", "ssh")
    implementation = "MPICH"
    mpirun = "mpirun.mpich"
    library = "MPICH"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # mpi4py loads the library by the name that MPICH's own builds give it.
        links = {"/opt/mpich/libmpi.so.12": "/usr/lib/x86_64-linux-gnu/libmpich.so.12"}
        env = {"LD_LIBRARY_PATH": "/opt/mpich", "MPI4PY_MPIABI": "mpich"}
        cls.images = {"registry.example/mpi": venv_image("small", PROGRAMS, env=env, links=links)}

    def end_of(self, job_set, seconds=SECONDS):
        def ended():
            found = reports(job_set)
            return job_set.state in ("Completed", "Failed") or (found and len(found) == found[0]["world"])

        self.assertTrue(job_set.cluster.wait(ended, seconds), self.story(job_set))
        found = sorted(reports(job_set), key=lambda report: report["rank"])
        self.assertTrue(found, self.story(job_set))
        job_set.stop()
        return found

    def test_the_job_ends_with_its_processes(self):
        found = super().end_of(self.start(self.objects("hydra.py, '0'")))
        hosts = ["sums-node-0-0", "sums-node-0-0", "sums-launcher-0-0", "sums-launcher-0-0"]
        seen = [(report["rank"], report["world"], report["host"]) for report in found]
        self.assertEqual(seen, [(rank, 4, host) for rank, host in enumerate(hosts)])

    def test_the_job_fails_with_its_processes(self):
        job_set = self.start(self.objects("hydra.py, '3'"))
        job_set.cluster.wait(lambda: job_set.state in ("Completed", "Failed"), SECONDS)
        self.assertEqual((job_set.state, job_set.pods[-1].exit_code), ("Failed", 3), self.story(job_set))

    test_the_launcher_is_a_node = Hydra.check_the_launcher_is_a_node
    test_the_launcher_is_no_node = Hydra.check_the_launcher_is_no_node
    test_wrong_slots_are_seen = Hydra.check_wrong_slots_are_seen
    test_a_wrong_address_fails = Hydra.check_a_wrong_address_fails
    test_another_key_fails = Hydra.check_another_key_fails
    test_a_migrated_job_runs_as_root = Hydra.check_a_migrated_job_runs_as_root


class Intel(Hydra):
    needs = ("sshd", "ssh")
    implementation = "Intel"
    library = "Intel(R)"
    refusal = "Unable to run bstrap_proxy"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.mpirun = venv("small", "bin", "mpiexec.hydra")
        env = {
            "I_MPI_ROOT": venv("small"),
            "LD_LIBRARY_PATH": venv("small", "lib"),
            "MPI4PY_MPIABI": "mpich",
        }
        cls.images = {"registry.example/mpi": venv_image("small", PROGRAMS, env=env)}

    test_the_launcher_is_a_node = Hydra.check_the_launcher_is_a_node
    test_the_launcher_is_no_node = Hydra.check_the_launcher_is_no_node

    def test_wrong_slots_are_seen(self):
        right = self.objects()
        wrong = with_env(with_hostfile(right, ":2", ":1"), "I_MPI_PERHOST", "1")
        self.assertNotEqual(self.run_job(wrong), self.run_job(right))

    test_a_wrong_address_fails = Hydra.check_a_wrong_address_fails
    test_another_key_fails = Hydra.check_another_key_fails
    test_a_migrated_job_runs_as_root = Hydra.check_a_migrated_job_runs_as_root
