# SPDX-License-Identifier: Apache-2.0

"""The older forms of fields that the newest Trainer version has in another form."""

FRAMEWORKS = ("torch", "torch", "mpi", "plain", "jax", "xgboost", "flux")
OLDER_FRAMEWORKS = {"2.1": ("torch", "torch", "mpi", "plain")}
NOT_IN_OVERRIDES = ("terminationGracePeriodSeconds", "securityContext")


def frameworks(version):
    return OLDER_FRAMEWORKS.get(version, FRAMEWORKS)


def override(patch):
    """What Trainer 2.1 has for a patch of one replicatedJob."""
    [job] = patch["trainingRuntimeSpec"]["template"]["spec"]["replicatedJobs"]
    pods = job["template"]["spec"]["template"]
    spec = {name: value for name, value in pods["spec"].items() if name not in NOT_IN_OVERRIDES}
    if "containers" in spec:
        spec["containers"] = [{"name": one["name"], "env": one.get("env", [])} for one in spec["containers"]]
    metadata = {"metadata": pods["metadata"]} if "metadata" in pods else {}
    return {"targetJobs": [{"name": job["name"]}], **metadata, "spec": spec}


def for_version(spec, version):
    """The spec of a TrainJob, as that version takes it."""
    if version == "2.1" and "runtimePatches" in spec:
        spec["podTemplateOverrides"] = [override(patch) for patch in spec.pop("runtimePatches")]
    return spec
