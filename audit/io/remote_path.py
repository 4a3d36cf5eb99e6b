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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import quote, unquote

from audit.model.errors import InputError, Problem

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

WEB = ("http", "https")
_VERSIONS = {"etag", "mtime", "lastmodified", "modified", "updated", "created", "contentmd5", "md5hash", "generation"}


@dataclass(frozen=True)
class RemotePath:
    """A place under a URL: the methods of `pathlib.Path` that reading uses, each of which says what is wrong.

    It can be pickled, and read from in another process.

    Attributes:
        storage, root: the place that it was opened under.
        shown_root: the URL of that, without credentials.
        inner: the place below that, as manifests write it.
        query: what follows the `?` of a web address; it may sign every file below.
    """

    storage: AbstractFileSystem = field(repr=False)
    root: str = field(repr=False)
    shown_root: str
    inner: str = ""
    query: str = field(default="", repr=False)

    def __str__(self) -> str:
        """Return the address without credentials."""
        return f"{self.shown_root}/{self.inner}" if self.inner else self.shown_root

    def __truediv__(self, name: str) -> RemotePath:
        """Return a place below this one."""
        return replace(self, inner=(PurePosixPath(self.inner) / name).as_posix())

    @property
    def name(self) -> str:
        """The last part of the address."""
        return str(self).split("://", 1)[1].rpartition("/")[2]

    @property
    def parent(self) -> RemotePath:
        """The folder that holds this place."""
        if self.inner:
            return replace(self, inner=self.inner.rpartition("/")[0])
        scheme, mark, rest = self.shown_root.partition("://")
        return replace(self, root=self.root.rpartition("/")[0], shown_root=f"{scheme}{mark}{rest.rpartition('/')[0]}")

    @property
    def _is_web(self) -> bool:
        return self.shown_root.partition("://")[0] in WEB

    @property
    def target(self) -> str:
        """Where the storage is asked for this file."""
        inner = quote(self.inner) if self._is_web else self.inner
        path = f"{self.root.rstrip('/')}/{inner}" if inner else self.root
        return f"{path}?{self.query}" if self.query else path

    def info(self) -> dict[str, Any] | None:
        """Return what the storage says of the file or folder; None when there is none."""
        try:
            with self._translated_errors():
                found: dict[str, Any] = self.storage.info(self.target)
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
        """Return what changes when the file does, if the storage says it.

        Raises:
            FileNotFoundError: there is none.
        """
        info = self.info()
        if info is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self))
        known = {k: str(value) for k, value in info.items() if re.sub("[_-]", "", k.lower()) in _VERSIONS and value}
        return (info.get("size"), *sorted(known.items())) if known else None

    def open(self, _mode: str = "rb") -> BinaryIO:
        """Open the file for reading."""
        return io.BytesIO(self.read_bytes())

    def read_bytes(self) -> bytes:
        """Return what stands in the file; it is fetched once while it does not change."""
        changes = self.version()
        return self.fetched() if changes is None else _content(self, changes)

    def fetched(self) -> bytes:
        """Return what stands in the file, asked for now."""
        with self._translated_errors():
            content: bytes = self.storage.cat_file(self.target)
        return content

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
        """Return whether a path that a manifest names is below this place, however it is spelled."""
        plain = name
        while (once := unquote(plain)) != plain:
            plain = once
        parts = plain.split("/")
        odd = "\\" in plain or "::" in plain or any(ord(c) < ord(" ") for c in plain)
        return not (odd or ".." in parts or "" in parts[:-1] or plain.count("/") != name.count("/"))

    def matching(self, pattern: str) -> list[str] | None:
        """Return the files below this place that match a pattern; None where the storage cannot list files.

        A web server's page of links is no list: it may show some of the files.
        """
        if self._is_web:
            return None
        import glob

        target = self.target.rstrip("/")
        try:
            with self._translated_errors():
                found = self.storage.glob(f"{glob.escape(target)}/{pattern}")
        except FileNotFoundError:
            return []
        return [str(path).removeprefix(f"{target}/") for path in found]

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Turn whatever a storage raises into what it means.

        Raises:
            FileNotFoundError: there is no such file.
            InputError: anything else.
        """
        try:
            yield
        except Exception as error:  # noqa: BLE001 - each storage has exceptions of its own
            found = fault(error)
            if found is None:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(self)) from None
            # The cause is dropped: it may quote the address with its credentials.
            raise InputError([Problem(self.inner or str(self), *found)]) from None


@lru_cache(maxsize=16)
def _content(remote: RemotePath, _version: tuple[object, ...]) -> bytes:
    return remote.fetched()


def forget() -> None:
    """Drop the files that were fetched: a web server may not say that one changed within the same second."""
    _content.cache_clear()


def fault(error: BaseException) -> tuple[str, str] | None:
    """Return what an error of a storage means and what to do; None when there is no such file."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    said = " ".join(map(_described, chain)).casefold()
    for signs, what, remedy in _FAULTS:
        if re.search(signs, said):
            return what, remedy
    if status := re.search(r"status=(?!404|410)(\d+)", said):
        return f"the server answers with the error {status[1]}", "try again later, or ask who runs it"
    if "status=" in said or isinstance(chain[-1], FileNotFoundError | NotADirectoryError | IsADirectoryError):
        return None
    return f"the storage cannot be read ({type(chain[-1]).__name__})", "check the address and the connection"


def _described(error: BaseException) -> str:
    """Return the names of an error and of its kinds, its number by name, and the status that a server answered."""
    names = " ".join(kind.__name__ for kind in type(error).__mro__)
    number, status = getattr(error, "errno", None) or 0, getattr(error, "status", None)
    return f"{names} {errno.errorcode.get(number, '')} {f'status={status}' if isinstance(status, int) else ''}"


_FAULTS = (
    (
        "permissionerror|credentials|status=40[13]",
        "the storage does not allow reading this",
        "give credentials that may read it",
    ),
    ("timeout", "the storage did not answer in time", "check the connection, or try again later"),
    ("refused", "the connection was refused", "check the address and that the server runs"),
    ("gaierror|dns", "the host is not known", "correct the address"),
    (
        "connect|payload",
        "there is no connection to the storage, or it broke off",
        "check the address, or try again later",
    ),
)
