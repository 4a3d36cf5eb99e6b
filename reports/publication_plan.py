"""The plan of a publication as a page and as JSON, without anything about people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from audit.model.command_results import FEW_INVENTED, PlannedSeries, PublicationPlan
from audit.model.errors import SENTENCE
from audit.runtime.phrases import Phrase, figure, joined, parted, placed, printable, say, say_count, typed
from reports.json_values import json_value
from reports.page import Block, Bullets, Facts, Page, PageTable, Paragraph, Section
from reports.sentences import result_text
from reports.verdict import if_unchanged

_VERDICT = {0: Phrase("holds"), 1: Phrase("VIOLATED"), 3: Phrase("undecided")}
_SOME, _MUCH, _WIDE = 0.05, 0.2, 0.5
"""The share of withheld people that it says first, and the shares of counterfeits or of withheld people, and of the
range that cells cover, above which it warns."""
_EXACT = Phrase("exact: the method publishes exact quasi-identifiers (Anatomy); people can be singled out by them.")
_WORST_FIRST = ("joint", "equivalence", "inference-table", "update-graph", "intersection")


def page(plan: PublicationPlan) -> Page:
    """Return the plan as a table, with the findings below it."""
    best = plan.recommended
    title = say("{microdata}: what each method would make of it", microdata=printable(plan.microdata, 200))
    why = [(_name(each), parted(filter(None, (_why(each), _widths(each))))) for each in plan.tried]
    head = say("method"), say("policy"), say("counterfeits"), say("withheld"), say("cells"), say("count error")
    sections = [
        Section("", [PageTable(head, [_cells(each, best) for each in plan.tried], words=2)]),
        Section("", [Facts([(name, text) for name, text in why if text])]),
        Section("", [Bullets(list(_notes(plan)), soft=True)]),
    ]
    first: list[Block] = [Paragraph(each, strong=not place) for place, each in enumerate(_recommendation(plan))]
    return Page(title, inside=False, head=first, sections=sections)


def document(plan: PublicationPlan) -> Mapping[str, object]:
    """Return the JSON of a plan."""
    best = plan.recommended
    return {
        "microdata": plan.microdata,
        "tried": json_value(plan.tried),
        "frequent": plan.frequent,
        "changing": plan.changing,
        "transitions": plan.transitions,
        "amounts": plan.amounts,
        "interrupted": plan.interrupted,
        "recommended": None
        if best is None
        else {"method": best.method, "parameters": best.parameters, "without": best.without},
    }


def _name(each: PlannedSeries) -> str:
    name = f"{each.method} {each.parameters}".strip()
    if not each.without:
        return name
    return say("{method}, without {columns}", method=name, columns=joined([printable(one) for one in each.without]))


def _widths(each: PlannedSeries) -> str | None:
    """Return how much a cell of each quasi-identifier covers, in its own units; None where cells are exact."""
    if each.refused is not None or each.form == "anatomy" or not each.widths:
        return None
    text = ", ".join(f"{printable(name, 40)} {figure(width, ',.1f')}" for name, width in each.widths.items())
    return say("a cell covers on average, in values: {widths}", widths=text)


def _cells(each: PlannedSeries, best: PlannedSeries | None) -> tuple[str, ...]:
    name = say("➜ {method} (recommended)", method=_name(each)) if each is best else _name(each)
    if each.refused is not None:
        return name, say("refused"), "-", "-", "-", "-"
    width = say("exact") if each.form == "anatomy" else "-" if each.ncp is None else figure(each.ncp, ".1%")
    error = "-" if each.query_error is None else figure(each.query_error, ".1%")
    return name, str(_VERDICT[each.exit_code]), figure(each.counterfeits), figure(each.withheld), width, error


def _why(each: PlannedSeries) -> str | None:
    """Return why a method was refused or its series is undecided, or what the strongest attack finds.

    None if the policy holds.
    """
    if each.seeds > 1 and not each.keeps:
        why = _why(replace(each, seeds=1))
        return say("not with each of {count} seeds: {reason}", count=each.seeds, reason=why or _VERDICT[each.exit_code])
    if each.refused is not None:
        return printable(each.refused, SENTENCE)
    if each.exit_code == 0:
        return None
    if each.undecided and each.exit_code != 1:
        return printable("; ".join(each.undecided), SENTENCE)
    found = {attack.attack: attack for attack in each.attacks if attack.ran}
    worst = [found[name] for name in _WORST_FIRST if name in found and found[name].measures.found]
    if worst:
        return say("{name}: {text}", name=worst[0].attack, text=result_text(worst[0]))
    return next((f"{a.attack}: {printable(a.reason, SENTENCE)}" for a in found.values() if a.reason), None)


def _none(plan: PublicationPlan) -> Iterator[str]:
    """Yield that nothing is recommended, and what may help; nothing if trials are missing."""
    if plan.interrupted:
        return
    refused = all(each.refused is not None for each in plan.tried)
    yield (
        say(
            "Recommendation: none of these. Every method refuses the tables, for the reasons below: see to these first."
        )
        if refused
        else say(
            "Recommendation: none of these. Nothing that was tried keeps the policy, even with columns left out. "
            "Look at the findings below; then try coarser values, or a policy that you can defend."
        )
    )
    yield from _frequent(plan)
    if plan.amounts:
        yield say(
            "The sensitive column has {count} different numbers, which few people share: methods form groups of "
            "people with different values, and close numbers disclose nearly as much. Write wide ranges instead, "
            "such as 20000-29999, and plan again.",
            count=figure(plan.amounts),
        )


def _recommendation(plan: PublicationPlan) -> Iterator[str]:
    """Yield the recommendation, then how to apply it."""
    best = plan.recommended
    if plan.interrupted:
        yield say(
            "Interrupted after {count} trials: this is what they show; those that are missing may serve better.",
            count=figure(len(plan.tried)),
        )
    yield from _undecided(plan, best)
    if best is None:
        yield from _none(plan)
        return
    yield from _false_or_missing(best, [each for each in plan.tried if each.keeps])
    yield _costs(best)
    if best.certain_if_unchanged:
        yield if_unchanged(best.certain_if_unchanged)
    yield say("Why this one: {reason}.", reason=_reason(best, [e for e in plan.tried if e.keeps and e is not best]))
    yield from _frequent(plan)
    yield from _left_open(best)
    if best.form == "anatomy":
        yield str(_EXACT)
    if max(best.counterfeit_share, best.withheld_share) > _MUCH or (best.ncp or 0.0) > _WIDE:
        yield say(
            "This costs much: consider coarser values or fewer columns, and what users need, before you choose it."
        )
    if best.seeds > 1:
        yield say("It keeps the policy with each of {count} seeds; `audit anonymize` draws another.", count=best.seeds)
    if best.without:
        columns = joined([printable(one) for one in best.without])
        yield say("Delete {columns} everywhere in microdata.toml first.", columns=columns)
    folder = placed("MICRODATA")
    series = "SERIES" if folder == "MICRODATA" else f"{folder}-series"
    command = f"audit anonymize {folder} --method {best.method} {best.parameters} --output {series}"
    yield say("Next: {command}", command=f"`{typed(command)}`")


def _left_open(best: PlannedSeries) -> Iterator[str]:
    """Yield what the method of a series does not promise, and what audits of it ask."""
    if best.is_baseline:
        yield say(
            "{method} is a baseline: it forms each release by itself and promises nothing about several, so that a "
            "later release may break the policy.",
            method=best.method,
        )
    if best.unlinkable:
        yield say(
            "No method protects unlinkable columns ({columns}): audits of the series are undecided until `{command}` "
            "has asked about them.",
            columns=joined([printable(one) for one in best.unlinkable]),
            command=typed("audit init SERIES --confirm"),
        )


def _undecided(plan: PublicationPlan, best: PlannedSeries | None) -> Iterator[str]:
    """Yield why series are undecided that would lose less than what is recommended: the most common reason."""
    open_ones = [each for each in plan.tried if each.refused is None and each.exit_code == 3]
    reasons = Counter(why for each in open_ones if best is None or each.lost < best.lost for why in each.undecided)
    for reason, count in reasons.most_common(1):
        yield say_count(
            "FIRST: {count} series, which may be a better choice, [is|are] undecided: {reason}. See to this in "
            "microdata.toml or in the tables, and plan again.",
            count,
            reason=printable(reason, SENTENCE),
        )


def _false_or_missing(best: PlannedSeries, kept: Sequence[PlannedSeries]) -> Iterator[str]:
    """Yield that more than one row in twenty is invented, or more than one person in twenty is withheld."""
    if best.invented:
        share = figure(best.counterfeit_share, ".1%")
        text = say(
            "CAUTION: {share} of the published rows would be invented: counterfeits, of no real person.", share=share
        )
        if all(each.invented for each in kept):
            text += " " + say(
                "Every series that keeps the policy invents more than {most} of its rows: plan with coarser values or "
                "fewer columns before you publish so many.",
                most=figure(FEW_INVENTED, ".0%"),
            )
        yield text
    if best.withheld_share > _SOME:
        yield say("CAUTION: {share} of the people would be withheld.", share=figure(best.withheld_share, ".1%"))


def _frequent(plan: PublicationPlan) -> Iterator[str]:
    """Yield what to do about a value that most people have."""
    if plan.frequent is not None:
        value, share = plan.frequent
        yield say(
            "{share} of the people have {value}: methods that give each value to at most 1/m of the people refuse, "
            'hold rows back, or invent some. If it is no secret, write harmless = ["{value}"] under [columns] of '
            "microdata.toml, and plan again.",
            share=figure(share, ".0%"),
            value=printable(value),
        )


def _costs(best: PlannedSeries) -> str:
    """Return what is recommended, and what it costs."""
    text = say("Recommendation: {method}, which keeps the policy.", method=_name(best))
    if best.query_error is not None:
        text = say(
            "Recommendation: {method}, which keeps the policy; the error of counts is {error}.",
            method=_name(best),
            error=figure(best.query_error, ".1%"),
        )
    if best.ncp is not None and best.form != "anatomy":
        text += " " + say("Cells cover {share} of their range.", share=figure(best.ncp, ".1%"))
    if (widths := _widths(best)) is not None:
        text += " " + say("Width of the cells: {widths}.", widths=widths)
    if best.withheld:
        text += " " + say("It withholds {share} of the people.", share=figure(best.withheld_share, ".1%"))
    if best.counterfeits:
        share = figure(best.counterfeit_share, ".1%")
        text += " " + say("{share} of the published rows are counterfeits, which users cannot tell apart.", share=share)
    return text


def _reason(best: PlannedSeries, others: Sequence[PlannedSeries]) -> str:
    """Return why one series is recommended and not one of the others that keep the policy."""
    if not others:
        return say("nothing else that was tried keeps the policy")
    few = [each for each in others if each.invented <= best.invented]
    if not few:
        return say("the others that keep the policy invent more of their rows")
    fewest = [each for each in few if (each.certain_if_unchanged or 0) == (best.certain_if_unchanged or 0)]
    what = [say("keep the policy")]
    what += [say("invent the fewest rows")] if len(few) < len(others) else []
    if not fewest:
        return say(
            "of those that {what}, the fewest values would be certain with it if no value changed", what=joined(what)
        )
    wide = [each for each in fewest if best.form == "anatomy" or each.form != "anatomy"]
    if not wide:
        return say("the others that keep the policy publish exact quasi-identifiers, which single people out")
    what += [say("make the fewest values certain if no value changes")] if len(fewest) < len(few) else []
    what += [say("publish no exact quasi-identifiers")] if len(wide) < len(fewest) else []
    return say(
        "of those that {what}, it loses least by errors of counts, wide cells, withheld people and counterfeits "
        "together",
        what=joined(what),
    )


def _notes(plan: PublicationPlan) -> Iterator[str]:
    if plan.transitions is None:
        yield say("All rows are judged by one assumption: no person's value ever changes.")
    else:
        yield say(
            "All rows are judged by the changes of values that {file} lists, and no others; with --close, a method "
            "forms its groups as if more were possible.",
            file=printable(plan.transitions, 200),
        )
    if plan.changing:
        yield say_count(
            "The [value|values] of {count} [person changes|people change] between snapshots, but microdata.toml lists "
            "no changes: list them in a file of transitions ([updates]); `audit init --microdata --confirm` drafts it.",
            plan.changing,
        )
    if any(each.form == "anatomy" for each in plan.tried):
        yield str(_EXACT)
    yield say(
        "All rows are judged by an adversary who knows the group of each person, and no register. If adversaries have "
        "one instead, a finer series may do: publish it, name the register under [adversary] in its series.toml, and "
        "run `{register}`, or `{possible}` if it lists people who may be in the data.",
        register=typed("audit SERIES --adversary register"),
        possible=typed("audit SERIES --adversary possible"),
    )
    yield say(
        "policy: the default policy against every attack that applies; cells: how much of their range cells cover; "
        "count error: median relative error of random COUNT queries. A plan is not a verdict: audit what you publish."
    )
