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
)


def cause(difference):
    """Of a known difference, else nothing."""
    text = f"{difference.about} {difference.live} {difference.ours}"
    ours = ((pattern, why) for category, pattern, why in KNOWN if category == difference.category)
    return next((why for pattern, why in ours if re.search(pattern, text, re.S)), "")
