"""Proofs in words: deductions about everybody at once, for formats that people read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.core.errors import printable
from audit.core.report import CaseStep, ExclusionStep, Possible, ProofSteps

_LINES = 12
_NAMES = 12


def in_short(proof: ProofSteps) -> list[str]:
    """Return the steps of a proof, a dozen lines at most; what follows in a case is indented."""
    lines = list(_lines(proof, full=False))
    if len(lines) <= _LINES:
        return lines
    return [*lines[: _LINES - 1], f"and so on, {len(lines) - _LINES + 1} more lines: `audit explain` tells them all"]


def in_full(proof: ProofSteps) -> list[str]:
    """Return every step of a proof, each with what it changes for whom."""
    return [
        "By their own groups alone:",
        *(f"  {line}" for line in _by_person(proof.start, "may have")),
        *_lines(proof, full=True),
    ]


def _lines(proof: ProofSteps, *, full: bool) -> Iterator[str]:
    for step in proof.exclusions:
        yield _exclusion(step, full=full)
        if full:
            yield from (f"  so that {line}" for line in _by_person(step.leaves, "has"))
    for case in proof.cases:
        yield from _case(case, full=full)


def _case(case: CaseStep, *, full: bool) -> Iterator[str]:
    inner = case.leads_to
    if_so = f"If {printable(case.individual)} had {printable(case.value)} in release {printable(case.release)}"
    if inner.nobody is not None and not inner.exclusions and not full:
        yield f"{if_so}, nothing would be left to {printable(inner.nobody)}, which is impossible."
        return
    yield f"{if_so}:"
    if full:
        follows = [each for each in inner.start if not _said(each, case)]
        yield from (f"  then {line}" for line in _by_person(follows, "would have"))
    yield from (f"  {line}" for line in _lines(inner, full=full))
    if inner.nobody is not None:
        yield f"  Nothing is left to {printable(inner.nobody)}, which is impossible."
    elif inner.cases:
        about = inner.cases[0]
        who, release = printable(about.individual), printable(about.release)
        yield f"  No value is left to {who} in release {release}, which is impossible."


def _said(possible: Possible, case: CaseStep) -> bool:
    """Tell whether what is possible is just what a case assumes."""
    return (possible.individual, possible.values) == (case.individual, (case.value,)) and possible.release in (
        None,
        case.release,
    )


def _exclusion(step: ExclusionStep, *, full: bool) -> str:
    groups = list(dict.fromkeys(group for group, _ in step.rows))
    where = f"{'group' if len(groups) == 1 else 'groups'} {listed(groups, full=full)}"
    place = f"release {printable(step.release)}, {where}"
    who, several = listed(step.holders, full=full), len(step.holders) > 1
    rows = _rows(step, groups, full=full)
    if step.count < len(step.holders):
        return f"{place}: {who} can have nothing but {rows}, {_number(step.count)} for {len(step.holders)} people, " + (
            "which is impossible."
        )
    return f"{place}: {who} {'have' if several else 'has'} {rows}, nobody else has."


def _rows(step: ExclusionStep, groups: Sequence[str], *, full: bool) -> str:
    """Return which rows of the groups are meant."""
    values = {group: [value for of, value in step.rows if of == group] for group in groups}
    noun = "row" if step.count == 1 else "rows"
    if len({frozenset(of) for of in values.values()}) == 1:
        whose = "its" if len(groups) == 1 else "their"
        return f"{whose} {noun} with {listed(values[groups[0]], full=full)}"
    parts = [f"with {listed(of, full=full)} of group {printable(group)}" for group, of in values.items()]
    return f"the {noun} {'; '.join(parts)}"


def _number(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _by_person(what: Sequence[Possible], verb: str) -> Iterator[str]:
    """Yield what is possible, a line for each person; who has nothing at all is left to the end of the case."""
    people = dict.fromkeys(each.individual for each in what if each.values)
    for person in people:
        parts = [_part(each) for each in what if each.individual == person and each.values]
        yield f"{printable(person)} {verb} {', '.join(parts)}"


def _part(possible: Possible) -> str:
    when = "" if possible.release is None else f" in release {printable(possible.release)}"
    return f"{either(possible.values)}{when}"


def either(values: Sequence[str]) -> str:
    """Return values one of which somebody has.

    >>> either(["flu"]), either(["cold", "flu", "gout"])
    ('flu', 'cold, flu or gout')
    """
    texts = [printable(value) for value in values]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"


def listed(texts: Sequence[str], *, full: bool = True) -> str:
    """Return texts one after the other, unless in full the first dozen of them.

    >>> listed(["a", "b", "c"], full=False)
    'a, b and c'
    """
    shown = [printable(text) for text in (texts if full else texts[:_NAMES])]
    hidden = len(texts) - len(shown)
    if hidden:
        return f"{', '.join(shown)} and {hidden} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
