"""Atomic files: a written file appears whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from audit.model.errors import UsageError
from audit.runtime.phrases import printable_path

GITIGNORE = ".gitignore"
# The number of characters of a name that its temporary file repeats; all of them may be too many.
_NAME = 40
_RANDOM = 6  # bytes


@contextmanager
def atomic_path(path: Path, *, mode: int | None = None, new: bool = False) -> Iterator[Path]:
    """Yield a hidden path beside a file; it replaces the file at the end, and is removed after an error.

    Links are followed; devices and pipes are written directly. The content is on the disk before the file appears.

    Args:
        path: the file.
        mode: its permissions; by default those of the replaced file, or the usual ones.
        new: whether the file must not exist yet.

    Raises:
        FileExistsError: it exists although it should be new.
        OSError: it cannot be written.
    """
    if new and os.path.lexists(path):
        raise FileExistsError(17, "there is such a file already", str(path))
    path = path.resolve()
    if path.exists() and not path.is_file():
        yield path
        return
    draft = path.with_name(f"{_draft_prefix(path)}{secrets.token_hex(_RANDOM)}")
    # No other user may read it before it has its permissions.
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        yield draft
        with draft.open("r+b") as file:  # Windows does not flush a file that is open for reading only
            os.fsync(file.fileno())
        draft.chmod(_mode(path) if mode is None else mode)
        _put(draft, path, new=new)
    finally:
        draft.unlink(missing_ok=True)


def write_file(path: Path, content: str | bytes, *, mode: int | None = None, new: bool = False) -> None:
    """Write bytes, or a text as UTF-8, atomically; characters that UTF-8 cannot encode become question marks.

    Raises:
        OSError: as for `atomic_path`.
    """
    with atomic_path(path, mode=mode, new=new) as draft:
        draft.write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)


def check_empty(folder: Path) -> None:
    """Refuse a folder that is not empty, or cannot be created.

    Raises:
        UsageError: the folder is not empty, or cannot be created.
    """
    try:
        holds = folder.resolve().parent.is_dir()
        taken = folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a link to itself, a locked folder
        holds, taken = False, False
    if taken:
        raise UsageError.say(
            "{path}: this is not an empty folder; name a new or empty one", path=printable_path(folder)
        )
    if not holds:
        raise UsageError(f"{printable_path(folder)}: no folder can be made there; name one in an existing folder")


def hide_from_version_control(folder: Path) -> None:
    """Write a `.gitignore` into a private folder if it has none: its keys identify the people of rows.

    Raises:
        OSError: as for `atomic_path`.
    """
    with suppress(FileExistsError):
        write_file(folder / GITIGNORE, "*\n", new=True)


def abandoned_drafts(path: Path) -> list[Path]:
    """Return the temporary files beside a file that killed processes left, or that others are writing."""
    prefix = _draft_prefix(path)
    digits = 2 * _RANDOM
    return [
        found
        for found in path.parent.iterdir()
        if found.name.startswith(prefix) and re.fullmatch(f"[0-9a-f]{{{digits}}}", found.name[len(prefix) :])
    ]


def _draft_prefix(path: Path) -> str:
    return f".{path.name[:_NAME]}."


def _put(draft: Path, path: Path, *, new: bool) -> None:
    """Move a file to its place, over an existing one or only if there is none."""
    if not new:
        draft.replace(path)
        return
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: a file created in between is lost
        if os.path.lexists(path):
            raise FileExistsError(17, "there is such a file already", str(path)) from None
        draft.replace(path)


def _mode(path: Path) -> int:
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
