"""Series and microdata about people from Python: everything that the commands on them do."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, Unpack, get_args, overload

from audit.api.answers import (
    AttackResult,
    AuditResult,
    CheckResult,
    ComparisonResult,
    ExplanationResult,
    ImpactResult,
    PlanResult,
    RepairResult,
    kept,
)
from audit.api.settings import AuditSettings, is_shown, run, several
from audit.api.tables import Candidate, Loaded, as_tables, candidate_files
from audit.model.adversary import AdversaryKind
from audit.model.errors import UsageError, within
from audit.pipeline.settings import Settings, WholeAudit
from audit.runtime.phrases import printable, printable_path
from audit.simulating.request import SimulationRequest

if TYPE_CHECKING:
    import networkx as nx
    from upath import UPath

    from attacks.registry import Choice
    from audit.api.count_tables import LoadedTables
    from audit.io.manifest import Manifest
    from audit.io.microdata import Microdata
    from audit.io.series import Series
    from audit.metrics.queries import Style
    from audit.model.anonymizer import Anonymizer
    from audit.model.audit_options import AuditOptions
    from audit.model.command_results import ComparedSeries, ReleaseMeasures
    from audit.model.outcome import Attack
    from audit.model.release_impact import Repair
    from audit.model.report import Report
    from audit.principles.principle import Principle
    from audit.publishing.publish import PublishOptions

Kind: TypeAlias = Literal["microdata", "tables"]


@overload
def load(path: str | os.PathLike[str] | UPath, *, kind: Literal["microdata"] | None = None) -> LoadedSeries: ...


@overload
def load(path: str | os.PathLike[str] | UPath, *, kind: Literal["tables"]) -> LoadedTables: ...


def load(path: str | os.PathLike[str] | UPath, *, kind: Kind | None = None) -> LoadedSeries | LoadedTables:
    """Open the series in a folder, or at a URL, with a `series.toml` (or the one whose `series.toml` is named).

    A `UPath` brings the options of its storage, such as credentials. Nothing is written to a URL.

    The manifest is read now; each audit reads the releases again.

    Args:
        path: the folder, the URL, or the `series.toml`.
        kind: `microdata` or `tables`; None accepts either, and type checkers then assume `microdata`.

    Returns:
        A `LoadedTables` where the manifest says `kind = "tables"`, else a `LoadedSeries`.

    Raises:
        InputError: the manifest is faulty, or files or columns that it names are missing; the error lists all problems.
        UsageError: the series is not of this kind, or the package that reads its URL is not installed.
    """
    from audit.io.paths import as_path

    if kind not in (None, *get_args(Kind)):
        raise UsageError("kind has to be microdata or tables, or None to detect it")
    found = opened(as_path(path).absolute())
    if kind == "microdata" and found.kind == "tables":
        raise UsageError(f'{printable_path(path)}: these are count tables; load them with kind="tables"')
    if kind == "tables" and found.kind == "microdata":
        raise UsageError(f"{printable_path(path)}: these are not count tables; leave kind out")
    return found


def opened(where: Path) -> LoadedSeries | LoadedTables:
    """Open the series in a folder, of whichever kind it is."""
    from audit.io.manifest import is_table_series
    from audit.io.series import open_series

    if not is_table_series(where):
        return LoadedSeries(open_series(where))
    from audit.api.count_tables import LoadedTables
    from audit.count_tables.manifest import read_table_manifest

    return LoadedTables(read_table_manifest(where))


@dataclass(frozen=True, eq=False, repr=False)
class LoadedSeries(Loaded):
    """A series, ready to be audited; made by `load`.

    Attributes:
        kind: the kind of series, as in a `series.toml`.
        opened: what was read; do not change it.
        not_waived: after `waive`, the ids of further findings about the people of the waived ones.
    """

    kind: ClassVar[Literal["microdata"]] = "microdata"
    opened: Series
    not_waived: tuple[str, ...] = ()

    def attack(self, attack: Choice, /, **settings: Unpack[Settings]) -> AttackResult:
        """Run one attack, as `audit SERIES --attack NAME` does.

        Args:
            attack: `intersection`, `update-graph`, `equivalence`, `joint` or `inference-table`; one that an installed
                package brings, by its name; or an object of your own, with its options.
            **settings: `adversary` (who is assumed: `linked`, `register`, `pseudonym` or `published`; None is the worst
                case that the series allows); `time_limit` (seconds; None means no limit); `findings` (how many to show;
                None means all); `reveal` (name people; do not publish such a result); `stable_ids` (make ids and
                pseudonyms with the key in the series' `private/`, so that they are the same in every result and waivers
                can name them); `policy` (clauses that replace those of the manifest, such as `{"max_risk": 0.5}`);
                `engine` (where the work is done, as `engine` has it; None is threads of this process, one for each
                core); `progress` (show how far attacks have come; None shows it in a notebook); `max_e` for
                `equivalence` (search for and count sides with at most this many people, 4 unless given); `seed` for
                `joint` (seed of the random search for worlds, 0 unless given). Options of other attacks are given with
                an object.

        Raises:
            UsageError: an argument is wrong, or the attack does not apply to the series.
            InputError: the series cannot be read, or contradicts its register or known values.
        """
        from attacks.registry import find

        return AttackResult(*kept(*run(self.opened, (find(attack),), settings)))

    def audit(
        self,
        *,
        attack: Choice | Sequence[Choice] | None = None,
        **settings: Unpack[WholeAudit],
    ) -> AuditResult:
        """Run all attacks that apply, as `audit SERIES` does.

        Args:
            attack: these attacks alone; None means all that apply.
            **settings: those of `attack`; `time_limit` and `findings` are for each attack. Also `baseline` (the file of
                an earlier report, made with `stable_ids`, whose findings do not count);
                `risks` (a CSV or Parquet file to write with the risk of each person in each release; it names people);
                `witness` (a folder for the evidence of the verdict, for `audit verify`; it names people); `proofs`
                (`"veripb"` writes the findings beside it as a formula and proof for VeriPB).

        Raises:
            UsageError: an argument is wrong, or no attack applies to the series.
            InputError: the series cannot be read, or contradicts its register or known values.
        """
        return AuditResult(*kept(*run(self.opened, several(attack), settings)))

    def next(
        self,
        candidate: Candidate | Sequence[Candidate],
        /,
        *,
        tag: str = "candidate",
        attack: Choice | Sequence[Choice] | None = None,
        baseline: str | os.PathLike[str] | None = None,
        **settings: Unpack[Settings],
    ) -> ImpactResult:
        """Judge a release that is not yet published, as `audit next SERIES CANDIDATE` does.

        Args:
            candidate: its file, or a data frame, which may have the key as a column; of an Anatomy pair both tables.
            tag: the tag of a candidate that is a data frame.
            attack: these attacks alone; None means all that apply.
            baseline: as for `audit`.
            **settings: as for `attack`; `findings` limits the new findings of each attack.

        Raises:
            UsageError: an argument is wrong, or the candidate is not a new release of the series.
            InputError: the series or the candidate cannot be read.
        """
        from audit.pipeline.audit_run import compare_candidate
        from audit.repair.search import with_repair

        checked, chosen = AuditSettings(settings), several(attack)
        attacks = checked.attacks(chosen)
        with (
            self._joined(candidate, tag) as (before, after),
            checked.audit_options(explicit=bool(chosen), baseline=baseline) as how,
        ):
            impact = compare_candidate(before, after, attacks, how)
            return ImpactResult(with_repair(impact, before, after, attacks, how))

    def repair(
        self,
        candidate: Candidate | Sequence[Candidate],
        /,
        output: str | os.PathLike[str],
        *,
        tag: str = "candidate",
        only: Sequence[str] | None = None,
        attack: Choice | Sequence[Choice] | None = None,
        **settings: Unpack[Settings],
    ) -> RepairResult[Repair]:
        """Change a candidate as little as possible so that it keeps the policy, and write it, as `audit repair` does.

        Args:
            candidate: as for `next`.
            output: a new or empty folder.
            tag: as for `next`.
            only: the kinds of changes to make; None means all.
            attack: as for `next`.
            **settings: as for `attack`; `time_limit` is for the whole search, and then the best repair so far is
                written.

        Raises:
            UsageError: an argument is wrong, or the candidate is not a new release of the series.
            InputError: the series or the candidate cannot be read.
        """
        from anonymizers.registry import promised
        from audit.io.atomic_files import check_empty
        from audit.model.release_impact import MOVES
        from audit.principles import registry as principles
        from audit.repair.search import RepairSearch

        folder = Path(output)
        check_empty(folder)
        checked, chosen = AuditSettings(settings), several(attack)
        attacks = checked.attacks(chosen)
        with (
            self._joined(candidate, tag) as (before, after),
            checked.audit_options(explicit=bool(chosen)) as how,
        ):
            promise = promised(before.manifest.anonymized)
            declared = None if promise is None else principles.find(promise.principle, promise.parameters)
            moves = only or MOVES
            search = RepairSearch(before, after, attacks, how, moves=moves, declared=declared)
            return RepairResult(search.repair(folder))

    def check(self, principle: str | type[Principle], /, *, reveal: bool = False, **parameters: int) -> CheckResult:
        """Check whether the series keeps a principle, as `audit check SERIES --principle NAME` does.

        >>> load("tests/examples/hospital-2-invariant", kind="microdata").check("m-invariance", m=2).holds
        True

        Raises:
            UsageError: there is no such principle, a parameter is missing or unknown, or the series lacks a key.
            InputError: the series cannot be read.
        """
        from attacks.equivalence.attack import EquivalenceAttack
        from attacks.joint.attack import JointAttack
        from audit.api.check import check_series
        from audit.io.series import Series
        from audit.principles.registry import find

        chosen = find(principle, parameters) if isinstance(principle, str) else principle(**parameters)
        plain = Series.of(self.opened.manifest)
        return CheckResult(check_series(plain, chosen, EquivalenceAttack, JointAttack(), reveal=reveal))

    def explain(
        self,
        individual: str,
        /,
        *,
        is_record: bool = False,
        attack: Choice | Sequence[Choice] | None = None,
        adversary: AdversaryKind | None = None,
        time_limit: float | None = 300.0,
        progress: bool | None = None,
    ) -> ExplanationResult:
        """Return what can be learnt about one person, as `audit explain SERIES --individual ID` does; it names people.

        With `is_record`, it is about the person with the published record id, as with `--record ID`.

        Raises:
            UsageError: there is no such person or record, or the series does not say who is in it.
            InputError: the series cannot be read.
        """
        from audit.io.series import Series
        from audit.pipeline.explanation import explain_person

        given = {"adversary": adversary, "time_limit": time_limit, "progress": progress}
        settings, chosen = AuditSettings(given, findings=None, reveal=True), several(attack)
        with settings.audit_options(explicit=bool(chosen)) as how:
            explained, report = explain_person(
                Series.of(self.opened.manifest), settings.attacks(chosen), individual, how, is_record=is_record
            )
        return ExplanationResult(explained, report)

    def waive(
        self,
        *ids: str,
        reason: str = "",
        until: datetime.date | None = None,
        groups: Sequence[tuple[str, str]] = (),
        listed: str | os.PathLike[str] | None = None,
        adversary: AdversaryKind | None = None,
        policy: Mapping[str, float] | None = None,
    ) -> LoadedSeries:
        """Accept findings, or everything found about people or in groups, until a date, as `audit waive` does.

        Args:
            ids: of findings, and people.
            reason: the reason, which is written into the manifest.
            until: the last day of the waiver.
            groups: pairs of release and group; the group `*` means every group of the release.
            listed: a list of `audit findings` with a reason and a date for each finding that is accepted.
            adversary: as for `attack`; the waiver accepts no more than an audit with it finds today.
            policy: as for `attack`.

        Returns:
            The series with the waivers; this one does not change.

        Raises:
            UsageError: the date is past, there is no key for stable ids, or nothing is accepted.
            InputError: the list cannot be read.
        """
        from audit.judgement.waivers import accepted_of
        from audit.pipeline.waived_findings import waive_findings
        from reports.finding_list import list_forms

        settings = AuditSettings({"adversary": adversary, "policy": policy})
        accepted = accepted_of(ids, reason, until, groups, listed, list_forms())
        with settings.audit_options() as how:
            left = waive_findings(self.folder, settings.attacks(()), accepted, how)
        return replace(self, opened=load(self.folder, kind="microdata").opened, not_waived=left)

    def update_graph(self, individual: str, /, *, adversary: AdversaryKind | None = None) -> nx.DiGraph[Any]:
        """Return which values one person may have had, release by release, as a graph of networkx; it names people.

        Nodes are pairs of release and value; an edge leads to each value that may follow. Nodes and edges have
        `feasible`: false if they are pruned, because they are on no path through all of the person's releases.

        Raises:
            UsageError: there is no such person.
        """
        from audit.api.graphs import update_graph

        return update_graph(self.opened.manifest, individual, adversary)

    def bucket_graph(self, *values: str) -> nx.Graph[Any]:
        """Return the history of a bucket, the groups with exactly these sensitive values, as a graph of networkx.

        Nodes are the releases and `end`; the `weight` of an edge counts the people who were in the bucket from the one
        release until just before the other. `graph["least_cut"]` is the weight of the minimum cut of a component, None
        if there is none, and `side` is the side of a node.

        Raises:
            UsageError: no group has exactly these values.
        """
        from audit.api.graphs import bucket_graph

        return bucket_graph(self.opened.manifest, frozenset(values))

    def component(self, individual: str, /) -> nx.Graph[Any]:
        """Return the part of the person matrix that a person is in, as a graph of networkx; it names people.

        Nodes are `("person", identifier)`, `("counterfeit", number)` and `("group", release, group)`, the last with
        their `values` and how many rows have each; an edge joins a person to a group.

        Raises:
            UsageError: there is no such person.
        """
        from audit.api.graphs import component

        return component(self.opened.manifest, individual)

    @contextmanager
    def _joined(self, candidate: Candidate | Sequence[Candidate], tag: str) -> Iterator[tuple[Series, Series]]:
        """Yield the series without and with a candidate, which may be one data frame or a pair."""
        from audit.io.candidate import with_candidate

        tables = as_tables(candidate)
        if not 0 < len(tables) < 3:
            raise UsageError("a candidate is one table, or the rows and the values of a pair; name one or two")
        with TemporaryDirectory(prefix="audit-candidate-") as folder:
            yield with_candidate(self.opened, candidate_files(tables, (tag, f"{tag}.values"), Path(folder)))


def load_microdata(path: str | os.PathLike[str]) -> LoadedMicrodata:
    """Open the microdata in a folder with a `microdata.toml`.

    Raises:
        InputError: the file is faulty, or snapshots or columns that it names are missing; the error lists all.
    """
    from audit.io.microdata import open_microdata

    return LoadedMicrodata(open_microdata(Path(path)))


def simulate(output: str | os.PathLike[str], /, **options: object) -> LoadedMicrodata:
    """Write microdata of people who come, go and change into a new folder, as `audit simulate` does.

    Args:
        output: the new folder.
        **options: the fields of `SimulationRequest`, such as `rows=10_000, snapshots=4, seed=1`.

    Raises:
        UsageError: an option is unknown or does not fit, or the folder cannot be written.
    """
    from audit.simulating.simulation import simulate as write

    unknown = options.keys() - {each.name for each in fields(SimulationRequest)}
    if unknown:
        raise UsageError(f"there is no option {printable(min(unknown))} of a simulation")
    write(Path(output), SimulationRequest(**options), lambda _done, _total: None)  # type: ignore[arg-type]
    return load_microdata(output)


@dataclass(frozen=True, eq=False, repr=False)
class PublishedSeries(LoadedSeries):
    """A series to which releases were just added.

    Attributes:
        verdict: the report of the audit of the series with them; None if none was added, or none was requested.
        refused: the tag of a release that was not published, because only with it the series breaks its policy.
    """

    verdict: Report | None = None
    refused: str | None = None


@dataclass
class _Verdict:
    """The newest audit of a series by its policy, and the release that was not accepted, as in `PublishedSeries`."""

    options: AuditOptions
    last: Report | None = None
    refused: str | None = None

    def judge(self, series: Series) -> Report:
        """Return the report on a series by every attack that applies."""
        from attacks.registry import all_attacks
        from audit.pipeline.audit_run import run_audit

        self.last = run_audit(series, all_attacks(), self.options)
        return self.last

    def accepts(self, manifest: Manifest) -> bool:
        """Return whether the last release may join the others: it is not what breaks the policy."""
        from audit.io.candidate import as_candidate
        from audit.io.series import Series

        before, series = as_candidate(Series.of(manifest))
        report = self.judge(series)
        accepted = not report.policy.violations or bool(self.judge(before).policy.violations)
        self.last, self.refused = report, None if accepted else series.tags[-1]
        return accepted


def published(
    microdata: Microdata, folder: Path, method: Anonymizer, how: PublishOptions, time_limit: float | None
) -> PublishedSeries:
    """Publish every snapshot that a series does not have yet, judge the series by its policy, and return it.

    A release that would break a policy which the series keeps is not published. The time limit is for each attack; 0
    means no audit.

    Raises:
        UsageError: the series cannot be continued.
        InputError: the microdata or the series are faulty, or the promise cannot be kept.
    """
    from audit.io.manifest import NAME
    from audit.io.paths import is_there
    from audit.io.series import open_series
    from audit.model.audit_options import AuditOptions
    from audit.principles import registry as principles
    from audit.publishing.publish import publish

    verdict = _Verdict(AuditOptions(time_limit=time_limit, findings=0))
    if time_limit != 0 and is_there(folder / NAME):
        how = replace(how, accepts=verdict.accepts)
    done = publish(microdata, folder, method, principles.find(method.promise.principle, method.promise.parameters), how)
    series = open_series(folder)
    if time_limit != 0 and done and verdict.last is None:
        verdict.judge(series)
    return PublishedSeries(series, verdict=verdict.last, refused=verdict.refused)


@dataclass(frozen=True, eq=False, repr=False)
class LoadedMicrodata:
    """Microdata, ready to be published; made by `load_microdata`, `simulate` or `microdata_from_frames`.

    Attributes:
        opened: what was read; do not change it.
    """

    opened: Microdata
    _files: object = None

    @property
    def name(self) -> str:
        """The microdata's name."""
        return self.opened.name

    @property
    def snapshots(self) -> tuple[str, ...]:
        """The snapshots' tags, in order."""
        return tuple(each.tag for each in self.opened.snapshots)

    def anonymize(
        self,
        method: str | Anonymizer,
        /,
        output: str | os.PathLike[str],
        *,
        seed: int | None = None,
        close: bool = False,
        audit: bool = True,
        time_limit: float | None = 300.0,
        progress: bool | None = None,
        **options: object,
    ) -> PublishedSeries:
        """Publish every snapshot that the series does not have yet, as `audit anonymize` does, and return the series.

        Args:
            method: its name, such as `m-invariance`, or an object of your own.
            output: the series' folder, new or to be continued.
            seed: the same seed gives the same bytes; keep it secret. None draws a secret seed.
            close: whether groups are formed as if a value that may follow in several steps might follow in one; the
                series keeps the transitions of the microdata, by which it is audited.
            audit: whether the series is judged by its policy; a release that only breaks it is then not published.
            time_limit: seconds for each attack of the audit.
            progress: as for `plan`.
            **options: the method's options, such as `m=4`.

        Raises:
            UsageError: there is no such method or option, or the series cannot be continued.
            InputError: the microdata or the series are faulty, or the promise cannot be kept.
        """
        from anonymizers import registry as methods
        from audit.pipeline.progress import counting
        from audit.publishing.publish import PublishOptions

        chosen = methods.find(method, options) if isinstance(method, str) else method
        microdata = self.opened.closed()[0] if close else self.opened
        with counting(f"publishing by {chosen.name}", shown=is_shown(progress)) as watch:
            how = PublishOptions(seed=seed, on_progress=watch)
            return published(microdata, Path(output), chosen, how, time_limit if audit else 0.0)

    def plan(
        self,
        *,
        methods: Sequence[str] = (),
        queries: int = 1000,
        seed: int = 0,
        time_limit: float | None = 20.0,
        progress: bool | None = None,
    ) -> PlanResult:
        """Try methods and parameters in a temporary folder and recommend one, as `audit plan` does.

        Raises:
            UsageError: there is no such method.
            InputError: the microdata cannot be read.
        """
        from anonymizers.registry import METHODS
        from attacks.registry import all_attacks
        from audit.api.publication_plan import candidates, plan_publication
        from audit.metrics.utility import Queries
        from audit.model.audit_options import AuditOptions
        from audit.pipeline.progress import counting

        options = AuditOptions(time_limit=time_limit, findings=0)
        kinds = [METHODS.load(name) for name in methods or METHODS.names]
        asked = Queries(queries, seed=seed)
        with counting("trying methods", shown=is_shown(progress)) as watch:
            return PlanResult(plan_publication(self.opened, candidates(kinds), all_attacks(), options, asked, watch))

    def __repr__(self) -> str:
        return f"LoadedMicrodata({printable(self.name, 200)!r}, {len(self.snapshots)} snapshots)"


