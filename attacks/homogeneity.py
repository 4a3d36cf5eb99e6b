"""Homogeneity: what a single release discloses to a person who has only the files.

**Threat model.** An adversary who knows that a person is in a class of rows that look alike (a published group, or its
rows with equal cells) learns the common value of the class. Under `published` and `pseudonym` every class is judged. If
the adversary knows people, the attacks on people judge their values; here the rows of strangers are judged (people who
are not in the register or key). **Claim.** A class whose rows all have one sensitive value discloses it, unless all its
people are known to be in no other class, so that attacks on people find them. A class that may contain strangers, and
in which the share of a value is at least the policy's `max_risk`, discloses it with that probability. The same holds
for a class whose rows all have close numbers, or in which such a share of numbers is close to one of them. **Why it is
sound.** The value is counted in the published rows. **What it is not.** A small share does not limit what several
releases disclose together: to judge that, a key, a register or record ids are needed.

Source: A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam, "l-Diversity", 2007, Section 2 (homogeneity
attack). Cost: one sort of each release's values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from attacks.linked_classes import LikeliestValues, LinkedClasses, likeliest_values, linked_classes
from audit.findings.close_numbers import CloseClasses, KnownNearly, SimilarClasses, joined, nearly
from audit.findings.homogeneous_class import HomogeneousClass, HomogeneousClasses
from audit.model.arrays import Codes, Floats, Places
from audit.model.evidence import Evidence, PeopleSource, PublishedClasses
from audit.model.finding import Claims, FindingRule
from audit.model.measures import ABSENT, Absent, Measures
from audit.model.nearness import Nearness
from audit.model.outcome import Outcome, PolicyOptions, all_listed_reason, known_rows_reason
from audit.runtime.budget import Budget
from audit.runtime.phrases import Noun, Phrase, Reason, say

K = TypeVar("K", bound=CloseClasses)
CLASSES = Noun("{count} [class|classes]")


@dataclass(frozen=True, eq=False, kw_only=True)
class HomogeneityMeasures(Measures):
    """How many classes of rows that look alike disclose a value.

    Attributes:
        classes: the number of classes of all releases.
        rows: the number of people that their rows stand for.
        homogeneous: the number of classes with one value.
        at_limit, rows_at_limit: the number of classes with one value, or with a share at the limit, and of their rows.
        linked: how many of them are classes of records that look alike over several releases; included in `classes`.
            Absent if no record ids link the releases.
    """

    classes: int
    rows: int
    homogeneous: int
    at_limit: int
    rows_at_limit: int
    linked: int | Absent = ABSENT

    counted: ClassVar[tuple[str, str] | None] = ("classes", "at_limit")
    subjects_label: ClassVar[Noun | str] = CLASSES
    timeline_label: ClassVar[Phrase | str] = Phrase("classes at the limit")
    remedy: ClassVar[Phrase | str] = Phrase(
        "Merge each group whose rows all have one value with another group, or withhold its rows."
    )

    def found_in_words(self, *, at_least: bool) -> str:
        """Return how many classes disclose a value."""
        del at_least  # the attack is always complete
        whole = CLASSES.counted(self.classes)
        if self.classes == self.linked:  # attacks on people judge the classes of single releases
            return say("{classes} of records that look alike over several releases", classes=whole)
        if self.at_limit:
            return say("{found} of {classes} of rows that look alike", found=self.at_limit, classes=whole)
        return say("none of {classes} of rows that look alike", classes=whole)

    def accusation(self, value: str, *, at_least: bool) -> str:
        """Return how many classes disclose the value, and who learns it."""
        found = self.found_in_words(at_least=at_least)
        return say(
            "{value} is disclosed in {found}, to anyone who knows that a person is in one of them",
            found=found,
            value=value,
        )


@dataclass(frozen=True)
class HomogeneityAttack(PolicyOptions):
    """Find classes of rows that look alike and disclose a value.

    Attributes:
        max_risk: the policy's limit of the share of a value.
        closeness: the policy's limit of how far two numbers that count as close may differ, as a share.
    """

    max_risk: float = 1.0
    closeness: float = 0.0
    name: ClassVar[str] = "homogeneity"
    measures: ClassVar[type[HomogeneityMeasures]] = HomogeneityMeasures
    decides: ClassVar[frozenset[str]] = frozenset({"max_risk", "closeness"})
    follows_records: ClassVar[bool] = True
    rules: ClassVar[Mapping[str, FindingRule]] = {
        "group": FindingRule(
            "Too many rows that look alike have one sensitive value.",
            "Merge their group with others, or withhold rows, so that more values are as frequent (l-diversity).",
        )
    }

    def run(self, evidence: Evidence, _budget: Budget, /) -> Outcome:
        """Count the values of each class of each release; the attack is always complete."""
        source = evidence.published
        seen = [] if source is None else [source.published(position) for position in range(len(evidence.tags))]
        # Where values change, attacks on people follow no record.
        follows = evidence.transitions is not None and self._links(evidence)
        skipped = None if follows else known_rows_reason(evidence)
        if source is None or skipped is not None:
            return Outcome.skipped(self.name, skipped or all_listed_reason())
        claimed, reason = self._judged(evidence, source, seen, None)
        if evidence.known and any(each.strangers for each in seen):
            known = say(
                "known values of some people in a class may disclose those of others; also audit without `known`"
            )
            reason = Reason(known)
        outcome = Outcome.judged(self.name, reason, claimed.measures(), claimed.claims())
        found: dict[str, Claims] = {}
        if numbers := evidence.numbers.get(evidence.sensitive):
            near = numbers.near(self.closeness)
            claimed, _ = self._judged(evidence, source, seen, near)
            found["closeness"] = claimed.close(CloseClasses, near, self.closeness)
        similar = []
        for category, values in evidence.categories.get(evidence.sensitive, {}).items():
            near = values.near(0.0)
            claimed, _ = self._judged(evidence, source, seen, near)
            similar.append(claimed.close(SimilarClasses, near, 0.0, category))
        if similar:
            found["similar"] = joined(similar)
        return replace(outcome, near=found)

    def _judged(
        self, evidence: Evidence, source: PeopleSource, seen: Sequence[PublishedClasses], near: Nearness | None
    ) -> tuple[_Claimed, Reason | None]:
        """Return the classes that disclose a value, or close numbers, and why some cannot be judged."""
        strangers = any(each.strangers for each in seen)
        found: list[tuple[npt.NDArray[Any], ...]] = []
        shown: list[Floats] = []
        for position, classes in enumerate(seen):
            every = likeliest_values(*classes.contents, near)
            high = every.reached(self.max_risk, strangers=classes.strangers)
            share = np.zeros(len(classes.group))
            share[every.number[high]] = every.share[high]
            shown.append(share[classes.place])
            judged = classes.judged[every.number]
            every, high = every.some(judged), high[judged]
            kept = ~high
            kept[high] = ~source.accounted(position, every.number[high])
            every, high = every.some(kept), high[kept]
            alike = np.full(len(high), position, dtype=np.int32), np.full(len(high), classes.strangers)
            found.append((*alike, high, *every))
        linked, reason = self._linked(evidence, shown, near, strangers=strangers)
        release, of_strangers, high, *values = map(np.concatenate, zip(*found, strict=True))
        every, rest = LikeliestValues(*values), of_strangers & ~high
        groups = [classes.group for classes in seen]
        return _Claimed(source, groups, (release, np.flatnonzero(high), every), every.share[rest], linked), reason

    def _links(self, evidence: Evidence) -> bool:
        """Return whether records can be judged that look alike over several releases."""
        return evidence.records is not None and bool(evidence.records.attributes) and len(evidence.tags) > 1

    def _linked(
        self, evidence: Evidence, shown: Sequence[Floats], near: Nearness | None, *, strangers: bool
    ) -> tuple[LinkedClasses | None, Reason | None]:
        """Return the classes of linked records that disclose a value, or why they are not judged; None without any."""
        if not self._links(evidence):
            return None, None
        shares = strangers or evidence.transitions is not None  # where values change, all records are judged
        linked = linked_classes(evidence, self.max_risk, shown, near, strangers=shares)
        return (None, linked) if isinstance(linked, Reason) else (linked, None)


class _Claimed:
    """The classes that disclose a value: of single releases, and of linked records.

    Attributes:
        groups: the group of each class, by release.
        release, values: the release of each class that may hold a person, and its likeliest value.
        places: which of them give a value away.
    """

    def __init__(
        self,
        source: PeopleSource,
        groups: Sequence[Codes],
        found: tuple[Codes, Places, LikeliestValues],
        below: Floats,
        linked: LinkedClasses | None,
    ) -> None:
        self._source, self.groups, self._linked = source, groups, linked
        self.release, self.places, self.values = found
        shares = [*below, *([] if linked is None or linked.below is None else [linked.below])]
        self._below = float(max(shares)) if shares else None
        chosen = self.values.some(self.places)
        own = self.release[self.places], chosen.lower, chosen.upper, chosen.share, chosen.rows, chosen.with_value
        names = ("release", "lower", "upper", "risk", "rows", "with_value")
        self._columns: dict[str, npt.NDArray[Any]] = dict(zip(names, own, strict=True))
        if linked is not None:
            for name, column in self._columns.items():
                self._columns[name] = np.concatenate([column, getattr(linked, name)])

    def claims(self) -> HomogeneousClasses:
        """Return the claims."""
        rows, total = self.values.rows, int(self.values.rows.sum())
        mean = float((self.values.share * rows).sum() / total) if total else None

        def built(chosen: Places) -> list[HomogeneousClass[int]]:
            return [HomogeneousClass(value=int(self._columns["lower"][at]), **self._said(at)) for at in chosen.tolist()]

        return HomogeneousClasses(self._columns["release"], self._columns["risk"], self._below, mean, built)

    def close(self, kind: type[K], near: Nearness, share: float, category: str | None = None) -> K:
        """Return the claims if close numbers count as one; `share` is how far they may differ."""
        release, lower, upper, risk, *_ = self._columns.values()
        ends = [(near.number[near.rank[a]], near.upper[near.rank[b]]) for a, b in zip(lower, upper, strict=True)]
        pairs = np.array(ends, dtype=object).reshape(-1, 2)

        def built(chosen: Places) -> list[KnownNearly[int]]:
            said = [(int(lower[at]), int(upper[at]), self._said(at)) for at in chosen.tolist()]
            return [nearly(category)(lower=a, upper=b, category=category, **rest) for a, b, rest in said]

        every = np.full(len(risk), category, dtype=object)
        return kind(release, lower, upper, risk, pairs, np.arange(len(risk)), share, every, built)

    def _said(self, at: int) -> dict[str, Any]:
        """Return what is claimed about one class, without the values."""
        fields = {name: self._columns[name][at].item() for name in ("release", "risk", "rows", "with_value")}
        linked, place = self._linked, at - len(self.places)
        if linked is not None and place >= 0:
            record, after = int(linked.record[place]), int(linked.after[place])
            fields |= {"record": record, "after": after, "group": linked.group(place), "number": 0}
            return fields | {"there": bool(linked.there[place]), "together": bool(linked.together[place])}
        place, group = self.values.number[self.places[at]], self.groups[fields["release"]]
        name = self._source.published_names(fields["release"], group[place : place + 1])[0]
        return fields | {"group": name, "number": int(place - np.searchsorted(group, group[place]))}

    def measures(self) -> HomogeneityMeasures:
        """Return the number of classes, and of those that disclose a value; of linked records only the latter."""
        every, high, none = self.values, self.places, np.zeros(0, dtype=np.int64)
        after, rows, risk = (
            (none, none, none)
            if self._linked is None
            else (self._linked.after.astype(np.int64), self._linked.rows, self._linked.risk)
        )
        until = np.cumsum(np.bincount(np.concatenate([self.release[high], after]), minlength=len(self.groups)))
        return HomogeneityMeasures(
            classes=len(every.rows) + len(rows),
            rows=int(every.rows.sum()),
            homogeneous=int(np.count_nonzero(every.share == 1)) + int(np.count_nonzero(risk == 1)),
            at_limit=len(high) + len(rows),
            rows_at_limit=int(every.rows[high].sum()) + int(rows.sum()),
            linked=ABSENT if self._linked is None else len(rows),
            timeline=until.tolist(),
        )
