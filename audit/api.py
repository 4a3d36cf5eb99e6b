"""The Python API: the audit of `audit SERIES`, its results as pandas frames.

>>> from audit.api import load
>>> result = load("tests/examples/hospital-l-diverse").attack("intersection")
>>> result.passed, result.measures["vulnerable"], len(result.findings)
(False, 2, 2)

What is wrong with the files is raised as `InputError`, what is wrong with the arguments, or does not fit the series, as
`UsageError`; both are `AuditError`, and their text tells what to do, as the command's lines do. Nobody is named, nor
any quasi-identifier shown, in any result unless `reveal=True`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, get_args

from audit.model.adversary import AdversaryKind
from audit.model.errors import AuditError, InputError, Problem, UsageError, printable
from audit.model.report import Report
from audit.runtime.distributed.engines import engine
from audit.runtime.engine import Engine, Local, cores
from audit.runtime.own_packages import check

if TYPE_CHECKING:
    import pandas as pd
    from upath import UPath

    from attacks.registry import Choice
    from audit.io.series import Series
    from audit.pipeline.audit_run import AuditRun

check()

__all__ = [
    "AttackResult",
    "AuditError",
    "AuditResult",
    "InputError",
    "LoadedSeries",
    "Problem",
    "UsageError",
    "engine",
    "load",
]


def load(path: str | os.PathLike[str] | UPath) -> LoadedSeries:
    """Open the series in a folder, or at a URL, with a `series.toml` (or the one whose `series.toml` is named).

    A `UPath` brings the options of its storage, such as credentials. What is at a URL is only read.

    The manifest is read now and once; releases are read by each audit, anew.

    Raises:
        InputError: the manifest is faulty, or files or columns that it names are missing; all of it is told.
        UsageError: what reads URLs is not installed.
    """
    from audit.io.paths import as_path
    from audit.io.series import open_series

    return LoadedSeries(open_series(as_path(path).absolute()))


@dataclass(frozen=True, eq=False, repr=False)
class LoadedSeries:
    """A series, ready to be audited; made by `load`."""

    _series: Series

    @property
    def name(self) -> str:
        """The series' name."""
        return self._series.manifest.name

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases' tags, in order of publication."""
        return self._series.tags

    def attack(  # noqa: PLR0913 - what users may choose
        self,
        attack: Choice,
        /,
        *,
        adversary: AdversaryKind | None = None,
        time_limit: float | None = 300.0,
        findings: int | None = 20,
        reveal: bool = False,
        stable_ids: bool = False,
        policy: Mapping[str, float] | None = None,
        engine: Engine | None = None,
        **options: object,
    ) -> AttackResult:
        """Run one attack, as `audit SERIES --attack NAME` does.

        Args:
            attack: `intersection`, `update-graph`, `equivalence`, `joint` or `inference-table`; one that an installed
                package brings, by its name; or an object of your own, with its options.
            adversary: whom to assume: `linked`, `register`, `pseudonym` or `published`; None is the worst case that the
                series allows.
            time_limit: seconds; None is without limit.
            findings: how many findings to show; None is all.
            reveal: whether to name people; such a result is not for publication.
            stable_ids: whether ids and pseudonyms are to be those of other such results on the series, by a key in its
                `private/`; waivers name these.
            policy: clauses of the policy that replace those of the manifest, such as `{"max_risk": 0.5}`.
            engine: where the work is done, as `engine` has it; None is threads of this process, one for each core.
            **options: for `equivalence`, `max_e` (count and look for sides of up to so many people, 4 unless given) and
                `known=True` (tell too how far one value, once known, spreads); for `joint`, `seed` (what is drawn at
                random where worlds are looked for, 0 unless given); for any other, its fields.

        Raises:
            UsageError: an argument is wrong, or the attack does not apply to the series.
            InputError: the series cannot be read, or contradicts its register or known values.
        """
        from attacks.registry import find

        settings = _Settings(adversary, time_limit, findings, reveal, stable_ids, policy or {}, engine, options)
        return AttackResult(*_run(self._series, (find(attack),), settings))

    def audit(
        self,
        *,
        adversary: AdversaryKind | None = None,
        time_limit: float | None = 300.0,
        findings: int | None = 20,
        reveal: bool = False,
        stable_ids: bool = False,
        policy: Mapping[str, float] | None = None,
        engine: Engine | None = None,
        **options: object,
    ) -> AuditResult:
        """Run all attacks that apply, as `audit SERIES` does.

        Arguments are those of `attack`; `time_limit` and `findings` are for each attack.

        Raises:
            UsageError: an argument is wrong, or no attack applies to the series.
            InputError: the series cannot be read, or contradicts its register or known values.
        """
        settings = _Settings(adversary, time_limit, findings, reveal, stable_ids, policy or {}, engine, options)
        return AuditResult(*_run(self._series, (), settings))

    def __repr__(self) -> str:
        several = f"{len(self.releases)} releases" if len(self.releases) != 1 else "1 release"
        return f"LoadedSeries({printable(self.name, 200)!r}, {several})"


