"""Transaction: lock a series folder while a release is published, and publish the release whole or not at all.

All files are first written to `private/.staging`, with a plan that lists them. Then they are moved into place one by
one. Replacing `series.toml`, which names them, publishes the release. If a process is killed, the next one finds the
plan, and deletes the moved files unless the manifest names the release.
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
from audit.io.manifest import NAME, PRIVATE, TRANSITIONS, read_manifest
from audit.io.microdata import NAME as MICRODATA
from audit.io.paths import is_there
from audit.io.table_writer import write_table
from audit.model.errors import InputError, Problems, UsageError
from audit.runtime.phrases import say

if TYPE_CHECKING:
    import pyarrow as pa

_STAGING = ".staging"
_LOCK = ".lock"
_PLAN = "plan.json"
_OURS = {PRIVATE, "releases", "counterfeits", TRANSITIONS}


class SeriesTransaction:
    """A series folder, locked for other publishers while this context manager is open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.private = folder / PRIVATE
        self.staging = self.private / _STAGING
        self._made = not is_there(folder)
        self._made_private = not is_there(self.private)
        self._lock = FileLock(self.private / _LOCK, blocking=False)

    def __enter__(self) -> SeriesTransaction:
        """Make the folder if it is missing, lock it, and undo what a killed process left.

        Raises:
            UsageError: another process is publishing into it, or the folder cannot hold a series.
        """
        with self._reported():
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
        """Undo what was not published, and remove the folder if it was made and nothing was published."""
        try:
            self.recover()
            if not (self.folder / NAME).exists() and (self._made or self._made_private):
                # Windows does not delete a lock that is held: the folder then stays, with the lock file only.
                shutil.rmtree(self.folder if self._made else self.private, ignore_errors=os.name == "nt")
        finally:
            self._lock.release()

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Report an error of the file system as an error of usage.

        Raises:
            UsageError: the disk is full, or the folder cannot be written.
        """
        try:
            yield
        except OSError as error:
            raise UsageError.say(
                "{path}: {why}; correct that, or name another folder with --output",
                path=error.filename or self.folder,
                why=error.strerror or say("it cannot be written"),
            ) from error

    def _check(self) -> None:
        """Refuse a folder that is not a series and not empty.

        Raises:
            UsageError: it is not a folder, or holds microdata or other files, or a link leads out of it.
        """
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError.say(
                "{path}: this is not a folder; name the folder of the series with --output", path=self.folder
            )
        if (self.folder / MICRODATA).exists():
            raise UsageError.say(
                "{folder}: this folder holds microdata; name another one for the series", folder=self.folder
            )
        if self.private.exists() and not self.private.resolve().is_relative_to(self.folder.resolve()):
            raise UsageError.say(
                "{folder}: a link takes this folder out of the series; make it a folder of its own",
                folder=self.private,
            )
        if self.folder.is_dir() and not (self.folder / NAME).exists():
            ours = {self.folder / name for name in _OURS}.union(abandoned_drafts(self.folder / NAME))
            strangers = [path for path in self.folder.iterdir() if path not in ours]
            if strangers:
                raise UsageError.say(
                    "{folder}: this folder holds other files, but no {file}; name a new folder, or write the "
                    "{file} of the series that is in it",
                    folder=self.folder,
                    file=NAME,
                )

    def _take_lock(self) -> None:
        try:
            self._lock.acquire()
        except Timeout as error:
            raise UsageError.say(
                "{folder}: another process is publishing into this series; wait until it has finished",
                folder=self.folder,
            ) from error

    def recover(self) -> None:
        """Delete what was staged, and what was put in place but never published."""
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
            UsageError: the plan is damaged.
        """
        with suppress(ValueError, KeyError, TypeError, RecursionError):
            content = json.loads(plan.read_text(encoding="utf-8"))
            paths = [self.folder / name for name in content["files"]]
            inside = all(path.parent.resolve().is_relative_to(self.folder.resolve()) for path in paths)
            if inside and isinstance(content["tag"], str):
                return content["tag"], paths
        raise UsageError.say(
            "{plan}: publishing was interrupted, and this plan of its files is damaged; delete the files that the "
            "{file} does not name, and {staging}",
            plan=plan,
            file=NAME,
            staging=self.staging,
        )

    def _tags(self) -> set[str]:
        """Return the releases that the manifest names.

        Raises:
            InputError: the manifest cannot be read.
        """
        if not (self.folder / NAME).exists():
            return set()
        problems = Problems()
        manifest = read_manifest(self.folder, problems)
        if manifest is None:
            raise InputError(problems.found)
        return {release.tag for release in manifest.releases}

    def stage(self, tables: Mapping[str, pa.Table]) -> None:
        """Write tables, by their names in the series, to the staging folder.

        Raises:
            UsageError: a file exists where one would be put, or a link leads out of the series.
        """
        for name in tables:
            self._check_free(self.folder / name)
        with self._reported():
            shutil.rmtree(self.staging, ignore_errors=True)
            self.staging.mkdir(mode=0o700)
            for name, table in tables.items():
                path = self.staging / name
                path.parent.mkdir(parents=True, exist_ok=True)
                write_table(table, path, mode=0o600 if name.startswith(f"{PRIVATE}/") else None)

    def _check_free(self, path: Path) -> None:
        if not path.parent.resolve().is_relative_to(self.folder.resolve()):
            raise UsageError.say("{path}: a link takes this path out of the series folder; make it a folder", path=path)
        if path.parent.exists() and not path.parent.is_dir():
            raise UsageError.say(
                "{path}: this is not a folder, and a release's files belong in it; move it away",
                path=path.parent,
            )
        if os.path.lexists(path):
            raise UsageError.say(
                "{path}: this file exists already, and the series does not name it; move it away", path=path
            )

    def commit(self, tag: str, names: Iterable[str], manifest: str) -> None:
        """Move the staged files of a release into place, and publish it with the new text of the manifest."""
        files = list(names)
        with self._reported():
            write_file(self.staging / _PLAN, json.dumps({"tag": tag, "files": files}))
            for name in files:
                path = self.folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                (self.staging / name).replace(path)
            self.replace_manifest(manifest)
            hide_from_version_control(self.private)
            shutil.rmtree(self.staging, ignore_errors=True)

    def replace_manifest(self, text: str) -> None:
        """Replace the text of the manifest; its permissions stay the same."""
        with self._reported():
            write_file(self.folder / NAME, text)
