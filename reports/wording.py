"""Wording: what a report says in sentences, for formats that people read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from audit.core.errors import printable
from audit.core.report import AttackReport, Report, Violation

CONTRADICTED = "Give [adversary] transitions that allow what happens, or correct the data."
_CANDIDATES_SHOWN = 12


def facts(report: Report) -> str:
    """Return the sizes of what was audited."""
    series = report.series
    parts = [
        plural(len(series.releases), "release"),
        plural(series.rows, "row"),
        plural(series.individuals, "person", "people"),
        plural(series.counterfeits, "counterfeit"),
        plural(series.groups, "group"),
        plural(series.sensitive_values, "sensitive value"),
    ]
    return ", ".join(part for part in parts if not part.startswith("0 "))


def adversary(report: Report) -> str:
    """Return who was assumed to attack."""
    assumed = report.adversary
    who = {
        "linked": "knows who is in which group of every release (linked)",
        "register": "has a register: exact quasi-identifiers and presence (register)",
        "pseudonym": "knows nothing but the published record ids (pseudonym)",
    }[assumed.kind]
    values = "; values may change along the transitions" if assumed.transitions else "; values never change"
    known = f"; {plural(assumed.known, 'person', 'people')} known beforehand" if assumed.known else ""
    return f"The adversary {who}{'' if assumed.kind == 'pseudonym' else values}{known}."


def contradicted(report: Report) -> str:
    """Return how people's own published values contradict the assumptions, which they do."""
    changed, infeasible = report.contradictions.changed, report.contradictions.infeasible
    said = []
    if changed:
        said.append(f"the value of {plural(changed, 'person', 'people')} changes as it never should")
    if infeasible:
        said.append(f"no value at all is left to {plural(infeasible, 'person', 'people')}")
    return f"THE ASSUMPTIONS DO NOT HOLD: {'; '.join(said)}."


def settings(report: Report) -> str:
    """Return the policy in force and the time limit."""
    limits = ", ".join(f"{name} {limit:g}" for name, limit in report.policy.limits.items())
    patience = "no time limit" if report.time_limit is None else f"at most {report.time_limit:g} s for each attack"
    return f"Policy: {limits}. Run with {patience}."


def waivers(report: Report) -> Iterable[str]:
    """Yield what became of each waiver."""
    for waived in report.policy.waived:
        what = {
            "applied": "is waived",
            "expired": "WAS waived, the waiver has expired and counts no more",
            "unknown": "is waived, but no finding has this id",
        }[waived.state]
        yield f"{printable(waived.finding)} {what} (until {waived.expires}: {printable(waived.reason, 200)})"


def headline(report: Report) -> tuple[str, str]:
    """Return the verdict in one sentence, and its colour."""
    if report.policy.violations:
        worst = max(reversed(violating(report)), key=lambda each: (_certain(each), each.findings_total))
        if worst.findings_total:
            what = fallen(worst)
            if "min_e" in worst.measures and not worst.measures["pinned"]:
                return f"NOT SAFE: by {worst.attack}, {_sharing(worst)}.", "red"
            if "once_unsafe" in worst.measures:
                return f"NOT SAFE: by {worst.attack}, {what}: too few others fit what is known of them.", "red"
            if "versions" in worst.measures:
                what += " (a person in one release)"
            value = f"the value of {printable(worst.sensitive)}" if worst.sensitive else "the sensitive value"
            return f"NOT SAFE: by {worst.attack}, {value} is certain for {what}.", "red"
        return "NOT SAFE: a risk reaches the policy's limit.", "red"
    if report.policy.undecided:
        return (
            "UNDECIDED: nothing was found, but not everything that the policy asks could be decided.",
            "yellow",
        )
    asked = ", ".join(attack.attack for attack in report.attacks if attack.status != "skipped")
    waived = sum(each.state == "applied" for each in report.policy.waived)
    but = f", but for what is waived: {plural(waived, 'finding')}" if waived else ""
    return f"The policy holds against: {asked}{but}.", "green"


def violating(report: Report) -> list[AttackReport]:
    """Return the attacks that violate a clause of the policy."""
    violated = {(violation.attack, violation.sensitive) for violation in report.policy.violations}
    return [attack for attack in report.attacks if (attack.attack, attack.sensitive) in violated]


def reasons(report: Report) -> Iterable[str]:
    """Yield what is behind the verdict, clause by clause."""
    yield from violated(report)
    yield from undecided(report)


def violated(report: Report) -> Iterable[str]:
    """Yield the clauses of the policy that do not hold."""
    for violation in report.policy.violations:
        yield violation_told(violation)


def violation_told(violation: Violation) -> str:
    """Return how a clause does not hold."""
    of = f" of {printable(violation.sensitive)}" if violation.sensitive else ""
    return f"{violation.measure}{of} is {_value(violation)} by {violation.attack}, limit {violation.limit:.12g}"


