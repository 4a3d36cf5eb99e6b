"""What a report on count tables says in sentences, for formats that people read."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from audit.findings.wording import ROWS
from audit.model.count_report import (
    AssumedTerm,
    CertificateStep,
    CertificateSum,
    CertifiedBound,
    CountFinding,
    CountReport,
    SumTerm,
)
from audit.model.errors import printable
from audit.model.json_types import UNBOUNDED
from audit.runtime.phrases import Noun, Phrase, figure, say, say_count
from audit.runtime.reasons import ReasonKind, kind_of
from reports.sentences import RELEASES

_OVER_TIME = {
    "same": Phrase("The adversary has only what was published; every release counts the same people."),
    "cumulative": Phrase(
        "The adversary has only what was published; nobody leaves; each release counts those of the one before and "
        "newcomers."
    ),
    "independent": Phrase("The adversary has only what was published; nothing ties the releases to each other."),
}
REST = "(rest)"
_WAIVERS = {
    "applied": Phrase("waiver of {finding} is applied: {reason}"),
    "expired": Phrase("waiver of {finding} is expired: {reason}"),
    "unknown": Phrase("waiver of {finding} is unknown: {reason}"),
    "exceeded": Phrase("waiver of {finding} accepts less than is found now: {reason}"),
    "unsized": Phrase("waiver of {finding} does not say how much it accepts: {reason}"),
}
_ROUNDED = {
    "nearest": Phrase("Numbers are rounded to the nearest multiple of {base}, halves up."),
    "even": Phrase("Numbers are rounded to the nearest multiple of {base}, halves to the even one."),
    "down": Phrase("Numbers are rounded down to multiples of {base}."),
    "up": Phrase("Numbers are rounded up to multiples of {base}."),
    "random": Phrase("Numbers are rounded at random, up or down, to multiples of {base}."),
    "midpoint": Phrase("Numbers are rounded to the middle of ranges of {base}."),
}
KINDS = {
    "recovered": Phrase("recovered"),
    "narrowed": Phrase("narrowed"),
    "small": Phrase("small"),
    "all": Phrase("all of one kind"),
}


def facts(report: CountReport) -> str:
    """Return the sizes of what was audited."""
    series = report.series
    counts = [
        (RELEASES, len(series.releases)),
        (Noun("{count} table", "{count} tables"), series.tables),
        (ROWS, series.rows),
        (Noun("{count} dimension", "{count} dimensions"), len(series.dimensions)),
    ]
    if len(series.measures) > 1:
        counts.append((Noun("{count} statistic", "{count} statistics"), len(series.measures)))
    return ", ".join(noun.counted(count) for noun, count in counts)


def adversary(report: CountReport) -> str:
    """Return who was assumed to attack, and what is known of the releases."""
    return str(_OVER_TIME[report.series.over_time])


def rules(report: CountReport) -> Iterator[str]:
    """Yield what published texts were taken to stand for, as the manifest has it."""
    told = report.series.rules
    for text, ends in told.markers.items():
        yield say("{marker} stands for {counts}.", marker=printable(text), counts=_counts(ends))
    if told.threshold is not None:
        yield say("Counts below {threshold} are hidden unless they are 0.", threshold=told.threshold)
    if told.rounding is not None:
        base, how = told.rounding
        yield _ROUNDED[how].filled(base=base)
    if told.perturbation:
        yield say("Numbers are off by up to {most}.", most=told.perturbation)
    for column, per, decimals, denominator in told.rates:
        named = {"column": printable(column), "denominator": printable(denominator)}
        yield say_count(
            "{column} is per {per} of {denominator}, to {count} decimal.",
            "{column} is per {per} of {denominator}, to {count} decimals.",
            decimals,
            per=per,
            **named,
        )
    if told.absent_is_zero:
        yield say("A row that is left out is a 0.")
    for name in told.open:
        yield say("The labels of {dimension} need not cover everybody.", dimension=printable(name))
    for file, many in report.series.notes.items():
        yield say_count(
            "{count} line below the table in {file} is a note, and no row.",
            "{count} lines below the table in {file} are notes, and no rows.",
            many,
            file=printable(file),
        )


def _counts(ends: tuple[int, int | None]) -> str:
    low, high = ends
    if high is None:
        return say("{low} or more", low=low)
    return say("{low}", low=low) if low == high else say("{low} to {high}", low=low, high=high)


def headline(report: CountReport) -> tuple[str, str]:
    """Return the verdict in one sentence, and its colour."""
    measures = report.attack.measures
    if report.policy.violations:
        found = {each.measure: int(each.value) for each in report.policy.violations}
        alike, exactly = found.pop("all", 0), found.get("recovered", 0)
        if not found:
            return say_count(
                "NOT SAFE: of {count} cell of the tables it can be derived that everybody in it is of one kind.",
                "NOT SAFE: of {count} cells of the tables it can be derived that everybody in them is of one kind.",
                alike,
            ), "red"
        return say_count(
            "NOT SAFE: {count} small or hidden count can be derived from the tables, {how}.",
            "NOT SAFE: {count} small or hidden counts can be derived from the tables, {how}.",
            sum(found.values()),
            how=say("{count} exactly", count=exactly) if exactly else say("none exactly"),
        ), "red"
    if report.policy.undecided and not measures.open:
        return say("UNDECIDED: the tables cannot be called safe before what is named below is declared."), "yellow"
    if report.policy.undecided:
        return say_count(
            "UNDECIDED: {count} count could not be settled.",
            "UNDECIDED: {count} counts could not be settled.",
            measures.open,
        ), "yellow"
    if report.left_out:
        return say_count(
            "The policy holds, except for what is waived or in the baseline: {count} finding.",
            "The policy holds, except for what is waived or in the baseline: {count} findings.",
            report.left_out,
        ), "green"
    return say("The policy holds: no small or hidden count can be derived from the tables."), "green"


def state(report: CountReport) -> str:
    """Return how the policy ended, in a word."""
    if report.policy.violations:
        return say("not safe")
    return say("undecided") if report.policy.undecided else say("safe")


def reasons(report: CountReport) -> Iterator[str]:
    """Yield what is behind the verdict."""
    measures = report.attack.measures
    if measures.recovered:
        yield say_count(
            "recovered: {count} count known exactly", "recovered: {count} counts known exactly", measures.recovered
        )
    if measures.narrowed:
        yield say_count(
            "narrowed: {count} hidden count, with too few possible values left",
            "narrowed: {count} hidden counts, with too few possible values left",
            measures.narrowed,
        )
    if measures.small:
        yield say_count(
            "small: {count} count certainly below the least count",
            "small: {count} counts certainly below the least count",
            measures.small,
        )
    if measures.all:
        yield say_count(
            "all of one kind: {count} cell of which everybody is",
            "all of one kind: {count} cells of which everybody is",
            measures.all,
        )
    sure = sum(int(each.value) for each in report.policy.violations)
    guessed = measures.recovered + measures.narrowed + measures.small + (measures.all or 0) - sure
    if guessed:
        yield say_count(
            "{count} of these is found only if what is guessed is right, and violates nothing until that is confirmed",
            "{count} of these are found only if what is guessed is right, and violate nothing until that is confirmed",
            guessed,
        )
    for clause in report.policy.undecided:
        yield say("{clause} is not decided: {reason}", clause=clause.measure, reason=printable(clause.reason, 400))


def not_published(report: CountReport) -> list[str]:
    """Return that nothing was published, and what stands in the way."""
    found = [f"{KINDS[each.kind]}: {sentence(each, report)}." for each in report.attack.findings]
    why = found or [f"{line}." for line in reasons(report)]
    return [say("Nothing was published: whatever else is hidden, this follows or is not settled:"), *why]


def measured(report: CountReport) -> list[tuple[str, str]]:
    """Return what was counted, each with its value."""
    m = report.attack.measures
    limits = report.policy.limits
    width = say("none is bounded") if m.smallest_width is None else figure(m.smallest_width)
    return [
        (say("published cells"), figure(m.cells)),
        (say("hidden by a marker"), figure(m.protected)),
        (say("counts asked about"), figure(m.questions)),
        (say("recovered"), figure(m.recovered)),
        (say("narrowed"), figure(m.narrowed)),
        (say("small"), figure(m.small)),
        *([] if m.all is None else [(say("all of one kind"), figure(m.all))]),
        (say("not settled"), figure(m.open)),
        *([(say("smallest number of values possible for a hidden count"), width)] if m.protected else []),
        (say("smallest count that may be known"), figure(limits["min_count"], "g")),
    ]


def checked(report: CountReport) -> str:
    """Return how many certificates were checked."""
    attack = report.attack
    if not attack.findings_total:
        return say("There is nothing to certify.")
    if attack.certificates_checked >= attack.findings_total:
        return say("All certificates were checked again, in exact fractions.")
    return say(
        "{checked} of {total} certificates were checked again, those shown and others at random, in exact fractions.",
        checked=attack.certificates_checked,
        total=attack.findings_total,
    )


def cell_name(cell: dict[str, str], totals: dict[str, str]) -> str:
    """Return the labels of a cell that are not its totals.

    >>> cell_name({"area": "N", "sex": "All"}, {"area": "England", "sex": "All"})
    'area N'
    """
    named = [f"{printable(name)} {printable(label)}" for name, label in cell.items() if totals.get(name) != label]
    return ", ".join(named) or say("everybody")


def sentence(finding: CountFinding, report: CountReport) -> str:
    """Return what a finding says, without a full stop."""
    where = cell_name(finding.cell, report.series.totals)
    if finding.measure is not None:
        where = f"{printable(finding.measure)}, {where}"
    if finding.dimension is not None:
        return _of_one_kind(finding, report)
    about = {"where": where, "count": amount(finding.lower, finding.upper), "release": printable(finding.release)}
    if finding.since is not None:
        since = printable(finding.since)
        what = say("{where}, increase from release {since} to {release}: {count}", **about, since=since)
    else:
        what = say("{where}, release {release}: {count}", **about)
    if finding.shown is not None:
        what = say("{finding} (published as {shown})", finding=what, shown=printable(finding.shown))
    if not finding.exact:
        what = say("{finding}; perhaps fewer values are left", finding=what)
    if finding.rests_on:
        what = say("{finding}; this rests on a guess: {keys}", finding=what, keys=", ".join(finding.rests_on))
    return what


def _of_one_kind(finding: CountFinding, report: CountReport) -> str:
    cell = {name: label for name, label in finding.cell.items() if name != finding.dimension}
    return say(
        "{where}, release {release}: all of them ({count}) are of {dimension} {label}",
        where=", ".join(filter(None, [printable(finding.measure or ""), cell_name(cell, report.series.totals)])),
        release=printable(finding.release)
        if finding.since is None
        else say("{release} since {since}", release=printable(finding.release), since=printable(finding.since)),
        count=amount(finding.lower, None if finding.upper >= UNBOUNDED else finding.upper),
        dimension=printable(finding.dimension or ""),
        label=printable(finding.cell[finding.dimension or ""]),
    )


def amount(lower: int, upper: int | None) -> str:
    """Return what a count is, or between what it lies."""
    if upper is None:
        return say("{low} or more", low=lower)
    return say("exactly {count}", count=lower) if lower == upper else say("{low} to {high}", low=lower, high=upper)


def steps(finding: CountFinding, report: CountReport) -> Iterator[str]:
    """Yield the certificate of a finding, a line for each bound, or one for both."""
    bounds = finding.certificate
    if told := _in_words(finding, report):
        yield told
        return
    if finding.dimension is None and len(bounds) == 2 and _equation(bounds[0].step) and _same(bounds[0], bounds[1]):
        yield f"{_added(bounds[0].step, report)} = {figure(finding.lower)}"
        return
    for bound in bounds:
        yield from bound_lines(bound, report)


def _in_words(finding: CountFinding, report: CountReport) -> str | None:
    """Return a difference of two published numbers as somebody would say it; None where it is more than that."""
    bounds = finding.certificate
    if finding.dimension or len(bounds) != 2 or not _equation(bounds[0].step) or not _same(bounds[0], bounds[1]):
        return None
    step = bounds[0].step
    terms = [each for each in step.terms if isinstance(each, SumTerm)] if isinstance(step, CertificateSum) else []
    weights = {each.weight: each for each in terms}
    if len(terms) != 2 or set(weights) != {"1", "-1"} or weights["1"].release == weights["-1"].release:
        return None
    more, less, count = weights["1"], weights["-1"], finding.lower
    about = {
        "more": more.end,
        "one": printable(more.release),
        "less": less.end,
        "other": printable(less.release),
    }
    over_time = report.series.over_time
    if over_time == "same" and any(label == REST for label in finding.cell.values()):
        return say_count(
            "{more} in release {one}, {less} in release {other}, both count the same people: one person was left out",
            "{more} in release {one}, {less} in release {other}, both count the same people: {count} people were left "
            "out",
            count,
            **about,
        )
    if over_time == "same":
        return say_count(
            "{more} in release {one}, {less} in release {other}, both count the same people: the difference is one "
            "person",
            "{more} in release {one}, {less} in release {other}, both count the same people: the difference is {count} "
            "people",
            count,
            **about,
        )
    if over_time != "cumulative":
        return None
    return say_count(
        "{more} in release {one}, {less} in release {other}, and nobody leaves: one person came in between",
        "{more} in release {one}, {less} in release {other}, and nobody leaves: {count} people came in between",
        count,
        **about,
    )


def _equation(step: CertificateStep) -> bool:
    return isinstance(step, CertificateSum) and all(isinstance(t, SumTerm) and t.exact for t in step.terms)


def _same(one: CertifiedBound, other: CertifiedBound) -> bool:
    return (
        isinstance(one.step, CertificateSum)
        and isinstance(other.step, CertificateSum)
        and (set(map(str, one.step.terms)) == set(map(str, other.step.terms)))
    )


def bound_lines(bound: CertifiedBound, report: CountReport) -> Iterator[str]:
    """Yield what shows a bound, a line for each sum."""
    upper = bound.bound == "upper"
    claim = say("at most {count}", count=bound.rounded) if upper else say("at least {count}", count=bound.rounded)
    if bound.cell is not None:
        claim = say("{claim} of {where}", claim=claim, where=cell_name(bound.cell, report.series.totals))
    yield from _lines(bound.step, claim, report, 0)


def _lines(step: CertificateStep, claim: str, report: CountReport, depth: int) -> Iterator[str]:
    indent = "  " * depth
    if isinstance(step, CertificateSum):
        value = Fraction(step.value)
        told = say("impossible") if step.impossible else claim
        exact = "" if value.denominator == 1 else f" = {value}"
        yield f"{indent}{say('{name}: {text}', name=told, text=f'{_added(step, report)}{exact}')}"
        return
    where = cell_name(step.cell, report.series.totals)
    yield f"{indent}{say('{claim}, by cases of {where}:', claim=claim, where=where)}"
    yield f"{indent}  {say('if at most {count}:', count=step.at_most)}"
    yield from _lines(step.below, claim, report, depth + 2)
    yield f"{indent}  {say('if at least {count}:', count=step.at_most + 1)}"
    yield from _lines(step.above, claim, report, depth + 2)


def _added(step: CertificateStep, report: CountReport) -> str:
    if not isinstance(step, CertificateSum):
        return ""
    ordered = sorted(step.terms, key=lambda term: Fraction(term.weight) < 0)
    told = ""
    for place, term in enumerate(ordered):
        weight = Fraction(term.weight)
        sign = ("" if weight > 0 else "-") if place == 0 else (" + " if weight > 0 else " - ")
        times = "" if abs(weight) == 1 else f"{abs(weight)} x "
        told += f"{sign}{times}{_term(term, report)}"
    return told or "0"


def _term(term: SumTerm | AssumedTerm, report: CountReport) -> str:
    if isinstance(term, AssumedTerm):
        return say("{count} (as assumed in case {case})", count=term.end, case=str(term.case + 1))
    if term.shown is None:
        return say("0 (a row left out)")
    where = cell_name(term.cell, report.series.totals)
    if len(report.series.releases) > 1:
        where = say("{where} in {release}", where=where, release=printable(term.release))
    if term.exact:
        return f"{figure(term.end)} ({where})"
    return say("{count} ({where}, published {shown})", count=term.end, where=where, shown=printable(term.shown))


def waiver_lines(report: CountReport) -> Iterator[str]:
    """Yield what became of each waiver."""
    for each in report.policy.waived:
        yield _WAIVERS[each.state].filled(finding=printable(each.finding or ""), reason=printable(each.reason, 200))


def advice(report: CountReport) -> Iterator[str]:
    """Yield what a publisher would do now."""
    if report.policy.violations:
        yield say(
            "What is out cannot be taken back; do not publish the next table of this kind before `audit next` passes."
        )
        yield say(
            "Hide further cells in the same rows and columns, or round more coarsely, by the same rule "
            "in all tables and rates."
        )
    if report.policy.undecided and report.attack.measures.open:
        yield say("Give more time with --time-limit SECONDS.")
    if any(kind_of(each.reason) is ReasonKind.NEEDS for each in report.policy.undecided):
        yield say("Declare in series.toml what is not decided, and audit again.")
    if not report.policy.violations:
        yield say("Keep this report with the release; audit again, with the next release added, before that goes out.")


def summary(report: CountReport) -> list[str]:
    """Return three sentences: what was done, what it found, and what now."""
    measures = report.attack.measures
    done = say(
        "{cells} published counts of {releases} were audited, {hidden} of them hidden by a marker.",
        cells=measures.cells,
        releases=say_count("{count} release", "{count} releases", len(report.series.releases)),
        hidden=measures.protected,
    )
    if measures.recovered:
        found = say_count(
            "One small count, of people that the tables should hide, follows exactly from the others.",
            "{count} small counts, of people that the tables should hide, follow exactly from the others.",
            measures.recovered,
        )
    elif measures.small or measures.narrowed:
        found = say_count(
            "No small count follows exactly, but {count} is known too narrowly.",
            "No small count follows exactly, but {count} are known too narrowly.",
            measures.small + measures.narrowed,
        )
    elif measures.open:
        found = say("No small count was found to follow from the others, but not all were settled.")
    else:
        found = say("No small count follows from the others, neither exactly nor narrowly.")
    return [done, found, _now(report)]


def _now(report: CountReport) -> str:
    last = printable(report.series.releases[-1], 60)
    if report.policy.violations:
        return say(
            "Do not publish a further table of this kind: what is out cannot be taken back, and each "
            "further table adds to what can be derived."
        )
    if report.policy.undecided:
        return say(
            "This is not a clearance: what is still open must be decided before release {release} goes out.",
            release=last,
        )
    return say(
        "By the clauses that were asked, release {release} may go out; audit again before the next release.",
        release=last,
    )


def allowed(report: CountReport) -> str:
    """Return what the verdict allows, in a sentence."""
    if report.policy.violations:
        return say("The verdict does not allow these tables to go out as they are.")
    if report.policy.undecided:
        return say("The verdict neither allows nor forbids these tables: not everything was decided.")
    return say("The verdict allows these tables to go out, under the assumptions stated here.")


def choices(report: CountReport) -> list[str]:
    """Return the decisions that the verdict allows."""
    if report.policy.violations:
        return [
            say("The tables do not go out."),
            say("The tables go out changed, after an audit of what was changed:"),
            say("The findings are accepted, for this reason and until this date:"),
        ]
    if report.policy.undecided:
        return [
            say("The tables wait until what is open has been decided."),
            say("The tables go out all the same; what is open is accepted, for this reason:"),
        ]
    return [say("The tables may go out."), say("The tables do not go out, for this reason:")]


def readers(report: CountReport) -> Iterator[str]:
    """Yield what the page tells to whom."""
    if report.attack.findings:
        yield say(
            "This version shows counts that the tables hide, and how they follow. It is for those inside who may see "
            "the exact counts."
        )
        return
    found = report.attack.findings_total
    if found:
        yield say_count(
            "Somebody who has the tables as well learns from this page that {count} small or hidden count can be "
            "derived from them, but not which; to derive it takes nothing but the tables.",
            "Somebody who has the tables as well learns from this page that {count} small or hidden counts can be "
            "derived from them, but not which; to derive them takes nothing but the tables.",
            found,
        )
    elif report.policy.undecided:
        yield say("Somebody who has the tables as well learns nothing about any count but that some were not settled.")
    else:
        yield say("Somebody who has the tables as well learns nothing more about any count from this page.")
    if any(rules(report)):
        yield say(
            "The rules under “Assumptions” say how counts were hidden or rounded. Where they are not published "
            "with the tables, leave them out of what is shared."
        )


def words() -> list[tuple[str, str]]:
    """Return the words of the page that not every reader knows."""
    return [
        (say("marker"), say("What a table shows in place of a hidden count.")),
        (say("recovered"), say("The count is known exactly, though the tables hide or round it, or never show it.")),
        (say("narrowed"), say("The count is hidden, but fewer values are possible for it than the policy requires.")),
        (say("small"), say("The count is certainly small, even if its exact value is not known.")),
        (say("sum"), say("Published counts, added and subtracted so that only the count in question is left.")),
    ]