@dataclass(frozen=True, eq=False, repr=False)
class _Result:
    """What an audit found out.

    Frames are made when they are asked for, so that changing one changes neither the result nor the next frame.

    Attributes:
        report: all of it as data, not to be changed.
    """

    report: Report
    _done: AuditRun | None = None

    @property
    def risks(self) -> pd.DataFrame:
        """Everybody's risks, one row for each person and release and each attack that tells them.

        Columns: attack, sensitive, individual, release, risk. It names people.

        Raises:
            UsageError: the result was made without `reveal=True`.
        """
        from audit.pipeline.risk_table import risk_table

        if self._done is None:
            raise UsageError("risks are told by name; ask for reveal=True")
        frame: pd.DataFrame = risk_table(self._done).to_pandas()
        return frame

    @property
    def passed(self) -> bool:
        """Whether the policy holds, as far as was asked."""
        return self.report.policy.passed

    @property
    def exit_code(self) -> int:
        """0 when the policy holds, 1 when it is violated, 3 when it is undecided."""
        return self.report.exit_code

    @property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        from reports.sentences import headline

        return headline(self.report)[0]

    @property
    def findings(self) -> pd.DataFrame:
        """The findings that are shown, one row for each.

        Columns: id, attack, sensitive, kind, individual, record, release, value, risk, evidence, e, left, right,
        class_size, cause, description. `left` and `right` are dicts of how often each person is counted; `description`
        is a dict of cells, and None unless revealed.
        """
        from audit.pipeline import dataframes

        return dataframes.findings(self.report)

    @property
    def certificates(self) -> pd.DataFrame:
        """What proves the findings that are shown, one row for each step.

        Columns: finding (its id), step (`3.1` is what follows in case 3), kind (`candidates`, `weight`, `record`,
        `exclusion` or `case`), and what the step says: release, groups, candidates, feasible, weight, size, cells,
        rows, holders, individual, value.
        """
        from audit.pipeline import dataframes

        return dataframes.certificates(self.report)

    @property
    def timeline(self) -> pd.DataFrame:
        """What each attack counts after each release: the index is the releases, each attack has a column."""
        from audit.pipeline import dataframes

        return dataframes.timeline(self.report)

    @property
    def ladder(self) -> pd.DataFrame:
        """What each attack that tells people's values adds to those before it.

        Columns: attack, sensitive, people, beyond, so_far, seconds.
        """
        from audit.pipeline import dataframes

        return dataframes.ladder(self.report)

    @property
    def inputs(self) -> pd.DataFrame:
        """The files that were read: path, sha256, rows."""
        from audit.pipeline import dataframes

        return dataframes.inputs(self.report)

    def to_json(self) -> str:
        """Return what `audit --format json` prints."""
        from reports.json import Json

        return Json().render(self.report)

    def __repr__(self) -> str:
        from reports.repr import plain

        return plain(self.report)

    def _repr_html_(self) -> str:
        from reports.repr import html

        return html(self.report)


