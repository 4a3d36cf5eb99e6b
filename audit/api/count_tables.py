"""A series of count tables from Python: everything that the commands on one do."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from audit.api.count_results import (
    CountAuditResult,
    CountComparisonResult,
    CountExplanationResult,
    CountImpactResult,
    CountRepairResult,
)
from audit.api.settings import AuditSettings, checked_limits
from audit.api.tables import Candidate, TemporaryFolder, as_file, checked_tag, several
from audit.model.errors import UsageError, printable

if TYPE_CHECKING:
    from audit.count_tables.manifest import TableManifest, TableRelease
    from audit.count_tables.table_audit import CountOptions

Candidates: TypeAlias = "Candidate | Sequence[Candidate]"
"""A release: its table, or several."""


@dataclass(frozen=True, eq=False, repr=False)
class LoadedTables:
    """A series of count tables, ready to be audited; made by `load` or `tables_from_frames`."""

    _manifest: TableManifest
    _files: object = None

    @property
    def name(self) -> str:
        """The series' name."""
        return self._manifest.name

    @property
    def releases(self) -> tuple[str, ...]:
        """The releases' tags, in order of publication."""
        return self._manifest.tags

    @property
    def dimensions(self) -> tuple[str, ...]:
        """What the numbers are counted by."""
        return self._manifest.dimensions

    def audit(
        self,
        *,
        time_limit: float | None = 300.0,
        findings: int | None = 20,
        policy: Mapping[str, float] | None = None,
    ) -> CountAuditResult:
        """Find what can be told of the counts, as `audit SERIES` does.

        Args:
            time_limit: seconds; None is without limit.
            findings: how many findings to show; None is all.
            policy: clauses that replace those of the manifest, such as `{"min_count": 10}`.

        Raises:
            UsageError: an argument is wrong.
            InputError: the series cannot be read, or its numbers contradict each other.
        """
        from attacks.differencing.attack import Differencing
        from audit.count_tables.table_audit import audit_tables

        return CountAuditResult(audit_tables(self._manifest, Differencing(), _options(time_limit, findings, policy)))

    def next(
        self,
        candidate: Candidates,
        /,
        *,
        tag: str = "candidate",
        time_limit: float | None = 300.0,
        findings: int | None = 20,
        policy: Mapping[str, float] | None = None,
    ) -> CountImpactResult:
        """Judge a release that is not yet published, as `audit next SERIES CANDIDATE...` does.

        Args:
            candidate: a file or a data frame, or several of them. The first file's name gives the tag.
            tag: what a candidate whose first table is a data frame is called.
            time_limit: this and what follows is as for `audit`.
            findings: likewise; of those that are new.
            policy: likewise.

        Raises:
            UsageError: an argument is wrong, or the series has a release of that tag.
            InputError: a file cannot be read, or the numbers contradict each other.
        """
        from attacks.differencing.attack import Differencing
        from audit.count_tables.candidate import judge_candidate

        folder = TemporaryFolder("audit-candidate-")
        release, options = _release(candidate, tag, folder.path), _options(time_limit, findings, policy)
        return CountImpactResult(judge_candidate(self._manifest, release, Differencing(), options)[0])

    def repair(
        self,
        candidate: Candidates,
        /,
        output: str | os.PathLike[str],
        *,
        tag: str = "candidate",
        time_limit: float | None = 300.0,
        policy: Mapping[str, float] | None = None,
    ) -> CountRepairResult:
        """Write a candidate with the least further cells left empty into a folder, as `audit repair` does.

        Args:
            candidate: as for `next`; data frames are written as Parquet.
            output: a new or empty folder.
            tag: as for `next`.
            time_limit: as for `audit`.
            policy: likewise.

        Raises:
            UsageError: an argument is wrong, or the candidate cannot be written anew.
            InputError: a file cannot be read, or the numbers contradict each other.
        """
        from attacks.differencing.attack import Differencing
        from audit.count_tables.repaired_tables import repair_candidate

        folder, where = TemporaryFolder("audit-candidate-"), Path(output)
        release, options = _release(candidate, tag, folder.path), _options(time_limit, 20, policy)
        found = repair_candidate(self._manifest, release, where, Differencing(), options)
        files = () if found.hide is None else tuple(where / table.path.name for table in release.tables)
        return CountRepairResult(found, files)

    def explain(self, cell: Mapping[str, str], /, *, time_limit: float | None = 300.0) -> CountExplanationResult:
        """Tell what can be told of one cell, as `audit explain SERIES --cell area=N --cell sex=f` does.

        Args:
            cell: its labels by dimension; a dimension that is left out is at its total.
            time_limit: as for `audit`.

        Raises:
            UsageError: there is no such dimension or label.
            InputError: the series cannot be read, or its numbers contradict each other.
        """
        from attacks.differencing.attack import Differencing
        from audit.count_tables.explain_cell import explain_cell
        from audit.count_tables.read_counts import read_counts

        counts, options = read_counts(self._manifest), _options(time_limit, 20, None)
        exact = Differencing(both_ends=True)
        return CountExplanationResult(explain_cell(counts, dict(cell), exact, options))

    def waive(self, *ids: str, reason: str, until: datetime.date) -> LoadedTables:
        """Accept findings until a date, and no more of each than is known today, as `audit waive` does.

        Returns:
            The series with the waivers; this one does not change.

        Raises:
            UsageError: the date is past, or something is no id of a finding.
        """
        from attacks.differencing.attack import Differencing
        from audit.count_tables.waived_counts import waive_counts

        waive_counts(self._manifest, Differencing(), ids, reason, until)
        return LoadedTables(load_tables(self._manifest.folder)._manifest, self._files)

    def anonymize(
        self, method: str, /, output: str | os.PathLike[str], *, seed: int | None = None, **options: int
    ) -> LoadedTables:
        """Publish a series of exact tables as `audit anonymize SERIES` does.

        Each table is protected by itself; only `secondary` goes on until an audit of all of them passes.

        Args:
            method: `threshold`, `secondary`, `rounding`, `random-rounding`, `cell-key` or `none`.
            output: a new or empty folder.
            seed: for `random-rounding` and `cell-key`; the same for every release, and to be kept secret.
            **options: the method's, such as `threshold=10` or `base=5`.

        Raises:
            UsageError: there is no such method or option, a seed is missing, the folder cannot be written, or the
                audit does not pass.
            InputError: the tables cannot be read, are not exact, lack counts, or do not add up.
        """
        from anonymizers.count_tables import DRAWN, FOR_PEOPLE, SECONDARY, SecondarySuppression, count_method
        from attacks.differencing.attack import Differencing
        from audit.publishing.count_tables import Audited, Draw, publish_tables
        from reports.count_tables.candidate import not_published

        chosen = count_method(method, options)
        if method in DRAWN and seed is None:
            raise UsageError(f"{method} draws at random: give a seed, keep it secret, and the same for every release")
        draw = Draw(seed if method in DRAWN else None, method in FOR_PEOPLE)
        protect, audited = chosen.publish, None
        if isinstance(chosen, SecondarySuppression):
            protect, audited = chosen.primary.publish, Audited(Differencing(), SECONDARY)
        done = publish_tables(self._manifest, Path(output), protect, chosen.rules, draw, audited)
        if done.manifest is None and done.report is not None:
            raise UsageError(" ".join(not_published(done.report)))
        return LoadedTables(done.manifest or self._manifest)

    def __repr__(self) -> str:
        releases = "1 release" if len(self.releases) == 1 else f"{len(self.releases)} releases"
        return f"LoadedTables({printable(self.name, 200)!r}, {releases})"


