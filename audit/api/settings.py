"""The arguments of an audit from Python, checked."""

from __future__ import annotations

import datetime
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from audit.model.adversary import AdversaryKind
from audit.model.errors import OptionError, UsageError
from audit.model.options import is_number
from audit.model.report import Report
from audit.pipeline.settings import OF_WHOLE, SETTINGS, AnyPath, CountSettings, Settings
from audit.runtime.engine import Local, cores
from audit.runtime.phrases import printable

if TYPE_CHECKING:
    from attacks.registry import Choice
    from audit.api.witness import PeoplesWitness
    from audit.io.series import Series
    from audit.model.audit_options import AuditOptions
    from audit.model.outcome import Attack
    from audit.pipeline.attack_run import AuditRun


class AuditSettings:
    """The arguments of an audit, checked.

    Args:
        given: arguments by name; those that are not settings are options of attacks.
        taken: the names of the settings that may be given.
        fixed: further settings.
    """

    def __init__(self, given: Mapping[str, object], taken: type = Settings, **fixed: object) -> None:
        names, self._of_tables = SETTINGS.keys() & taken.__annotations__.keys(), taken is CountSettings
        self.options = {name: value for name, value in given.items() if name not in names}
        self._chosen: dict[str, Any] = {name: SETTINGS[name][1].default for name in SETTINGS.keys() - OF_WHOLE}
        self._chosen |= {name: value for name, value in given.items() if name in names} | fixed
        chosen, seconds, findings = self._chosen, self._chosen["time_limit"], self._chosen["findings"]
        if chosen["adversary"] not in (None, *get_args(AdversaryKind)):
            kinds = ", ".join(get_args(AdversaryKind))
            raise UsageError(f"adversary has to be one of {kinds}, or None for the worst case")
        if seconds is not None and not (is_number(seconds, Real) and 0 < seconds < float("inf")):
            raise UsageError("time_limit has to be a number of seconds above 0, or None for no limit")
        if findings is not None and not (is_number(findings, Integral) and findings >= 0):
            raise UsageError("findings has to be a whole number, or None for all")
        if not all(callable(getattr(chosen["engine"] or Local(), member, None)) for member in ("submit", "results")):
            raise UsageError("engine has to be one made by `engine(...)`, or None")
        if not isinstance(chosen["reveal"], bool) or not isinstance(chosen["stable_ids"], bool):
            raise UsageError("reveal and stable_ids have to be True or False")
        if chosen["progress"] not in (None, True, False):
            raise UsageError("progress has to be True or False, or None to show it in a notebook")

    def attacks(self, chosen: Collection[Choice]) -> tuple[Attack, ...]:
        """Return the chosen attacks, or all, with their options.

        Raises:
            UsageError: there is no such attack or option.
        """
        from attacks.registry import choose

        return choose(chosen, self.options)

    @contextmanager
    def audit_options(self, *, explicit: bool = False, baseline: AnyPath = None) -> Iterator[AuditOptions]:
        """Yield the options of an audit; progress is shown inside the block.

        Raises:
            UsageError: there is no such clause or limit, or the baseline is not a report on such a series.
        """
        from audit.judgement.baseline import read_baseline
        from audit.model.audit_options import AuditOptions
        from audit.pipeline.progress import progress

        how = dict(self._chosen)
        how["limits"], shown = (
            _limits(how.pop("policy") or {}, of_tables=self._of_tables),
            is_shown(how.pop("progress")),
        )
        how["time_limit"] = None if how["time_limit"] is None else float(how["time_limit"])
        how["engine"] = how["engine"] or Local(cores())
        how["baseline"] = None if baseline is None else read_baseline(Path(baseline), of_tables=self._of_tables)
        with progress(shown=shown) as watch:
            yield AuditOptions(**how, explicit=explicit, progress=watch, made=report_date())


def _limits(policy: Mapping[str, float], *, of_tables: bool) -> dict[str, float]:
    """Return the clauses of a policy with their limits as Python numbers, checked.

    Raises:
        UsageError: there is no such clause or limit.
    """
    from audit.clauses.registry import limit_of

    limits = {}
    for clause, given in policy.items():
        limit = int(given) if is_number(given, Integral) else float(given) if is_number(given, Real) else given
        try:
            limits[clause] = limit_of(clause, limit, of_tables=of_tables)
        except ValueError as trouble:
            raise _refused(f"{printable(str(clause))}: {'; '.join(trouble.args)}") from None
    return limits


def _refused(limit: str) -> OptionError:
    return OptionError(lambda written: f"{written('policy')} {limit}")


def run(
    series: Series, attacks: Collection[Choice], given: Mapping[str, Any], *, keeps_finished: bool = False
) -> tuple[Report, AuditRun]:
    """Run the given attacks, or all, and write the files that the settings name; audits share no state.

    With `keeps_finished`, an interrupt returns a report on the attacks that have finished.

    Raises:
        UsageError: an argument is wrong, or a file cannot be written.
    """
    from audit.api.answers import risk_table, write_risks
    from audit.io.series import Series
    from audit.pipeline.attack_run import run_attacks
    from audit.pipeline.audit_run import build_report, pseudonymizer

    settings = AuditSettings({name: value for name, value in given.items() if name not in OF_WHOLE})
    chosen = settings.attacks(attacks)
    opened, witness = Series.of(series.manifest), _witness(series, given)
    with settings.audit_options(explicit=bool(attacks), baseline=given.get("baseline")) as asked:
        options = replace(asked, keeps_finished=keeps_finished)
        namer = pseudonymizer(opened, options)  # refuses before a long run
        done = run_attacks(opened, chosen, options, None if witness is None else witness.prepare)
        report = build_report(done, namer)
    if witness is not None:
        report = witness.write(report, done, options.time_limit)
    if (risks := given.get("risks")) is not None:
        write_risks(risk_table(done), Path(risks))
    return report, done


def _witness(series: Series, given: Mapping[str, Any]) -> PeoplesWitness | None:
    """Return what writes the witness, if one is to be written.

    Raises:
        UsageError: proofs are to be written without a witness, or the folder cannot be used.
    """
    folder, proofs = given.get("witness"), given.get("proofs")
    if folder is None and not proofs:
        return None
    if folder is None or proofs not in (None, "veripb"):
        raise UsageError("--proofs: proofs for veripb are written beside a witness; add --witness FOLDER")
    from audit.api.witness import PeoplesWitness

    return PeoplesWitness(series.manifest.folder, Path(folder), proofs=bool(proofs))


def report_date() -> datetime.date:
    """Return today, or the day of SOURCE_DATE_EPOCH if that is set, so that a report can be reproduced.

    Waivers always expire by the clock.

    Raises:
        UsageError: SOURCE_DATE_EPOCH is not a number of seconds.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if not given:
        return datetime.date.today()
    try:
        return datetime.datetime.fromtimestamp(int(given), tz=datetime.UTC).date()
    except (ValueError, OverflowError, OSError):
        what = "this is not a time in seconds since 1970-01-01"
        raise UsageError(f"SOURCE_DATE_EPOCH={printable(given, 40)}: {what}; correct it, or unset it") from None


def is_shown(progress: bool | None) -> bool:
    """Return whether progress is shown; by default in a notebook that can show it."""
    return "ipykernel" in sys.modules and find_spec("ipywidgets") is not None if progress is None else progress


def several(choice: Choice | Sequence[Choice] | None) -> Sequence[Choice]:
    """Return the chosen attacks as a sequence."""
    if choice is None:
        return ()
    return choice if isinstance(choice, list | tuple) else [cast("Choice", choice)]
