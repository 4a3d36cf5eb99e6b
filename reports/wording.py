"""Wording: what a report says in sentences, for formats that people read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from audit.core.errors import printable
from audit.core.report import AttackReport, Report, Violation

_CANDIDATES_SHOWN = 12


def headline(report: Report) -> tuple[str, str]:
    """Return the verdict in one sentence, and its colour."""
    if report.policy.violations:
        worst = max(reversed(report.attacks), key=_certain)
        if worst.findings_total:
            what = fallen(worst)
            if "once_unsafe" in worst.measures:
                return f"NOT SAFE: by {worst.attack}, {what}: too few others fit what is known of them.", "red"
            if "versions" in worst.measures:
                what += " (a person in one release)"
            return f"NOT SAFE: by {worst.attack}, the sensitive value is certain for {what}.", "red"
        return "NOT SAFE: a risk reaches the policy's limit.", "red"
    if report.policy.undecided:
        return (
            "UNDECIDED: nothing was found, but not everything that the policy asks could be decided.",
            "yellow",
        )
    asked = ", ".join(attack.attack for attack in report.attacks if attack.status != "skipped")
    return f"The policy holds against: {asked}.", "green"


def reasons(report: Report) -> Iterable[str]:
    """Yield what is behind the verdict, clause by clause."""
    for violation in report.policy.violations:
        of = f" of {printable(violation.sensitive)}" if violation.sensitive else ""
        yield f"{violation.measure}{of} is {_value(violation)} by {violation.attack}, limit {violation.limit:g}"
    for clause in report.policy.undecided:
        yield f"{clause.measure} is not decided: {printable(clause.reason, 400)}"
    if report.policy.not_asked:
        clauses = ", ".join(report.policy.not_asked)
        why = "run without --attack"
        if report.adversary.kind == "pseudonym" and "max_risk" in report.policy.not_asked:
            why = "max_risk is about people, of whom the adversary `pseudonym` knows nothing"
        yield f"not judged: {clauses} ({why})"


def notes(report: Report) -> Iterable[str]:
    """Yield how to take the risks that are shown."""
    if report.adversary.kind == "register" and any(a.measures.get("max_risk") is not None for a in report.attacks):
        yield (
            "A risk may exceed 1/m even where the series is m-invariant: the proof of that bound (m-invariance paper, "
            "Lemma 3) leaves out the worlds that break the principle, and the adversary is not assumed to know it."
        )


def advice(report: Report) -> Iterable[str]:
    """Yield what a publisher would do now."""
    found = [attack for attack in report.attacks if attack.findings_total]
    if found:
        yield "Do not publish another release of this kind: what is out cannot be taken back, more would be added."
    if any("once_unsafe" not in attack.measures for attack in found):
        yield "Withhold or regroup the rows of the people above, so that their groups keep the values they had."
    if any("once_unsafe" in attack.measures for attack in found):
        yield "Split groups of records only into parts of k or more, and leave all other cells as they were."
    if report.policy.violations and not found:
        yield "Publish larger or more even groups, or accept a higher limit with --policy max_risk=…"
    if report.contradictions:
        yield "Decide first whether values may change; until then nothing below certainty can be relied on."
    if any(attack.status == "incomplete" for attack in report.attacks):
        yield "Give more time with --time-limit SECONDS."
    if found and not report.ids_are_stable:
        yield "Ids hold for this report only; with a folder private/ in the series they stay, and can be waived."
    if found and not report.revealed:
        yield "See who they are with --reveal; keep that report inside."
    if not found and not report.policy.violations:
        yield "Keep this report with the release; audit again, with the next release added, before that goes out."
        yield "Somebody who reasons about everybody at once may deduce more than these attacks, one person at a time."


def fallen(attack: AttackReport) -> str:
    """Return how many people or versions an attack is certain about, or how many records were in too small a class."""
    m = attack.measures
    more = "at least " if attack.status == "incomplete" else ""
    if "once_unsafe" in m:
        return f"{more}{_int(m['once_unsafe']):,} of {plural(_int(m['records']), 'record')} below k = {m['k']}"
    if "vulnerable" in m:
        return f"{more}{_int(m['vulnerable']):,} of {plural(_int(m['individuals']), 'person', 'people')}"
    return f"{more}{_int(m['disclosed']):,} of {plural(_int(m['versions']), 'version')}"


def _certain(attack: AttackReport) -> tuple[bool, bool, bool]:
    """Rank attacks for the headline: those with findings, of values rather than records, that count people first."""
    return attack.findings_total > 0, "once_unsafe" not in attack.measures, "vulnerable" in attack.measures


def _value(violation: Violation) -> str:
    return number(violation.value) if violation.measure == "max_risk" else f"{violation.value:,g}"


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def plural(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun.

    >>> plural(1, "person", "people"), plural(2000, "row")
    ('1 person', '2,000 rows')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def number(value: object) -> str:
    """Return a risk with three decimals; rounding never makes it a certainty.

    >>> number(1.0), number(0.99999), number(None)
    ('1', '0.999', '?')
    """
    if not isinstance(value, float | int):
        return "?"
    if value == 1:
        return "1"
    return f"{min(value, 0.999):.3f}"


def seconds(attack: AttackReport) -> str:
    """Return how long an attack took."""
    return f"{attack.seconds:.2f} s"


def listing(texts: Sequence[str]) -> str:
    """Return texts one after the other, the first dozen of them."""
    shown = ", ".join(printable(text) for text in texts[:_CANDIDATES_SHOWN])
    hidden = len(texts) - _CANDIDATES_SHOWN
    return f"{shown} and {hidden} more" if hidden > 0 else shown


def described(cells: Mapping[str, str]) -> str:
    """Return the cells of a record, each with its quasi-identifier."""
    return ", ".join(f"{printable(name)} {printable(cell)}" for name, cell in cells.items())
