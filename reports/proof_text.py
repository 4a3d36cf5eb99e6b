"""Proofs in words: deductions about everybody at once, for formats that people read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.model.errors import printable
from audit.model.report import CaseStep, PointsOfRows, ProofSteps, Spending

_LINES = 12
_NAMES = 12


def in_short(proof: ProofSteps, individual: str, value: str) -> list[str]:
    """Return why somebody has a value, in a dozen lines at most; what follows in a case is indented."""
    lines = list(_lines(proof, (individual, value), full=False))
    if len(lines) <= _LINES:
        return lines
    return [*lines[: _LINES - 1], f"and so on, {len(lines) - _LINES + 1} more lines: `audit explain` tells them all"]


def in_full(proof: ProofSteps, individual: str, value: str) -> list[str]:
    """Return every step of a proof that somebody has a value, with what everybody's choices cost."""
    return list(_lines(proof, (individual, value), full=True))


def _lines(proof: ProofSteps, claim: tuple[str, str] | None, *, full: bool) -> Iterator[str]:
    if claim is not None and proof.cases and proof.cases[0].individual != claim[0]:
        yield f"Suppose {printable(claim[0])} had another value than {printable(claim[1])}:"
    for case in proof.cases:
        yield from _case(case, full=full)
    if proof.nobody is not None:
        yield f"Nothing is left to {printable(proof.nobody)}, which is impossible."
    if proof.points:
        yield from _counted(proof, claim, full=full) if _plain(proof) else _weighed(proof, claim, full=full)


def _plain(proof: ProofSteps) -> bool:
    """Tell whether everybody needs one of some rows, so that rows and people can be counted."""
    return all(row.points == 1 for row in proof.points) and all(each.least == 1 for each in proof.spent)


def _counted(proof: ProofSteps, claim: tuple[str, str] | None, *, full: bool) -> Iterator[str]:
    """Yield a proof that counts rows and people."""
    for row in proof.points:
        yield f"{_where(row)}: {_rows(row.rows)} with {printable(row.value)}."
    others = [each.individual for each in proof.spent if claim is None or each.individual != claim[0]]
    many = len(proof.spent)
    if others:
        need = "can have nothing else" if len(_groups(proof.points)) == 1 else "cannot do without one of these"
        yield f"{listed(others, full=full)} {need}."
    if claim is not None:
        yield (
            f"Without {printable(claim[1])}, {printable(claim[0])} would need one too: "
            f"{many:,} people for {_rows(proof.total)}, which is impossible."
        )
    else:
        yield f"That is {many:,} people for {_rows(proof.total)}, which is impossible."
    if full:
        yield from _choices(proof.spent, claim)


def _weighed(proof: ProofSteps, claim: tuple[str, str] | None, *, full: bool) -> Iterator[str]:
    """Yield a proof in which rows cost points."""
    yield f"Let rows cost points, {proof.total:,} in all:"
    for row in proof.points:
        each = "" if row.rows == 1 else " each"
        yield f"  {_where(row)}: {_rows(row.rows)} with {printable(row.value)}, {_points(row.points)}{each}"
    spent = sum(each.least for each in proof.spent)
    mine = 0 if claim is None else sum(each.least for each in proof.spent if each.individual == claim[0])
    others = [each for each in proof.spent if claim is None or each.individual != claim[0]]
    if others:
        told = listed([f"{each.individual} ({each.least:,})" for each in others], full=full)
        yield f"Whatever they have, {_people(len(others))} spend at least {_points(spent - mine)}: {told}."
    if claim is not None:
        yield (
            f"Without {printable(claim[1])}, {printable(claim[0])} would spend at least {_points(mine)} more: "
            f"{spent:,} of {proof.total:,}, which is impossible."
        )
    else:
        yield f"That is {spent:,} of {proof.total:,}, which is impossible."
    if full:
        yield from _choices(proof.spent, claim)


def _choices(spent: Sequence[Spending], claim: tuple[str, str] | None) -> Iterator[str]:
    """Yield what the values that are left to people by their own groups cost."""
    for each in spent:
        if each.by_value:
            told = listed([f"{value} ({_points(cost)})" for value, cost in each.by_value])
            mine = claim is not None and each.individual == claim[0]
            without = f", without {printable(claim[1])}," if claim is not None and mine else ""
            yield f"  {printable(each.individual)}{without} may have {told}"


def _case(case: CaseStep, *, full: bool) -> Iterator[str]:
    inner = case.leads_to
    if_so = f"If {printable(case.individual)} had {printable(case.value)} in release {printable(case.release)}"
    if inner.nobody is not None:
        yield f"{if_so}, nothing would be left to {printable(inner.nobody)}, which is impossible."
        return
    yield f"{if_so}:"
    yield from (f"  {line}" for line in _lines(inner, None, full=full))
    if inner.cases:
        about = inner.cases[0]
        yield f"  No value is left to {printable(about.individual)} in release {printable(about.release)}."


def _where(row: PointsOfRows) -> str:
    return f"release {printable(row.release)}, group {printable(row.group)}"


def _groups(points: Sequence[PointsOfRows]) -> set[tuple[str, str]]:
    return {(row.release, row.group) for row in points}


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _points(count: int) -> str:
    return f"{count:,} {'point' if count == 1 else 'points'}"


def _people(count: int) -> str:
    return "this person" if count == 1 else f"these {count:,} people"


def either(values: Sequence[str]) -> str:
    """Return values one of which somebody has.

    >>> either(["flu"]), either(["cold", "flu", "gout"])
    ('flu', 'cold, flu or gout')
    """
    texts = [printable(value).strip() for value in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def listed(texts: Sequence[str], *, full: bool = True) -> str:
    """Return texts one after the other, unless in full the first dozen of them.

    >>> listed(["a", "b", "c"], full=False)
    'a, b and c'
    """
    shown = [printable(text).strip() for text in (texts if full else texts[:_NAMES])]
    hidden = len(texts) - len(shown)
    if hidden:
        return f"{', '.join(shown)} and {hidden} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
