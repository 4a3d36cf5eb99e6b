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
from typing import TYPE_CHECKING, Unpack, get_args

from attacks.registry import ATTACKS, MOST_ON_A_SIDE, AttackOptions, choose
from audit.core.engine import Engine, Local, cores
from audit.core.errors import AuditError, InputError, Problem, UsageError, printable
from audit.core.evidence import AdversaryKind
from audit.core.report import Report
from audit.engines import engine

if TYPE_CHECKING:
    import pandas as pd
    from upath import UPath

    from audit.reading.series import Series

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


_SEEDS = 10**9


def load(path: str | os.PathLike[str] | UPath) -> LoadedSeries:
    """Open the series in a folder, or at a URL, with a `series.toml` (or the one whose `series.toml` is named).

    A `UPath` brings the options of its storage, such as credentials. What is at a URL is only read.

    The manifest is read now and once; releases are read by each audit, anew.

    Raises:
        InputError: the manifest is faulty, or files or columns that it names are missing; all of it is told.
        UsageError: what reads URLs is not installed.
    """
    from audit.reading.places import place
    from audit.reading.series import open_series

    return LoadedSeries(open_series(place(path).absolute()))


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

    def attack(
        self,
        name: str,
        *,
        adversary: AdversaryKind | None = None,
        time_limit: float | None = 300.0,
        findings: int | None = 20,
        reveal: bool = False,
        policy: Mapping[str, float] | None = None,
        engine: Engine | None = None,
        **options: Unpack[AttackOptions],
    ) -> AttackResult:
        """Run one attack, as `audit SERIES --attack NAME` does.

        Args:
            name: `intersection`, `update-graph`, `equivalence`, `joint` or `inference-table`.
            adversary: whom to assume: `linked`, `register` or `pseudonym`; None is the worst case that the series
                allows.
            time_limit: seconds; None is without limit.
            findings: how many findings to show; None is all.
            reveal: whether to name people; such a result is not for publication.
            policy: clauses of the policy that replace those of the manifest, such as `{"max_risk": 0.5}`.
            engine: where the work is done, as `engine` has it; None is threads of this process, one for each core.
            **options: for `equivalence`, `max_e` (count and look for sides of up to so many people, 4 unless given) and
                `known=True` (tell too how far one value, once known, spreads); for `joint`, `seed` (what is drawn at
                random where probabilities can only be estimated, 0 unless given).

        Raises:
            UsageError: an argument is wrong, or the attack does not apply to the series.
            InputError: the series cannot be read, or contradicts its register or known values.
        """
        if name not in (idents := [attack.ident for attack in ATTACKS]):
            raise UsageError(f"there is no attack {printable(str(name))}; choose one of {', '.join(idents)}")
        settings = _Settings(adversary, time_limit, findings, reveal, policy or {}, engine, options)
        return AttackResult(_run(self._series, (name,), settings))

    def audit(
        self,
        *,
        adversary: AdversaryKind | None = None,
        time_limit: float | None = 300.0,
        findings: int | None = 20,
        reveal: bool = False,
        policy: Mapping[str, float] | None = None,
        engine: Engine | None = None,
        **options: Unpack[AttackOptions],
    ) -> AuditResult:
        """Run all attacks that apply, as `audit SERIES` does.

        Arguments are those of `attack`; `time_limit` and `findings` are for each attack.

        Raises:
            UsageError: an argument is wrong, or no attack applies to the series.
            InputError: the series cannot be read, or contradicts its register or known values.
        """
        settings = _Settings(adversary, time_limit, findings, reveal, policy or {}, engine, options)
        return AuditResult(_run(self._series, (), settings))

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

    @property
    def passed(self) -> bool:
        """Whether the policy holds, as far as was asked."""
        return self.report.policy.passed

    @property
    def exit_code(self) -> int:
        """0 when the policy holds, 1 when it is violated, 3 when it is undecided."""
        return self.report.policy.exit_code

    @property
    def verdict(self) -> str:
        """The verdict in one sentence."""
        from reports.wording import headline

        return headline(self.report)[0]

    @property
    def findings(self) -> pd.DataFrame:
        """The findings that are shown, one row for each.

        Columns: id, attack, sensitive, kind, individual, record, release, value, risk, e, left, right, class_size,
        cause, description. `left` and `right` are dicts of how often each person is counted; `description` is a dict
        of cells, and None unless revealed.
        """
        from audit import frames

        return frames.findings(self.report)

    @property
    def certificates(self) -> pd.DataFrame:
        """What proves the findings that are shown, one row for each step.

        Columns: finding (its id), step (`3.1` is what follows in case 3), kind (`candidates`, `weight`, `record`,
        `exclusion` or `case`), and what the step says: release, groups, candidates, feasible, weight, size, cells,
        rows, holders, individual, value.
        """
        from audit import frames

        return frames.certificates(self.report)

    @property
    def timeline(self) -> pd.DataFrame:
        """What each attack counts after each release: the index is the releases, each attack has a column."""
        from audit import frames

        return frames.timeline(self.report)

    @property
    def ladder(self) -> pd.DataFrame:
        """What each attack that tells people's values adds to those before it.

        Columns: attack, sensitive, people, beyond, so_far, seconds.
        """
        from audit import frames

        return frames.ladder(self.report)

    @property
    def inputs(self) -> pd.DataFrame:
        """The files that were read: path, sha256, rows."""
        from audit import frames

        return frames.inputs(self.report)

    def to_json(self) -> str:
        """Return what `audit --format json` prints."""
        from reports.json import Json

        return Json().render(self.report)

    def __repr__(self) -> str:
        from reports.notebook import plain

        return plain(self.report)

    def _repr_html_(self) -> str:
        from reports.notebook import html

        return html(self.report)


