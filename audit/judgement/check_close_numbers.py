"""Check findings of close numbers again, in exact arithmetic, from the published texts and their categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import nextafter

from audit.adversary.view import View
from audit.findings.close_numbers import CloseClasses, CloseValues, KnownNearly, nearly
from audit.io.cell_reading import day_in, parse_point
from audit.io.cells import CellError, Kind
from audit.io.rules.cell_meaning import ColumnTypes
from audit.io.rules.rows_and_values import Similar
from audit.judgement.check_disclosure import Checker
from audit.judgement.check_record import class_values
from audit.judgement.field_types import BrokenCertificateError, check_fields
from audit.judgement.published_rows import published_by
from audit.model.finding import Check


def check_people(seen: View, claims: CloseValues) -> Check:
    """Return the check of people's numbers: by what their own groups leave, or by stricter bounds within that."""
    checker = NumberChecker(seen, claims.share)
    return lambda places: [checker.person(finding) for finding in claims.certify(places)]


def check_classes(seen: View, claims: CloseClasses) -> Check:
    """Return the check of classes whose rows have close numbers; it counts the rows."""
    checker = NumberChecker(seen, claims.share)
    return lambda places: checker.classes(claims.certify(places))


class NumberChecker:
    """Compares findings with the texts of values; `share` is how far close numbers may differ without a width."""

    def __init__(self, seen: View, share: float) -> None:
        self._seen, self._share = seen, Fraction(str(share))
        self._published = published_by(seen)
        self._own = Checker(self._published)
        types = seen.series.rules[ColumnTypes]
        self._kinds = {name: types.kind_of(seen.series, name) for name in seen.series.columns.sensitive}
        self._bands = {name: types.bands(seen.series, name)[0] for name in self._kinds}

    def person(self, finding: KnownNearly[int]) -> KnownNearly[int]:
        """Return a finding with what the person's own groups leave; it is proved if all of that lies between the ends.

        Raises:
            BrokenCertificateError: the groups do not leave these numbers, or they are not close.
        """
        low, high = self.ends(finding)
        claim = finding.release, finding.lower, finding.upper, finding.risk
        bare = type(finding)(*claim, individual=finding.individual, evidence="solver", category=finding.category)
        if finding.individual is None or finding != bare:
            raise BrokenCertificateError("this is not about a person")
        steps = self._own.own(finding.individual)
        left = {step.release: step.feasible or () for step in steps}.get(finding.release, ())
        known = {
            self.number(each, finding.category)
            for each in self._published.said(left, -1 if finding.lower is None else finding.lower)
        }
        if not {low, high} <= known:
            raise BrokenCertificateError("the person's own groups do not leave these numbers")
        proved = finding.risk == 1 and all(each is not None and low <= each <= high for each in known)
        return replace(finding, certificate=steps, evidence="proof" if proved else "solver")

    def classes(self, findings: Sequence[KnownNearly[int]]) -> Sequence[KnownNearly[int]]:
        """Return findings if the rows of each class have the claimed numbers, as often as claimed.

        Raises:
            BrokenCertificateError: a class has other numbers.
        """
        for finding in findings:
            self.ends(finding)
        for finding, values in class_values(findings, self._seen):
            self._count(finding, values)
        return findings

    def number(self, code: int, category: str | None) -> Fraction | None:
        """Return the number of a value, for the claimed attribute of a combination; None if it is not a number.

        All values of a category count as 0.
        """
        seen = self._seen
        if (code < 0) is (seen.combined is None):
            return None
        try:
            name, text = seen.attribute(code) or seen.sensitive, seen.values[code]
            if category is not None:
                return Fraction(0) if category in seen.series.rules[Similar].of(name, text) else None
            missing = seen.series.missing(name)
            if self._kinds[name].is_date:
                return day_in(text, self._kinds[name], missing)
            if text in self._bands[name]:
                return self._bands[name][text][0]
            found = parse_point(text, Kind.NUMERIC, missing)
        except (CellError, IndexError):
            return None
        return None if found is None else found.low

    def ends(self, finding: KnownNearly[int]) -> tuple[Fraction, Fraction]:
        """Return the ends of the interval that a finding claims.

        Raises:
            BrokenCertificateError: there are none, or they are not close although the finding is certain.
        """
        check_fields(finding)
        ends = finding.lower, finding.upper
        low, high = (None if each is None else self.number(each, finding.category) for each in ends)
        if type(finding) is not nearly(finding.category):
            raise BrokenCertificateError("this is another kind of finding")
        if low is None or high is None or low > high:
            raise BrokenCertificateError("these are no numbers from the least to the largest")
        if not 0 < finding.risk <= 1 or (finding.risk == 1 and not self._close(finding, low, high)):
            raise BrokenCertificateError("the numbers are not close")
        return low, high

    def _count(self, finding: KnownNearly[int], values: Mapping[int, int]) -> None:
        low, high = self.ends(finding)
        known = {value: self.number(value, finding.category) for value in values}
        inside = {value: number for value, number in known.items() if number is not None and low <= number <= high}
        some, rows = sum(values[value] for value in inside), sum(values.values())
        if finding.individual is not None or (some, rows) != (finding.with_value, finding.rows):
            raise BrokenCertificateError("the rows do not have these numbers so often")
        near = [self._close(finding, low, each) and self._close(finding, each, high) for each in inside.values()]
        whole = some == rows and self._close(finding, low, high)
        if not {low, high} <= set(inside.values()) or not any(near):
            raise BrokenCertificateError("the numbers are not close to one that a row has")
        if finding.risk != (1.0 if whole else min(some / rows, nextafter(1.0, 0.0))) or finding.evidence != "proof":
            raise BrokenCertificateError("this is not the share of the rows")

    def _close(self, finding: KnownNearly[int], low: Fraction, high: Fraction) -> bool:
        seen = self._seen
        attribute = seen.sensitive if finding.lower is None else seen.attribute(finding.lower) or seen.sensitive
        width = seen.series.manifest.widths.get(attribute)
        bands = () if finding.category is not None else self._bands[attribute].values()
        high = dict(bands).get(high, high) if low < high else high
        return high - low <= (self._share * max(abs(low), abs(high)) if width is None else width)
