"""The series folder while a release is being published: locked, and changed whole or not at all.

Everything is first written to `private/.staging`. A plan beside it names the files that are about to be put in place;
then they are, one by one, and the release is published at the instant at which `series.toml`, which names them, is
replaced. Whoever comes after a process that was killed finds the plan, and takes away what it put in place unless the
manifest names the release.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from audit.io.atomic_files import GITIGNORE, abandoned_drafts, hide_from_version_control, write_file
from audit.io.diagnostics import is_there
from audit.io.manifest import NAME, PRIVATE, read_manifest
from audit.io.microdata import NAME as MICRODATA
from audit.io.table_writer import write_table
from audit.model.errors import InputError, Problems, UsageError
from audit.publishing.transition_checks import TRANSITIONS

if TYPE_CHECKING:
    import pyarrow as pa

_STAGING = ".staging"
_LOCK = ".lock"
_PLAN = "plan.json"
_OURS = {PRIVATE, "releases", "counterfeits", TRANSITIONS}


class SeriesTransaction:
    """A series folder that nobody else publishes into as long as this is open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.private = folder / PRIVATE
        self.staging = self.private / _STAGING
        self._made = not is_there(folder)
        self._made_private = not is_there(self.private)
        self._lock = FileLock(self.private / _LOCK, blocking=False)

    def __enter__(self) -> SeriesTransaction:
        """Make the folder where there is none, lock it, and undo what a killed process left.

        Raises:
            UsageError: somebody else is publishing into it, or it is no place for a series.
        """
        with self._told():
            self._check()
            self.folder.mkdir(exist_ok=True)
            self.private.mkdir(mode=0o700, exist_ok=True)
            self.private.chmod(0o700)
            self._take_lock()
            try:
                self.recover()
            except BaseException:
                self._lock.release()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Undo what was not published, and leave no folder behind in which nothing was."""
        try:
            self.recover()
            if not (self.folder / NAME).exists() and (self._made or self._made_private):
                # Windows does not take a lock away that is held; what is left of the folder then is empty but for it.
                shutil.rmtree(self.folder if self._made else self.private, ignore_errors=os.name == "nt")
        finally:
            self._lock.release()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Say what a disk does not let be done.

        Raises:
            UsageError: it is full, or may not be written.
        """
        try:
            yield
        except OSError as error:
            why = error.strerror or "it cannot be written"
            path = error.filename or self.folder
            raise UsageError(f"{path}: {why}; mend that, or name another folder with --output") from error

    def _check(self) -> None:
        """Refuse folders that are something else.

        Raises:
            UsageError: this is one.
        """
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.folder}: this is no folder; name the folder of the series with --output")
        if (self.folder / MICRODATA).exists():
            raise UsageError(f"{self.folder}: this folder holds microdata; name another one for the series")
        if self.private.exists() and not self.private.resolve().is_relative_to(self.folder.resolve()):
            raise UsageError(f"{self.private}: a link takes this folder out of the series; make it a folder of its own")
        if self.folder.is_dir() and not (self.folder / NAME).exists():
            ours = {self.folder / name for name in _OURS}.union(abandoned_drafts(self.folder / NAME))
            strangers = [path for path in self.folder.iterdir() if path not in ours]
            if strangers:
                what = f"{self.folder}: the folder holds other things, and no {NAME}"
                raise UsageError(f"{what}; name a new folder, or write the {NAME} of the series that is in it")

    def _take_lock(self) -> None:
        try:
            self._lock.acquire()
        except Timeout as error:
            what = f"{self.folder}: another process is publishing into this series"
            raise UsageError(f"{what}; wait until it has finished") from error

    def recover(self) -> None:
        """Take away what was staged, and what was put in place but never published."""
        plan = self.staging / _PLAN
        if plan.exists():
            tag, paths = self._planned(plan)
            for path in [] if tag in self._tags() else paths:
                path.unlink(missing_ok=True)
                with suppress(OSError):  # it holds other releases, or was not yet made
                    path.parent.rmdir()
        for draft in (*abandoned_drafts(self.folder / NAME), *abandoned_drafts(self.private / GITIGNORE)):
            draft.unlink()
        shutil.rmtree(self.staging, ignore_errors=True)

    def _planned(self, plan: Path) -> tuple[str, list[Path]]:
        """Return the release and the files of a plan.

        Raises:
            UsageError: it is damaged.
        """
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            told = json.loads(plan.read_text(encoding="utf-8"))
            paths = [self.folder / name for name in told["files"]]
            inside = all(path.parent.resolve().is_relative_to(self.folder.resolve()) for path in paths)
            if inside and isinstance(told["tag"], str):
                return told["tag"], paths
        what = f"{plan}: what a killed process left behind is damaged, so that it cannot be undone"
        raise UsageError(f"{what}; take away the files that the {NAME} does not name, and {self.staging}")

    def _tags(self) -> set[str]:
        """Return the releases that the manifest names.

        Raises:
            InputError: it cannot be read, so that nobody can tell what was published.
        """
        if not (self.folder / NAME).exists():
            return set()
        problems = Problems()
        manifest = read_manifest(self.folder, problems)
        if manifest is None:
            raise InputError(problems.found)
        return {release.tag for release in manifest.releases}

    def stage(self, tables: Mapping[str, pa.Table]) -> None:
        """Write tables, by their names in the series, where nobody looks for them yet.

        Raises:
            UsageError: a file would be overwritten when they are put in place, or a link leads out of the series.
        """
        for name in tables:
            self._check_free(self.folder / name)
        with self._told():
            shutil.rmtree(self.staging, ignore_errors=True)
            self.staging.mkdir(mode=0o700)
            for name, table in tables.items():
                path = self.staging / name
                path.parent.mkdir(parents=True, exist_ok=True)
                write_table(table, path, mode=0o600 if name.startswith(f"{PRIVATE}/") else None)

    def _check_free(self, path: Path) -> None:
        if not path.parent.resolve().is_relative_to(self.folder.resolve()):
            raise UsageError(f"{path}: a link takes this path out of the series folder; make it a folder")
        if path.parent.exists() and not path.parent.is_dir():
            raise UsageError(f"{path.parent}: this is no folder, and a release's files belong into it; move it away")
        if os.path.lexists(path):
            raise UsageError(f"{path}: there is such a file already, which the series does not name; move it away")

    def commit(self, tag: str, names: Iterable[str], manifest: str) -> None:
        """Put the staged files of a release in place and publish it with the new text of the manifest."""
        with self._told():
            self._commit(tag, list(names), manifest)

    def _commit(self, tag: str, files: list[str], manifest: str) -> None:
        write_file(self.staging / _PLAN, json.dumps({"tag": tag, "files": files}))
        for name in files:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            (self.staging / name).replace(path)
        self.replace_manifest(manifest)
        hide_from_version_control(self.private)
        shutil.rmtree(self.staging, ignore_errors=True)

    def replace_manifest(self, text: str) -> None:
        """Put a new manifest in the place of the old one, with its permissions."""
        with self._told():
            write_file(self.folder / NAME, text)