class AuditResult(_Result):
    """What all attacks that apply found out."""

    @property
    def measures(self) -> pd.DataFrame:
        """What each attack measured, one row for each attack and sensitive attribute.

        Columns: attack, sensitive, status, reason, seconds, findings_total, and the measures by their names in the JSON
        report; an entry of a table is a column such as `min_e.lower`.
        """
        from audit.pipeline import dataframes

        return dataframes.measures(self.report)


class AttackResult(_Result):
    """What one attack found out."""

    @property
    def measures(self) -> pd.Series:
        """What the attack measured, by name: status, reason, seconds, findings_total, and the measures.

        Names are those of the JSON report; an entry of a table is named as `min_e.lower`. Where several sensitive
        attributes are audited, the index is the attribute and the name.
        """
        from audit.pipeline import dataframes

        return dataframes.measured(self.report)


@dataclass(frozen=True)
class _Settings:
    """The arguments of an audit, checked."""

    adversary: AdversaryKind | None
    time_limit: float | None
    findings: int | None
    reveal: bool
    stable_ids: bool
    policy: Mapping[str, float]
    engine: Engine | None
    options: Mapping[str, object]

    def __post_init__(self) -> None:
        if self.adversary not in (None, *get_args(AdversaryKind)):
            kinds = ", ".join(get_args(AdversaryKind))
            raise UsageError(f"adversary has to be one of {kinds}, or None for the worst case")
        if self.time_limit is not None and not (_is(self.time_limit, Real) and 0 < self.time_limit < float("inf")):
            raise UsageError("time_limit has to be a number of seconds above 0, or None for no limit")
        if self.findings is not None and not (_is(self.findings, Integral) and self.findings >= 0):
            raise UsageError("findings has to be a whole number, or None for all")
        if not all(callable(getattr(self.engine or Local(), member, None)) for member in ("submit", "results")):
            raise UsageError("engine has to be one that `engine` has, or None")
        if not isinstance(self.reveal, bool) or not isinstance(self.stable_ids, bool):
            raise UsageError("reveal and stable_ids have to be True or False")

    def limits(self) -> dict[str, float]:
        """Return the clauses of the policy, as Python's own numbers.

        Raises:
            UsageError: there is no such clause or limit.
        """
        from audit.clauses.registry import limit_of

        limits = {}
        for clause, given in self.policy.items():
            limit = int(given) if _is(given, Integral) else float(given) if _is(given, Real) else given
            try:
                limits[clause] = limit_of(clause, limit)
            except ValueError as trouble:
                raise UsageError(f"policy {printable(str(clause))}: {'; '.join(trouble.args)}") from None
        return limits


def _is(value: object, kind: type) -> bool:
    """Tell whether a value is a number of a kind; truth values are none."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _run(series: Series, attacks: tuple[Choice, ...], settings: _Settings) -> tuple[Report, AuditRun | None]:
    """Run the attacks that are given, or all; one audit leaves nothing behind that the next would see."""
    from attacks.registry import choose
    from audit.io.series import Series
    from audit.pipeline.audit_run import AuditOptions, build_report, pseudonymizer, run_attacks

    chosen = settings.engine or Local(cores())
    options = AuditOptions(
        adversary=settings.adversary,
        engine=chosen,
        distributed=not isinstance(chosen, Local),
        limits=settings.limits(),
        time_limit=None if settings.time_limit is None else float(settings.time_limit),
        findings=settings.findings,
        reveal=settings.reveal,
        stable_ids=settings.stable_ids,
        explicit=bool(attacks),
    )
    opened = Series.of(series.manifest)
    done = run_attacks(opened, choose(attacks, settings.options), options)
    report = build_report(done, pseudonymizer(opened, options), options)
    return report, done if settings.reveal else None
