# SPDX-License-Identifier: Apache-2.0

"""Known differences and their causes. Remove an entry when its difference is fixed."""

import re

# Category, what the difference says, cause.
KNOWN = (
    (
        "objects",
        r"managed by kueue\.x-k8s\.io/multikueue",
        "Trainer leaves TrainJobs to MultiKueue, whose worker cluster makes the JobSet",
    ),
    (
        "fields",
        r"^TrainJob/\S+ spec\.RuntimeRef ",
        "Trainer's webhook writes the name of the field runtimeRef with a capital letter",
    ),
    (
        "job fields",
        r" (spec\.\S+\.env)\[\d+\](\S*) .* \1\[\d+\]\2: ",
        "Trainer's plugins add their variables in a random order, before or after the user's",
    ),
    (
        "job fields",
        r" spec\.\S+\.template\.spec\.(shareProcessNamespace) .* \S+\.spec\.securityContext\.\1: ",
        "Kubernetes 1.37 names the field where it is written, earlier ones in the securityContext",
    ),
    (
        "jobs",
        r" accepted, suspended job/volume \S+\.image\.reference: [^;]*$",
        "a suspended Job has no pods yet, which are what is refused",
    ),
    (
        "jobs",
        r" accepted; not made: \S.* job/quota ",
        "a Job that waits for others counts in the quota, and its pods are refused later than a round takes",
    ),
    (
        "job fields",
        r"privileged: Forbidden: disallowed by cluster policy",
        "this API server allows no privileged containers, though a namespace is labelled for them",
    ),
    (
        "jobs",
        r"privileged: Forbidden: disallowed by cluster policy[^;]* accepted$",
        "this API server allows no privileged containers, though a namespace is labelled for them",
    ),
    (
        "fields",
        r" metadata\.ownerReferences\[\d+\](\S*) .* metadata\.ownerReferences\1: ",
        "Kubernetes 1.37 names an owner reference by its index, earlier ones by none",
    ),
)


def cause(difference):
    """Of a known difference, else nothing."""
    text = f"{difference.about} {difference.live} {difference.ours}"
    ours = ((pattern, why) for category, pattern, why in KNOWN if category == difference.category)
    return next((why for pattern, why in ours if re.search(pattern, text, re.S)), "")
