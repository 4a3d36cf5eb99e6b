"""Try methods on microdata: publish by each into a temporary folder, audit and measure."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from audit.io.microdata import Microdata, frequent_value
from audit.io.releases import IdentifierEncoder
from audit.io.rules.rows_and_values import Unlinkable
from audit.io.series import open_series
from audit.metrics.utility import Queries, cell_widths, measure
from audit.model.anonymizer import Anonymizer, Form
from audit.model.audit_options import AuditOptions
from audit.model.command_results import SEEDS, PlannedSeries, PublicationPlan
from audit.model.errors import InputError, UsageError
from audit.model.options import options_of
from audit.model.outcome import Attack
from audit.pipeline.audit_run import run_audit
from audit.principles import registry as principles
from audit.principles.principle import Principle
from audit.publishing.publish import PublishOptions, PublishResult, publish
from audit.runtime.phrases import say


class MethodCandidate(NamedTuple):
    """The parameters as on the command line, the method with them, the principle that it promises, and a form.

    Without a form, it is the method's own.
    """

    parameters: str
    method: Anonymizer
    principle: Principle
    form: Form | None = None


TRIED = {"m": (2, 4), "l": (2, 4), "k": (5, 10, 20, 50), "e": (2,)}
"""The values to try for each parameter; other parameters take their least value."""
_CLOSEST = 2
_COARSE: Form = "generalization"


def candidates(kinds: Iterable[type[Anonymizer]]) -> list[MethodCandidate]:
    """Return the methods with the parameters to try and the principles that they promise."""
    found: list[MethodCandidate] = []
    for kind in kinds:
        needed = [option for option in options_of(kind) if option.required]
        for values in product(*(TRIED.get(option.name, (int(option.least),)) for option in needed)):
            method = kind(**{option.name: value for option, value in zip(needed, values, strict=True)})
            written = " ".join(f"{option.flag} {value}" for option, value in zip(needed, values, strict=True))
            principle = principles.find(method.promise.principle, method.promise.parameters)
            found.append(MethodCandidate(written, method, principle))
    return found


def plan_publication(
    microdata: Microdata,
    candidates: Sequence[MethodCandidate],
    attacks: Sequence[Attack],
    options: AuditOptions,
    queries: Queries,
    watch: Callable[[int, int], None],
) -> PublicationPlan:
    """Return what each method would publish from microdata, audited; the published files are deleted.

    What may be recommended is tried with further seeds.
    Of those that keep the policy with exact quasi-identifiers, the two that lose least are tried with coarse ones.
    If no method keeps the policy, those that refuse or are undecided are tried without the unlinkable columns; then the
    two that violate it least without the quasi-identifier with the most values, too, and so on, until one keeps it or
    one column is left. An interrupt ends this once a method has been tried.

    Raises:
        InputError: the microdata cannot be read; it lists the problems of all snapshots.
    """
    distinct, frequent, changing, amounts = _values_of(microdata)
    plan = PublicationPlan(microdata.name, (), frequent, changing, microdata.transitions, amounts)
    trial = _Trial(attacks, options, queries)
    try:
        for each in _plans(plan, microdata, candidates, trial, distinct, watch):
            plan = each
    except KeyboardInterrupt:
        if not plan.tried:
            raise
        return replace(plan, interrupted=True)
    return plan


def _plans(
    plan: PublicationPlan,
    microdata: Microdata,
    candidates: Sequence[MethodCandidate],
    trial: _Trial,
    distinct: Mapping[str, int],
    watch: Callable[[int, int], None],
) -> Iterator[PublicationPlan]:
    """Yield the plan after each step."""
    tried, made = list[PlannedSeries](), [*candidates]
    for place, candidate in enumerate(candidates):
        watch(place, len(candidates))
        tried.append(trial.of(microdata, candidate))
        yield replace(plan, tried=tuple(tried))
    less = tuple(microdata.unlinkable.columns) if not any(each.keeps for each in tried) else ()
    for one in [one for each, one in zip(tried, candidates, strict=True) if less and each.exit_code != 1]:
        if (found := trial.of(_less(microdata, less), one)).refused is None:
            tried.append(replace(found, without=less))
            made.append(one)
    exact = [(each, one) for each, one in zip(tried, made, strict=True) if each.keeps and each.form == "anatomy"]
    coarse = [
        each._replace(parameters=f"{each.parameters} --publish {_COARSE}", form=_COARSE)
        for _, each in sorted(exact, key=lambda pair: pair[0].lost)[:_CLOSEST]
    ]
    tried += [replace(trial.of(_less(microdata, less), each), without=less) for each in coarse]
    made += coarse
    yield (plan := replace(plan, tried=tuple(tried)))
    yield (plan := _with_seeds(plan, microdata, made, trial))
    published = [(each, one) for each, one in zip(plan.tried, made, strict=True) if each.refused is None]
    closest = [*dict.fromkeys(one for _, one in sorted(published, key=lambda pair: _found(pair[0])))][:_CLOSEST]
    ordered = sorted(microdata.quasi_identifiers, key=lambda each: -distinct[each])
    for place in range(1, len(ordered)):
        if not closest or plan.recommended is not None:
            break
        gone = {*ordered[:place], *microdata.unlinkable.columns}
        without = tuple(each for each in microdata.published if each in gone)
        coarser = _less(microdata, without)
        more = [replace(trial.of(coarser, each), without=without) for each in closest]
        made += closest
        yield (plan := _with_seeds(replace(plan, tried=(*plan.tried, *more)), microdata, made, trial))


def _again(
    plan: PublicationPlan, best: PlannedSeries, microdata: Microdata, made: Sequence[MethodCandidate], trial: _Trial
) -> PlannedSeries:
    """Return the result of a method of the plan on other microdata, or with another seed."""
    [candidate] = [each for one, each in zip(plan.tried, made, strict=True) if one is best]
    return trial.of(_less(microdata, best.without), candidate)


def _less(microdata: Microdata, names: Collection[str]) -> Microdata:
    """Return microdata without some of the published columns."""
    quasi = tuple(name for name in microdata.quasi_identifiers if name not in names)
    reasons = {name: why for name, why in microdata.unlinkable.reasons.items() if name not in names}
    return replace(microdata, quasi_identifiers=quasi, unlinkable=replace(microdata.unlinkable, reasons=reasons))


def _with_seeds(
    plan: PublicationPlan, microdata: Microdata, made: Sequence[MethodCandidate], trial: _Trial
) -> PublicationPlan:
    """Return the plan after trying the best series with further seeds, until one keeps the policy with each of them.

    Who publishes draws another seed. Of the results, the first that does not keep the policy stands, otherwise one for
    which rows had to be withheld.
    """
    while (best := plan.recommended) is not None and best.seeds == 1:
        others = [replace(trial, queries=replace(trial.queries, seed=trial.queries.seed + n)) for n in range(1, SEEDS)]
        drawn = [best, *(_again(plan, best, microdata, made, other) for other in others)]
        worst = min(drawn, key=lambda each: (each.keeps, -len(each.parameters)))
        known = replace(worst, without=best.without, seeds=SEEDS)
        plan = replace(plan, tried=tuple(known if each is best else each for each in plan.tried))
    return plan


def _found(each: PlannedSeries) -> tuple[bool, int]:
    """Return a sort key that puts series first that violate the policy least."""
    return each.exit_code == 1, max((attack.people or attack.findings_total for attack in each.attacks), default=0)


def _values_of(microdata: Microdata) -> tuple[Mapping[str, int], tuple[str, float] | None, int, int]:
    """Return the number of values of each quasi-identifier at first, and the other facts of a plan about values.

    These are `frequent`, `changing` and `amounts` of `PublicationPlan`.
    """
    every = microdata.read_all(IdentifierEncoder())
    changed = zip(every, microdata.impossible(every, constant=False), strict=True)
    people, read = np.concatenate([each.snapshot.person[rows] for each, rows in changed]), every[0].snapshot
    names = zip(microdata.quasi_identifiers, read.point.T, strict=True)
    distinct = {name: len(np.unique(column)) for name, column in names}
    frequent = frequent_value(read.value, read.values, microdata.harmless)
    changing = 0 if microdata.updates is not None else len(np.unique(people))
    values = len(np.unique(read.value)) if microdata.has_numbers else 0
    return distinct, frequent, changing, values if _FEW_SHARE * values > len(read.value) else 0


_FEW_SHARE = 4
"""Amounts are values of which each has fewer people than this on average."""


@dataclass(frozen=True)
class _Trial:
    """The settings of all trials."""

    attacks: Sequence[Attack]
    options: AuditOptions
    queries: Queries

    def of(self, microdata: Microdata, candidate: MethodCandidate) -> PlannedSeries:
        """Publish microdata by a method, and return the result.

        Transitions on which the method relies are completed, and rows are withheld, where that is necessary.
        """
        if candidate.method.follows_updates and microdata.updates is not None:
            microdata, added = microdata.closed()
            candidate = candidate._replace(parameters=candidate.parameters + (" --close" if added else ""))
        found = self._published(microdata, candidate)
        if found.refused is None or not hasattr(candidate.method, "withhold"):
            return found
        patient = cast("Anonymizer", replace(cast("Any", candidate.method), withhold=True))
        parameters = f"{candidate.parameters} --withhold"
        again = self._published(microdata, candidate._replace(parameters=parameters, method=patient))
        return replace(again, parameters=candidate.parameters) if again.refused else again

    def _published(self, microdata: Microdata, candidate: MethodCandidate) -> PlannedSeries:
        parameters, method, principle, form = candidate
        done: list[PublishResult] = []
        start = time.perf_counter()
        with tempfile.TemporaryDirectory(prefix="audit-plan-") as name:
            folder = Path(name) / "series"
            try:
                options = PublishOptions(form, seed=self.queries.seed, on_release=done.append)
                publish(microdata, folder, method, principle, options)
            except (InputError, UsageError) as error:
                first = error.problems[0] if isinstance(error, InputError) else error
                return PlannedSeries(method.name, parameters, refused=str(first))
            seconds = time.perf_counter() - start
            try:
                series = open_series(folder)  # of what is a guess in a new series, microdata say enough for a plan
                asked = series.columns.rules[Unlinkable].columns if series.manifest.unconfirmed else ()
                series.manifest = replace(series.manifest, unconfirmed=())
                report = run_audit(series, self.attacks, self.options)
            except InputError as error:  # for example, people grow older and their cells contradict each other
                why = say("what it publishes cannot be audited: {why}", why=error.problems[0].what)
                return PlannedSeries(method.name, parameters, refused=why)
            series = open_series(folder)
            releases = measure([(method.name, series)], microdata, self.queries)[0]
            return PlannedSeries(
                method.name,
                parameters,
                form="anatomy" if series.manifest.releases[0].values is not None else "generalization",
                exit_code=report.policy.exit_code,
                attacks=report.attacks,
                counterfeits=sum(each.counterfeits for each in done),
                counterfeit_share=sum(each.counterfeits for each in done) / max(sum(each.rows for each in done), 1),
                withheld=(last := done[-1]).withheld,
                withheld_share=last.withheld / max(last.withheld + last.rows - last.counterfeits, 1),
                ncp=_mean(each.ncp for each in releases),
                query_error=_mean(each.query_error for each in releases),
                seconds=seconds,
                violating=tuple(sorted({each.attack for each in report.policy.violations if each.attack is not None})),
                undecided=tuple(dict.fromkeys(each.reason for each in report.policy.undecided)),
                widths=cell_widths(series, microdata),
                certain_if_unchanged=report.adversary.certain_if_unchanged,
                is_baseline=principle.needs.key != "required",
                unlinkable=tuple(asked),
            )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