class AuditResult(_Result):
    """What all attacks that apply found out."""

    @property
    def measures(self) -> pd.DataFrame:
        """What each attack measured, one row for each attack and sensitive attribute.

        Columns: attack, sensitive, status, reason, seconds, findings_total, and the measures by their names in the JSON
        report; an entry of a table is a column such as `min_e.lower`.
        """
        from audit import frames

        return frames.measures(self.report)


class AttackResult(_Result):
    """What one attack found out."""

    @property
    def measures(self) -> pd.Series:
        """What the attack measured, by name: status, reason, seconds, findings_total, and the measures.

        Names are those of the JSON report; an entry of a table is named as `min_e.lower`. Where several sensitive
        attributes are audited, the index is the attribute and the name.
        """
        from audit import frames

        return frames.measured(self.report)


@dataclass(frozen=True)
class _Settings:
    """The arguments of an audit, checked."""

    adversary: AdversaryKind | None
    time_limit: float | None
    findings: int | None
    reveal: bool
    policy: Mapping[str, float]
    engine: Engine | None
    options: AttackOptions

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
        if not isinstance(self.reveal, bool) or not isinstance(self.options.get("known", False), bool):
            raise UsageError("reveal and known have to be True or False")
        if unknown := self.options.keys() - AttackOptions.__annotations__.keys():
            known = ", ".join(AttackOptions.__annotations__)
            raise UsageError(f"no attack has the option {printable(min(unknown))}; there are {known}")
        seed = self.options.get("seed", 0)
        if not (_is(seed, Integral) and 0 <= seed < _SEEDS):
            raise UsageError(f"seed has to be a whole number from 0 and below {_SEEDS}")
        max_e = self.options.get("max_e", 1)
        if not (_is(max_e, Integral) and 1 <= max_e <= MOST_ON_A_SIDE):
            raise UsageError(f"max_e has to be a whole number from 1 to {MOST_ON_A_SIDE}")

    def limits(self) -> dict[str, float]:
        """Return the clauses of the policy, as Python's own numbers.

        Raises:
            UsageError: there is no such clause or limit.
        """
        from audit.reading.manifest import policy_trouble

        limits = {}
        for clause, given in self.policy.items():
            limit = int(given) if _is(given, Integral) else float(given) if _is(given, Real) else given
            if trouble := policy_trouble(clause, limit):
                raise UsageError(f"policy {printable(str(clause))}: {trouble[0]}; {trouble[1]}")
            limits[clause] = limit
        return limits


def _is(value: object, kind: type) -> bool:
    """Tell whether a value is a number of a kind; truth values are none."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _run(series: Series, names: tuple[str, ...], settings: _Settings) -> Report:
    """Run the attacks that are named, or all; one audit leaves nothing behind that the next would see."""
    from audit.reading.series import Series
    from audit.running import Options, run_audit

    chosen = settings.engine or Local(cores())
    options = Options(
        adversary=settings.adversary,
        engine=chosen,
        apart=not isinstance(chosen, Local),
        limits=settings.limits(),
        time_limit=None if settings.time_limit is None else float(settings.time_limit),
        findings=settings.findings,
        reveal=settings.reveal,
        named=bool(names),
    )
    return run_audit(Series.of(series.manifest), choose(names, settings.options), options)
