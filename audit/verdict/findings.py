"""Findings: from claims as columns to the few that are shown, checked again and named."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from audit.core.evidence import Evidence
from audit.core.outcome import Claims, Finding
from audit.core.report import CertificateStep, NamedFinding
from audit.linking import LinkedSource
from audit.verdict.certificates import Checker
from audit.verdict.naming import Namer

Places = npt.NDArray[np.intp]


class Shelf:
    """The claims of one attack, ranked: release first, then id (a claim is a certainty, so all risks are alike)."""

    def __init__(self, attack: str, evidence: Evidence, claims: Claims, namer: Namer) -> None:
        self.attack = attack
        self.evidence = evidence
        self.claims = claims
        self.namer = namer

    def ids(self, places: Places) -> list[str]:
        """Return the ids of the claims at some places."""
        claims, tags, values = self.claims, self.evidence.tags, self.evidence.values
        rows = zip(
            claims.person[places].tolist(),
            claims.release[places].tolist(),
            claims.value[places].tolist(),
            strict=True,
        )
        return [self.namer.finding(self.attack, claims.kind, p, tags[r], values[v]) for p, r, v in rows]

    def worst(self, most: int | None, without: Places) -> Places:
        """Return the places of the first `most` claims in order, all of them when None, leaving some out."""
        kept = np.ones(len(self.claims), dtype=np.bool_)
        kept[without] = False
        left = np.flatnonzero(kept)
        release = self.claims.release[left]
        most = len(left) if most is None else min(most, len(left))
        if not most:
            return left[:0]
        # Only claims of releases up to that of the last one shown need an id.
        border = np.partition(release, most - 1)[most - 1]
        near = left[release <= border]
        ids = self.ids(near)
        order = sorted(range(len(near)), key=lambda i: (int(self.claims.release[near[i]]), ids[i]))
        return near[np.array(order[:most], dtype=np.intp)]

    def checked(self, places: Places) -> list[Finding]:
        """Return the findings at some places, each certificate checked again.

        Raises:
            BrokenCertificateError: one does not hold; this is a bug of the program.
        """
        findings = self.claims.build(places)
        if not isinstance(self.evidence.source, LinkedSource):
            raise TypeError("this evidence does not come from a series")
        checker = Checker(self.evidence.source)
        transitions = self.evidence.transitions
        allowed = None if transitions is None else set(transitions.exact)
        for finding in findings:
            checker.check(finding, allowed)
        return findings

    def named(self, places: Places, findings: Sequence[Finding]) -> tuple[NamedFinding, ...]:
        """Return findings as they are told."""
        tags, values = self.evidence.tags, self.evidence.values

        def texts(codes: tuple[int, ...]) -> tuple[str, ...]:
            return tuple(sorted(values[code] for code in codes))

        return tuple(
            NamedFinding(
                ident,
                finding.kind,
                self.namer.person(finding.person),
                tags[finding.release],
                values[finding.value],
                finding.risk,
                tuple(
                    CertificateStep(
                        tags[step.release],
                        step.groups,
                        texts(step.candidates),
                        None if step.feasible is None else texts(step.feasible),
                    )
                    for step in finding.certificate
                ),
            )
            for ident, finding in zip(self.ids(places), findings, strict=True)
        )
