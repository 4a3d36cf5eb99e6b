"""Files at a URL, read through fsspec.

Whatever a storage says but "there is no such file" ends the reading at once: a file that may be there, and cannot be
looked at, must not pass for one that is not (a key that is missing changes what is audited). Credentials, which may
stand in a URL, appear in no message.
"""

from __future__ import annotations

import errno
import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote, unquote

from audit.model.errors import InputError, Problem

if TYPE_CHECKING:
    from upath import UPath

WEB = ("http", "https")
_LOCAL = ("file", "local")
_WHOLE = 8 << 20  # files up to here are fetched whole, larger ones in blocks of this size
_VERSIONS = {"etag", "mtime", "lastmodified", "modified", "updated", "created", "contentmd5", "md5hash", "generation"}


@dataclass(frozen=True)
class RemotePath:
    """A place under a URL: the methods of `pathlib.Path` that reading uses, each of which tells what is wrong.

    It can be pickled, and read from in another process.

    Attributes:
        root: the URL that it was opened under.
        inner: the place below that, as manifests write it.
        query: what follows the `?` of a web address; it may sign every file below.
    """

    root: UPath = field(repr=False)
    shown_root: str
    inner: str = ""
    query: str = field(default="", repr=False)

    def __str__(self) -> str:
        """Return the address without credentials."""
        return f"{self.shown_root}/{self.inner}" if self.inner else self.shown_root

    def __truediv__(self, name: str) -> RemotePath:
        """Return a place below this one."""
        return RemotePath(self.root, self.shown_root, (PurePosixPath(self.inner) / name).as_posix(), self.query)

    @property
    def name(self) -> str:
        """The last part of the address."""
        return str(self).split("://", 1)[1].rpartition("/")[2]

    @property
    def parent(self) -> RemotePath:
        """The folder that holds this place."""
        if "/" in self.inner:
            return RemotePath(self.root, self.shown_root, self.inner.rpartition("/")[0], self.query)
        if self.inner:
            return RemotePath(self.root, self.shown_root, query=self.query)
        scheme, mark, rest = self.shown_root.partition("://")
        return RemotePath(self.root.parent, f"{scheme}{mark}{rest.rpartition('/')[0]}", query=self.query)

    @property
    def target(self) -> str:
        """Where the storage is asked for this file."""
        web = self.root.protocol in WEB
        inner = quote(self.inner) if web else self.inner
        path = str((self.root / inner).path if inner else self.root.path)
        return f"{path}?{self.query}" if web and self.query else path

    def at_hand(self) -> Path | None:
        """Return the path of this machine that a `file://` URL means; None for others."""
        return Path(self.target) if self.root.protocol in _LOCAL else None

    def info(self) -> dict[str, Any] | None:
        """Return what the storage says of the file or folder; None when there is none."""
        try:
            with self.translate_errors():
                found: dict[str, Any] = self.root.fs.info(self.target)
        except FileNotFoundError:
            return None
        return found

    def exists(self) -> bool:
        """Return whether there is such a file or folder."""
        return self.info() is not None

    def is_file(self) -> bool:
        """Return whether there is such a file."""
        return (self.info() or {}).get("type") == "file"

    def is_dir(self) -> bool:
        """Return whether there is such a folder; the web has none."""
        return (self.info() or {}).get("type") == "directory"

    def version(self) -> tuple[object, ...] | None:
        """Return what changes when the file does, if the storage tells."""
        return _version(self.info() or {})

    def open(self, _mode: str = "rb") -> BinaryIO:
        """Open the file for reading; a small one is fetched whole, and once while it stays as it is.

        Raises:
            FileNotFoundError: there is none.
        """
        info = self.info()
        if info is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))
        size, changes = info.get("size"), _version(info)
        if size is None or size > _WHOLE:
            whole = size is None or self.root.protocol == "memory"  # which would hand the same file to all threads
            return io.BytesIO(self.fetched()) if whole else io.BufferedReader(_Blocks(self), _WHOLE)
        return io.BytesIO(self.fetched() if changes is None else _content(self, changes))

    def fetched(self) -> bytes:
        """Return what stands in the file, asked for now."""
        with self.translate_errors():
            content: bytes = self.root.fs.cat_file(self.target)
        return content

    def read_bytes(self) -> bytes:
        """Return what stands in the file."""
        with self.open() as file:
            return file.read()

    def read_text(self) -> str:
        """Return what stands in the file as text."""
        return self.read_bytes().decode()

    def absolute(self) -> RemotePath:
        """Return the place itself."""
        return self

    def resolve(self) -> RemotePath:
        """Return the place itself: links are the storage's own affair."""
        return self

    def is_relative_to(self, folder: Path) -> bool:
        """Return whether the place is below a folder."""
        return f"{self}/".startswith(f"{folder}/")

    def relative_to(self, folder: Path) -> PurePosixPath:
        """Return the place as seen from a folder above it."""
        return PurePosixPath(str(self).removeprefix(str(folder)).lstrip("/"))

    def holds(self, name: str) -> bool:
        """Return whether a path that a manifest names stays below this place, however it is spelled."""
        plain = name
        while (once := unquote(plain)) != plain:
            plain = once
        parts = plain.split("/")
        odd = "\\" in plain or "::" in plain or any(ord(c) < ord(" ") for c in plain)
        if odd or ".." in parts or "" in parts[:-1] or plain.count("/") != name.count("/"):
            return False
        folder, inside = self.at_hand(), (self / name).at_hand()
        if folder is None or inside is None:
            return True
        with self.translate_errors():
            return inside.resolve().is_relative_to(folder.resolve())

    def matching(self, pattern: str) -> list[str] | None:
        """Return the files below this place that match a pattern; None where the storage cannot list files.

        A web server's page of links is no list: it may show some of the files.
        """
        if self.root.protocol in WEB:
            return None
        import glob

        target = self.target.rstrip("/")
        try:
            with self.translate_errors():
                try:
                    found = self.root.fs.glob(f"{glob.escape(target)}/{pattern}")
                except NotImplementedError:
                    return None
        except FileNotFoundError:
            return []
        return [str(path).removeprefix(f"{target}/") for path in found]

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Turn whatever a storage raises into what it means.

        Raises:
            FileNotFoundError: there is no such file.
            InputError: anything else.
        """
        try:
            yield
        except InputError:
            raise
        except Exception as error:  # noqa: BLE001 - each storage has exceptions of its own
            told = fault(error)
            if told is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self)) from None
            # The cause is dropped: it may quote the address with its credentials.
            raise InputError([Problem(self.inner or str(self), *told)]) from None


class _Blocks(io.RawIOBase):
    """A large file, fetched in blocks."""

    def __init__(self, remote: RemotePath) -> None:
        self._remote = remote
        with remote.translate_errors():
            self._file = remote.root.fs.open(remote.target, "rb", block_size=_WHOLE)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        with self._remote.translate_errors():
            return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - any writable buffer
        start = self._file.tell()
        with self._remote.translate_errors():
            try:
                data = self._file.read(len(buffer))
            except ValueError:  # a web server that can only send the whole file
                self._file = io.BytesIO(self._remote.fetched())
                self._file.seek(start)
                data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed and hasattr(self, "_file"):
            self._file.close()
        super().close()


@lru_cache(maxsize=16)
def _content(remote: RemotePath, _version: tuple[object, ...]) -> bytes:
    return remote.fetched()


def forget() -> None:
    """Drop the files that were fetched: a web server may not tell that one changed within the same second."""
    _content.cache_clear()


def _version(info: dict[str, Any]) -> tuple[object, ...] | None:
    known = {key: str(value) for key, value in info.items() if re.sub("[_-]", "", key.lower()) in _VERSIONS and value}
    return (info.get("size"), *sorted(known.items())) if known else None


def fault(error: BaseException) -> tuple[str, str] | None:
    """Return what an error of a storage means and what to do; None when there is no such file."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    statuses = [status for each in chain if isinstance(status := getattr(each, "status", None), int)]
    for holds, what, remedy in _FAULTS:
        if any(holds(each) for each in chain):
            return what, remedy
    if statuses and statuses[0] not in (404, 410):
        return f"the server answers with the error {statuses[0]}", "try again later, or ask who runs it"
    if isinstance(error, FileNotFoundError | NotADirectoryError | IsADirectoryError) and (len(chain) == 1 or statuses):
        return None
    if statuses or isinstance(chain[-1], FileNotFoundError):
        return None
    return f"the storage cannot be read ({type(chain[-1]).__name__})", "check the address and the connection"


_FAULTS: tuple[tuple[Callable[[BaseException], bool], str, str], ...] = (
    (
        lambda e: (
            isinstance(e, PermissionError)
            or getattr(e, "status", None) in (401, 403)
            or "Credentials" in type(e).__name__
        ),
        "the storage does not allow reading this",
        "give credentials that may read it",
    ),
    (
        lambda e: isinstance(e, TimeoutError) or "Timeout" in type(e).__name__,
        "the storage did not answer in time",
        "check the connection, or try again later",
    ),
    (
        lambda e: isinstance(e, ConnectionRefusedError) or getattr(e, "errno", None) == errno.ECONNREFUSED,
        "the connection was refused",
        "check the address and that the server runs",
    ),
    (
        lambda e: type(e).__name__ == "gaierror" or "DNS" in type(e).__name__,
        "the host is not known",
        "correct the address",
    ),
    (
        lambda e: isinstance(e, ConnectionError) or re.search("connect|payload", type(e).__name__.lower()) is not None,
        "there is no connection to the storage, or it broke off",
        "check the address, or try again later",
    ),
)
