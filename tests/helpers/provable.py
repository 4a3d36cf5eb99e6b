"""An attack that finds by enumeration what is certain of a tiny series, and proves it by brute force."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from attacks.joint.measures import JointMeasures
from audit.adversary.build_evidence import build_evidence
from audit.findings.disclosure import Disclosures
from audit.io.series import open_series
from audit.model.evidence import Evidence
from audit.model.outcome import Outcome
from audit.runtime.budget import Budget
from tests.helpers.proving import Prover
from tests.helpers.running import written
from tests.helpers.tiny import TinySeries
from tests.oracle.worlds import worlds


@dataclass(frozen=True)
class Provable:
    """Stands in for `joint`; with `spoil` its findings claim other values than they prove."""

    series: TinySeries
    spoil: bool = False
    name: str = "joint"
    decides: frozenset[str] = frozenset({"max_risk"})
    per_attribute: bool = True

    def with_policy(self, limits: Mapping[str, float], /) -> "Provable":
        return self

    def run(self, evidence: Evidence, budget: Budget, /) -> Outcome:
        with written(self.series) as folder:  # an attack has no names: the same series gives the same codes
            people = build_evidence(open_series(folder), evidence.kind)[0].series.people
        number = {people.name(code): code for code in range(people.size)}
        codes = {value: code for code, value in enumerate(evidence.values)}
        prover = Prover(self.series, evidence.kind, number, codes)
        every = worlds(self.series, evidence.kind)
        certain = [
            (person, release, *shares)
            for (person, release), shares in sorted(every.weights.items())
            if len(shares) == 1 and not person.startswith("~")
        ]
        findings = [prover.claim(*version) for version in certain]
        if self.spoil:
            findings = [replace(finding, value=1 - min(finding.value, 1)) for finding in findings]
        columns = [(finding.individual, finding.release, finding.value) for finding in findings]
        person, release, value = np.array(columns, dtype=np.int32).reshape(-1, 3).T
        timeline = [0] * (len(evidence.tags) - 1) + [len(findings)]
        measures = JointMeasures(
            versions=len(every.weights), certain=len(findings), eliminated=0, open=0, timeline=timeline
        )
        claims = Disclosures(person, release, value, lambda places: [findings[place] for place in places.tolist()])
        return Outcome(self.name, "complete", None, measures, claims)
