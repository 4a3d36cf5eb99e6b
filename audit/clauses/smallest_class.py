"""The clause `k`: no class of equal rows may be smaller, in a single release or over all of them together.

If the clause is stated, the people of a class are counted, because counterfeits hide no one. By default rows are
counted: a method that protects values promises no k, and publishes counterfeits to protect people's values.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from audit.clauses.clause import JudgedAudit, NumberClause
from audit.model.report import Violation
from audit.runtime.phrases import Phrase, printable, say, say_count


class SmallestClass(NumberClause):
    """Decided by each release alone and, if record ids link the releases, by the inference table."""

    name: ClassVar[str] = "k"
    fails: ClassVar[str] = "A class is smaller than the policy's k."
    remedy: ClassVar[str] = "Publish larger groups."
    meaning: ClassVar[Phrase] = Phrase(
        "smallest allowed number of rows or records that look alike; of people if the policy states k"
    )

    breach: ClassVar[Phrase] = Phrase(
        "at least {limit} records must have each description that all releases together give; one has {number} (k, "
        "found by {attack})"
    )
    timed: ClassVar[bool] = True
    on_values: ClassVar[bool] = False

    def broken(self, violation: Violation) -> str:
        """Return how few look alike, to an attack or in a release alone."""
        if violation.attack is not None:
            return super().broken(violation)
        about = {"limit": violation.limit, "release": printable(violation.release or ""), "number": violation.value}
        if violation.kind == "people":
            return say(
                "at least {limit} people must look alike, without counterfeits and each counted once; the smallest "
                "class of release {release} alone has {number} (k, which the policy states)",
                **about,
            )
        if violation.value == 1:
            return say("at least {limit} rows must look alike; in release {release} alone some are unique (k)", **about)
        return say("at least {limit} rows must look alike; in release {release} alone {number} do (k)", **about)

    def judges(self, findings: JudgedAudit) -> bool:
        """Return whether there are releases, or records, to judge."""
        return bool(findings.releases) or findings.accepted or super().judges(findings)

    def violations(self, findings: JudgedAudit, limit: float) -> Iterator[Violation]:
        """Yield the smallest class of a release, and the smallest class of any record, if they are too small."""
        # By default, a class that is too small only because of counterfeits is reported, not violated.
        by_people = self.name in findings.stated
        few = [(each, each.k_people) for each in findings.releases if each.k_people is not None]
        sizes = [(people if by_people else each.k, -each.k, each.release) for each, people in few if people < limit]
        if sizes and min(sizes)[0] < limit:
            smallest, rows, release = min(sizes, key=lambda size: size[:2])
            of_people: Literal["people"] | None = "people" if smallest < -rows else None
            yield Violation(None, self.name, limit, smallest, release=release, kind=of_people)
        for entry in findings.ran:
            claims = entry.claims
            fewest = None if claims is None else claims.smallest_class(entry.waived)
            if fewest is not None and fewest < limit:
                yield Violation(entry.outcome.attack, self.name, limit, fewest, entry.sensitive)

    def qualified(self, findings: JudgedAudit, limit: float) -> str | None:
        """Return that a default k counts rows, if the people of some class are fewer."""
        few = [(each.k_people, each.release) for each in findings.releases if each.k_people is not None]
        people, release = min(few, default=(0, ""))
        if self.name in findings.stated or not 0 < people < limit:
            return None
        return say_count(
            "rows are counted, because the policy does not state k; without counterfeits, and with each person counted "
            "once, the smallest class of release {release} has {count} [person|people]",
            people,
            release=printable(release),
        )

    def doubts(self, findings: JudgedAudit, limit: float) -> Iterator[str]:
        """Yield why classes of records may be smaller than found."""
        alone = findings.releases or findings.accepted
        if findings.releases and all(each.k_people is None for each in findings.releases):
            yield str(self.no_one)
        if alone and findings.linked_records and findings.narrowed and not self._deciding(findings):
            yield say("record ids link the releases, and the attack that analyses them together was not requested")
        violating = {each.attack for each in self.violations(findings, limit)}
        for entry in self._deciding(findings):
            if entry.outcome.attack not in violating:
                complete = entry.outcome.status == "complete"
                yield from self._doubts_of(entry, decided=complete, unless=say("classes may be smaller"))