def undecided(report: Report) -> Iterable[str]:
    """Yield the clauses of the policy that are not decided, and those that were not judged."""
    for clause in report.policy.undecided:
        yield f"{clause.measure} is not decided: {printable(clause.reason, 400)}"
    if report.policy.not_asked:
        clauses = ", ".join(report.policy.not_asked)
        why = "run without --attack"
        if report.adversary.kind == "pseudonym" and "max_risk" in report.policy.not_asked:
            why = "max_risk is about people, of whom the adversary `pseudonym` knows nothing"
        yield f"not judged: {clauses} ({why})"


def notes(report: Report) -> Iterable[str]:
    """Yield how to take what is shown."""
    for attack in report.attacks:
        ways, spread = attack.measures.get("ways"), attack.measures.get("spread")
        if isinstance(ways, list) and ways:
            yield f"{named(attack)} took: {'; '.join(ways)}."
        if pairs := _int(attack.measures.get("open")):
            yield f"{named(attack)} left open whether {plural(pairs, 'value')} of versions can be true."
        if presumed := _int(attack.measures.get("presumed")):
            who = plural(presumed, "person", "people")
            yield f"{named(attack)} takes for granted that one truth is behind the releases; no key tells it for {who}."
        if isinstance(spread, dict):
            yield _spreading(spread, attack.measures.get("spread_worst"))
        estimated = attack.measures.get("estimated")
        if isinstance(estimated, dict):
            yield f"{named(attack)} {_estimate(estimated)}"
    if report.adversary.kind == "register" and any(a.measures.get("max_risk") is not None for a in report.attacks):
        yield (
            "A risk may exceed 1/m even where the series is m-invariant: the proof of that bound (m-invariance paper, "
            "Lemma 3) leaves out the worlds that break the principle, and the adversary is not assumed to know it."
        )


def advice(report: Report) -> Iterable[str]:
    """Yield what a publisher would do now."""
    found = [attack for attack in violating(report) if attack.findings_total]
    yield from _remedies(found)
    if report.policy.violations and not found:
        yield "Publish larger or more even groups, or accept a higher limit with --policy max_risk=…"
    if report.contradictions:
        yield "Decide first whether values may change; until then nothing below certainty can be relied on."
    if any(attack.reason and "time limit" in attack.reason for attack in report.attacks):
        yield "Give more time with --time-limit SECONDS."
    if found and not report.ids_are_stable:
        yield "Ids hold for this report only; with a folder private/ in the series they stay, and can be waived."
    if found and not report.revealed:
        yield "See who they are with --reveal; keep that report inside."
    if not found and not report.policy.violations:
        yield "Keep this report with the release; audit again, with the next release added, before that goes out."
        together = [attack.status for attack in report.attacks if "certain" in attack.measures]
        if set(together) != {"complete"}:
            yield "Somebody who reasons about everybody's values at once may deduce more than was found here."


def _remedies(found: Sequence[AttackReport]) -> Iterable[str]:
    """Yield what would have kept people from being found."""
    if found:
        yield "Do not publish another release of this kind: what is out cannot be taken back, more would be added."
    if any("min_e" in attack.measures for attack in found):
        yield "Publish whole buckets: audit anonymize --method e-equivalence keeps people from being equal to so few."
    if any(not {"once_unsafe", "min_e"} & attack.measures.keys() for attack in found):
        yield "Withhold or regroup the rows of the people above, so that their groups keep the values they had."
    if any("once_unsafe" in attack.measures for attack in found):
        yield "Split groups of records only into parts of k or more, and leave all other cells as they were."


def fallen(attack: AttackReport) -> str:
    """Return how many people or versions an attack is certain about, or how many records were in too small a class."""
    m = attack.measures
    more = "at least " if attack.status == "incomplete" else ""
    if "once_unsafe" in m:
        return f"{more}{_int(m['once_unsafe']):,} of {plural(_int(m['records']), 'record')} below k = {m['k']}"
    if "min_e" in m:
        return _equivalent(m, more)
    if "vulnerable" in m:
        return f"{more}{_int(m['vulnerable']):,} of {plural(_int(m['individuals']), 'person', 'people')}"
    if "certain" in m:
        return f"{more}{_int(m['certain']):,} of {plural(_int(m['versions']), 'version')}"
    return f"{more}{_int(m['disclosed']):,} of {plural(_int(m['versions']), 'version')}"


def known_of(attack: AttackReport) -> tuple[int, str] | None:
    """Return of how many `fallen` tells, and what they are; None where there are none."""
    for measure, what in (("records", "records"), ("versions", "versions"), ("individuals", "people")):
        if measure in attack.measures:
            number = _int(attack.measures[measure])
            return (number, what) if number else None
    return None


def share_fallen(attack: AttackReport) -> float:
    """Return the share of those of whom `fallen` tells, in [0, 1]."""
    m, of = attack.measures, known_of(attack)
    compromised = m.get("compromised")
    if isinstance(compromised, dict):
        found = max(compromised.values(), default=0)
    else:
        found = next(_int(m[name]) for name in ("once_unsafe", "vulnerable", "certain", "disclosed") if name in m)
    return found / of[0] if of else 0.0