def compare(
    *series: LoadedSeries | LoadedTables,
    microdata: LoadedMicrodata | None = None,
    queries: int = 10_000,
    theta: float = 0.1,
    workload: Style = "m-invariance",
    seed: int = 0,
    time_limit: float | None = 300.0,
    progress: bool | None = None,
) -> ComparisonResult:
    """Compare several series, as `audit compare` does; with microdata, also their utility.

    Raises:
        UsageError: some are count tables and others are not, or a series was not made from the microdata.
        InputError: a file cannot be read, or does not fit the microdata.
    """
    from attacks.registry import all_attacks
    from audit.io.paths import without_secrets
    from audit.io.series import Series
    from audit.metrics.utility import Queries, check_fits, measure
    from audit.model.command_results import Comparison, QueryDesign
    from audit.runtime.version import VERSION

    named = [(without_secrets(str(each.folder)), each) for each in series]
    tables = [(name, each) for name, each in named if each.kind == "tables"]
    people = [(name, Series.of(each.opened.manifest)) for name, each in named if each.kind == "microdata"]
    if tables and (people or microdata is not None):
        raise UsageError("count tables are compared with count tables alone; compare like with like")
    if tables:
        from audit.api.count_tables import compare_tables

        return ComparisonResult(compare_tables(tables, time_limit))
    source = None if microdata is None else microdata.opened
    if source is not None:
        for name, one in people:
            check_fits(name, one, source)
    settings, sides = AuditSettings({}, time_limit=time_limit, findings=0, progress=progress), []
    with settings.audit_options() as how:
        measured = measure(people, source, Queries(queries, theta, workload, seed))
        for (name, one), releases in zip(people, measured, strict=True):
            with within(name):
                sides.append(_side(name, one, all_attacks(), releases, how))
    asked = None if source is None else QueryDesign(source.name, queries, theta, workload, seed)
    return ComparisonResult(Comparison(VERSION, tuple(sides), asked, how.time_limit))


def _side(
    path: str, series: Series, attacks: Sequence[Attack], releases: tuple[ReleaseMeasures, ...], options: AuditOptions
) -> ComparedSeries:
    """Audit one series; a series that cannot be attacked is still compared, with the reason."""
    from audit.model.command_results import ComparedSeries
    from audit.pipeline.audit_run import run_audit

    manifest, report, reason = series.manifest, None, None
    try:
        report = run_audit(series, attacks, options)
    except UsageError as error:
        reason = str(error)
    exact = all(each.values is not None for each in manifest.releases)
    return ComparedSeries(path, manifest.name, report, reason, releases, manifest.anonymized, exact)
