"""List the parts of a verdict that the claims of a witness do not prove, and that rest on the program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from audit.model.errors import printable
from audit.model.report import ClauseReport, Report
from audit.runtime.phrases import figure, say
from audit.witness.statement import unshown
from audit.witness.verify import Published


@dataclass(frozen=True)
class StatedClaims:
    """The claims about a series, compared with the policy.

    Attributes:
        series: the series as the checkers read it.
        claims: the claims, in the form of `statement.json`.
        needed: the claims about values, categories and numbers that together show, for all that is judged, whether it
            is certain; their numbers are not read.
        report: the report of the audit.
    """

    series: Published
    claims: Sequence[dict[str, Any]]
    needed: Sequence[dict[str, Any]]
    report: Report

    def rests(self) -> Iterator[str]:
        """Yield the parts of the verdict that have no evidence, in words."""
        for claim in self.claims:
            open_ = claim["total"] - claim["certain"] - claim["two"] if claim.get("of", "").startswith("people") else 0
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
    def _about_sets(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        return {_key(each): each for each in self.claims if "of" in each}

    def _needed(self, *kinds: str) -> list[tuple[dict[str, Any], dict[str, Any]]] | None:
        """Return the needed claims of some kinds, each with that about single values; None if some are not stated."""
        keys = [_key(each) for each in self.needed if each["claim"] in kinds]
        if not {*keys} <= {*self._about_sets}:
            return None
        return [(self._about_sets[key], self._about_sets["values", *key[1:]]) for key in keys]

    def _about(self, *kinds: str) -> list[dict[str, Any]]:
        return [each for each in self.claims if each["claim"] in kinds]

    @property
    def _excused(self) -> bool:
        """Whether waivers or harmless values may excuse what is known."""
        return "waiver" in self.series.manifest or "harmless" in self.series.columns

    def _max_risk(self, clause: ClauseReport) -> bool:
        if clause.limit < 1:
            return False
        if clause.state == "violated":
            return any(each["certain"] for each in self._about("values", "categories")) and not self._excused
        needed = self._needed("values", "categories")
        return (
            clause.state == "holds" and bool(needed) and all(each["total"] == each["two"] for each, _ in needed or ())
        )

    def _closeness(self, clause: ClauseReport) -> bool:
        likely = any(each.clause == "max_risk" and each.limit < 1 for each in self.report.policy.clauses)
        needed = self._needed("close", "near") or []
        if clause.state == "violated":  # by a person or class whose exact number is not certain
            return any(each["certain"] > one["certain"] for each, one in needed) and not self._excused
        decided = all(one["certain"] + each["two"] == each["total"] for each, one in needed)
        return clause.state == "holds" and not likely and bool(needed) and decided

    def _k(self, clause: ClauseReport) -> bool:
        by_people = "k" in self.series.manifest.get("policy", {})  # by default rows are counted
        counted = "people" if by_people or clause.state == "violated" else "rows"
        sizes = [each[counted] for each in self._about("k")]
        if clause.state == "holds":
            return min(sizes, default=0) >= clause.limit
        return clause.state == "violated" and min(sizes, default=clause.limit) < clause.limit

    def _min_e(self, clause: ClauseReport) -> bool:
        if clause.state == "holds":
            unlike = len(self._about("different")) == len(self.series.sensitive)
            cuts = [each["at_least"] for each in self._about("min_e")]
            return (unlike and clause.limit <= 2) or max(cuts, default=0) >= clause.limit
        sides = [each["people"] for each in self._about("equivalent")] + [1] * len(self._about("same"))
        return clause.state == "violated" and not self._excused and min(sides, default=clause.limit) < clause.limit


def _key(claim: dict[str, Any]) -> tuple[Any, ...]:
    """Return what a claim about sets of values says, and of which."""
    return claim["claim"], claim["sensitive"], claim["of"]
