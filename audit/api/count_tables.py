"""A series of count tables from Python: everything that the commands on one do, and what they return."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Literal, TypeAlias, Unpack

from attacks.differencing.attack import Differencing
from audit.api.answers import AttackResult, ExplanationResult, ImpactResult, RepairResult
from audit.api.settings import AuditSettings
from audit.api.tables import Candidate, Loaded, as_tables, candidate_files
from audit.count_tables.candidate import judge_candidate, release_of, repair_candidate, tables_in
from audit.count_tables.judged_counts import explain_cell
from audit.count_tables.manifest import TableManifest, TableRelease, read_table_manifest
from audit.count_tables.read_counts import read_counts
from audit.count_tables.table_audit import audit_tables, waive_counts
from audit.judgement.waivers import accepted_of
from audit.model.audit_options import AuditOptions
from audit.model.command_results import ComparedSeries, Comparison
from audit.model.errors import UsageError
from audit.model.release_impact import ReleaseImpact
from audit.model.report import Report
from audit.pipeline.settings import AnyPath, CountSettings, WholeCountAudit
from audit.runtime.phrases import Reason
from audit.runtime.version import VERSION
from reports.finding_list import list_forms
from reports.repair import not_published

Candidates: TypeAlias = "Candidate | Sequence[Candidate]"
"""A release: its table, or several."""


@dataclass(frozen=True, eq=False, repr=False)
class LoadedTables(Loaded):
    """A series of count tables, ready to be audited; made by `load` or `tables_from_frames`.

    Attributes:
        kind: the kind of series, as in a `series.toml`.
        opened: what was read; do not change it.
    """

    kind: ClassVar[Literal["tables"]] = "tables"
    opened: TableManifest

    @property
    def dimensions(self) -> tuple[str, ...]:
        """The dimensions of the tables."""
        return self.opened.dimensions

    def audit(self, **settings: Unpack[WholeCountAudit]) -> AttackResult:
        """Find what can be derived about hidden counts, as `audit SERIES` does.

        Args:
            **settings: `time_limit` (seconds; None means no limit); `findings` (how many to show; None means all);
                `policy` (clauses that replace those of the manifest, such as `{"min_count": 10}`); `progress` (None
                shows it in a notebook); `baseline` (the file of an earlier report, whose findings do not count);
                `witness` (a folder for the evidence of the verdict, as with `audit SERIES --witness FOLDER`).

        Raises:
            UsageError: an argument is wrong.
            InputError: the series cannot be read, or its numbers contradict each other.
        """
        witness = settings.pop("witness", None)
        with _options(settings, settings.pop("baseline", None)) as options:
            if witness is None:
                return AttackResult(audit_tables(self.opened, Differencing(), options))
            from audit.api.witness import audit_with_witness

            return AttackResult(audit_with_witness(self.opened, options, Path(witness)))

    def next(
        self,
        candidate: Candidates,
        /,
        *,
        tag: str = "candidate",
        baseline: str | os.PathLike[str] | None = None,
        **settings: Unpack[CountSettings],
    ) -> ImpactResult:
        """Judge a release that is not yet published, as `audit next SERIES CANDIDATE...` does.

        Args:
            candidate: a file or a data frame, or several of them. The first file's name gives the tag.
            tag: the tag, if the first table is a data frame.
            baseline: as for `audit`.
            **settings: as for `audit`; `findings` limits the new findings.

        Raises:
            UsageError: an argument is wrong, or the series already has a release of that tag.
            InputError: a file cannot be read, or the numbers contradict each other.
        """
        with TemporaryDirectory(prefix="audit-candidate-") as folder, _options(settings, baseline) as how:
            release = _release(self.opened, candidate, tag, Path(folder))
            return ImpactResult(judge_candidate(self.opened, release, Differencing(), how)[0])

    def repair(
        self,
        candidate: Candidates,
        /,
        output: str | os.PathLike[str],
        *,
        tag: str = "candidate",
        **settings: Unpack[CountSettings],
    ) -> RepairResult[ReleaseImpact]:
        """Hide as few further cells of a candidate as possible, and write it, as `audit repair` does.

        Args:
            candidate: as for `next`; data frames are written as Parquet.
            output: a new or empty folder.
            tag: as for `next`.
            **settings: as for `audit`.

        Raises:
            UsageError: an argument is wrong, or the candidate cannot be written.
            InputError: a file cannot be read, or the numbers contradict each other.
        """
        with TemporaryDirectory(prefix="audit-candidate-") as folder, _options(settings) as how:
            release = _release(self.opened, candidate, tag, Path(folder))
            found = repair_candidate(self.opened, release, Path(output), Differencing(), how)
        return RepairResult(found)

    def explain(self, cell: Mapping[str, str], /, **settings: Unpack[CountSettings]) -> ExplanationResult:
        """Return what can be derived about one cell, as `audit explain SERIES --cell area=N --cell sex=f` does.

        Args:
            cell: its labels by dimension; a missing dimension means its total.
            **settings: as for `audit`.

        Raises:
            UsageError: there is no such dimension or label.
            InputError: the series cannot be read, or its numbers contradict each other.
        """
        counts, exact = read_counts(self.opened), Differencing(both_ends=True)
        with _options(settings) as how:
            return ExplanationResult(explain_cell(counts, dict(cell), exact, how))

    def waive(
        self,
        *ids: str,
        reason: str = "",
        until: datetime.date | None = None,
        listed: str | os.PathLike[str] | None = None,
    ) -> LoadedTables:
        """Accept findings until a date, as `audit waive` does; a waiver accepts no more than is known today.

        `listed` is a list of `audit findings` with a reason and a date for each finding that is accepted.

        Returns:
            The series with the waivers; this one does not change.

        Raises:
            UsageError: the date is past, or an id is not that of a finding.
        """
        waive_counts(self.opened, Differencing(), accepted_of(ids, reason, until, (), listed, list_forms()))
        return replace(self, opened=read_table_manifest(self.folder))

    def anonymize(
        self,
        method: str,
        /,
        output: str | os.PathLike[str],
        *,
        seed: int | None = None,
        time_limit: float | None = 300.0,
        progress: bool | None = None,
        **options: int,
    ) -> LoadedTables:
        """Publish a series of exact tables as `audit anonymize SERIES` does.

        Each table is protected by itself; `secondary` then hides further cells until an audit of all tables passes.

        Args:
            method: `threshold`, `secondary`, `rounding`, `random-rounding` or `none`.
            output: a new or empty folder.
            seed: for `random-rounding`; use the same for every release, and keep it secret.
            time_limit: seconds that `secondary` may take in all; None means no limit.
            progress: whether it shows how far it is; None shows it in a notebook.
            **options: the method's, such as `threshold=10` or `base=5`.

        Raises:
            UsageError: there is no such method or option, a seed is missing, the folder cannot be written, the
                audit does not pass, or the time limit was reached.
            InputError: the tables cannot be read, are not exact, lack counts, or do not add up.
        """
        settings = {"time_limit": time_limit, "progress": progress}
        audited = published(self.opened, method, Path(output), seed, options, settings)
        if audited is not None and (lines := not_published(audited)):
            raise UsageError(" ".join(lines))
        return LoadedTables(read_table_manifest(output))


def published(
    manifest: TableManifest,
    name: str,
    output: Path,
    seed: int | None,
    options: Mapping[str, object],
    settings: Mapping[str, object],
) -> Report | Reason | None:
    """Publish a series of exact tables by a method; see `LoadedTables.anonymize`.

    Return the audit after which further cells were hidden, if there was one, or why the search for them ended early;
    nothing is written unless the audit passes. `settings` are those of an audit.
    """
    from anonymizers.count_tables import SECONDARY, count_method
    from audit.publishing.count_tables import publish_tables

    method = count_method(name, options)
    if method.draws and seed is None:
        raise UsageError(f"{name} draws at random: give it a seed; keep the seed secret, and use it for every release")
    publish, drawn = method.publish_first, seed if method.draws else None
    with _options(settings) as how:
        beside = None if method.primary is None else (Differencing(), SECONDARY, how)
        return publish_tables(manifest, output, publish, method.rules, drawn, beside=beside)


def compare_tables(series: Sequence[tuple[str, LoadedTables]], time_limit: float | None) -> Comparison:
    """Compare several series of count tables, each with its name.

    Raises:
        InputError: a file cannot be read, or numbers contradict each other.
    """
    with _options({"time_limit": time_limit, "findings": 0}) as how:
        audited = ((name, one.name, audit_tables(one.opened, Differencing(), how)) for name, one in series)
        return Comparison(VERSION, tuple(ComparedSeries(*each, None) for each in audited), None, time_limit)


def _options(settings: Mapping[str, object], baseline: AnyPath = None) -> AbstractContextManager[AuditOptions]:
    return AuditSettings(settings, CountSettings).audit_options(baseline=baseline)


def _release(manifest: TableManifest, candidate: Candidates, tag: str, folder: Path) -> TableRelease:
    """Return a release from files, data frames, or a folder with all its tables; frames are written into `folder`.

    Raises:
        UsageError: an item is neither, or there are no items.
    """
    given = as_tables(candidate)
    if len(given) == 1 and isinstance(given[0], str | os.PathLike) and (files := tables_in(Path(given[0]))):
        return release_of(manifest, files, folder, Path(given[0]).resolve().name)
    if not given:
        raise UsageError("candidate: no candidate was given; give a file or a data frame, or several")
    names = [tag, *(f"{tag}.{place}" for place in range(2, len(given) + 1))]
    return release_of(manifest, candidate_files(given, names, folder), folder)
