"""A series from Python: everything that the commands on a series do."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack, get_args, overload

from audit.api.answers import CheckResult, ExplanationResult, ImpactResult, RepairResult
from audit.api.results import AttackResult, AuditResult
from audit.api.settings import AuditSettings, run
from audit.api.tables import Candidate, TemporaryFolder, as_file, checked_tag
from audit.model.adversary import AdversaryKind
from audit.model.errors import UsageError, printable, printable_path
from audit.pipeline.settings import RepairSettings, Settings

if TYPE_CHECKING:
    import networkx as nx
    from upath import UPath

    from attacks.registry import Choice
    from audit.api.count_tables import LoadedTables
    from audit.io.series import Series
    from audit.principles.principle import Principle

Kind: TypeAlias = Literal["microdata", "tables"]


@overload
def load(path: str | os.PathLike[str] | UPath, *, kind: Literal["microdata"] | None = None) -> LoadedSeries: ...


@overload
def load(path: str | os.PathLike[str] | UPath, *, kind: Literal["tables"]) -> LoadedTables: ...


def load(path: str | os.PathLike[str] | UPath, *, kind: Kind | None = None) -> LoadedSeries | LoadedTables:
    """Open the series in a folder, or at a URL, with a `series.toml` (or the one whose `series.toml` is named).

    A `UPath` brings the options of its storage, such as credentials. What is at a URL is only read.

    The manifest is read now and once; releases are read by each audit, anew.

    Args:
        path: the folder, the URL, or the `series.toml`.
        kind: `microdata` or `tables`; None takes what there is, which type checkers take for rows about people.

    Returns:
        A `LoadedTables` where the manifest says `kind = "tables"`, else a `LoadedSeries`.

    Raises:
        InputError: the manifest is faulty, or files or columns that it names are missing; all of it is told.
        UsageError: the series is not of this kind, or what reads URLs is not installed.
    """
    from audit.api.count_tables import load_tables
    from audit.count_tables.series_kind import is_table_series
    from audit.io.paths import as_path
    from audit.io.series import open_series

    if kind not in (None, *get_args(Kind)):
        raise UsageError("kind has to be microdata or tables, or None for what there is")
    where = as_path(path).absolute()
    if is_table_series(where):
        if kind == "microdata":
            raise UsageError(f'{printable_path(path)}: these are count tables; load them with kind="tables"')
        return load_tables(where)
    if kind == "tables":
        raise UsageError(f"{printable_path(path)}: these are no count tables; leave kind out")
    return LoadedSeries(open_series(where))


@dataclass(frozen=True, eq=False, repr=False)
class LoadedSeries:
    """A series, ready to be audited; made by `load`."""

    _series: Series
    _files: object = None

    @property
    def name(self) -> str:
        """The series' name."""
        return self._series.manifest.name

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases' tags, in order of publication."""
        return self._series.tags

    def attack(self, attack: Choice, /, **settings: Unpack[Settings]) -> AttackResult:
        """Run one attack, as `audit SERIES --attack NAME` does.

        Args:
            attack: `intersection`, `update-graph`, `equivalence`, `joint` or `inference-table`; one that an installed
                package brings, by its name; or an object of your own, with its options.
            **settings: `adversary` (whom to assume: `linked`, `register`, `pseudonym` or `published`; None is the worst
                case that the series allows); `time_limit` (seconds; None is without limit); `findings` (how many to
                show; None is all); `reveal` (name people; such a result is not for publication); `stable_ids` (ids and
                pseudonyms are those of other such results on the series, by a key in its `private/`; waivers name
                these); `policy` (clauses that replace those of the manifest, such as `{"max_risk": 0.5}`); `engine`
                (where the work is done, as `engine` has it; None is threads of this process, one for each core);
                `progress` (show how far attacks have come; None shows it in a notebook); `max_e` for `equivalence`
                (count and look for sides of up to so many people, 4 unless given); `seed` for `joint` (what is drawn
                at random where worlds are looked for, 0 unless given). Options of other attacks are given with an
                object.

        Raises:
            UsageError: an argument is wrong, or the attack does not apply to the series.
            InputError: the series cannot be read, or contradicts its register or known values.
        """
        from attacks.registry import find

        return AttackResult(*run(self._series, (find(attack),), AuditSettings(settings)))

    def audit(self, *, recommend: bool = False, **settings: Unpack[Settings]) -> AuditResult:
        """Run all attacks that apply, as `audit SERIES` does.

        Arguments are those of `attack`; `time_limit` and `findings` are for each attack. With `recommend`, the least
        change of the newest release that keeps the policy is looked for where that is violated, as `repair` does.

        Raises:
            UsageError: an argument is wrong, or no attack applies to the series.
            InputError: the series cannot be read, or contradicts its register or known values.
        """
        return AuditResult(*run(self._series, (), AuditSettings(settings), recommend=recommend))

    def next(
        self,
        candidate: Candidate,
        /,
        *,
        values: Candidate | None = None,
        tag: str = "candidate",
        attack: Choice | None = None,
        **settings: Unpack[Settings],
    ) -> ImpactResult:
        """Judge a release that is not yet published, as `audit next SERIES CANDIDATE` does.

        Args:
            candidate: its file, or a data frame, which may have the key as a column.
            values: the second table of an Anatomy pair, likewise.
            tag: what a candidate that is a data frame is called.
            attack: one attack alone; None is all that apply.
            **settings: as for `attack`; `findings` is of each attack's new findings.

        Raises:
            UsageError: an argument is wrong, or the candidate is none.
            InputError: the series or the candidate cannot be read.
        """
        from audit.pipeline.release_impact import compare_candidate

        checked, chosen = AuditSettings(settings), () if attack is None else (attack,)
        with (
            self._joined(candidate, values, tag) as (before, after),
            checked.audit_options(explicit=bool(chosen)) as asked,
        ):
            return ImpactResult(compare_candidate(before, after, checked.attacks(chosen), asked))

    def repair(
        self,
        candidate: Candidate,
        /,
        output: str | os.PathLike[str],
        *,
        values: Candidate | None = None,
        tag: str = "candidate",
        only: Sequence[str] | None = None,
        baseline: bool = False,
        **settings: Unpack[RepairSettings],
    ) -> RepairResult:
        """Write the least changed candidate that keeps the policy into a folder, as `audit repair` does.

        Args:
            candidate: as for `next`.
            output: a new or empty folder.
            values: as for `next`.
            tag: as for `next`.
            only: the kinds of changes to make; None is all.
            baseline: whether a series that breaks the policy already may go on doing so.
            **settings: `adversary`, `policy`, `engine` and `progress` as for `attack`; `time_limit` is for the whole
                search, and the best repair so far is written then.

        Raises:
            UsageError: an argument is wrong, or the candidate is none.
            InputError: the series or the candidate cannot be read.
        """
        from audit.model.moves import MOVES
        from audit.repair.search import RepairSearch

        folder = Path(output)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"output: {printable_path(folder)} is there already; name a new or empty folder")
        checked = AuditSettings(settings, RepairSettings, findings=0)
        with self._joined(candidate, values, tag) as (before, after), checked.audit_options(explicit=False) as how:
            search = RepairSearch(before, after, checked.attacks(()), how, moves=only or MOVES, baseline=baseline)
            return RepairResult(search.repair(folder))

    def check(self, principle: str | type[Principle], /, *, reveal: bool = False, **parameters: int) -> CheckResult:
        """Hold the series against a principle, as `audit check SERIES --principle NAME` does.

        >>> load("tests/examples/hospital-2-invariant", kind="microdata").check("m-invariance", m=2).holds
        True

        Raises:
            UsageError: there is no such principle, a parameter is missing or too many, or the series lacks a key.
            InputError: the series cannot be read.
        """
        from attacks.equivalence.attack import EquivalenceAttack
        from attacks.joint.attack import JointAttack
        from audit.io.series import Series
        from audit.pipeline.check import check_series
        from audit.principles.registry import find

        chosen = find(principle, parameters) if isinstance(principle, str) else principle(**parameters)
        plain = Series.of(self._series.manifest)
        return CheckResult(check_series(plain, chosen, EquivalenceAttack, JointAttack(), reveal=reveal))

    def explain(
        self,
        individual: str,
        /,
        *,
        attack: Choice | None = None,
        adversary: AdversaryKind | None = None,
        time_limit: float | None = 300.0,
        progress: bool | None = None,
    ) -> ExplanationResult:
        """Tell what can be learnt of one person, as `audit explain SERIES --individual ID` does; it names people.

        Raises:
            UsageError: there is no such person, or nobody is known to be in the series.
            InputError: the series cannot be read.
        """
        from audit.io.series import Series
        from audit.pipeline.explanation import explain_person

        given = {"adversary": adversary, "time_limit": time_limit, "progress": progress}
        settings = AuditSettings(given, findings=None, reveal=True)
        chosen = () if attack is None else (attack,)
        with settings.audit_options(explicit=bool(chosen)) as how:
            told, report = explain_person(Series.of(self._series.manifest), settings.attacks(chosen), individual, how)
        return ExplanationResult(told, report)

    def waive(self, *ids: str, reason: str, until: datetime.date) -> LoadedSeries:
        """Accept findings, or all that is found of people, until a date, as `audit waive` does.

        Returns:
            The series with the waivers; this one does not change.

        Raises:
            UsageError: the date is past, or there is no key by which ids could be known again.
        """
        from attacks.registry import choose
        from audit.pipeline.waived_findings import waive_findings

        folder = self._series.manifest.folder
        waive_findings(folder, choose((), {}), ids, reason, until)
        return replace(self, _series=load(folder, kind="microdata")._series)

    def update_graph(self, individual: str, /, *, adversary: AdversaryKind | None = None) -> nx.DiGraph[Any]:
        """Return which values one person may have had, release by release, as a graph of networkx; it names people.

        Nodes are pairs of release and value; an edge leads to each value that may follow. Nodes and edges have
        `feasible`: false for what is pruned, since it lies on no path through all of the person's releases.

        Raises:
            UsageError: there is no such person.
        """
        from audit.api.graphs import update_graph

        return update_graph(self._series.manifest, individual, adversary)

    def bucket_graph(self, *values: str) -> nx.Graph[Any]:
        """Return the history of a bucket, all groups that have just some sensitive values, as a graph of networkx.

        Nodes are the releases and `end`; an edge has the `weight` of how many people were first there in the one
        release, and last there before the other. `graph["least_cut"]` is the weight of the least cut that parts a
        component, None where there is none, and `side` of a node tells on which side of it the node is.

        Raises:
            UsageError: no group has just these values.
        """
        from audit.api.graphs import bucket_graph

        return bucket_graph(self._series.manifest, frozenset(values))

    def component(self, individual: str, /) -> nx.Graph[Any]:
        """Return the part of the person matrix that somebody is in, as a graph of networkx; it names people.

        Nodes are `("person", identifier)`, `("counterfeit", number)` and `("group", release, group)`, the last with
        their `values` and how many rows have each; an edge says who is in which group.

        Raises:
            UsageError: there is no such person.
        """
        from audit.api.graphs import component

        return component(self._series.manifest, individual)

    @contextmanager
    def _joined(self, candidate: Candidate, values: Candidate | None, tag: str) -> Iterator[tuple[Series, Series]]:
        """Yield the series without and with a candidate, which may be a data frame."""
        from audit.io.candidate import with_candidate
        from audit.io.paths import as_path

        folder = TemporaryFolder("audit-candidate-")
        paths = [as_path(as_file(candidate, folder.path / f"{checked_tag(tag)}.parquet"))]
        if values is not None:
            paths.append(as_path(as_file(values, folder.path / f"{tag}.values.parquet")))
        yield with_candidate(self._series, paths)

    def __repr__(self) -> str:
        several = f"{len(self.releases)} releases" if len(self.releases) != 1 else "1 release"
        return f"LoadedSeries({printable(self.name, 200)!r}, {several})"