def load_tables(path: Path) -> LoadedTables:
    """Open the series of count tables in a folder.

    Raises:
        InputError: the manifest is faulty; all of it is told.
    """
    from audit.count_tables.manifest import read_table_manifest

    return LoadedTables(read_table_manifest(path))


def compare_tables(series: Sequence[LoadedTables], time_limit: float | None) -> CountComparisonResult:
    """Show several series of count tables side by side.

    Raises:
        InputError: a file cannot be read, or numbers contradict each other.
    """
    from attacks.differencing.attack import Differencing
    from audit.count_tables.table_audit import audit_tables

    options = _options(time_limit, 0, None)
    found = [(str(one._manifest.folder), audit_tables(one._manifest, Differencing(), options)) for one in series]
    return CountComparisonResult(tuple(found))


def _options(time_limit: float | None, findings: int | None, policy: Mapping[str, float] | None) -> CountOptions:
    """Return how to audit, checked.

    Raises:
        UsageError: an argument is wrong.
    """
    from audit.count_tables.manifest import clause_limit
    from audit.count_tables.table_audit import CountOptions

    AuditSettings({}, time_limit=time_limit, findings=findings)
    return CountOptions(limits=checked_limits(policy or {}, clause_limit), time_limit=time_limit, findings=findings)


def _release(candidate: Candidates, tag: str, folder: Path) -> TableRelease:
    """Return the release that some files or data frames are; frames are written into the folder.

    Raises:
        UsageError: something is neither, or there is nothing.
    """
    from audit.count_tables.manifest import TableFile, TableRelease
    from audit.io.paths import as_path
    from audit.io.toml import release_tag

    given = several(candidate)
    if not given:
        raise UsageError("candidate: there is no table; hand over a file or a data frame, or several")
    tables = []
    for place, each in enumerate(given, 1):
        name = checked_tag(tag) if place == 1 else f"{tag}.{place}"
        path = as_path(as_file(each, folder / f"{name}.parquet"))
        tables.append(TableFile(path, path.name if path.parent == folder else str(path)))
    return TableRelease(release_tag(tables[0].path.name), tuple(tables))