def _equivalent(measures: Mapping[str, object], more: str) -> str:
    """Return how many people are in some equivalence, and how small equivalences get."""
    compromised, bounds = measures.get("compromised"), measures["min_e"]
    if not measures["ways"] or not isinstance(compromised, dict) or not isinstance(bounds, dict):
        return "nothing could be concluded"
    count = max(compromised.values())
    pinned = _int(measures["pinned"])
    fixed = f"{more}{plural(pinned, 'value')} pinned, " if pinned else ""
    people = plural(_int(measures["individuals"]), "person", "people")
    return f"{fixed}{more}{count:,} of {people} ({least_e(bounds)})"


def _spreading(spread: Mapping[str, object], who: object) -> str:
    """Return how far one known value spreads, at worst and on average."""
    worst, mean = _int(spread["worst"]), spread["mean"]
    if not worst or not isinstance(mean, float):
        return "No value follows from another one by combining groups."
    others = plural(worst, "further person's value follows", "further people's values follow")
    return f"Once the value of {printable(str(who))} is known, {others}; on average {mean:.3g} follow from one value."


def _estimate(estimated: Mapping[str, object]) -> str:
    """Return risks that were estimated from worlds drawn at random, which prove nothing."""
    if not estimated["versions"]:
        return f"cannot estimate how probable values are: {plural(_int(estimated['stuck']), 'version')} may have any."
    told = []
    for name in ("max_risk", "mean_risk"):
        bounds = estimated[name]
        if isinstance(bounds, dict):
            value, low, high = (number(bounds[each]) for each in ("value", "low", "high"))
            told.append(f"{'highest' if name == 'max_risk' else 'mean'} risk {value} ({low} to {high})")
    versions, r_hat = plural(_int(estimated["versions"]), "version"), estimated["r_hat"]
    stuck = _int(estimated["stuck"])
    told += [f"{stuck:,} others may have any"] if stuck else []
    mixed = f", R-hat {r_hat:.3g}" if isinstance(r_hat, float) else ""
    return f"estimates for {versions} whose worlds are too many to count: {', '.join(told)}; not proved{mixed}."


def _sharing(attack: AttackReport) -> str:
    """Return how many people are known to have the same values as how many others."""
    bounds, compromised = attack.measures["min_e"], attack.measures["compromised"]
    if not isinstance(bounds, dict) or not isinstance(compromised, dict) or bounds["upper"] != 1:
        return f"{fallen(attack)} have the same values, all together, as few others"
    people = plural(_int(attack.measures["individuals"]), "person", "people")
    return f"{compromised['1']:,} of {people} have for certain the same value as somebody else"


def least_e(bounds: Mapping[str, int | None]) -> str:
    """Return the bounds of the least e in words.

    >>> least_e({"lower": 2, "upper": 2}), least_e({"lower": 2, "upper": 4}), least_e({"lower": 5, "upper": None})
    ('least e: 2', 'least e: 2 to 4', 'least e: 5 or more')
    """
    lower, upper = bounds["lower"], bounds["upper"]
    if lower is None:
        return "there is no equivalence" if upper is None else f"least e: up to {upper}"
    if upper is None:
        return f"least e: {lower} or more"
    return f"least e: {lower}" if lower == upper else f"least e: {lower} to {upper}"


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


def named(attack: AttackReport) -> str:
    """Return an attack's name, with the attribute when several are audited."""
    return f"{attack.attack} ({printable(attack.sensitive)})" if attack.sensitive else attack.attack


def seconds(attack: AttackReport) -> str:
    """Return how long an attack took."""
    return f"{attack.seconds:.2f} s"


def listing(texts: Sequence[str]) -> str:
    """Return texts one after the other, the first dozen of them."""
    shown = ", ".join(printable(text) for text in texts[:_CANDIDATES_SHOWN])
    hidden = len(texts) - _CANDIDATES_SHOWN
    return f"{shown} and {hidden} more" if hidden > 0 else shown


def counted(attack: AttackReport) -> str:
    """Return what an attack's timeline counts."""
    if "once_unsafe" in attack.measures:
        return "below k"
    return "equal" if "min_e" in attack.measures else "certain"


def multiset(side: Mapping[str, int]) -> str:
    """Return a side of an equivalence, each with how often it is counted where that is more than once.

    >>> multiset({"Bob": 1, "Dan": 2})
    '{Bob, 2 x Dan}'
    """
    names = [printable(name) if times == 1 else f"{times} x {printable(name)}" for name, times in side.items()]
    return names[0] if len(names) == 1 and set(side.values()) == {1} else f"{{{', '.join(names)}}}"


def described(cells: Mapping[str, str]) -> str:
    """Return the cells of a record, each with its quasi-identifier."""
    return ", ".join(f"{printable(name)} {printable(cell)}" for name, cell in cells.items())
