# SPDX-License-Identifier: Apache-2.0
"""What the functions raise."""

from __future__ import annotations

from ._results import Finding


class TrainjobcError(Exception):
    """Of all exceptions of trainjobc's own."""


class InvalidRequest(TrainjobcError, ValueError):
    """A request that can't be carried out, whatever the objects are: no such Trainer version, no such JSONPath."""


class Rejected(TrainjobcError):
    """Objects that the cluster would refuse. The message has all findings, as the command prints them."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__("\n" + "".join(finding.text for finding in findings))
        self.findings = findings
        """All findings, those that are no refusal too."""

    def _repr_html_(self) -> str:
        from . import _html

        return _html.findings(self.findings)
