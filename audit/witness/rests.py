"""List the parts of a verdict that the claims of a witness do not prove, and that rest on the program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from audit.model.errors import printable
from audit.model.report import ClauseReport, Report
from audit.runtime.phrases import figure, say
from audit.witness.statement import unshown
from audit.witness.verify import Published

Kind = tuple[str, str | None]
"""The kind of a claim, and its sensitive attribute (None if it is about no attribute)."""


def needed_claims(series: Published, *, strangers: bool, people: bool) -> list[Kind]:
    """Return the claims that together show, for all that `max_risk` judges, whether a value is certain.

    Args:
        series: the series as the checkers read it.
        strangers: whether rows may belong to unknown people.
        people: whether any people are known.
    """
    kinds = ["values"] * people + ["homogeneity"] * (strangers or not people)
    kinds += ["alike"] * ("record" in series.columns)
    return [(kind, name) for kind in kinds for name in series.sensitive]


@dataclass(frozen=True)
class StatedClaims:
    """The claims about a series, compared with the policy.

    Attributes:
        series: the series as the checkers read it.
        claims: the claims, in the form of `statement.json`.
        needed: the claims that `max_risk` needs.
        report: the report of the audit.
    """

    series: Published
    claims: Sequence[dict[str, Any]]
    needed: Collection[Kind]
    report: Report

    def rests(self) -> Iterator[str]:
        """Yield the parts of the verdict that have no evidence, in words."""
        for claim in self.claims:
            open_ = claim["total"] - claim["certain"] - claim["two"] if "total" in claim else 0
            if open_:
                yield say(
                    "{open} of {total} people (or people in releases), whose {sensitive} is neither proved nor "
                    "different in two worlds",
                    open=figure(open_),
                    total=figure(claim["total"]),
                    sensitive=printable(claim["sensitive"]),
                )
        for clause in self.report.policy.clauses:
            shows = {"max_risk": self._max_risk, "closeness": self._closeness, "k": self._k, "min_e": self._min_e}
            shown = clause.clause in shows and shows[clause.clause](clause)
            if clause.state in ("holds", "violated", "undecided") and not shown:
                yield unshown(clause)

    @cached_property
    def _of(self) -> dict[Kind, dict[str, Any]]:
        return {(each["claim"], each["sensitive"]): each for each in self.claims}

    def _about(self, *kinds: str) -> list[dict[str, Any]]:
        return [each for each in self.claims if each["claim"] in kinds]

    @property
    def _excused(self) -> bool:
        """Whether waivers or harmless values may excuse what is known."""
        return "waiver" in self.series.manifest or "harmless" in self.series.columns

    def _max_risk(self, clause: ClauseReport) -> bool:
        people, classes = self._about("values", "categories"), self._about("homogeneity", "alike")
        if clause.limit < 1:
            return False
        if clause.state == "violated":
            known = [each["certain"] for each in people] or [each["of_one_value"] for each in classes]
            # A class of counterfeits alone discloses nothing.
            fakes = not people and "counterfeits" in self.series.manifest
            return any(known) and not self._excused and not fakes
        two = all(each["total"] == each["two"] for each in people)
        similar = not people and "similar" in self.series.columns
        mixed = not any(each["of_one_value"] for each in classes)
        return clause.state == "holds" and two and mixed and not similar and {*self.needed} <= {*self._of}

    def _closeness(self, clause: ClauseReport) -> bool:
        likely = any(each.clause == "max_risk" and each.limit < 1 for each in self.report.policy.clauses)
        numbers, values = self._about("close", "near"), self._about("values")
        if clause.state == "violated":  # by a person whose exact number is not certain
            nearly = any(each["certain"] > self._of["values", each["sensitive"]]["certain"] for each in numbers)
            return nearly and not self._excused
        shown = [each["sensitive"] for each in numbers if each["total"] == each["two"]]
        return clause.state == "holds" and not likely and shown == [each["sensitive"] for each in values] != []

    def _k(self, clause: ClauseReport) -> bool:
        records = [each["fewest"] for each in self._about("records")]
        [found] = self._about("k") or [{"rows": 0, "people": 0}]
        if clause.state == "holds":  # a class of counterfeits alone has no people to find
            linked = bool(records) or "record" not in self.series.columns
            return linked and min([max(found["rows"], found["people"]), *records]) >= clause.limit
        small = [min(found["rows"], found["people"])] if ("k", None) in self._of else []
        return clause.state == "violated" and min([*small, *records], default=clause.limit) < clause.limit

    def _min_e(self, clause: ClauseReport) -> bool:
        if clause.state == "holds":
            unlike = {("different", name) for _, name in self.needed} <= {*self._of}
            cuts = [each["at_least"] for each in self._about("min_e")]
            return (unlike and clause.limit <= 2) or max(cuts, default=0) >= clause.limit
        sides = [each["people"] for each in self._about("equivalent")] + [1] * len(self._about("same"))
        return clause.state == "violated" and not self._excused and min(sides, default=clause.limit) < clause.limit
