"""Check linkages again: count the rows that can be a person's, one kind of row after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace

import numpy as np

from audit.adversary.view import View
from audit.findings.rows import Filling, Linkage, Linkages, RowKind
from audit.judgement.field_types import BrokenCertificateError, check_fields
from audit.model.evidence import Evidence, RowSource
from audit.model.finding import Check


def check_linkages(seen: View, claims: Linkages) -> Check:
    """Return the check of linkages."""
    checker = LinkageChecker(seen)
    return lambda places: list(map(checker.checked, claims.certify(places)))


@dataclass
class LinkageChecker:
    """Checks that no rows besides those of the finding can be a person's; shares no code with the attack."""

    evidence: Evidence
    _kinds: dict[int, Counter[RowKind]] = field(default_factory=dict)
    _common: dict[tuple[int, int, int], int] = field(default_factory=dict)

    def checked(self, finding: Linkage[int]) -> Linkage[int]:
        """Return a finding that was checked, with numbers, groups and values in its certificate.

        With more than two releases it may take a solver to rule out other rows. Such a finding has no certificate.

        Raises:
            BrokenCertificateError: the check fails.
        """
        check_fields(finding)
        try:
            self._check(finding)
        except BrokenCertificateError:
            if finding.evidence == "proof":
                raise
            return replace(finding, certificate=())
        return replace(finding, certificate=tuple(map(self._described, finding.certificate)), evidence="proof")

    def _check(self, finding: Linkage[int]) -> None:
        if not 0 <= finding.first <= finding.release < len(self.evidence.tags):
            raise BrokenCertificateError("there is no such release, or the person is not there yet")
        point = self._point(finding.point)
        left = self.left(point, finding.first, finding.certificate)[finding.release - finding.first]
        rows = sum(self.kinds(finding.release)[kind] for kind in left)
        if not 0 < rows == finding.rows or sorted(finding.groups) != self._groups(finding.release, left):
            raise BrokenCertificateError(f"release {finding.release}: {rows} rows can be the person's")
        if finding.value is not None and {kind.value for kind in left} != {finding.value}:
            raise BrokenCertificateError(f"release {finding.release}: the possible rows have other values")
        if finding.risk != (1 / rows if finding.value is None else 1):
            raise BrokenCertificateError("this is not the probability of guessing right")

    def _described(self, filling: Filling[int]) -> Filling[int]:
        """Return a step of a certificate with the numbers, groups and values of its rows."""
        following = filling.next_release
        return replace(
            filling,
            rows=sum(self.kinds(filling.release)[kind] for kind in filling.kinds),
            groups=tuple(self._groups(filling.release, filling.kinds)),
            values=tuple(sorted({kind.value for kind in filling.kinds})),
            next_groups=tuple(self._groups(following, filling.fill)),
            next_values=tuple(sorted({kind.value for kind in filling.fill})),
        )

    def left(self, point: tuple[int, ...], first: int, fillings: Sequence[Filling[int]]) -> list[set[RowKind]]:
        """Return the kinds of rows that can be a person's, in each release from the first one on.

        Raises:
            BrokenCertificateError: a step is wrong.
        """
        ruled_out: set[tuple[int, RowKind | None, RowKind]] = set()
        for filling in fillings:
            self._fill(filling, ruled_out)
        releases = range(first, len(self.evidence.tags))
        found = [{kind for kind in self.kinds(release) if self._covers(kind, point)} for release in releases]
        if first:
            found[0] = {kind for kind in found[0] if (first - 1, None, kind) not in ruled_out}

        def goes_on(release: int, one: RowKind, other: RowKind) -> bool:
            return (release, one, other) not in ruled_out and self._follows(one, other)

        for place, release in enumerate(releases[:-1]):
            found[place + 1] = {b for b in found[place + 1] if any(goes_on(release, a, b) for a in found[place])}
        for place in range(len(found) - 2, -1, -1):
            found[place] = {a for a in found[place] if any(goes_on(first + place, a, b) for b in found[place + 1])}
        return found

    def kinds(self, release: int) -> Counter[RowKind]:
        """Return the number of rows of each kind in a release.

        Raises:
            BrokenCertificateError: the release publishes values separately from their rows.
        """
        if release not in self._kinds:
            rows = self._source.rows(release)
            if rows.value is None:
                raise BrokenCertificateError("values are published apart from their rows")
            kinds = zip(map(tuple, rows.cells.tolist()), rows.value.tolist(), strict=True)
            self._kinds[release] = Counter(RowKind(cells, value) for cells, value in kinds)
        return self._kinds[release]

    @property
    def _source(self) -> RowSource:
        if self.evidence.rows_of is None:
            raise TypeError("this evidence has no rows")
        return self.evidence.rows_of

    def _point(self, cells: Mapping[int, int] | None) -> tuple[int, ...]:
        """Return the cells of all quasi-identifiers."""
        attributes = range(len(self._source.attributes))
        if cells is None or list(cells) != list(attributes) or min(cells.values(), default=0) < 0:
            raise BrokenCertificateError("these are not cells of the quasi-identifiers")
        try:
            for attribute in attributes:
                self._source.text(attribute, cells[attribute])
        except IndexError:
            raise BrokenCertificateError("these are not cells of the quasi-identifiers") from None
        return tuple(cells.values())

    def _groups(self, release: int, left: AbstractSet[RowKind]) -> list[str]:
        """Return the sorted names of the groups that hold rows of some kinds."""
        rows = self._source.rows(release)
        kinds = zip(map(tuple, rows.cells.tolist()), [] if rows.value is None else rows.value.tolist(), strict=True)
        mine = np.array([RowKind(*kind) in left for kind in kinds], dtype=np.bool_)
        return sorted(self._source.group_names(release, np.unique(rows.group[mine]).astype(np.int32)))

    def _fill(self, filling: Filling[int], ruled_out: set[tuple[int, RowKind | None, RowKind]]) -> None:
        """Check a step, and record the rows that it rules out."""
        if not 0 <= filling.release == filling.next_release - 1 < len(self.evidence.tags) - 1:
            raise BrokenCertificateError("a step names releases that do not exist")
        here, following = self.kinds(filling.release), self.kinds(filling.release + 1)
        if not (filling.kinds <= set(here) and filling.fill <= set(following)):
            raise BrokenCertificateError("a step speaks of rows that there are not")
        for one in filling.kinds:
            for other in set(following) - filling.fill:
                if self._follows(one, other) and (filling.release, one, other) not in ruled_out:
                    raise BrokenCertificateError("rows that fill others can be further ones")
        if sum(here[kind] for kind in filling.kinds) != sum(following[kind] for kind in filling.fill):
            raise BrokenCertificateError("there are not as many rows as they fill")
        others: Iterable[RowKind | None] = [*(kind for kind in here if kind not in filling.kinds), None]
        ruled_out |= {(filling.release, one, other) for one in others for other in filling.fill}

    def _follows(self, one: RowKind, other: RowKind) -> bool:
        """Return whether a row can be a row of the next release."""
        transitions = self.evidence.transitions
        allowed = one.value == other.value if transitions is None else transitions.weight[one.value, other.value] > 0
        return bool(allowed) and all(map(self._share, range(len(one.cells)), one.cells, other.cells))

    def _covers(self, kind: RowKind, point: tuple[int, ...]) -> bool:
        common = list(map(self._shared, range(len(point)), kind.cells, point))
        if any(one not in {-1, cell} for one, cell in zip(common, point, strict=True)):
            raise BrokenCertificateError("the quasi-identifiers are not a point")
        return min(common, default=0) >= 0

    def _share(self, attribute: int, one: int, other: int) -> bool:
        return self._shared(attribute, one, other) >= 0

    def _shared(self, attribute: int, one: int, other: int) -> int:
        """Return the intersection of two cells of an attribute, -1 if it is empty."""
        key = (attribute, one, other)
        if key not in self._common:
            pair = (np.array([each], dtype=np.int32) for each in (one, other))
            self._common[key] = int(self._source.shared(attribute, *pair)[0])
        return self._common[key]
