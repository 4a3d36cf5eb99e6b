"""Paths: turn a text into a path, and hide the differences between local files and files at a URL.

A local path is a `pathlib.Path`, which needs no import of fsspec. A text with `://`, except `file://`, becomes a
`RemotePath`: a file is fetched on first use into a local folder, which is removed at the end, and read there.

Every error of a storage except "no such file" ends the reading at once: a file that may exist but cannot be read must
not pass for a missing one, because a missing key changes what is audited. No message contains the credentials of a URL.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, wraps
from pathlib import Path, PurePosixPath
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeGuard, TypeVar
from urllib.parse import quote, unquote
from weakref import finalize

from audit.model.errors import InputError, Problem, UsageError

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem
    from upath import UPath

P = ParamSpec("P")
T = TypeVar("T")
Reader: TypeAlias = Callable[Concatenate[Path, P], T]
WEB = ("http", "https")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PATIENCE = 60.0
_FILE = "file://"
_ABSENT = ("nothing exists at this address", "correct the address")


class FetchedFiles:
    """A private folder for fetched files, which is removed with this object."""

    def __init__(self) -> None:
        self.folder = mkdtemp(prefix="audit-fetched-")
        finalize(self, rmtree, self.folder, ignore_errors=True)


@dataclass(frozen=True)
class RemotePath:
    """A path under a URL that behaves like a `pathlib.Path`: the file is fetched when it is used.

    Attributes:
        storage, root: the fsspec storage, and the path in it that was opened.
        shown_root: the URL of `root`, without credentials.
        fetched: the files fetched so far.
        inner: the path below the root, as manifests write it.
        query: what follows the `?` of a web address; it may sign every file below.
    """

    storage: AbstractFileSystem = field(repr=False)
    root: str = field(repr=False)
    shown_root: str
    fetched: FetchedFiles = field(repr=False)
    inner: str = ""
    query: str = field(default="", repr=False)

    def __str__(self) -> str:
        """Return the address without credentials."""
        return f"{self.shown_root}/{self.inner}" if self.inner else self.shown_root

    def __fspath__(self) -> str:
        """Return the local path of the fetched file; nothing exists there if the storage has no such file.

        Raises:
            InputError: the storage reports another error, or the file cannot be written.
        """
        target = f"{self._target}?{self.query}" if self.query else self._target
        local = (
            Path(self.fetched.folder)
            / f"{hashlib.sha256(target.encode()).hexdigest()}{PurePosixPath(self.name).suffix}"
        )
        if not local.exists() and (content := self._asked(self.storage.cat_file, target)) is not None:
            part = local.with_name(f"{local.name}.part")
            try:
                part.write_bytes(content)
                part.replace(local)
            except OSError as error:  # which must not pass for a missing file
                what, remedy = "the file cannot be stored on this machine", "free space in the temporary folder"
                raise InputError([Problem(self.inner or str(self), what, remedy)]) from error
        return str(local)

    def __getattr__(self, name: str) -> object:
        """Return an attribute of the fetched file's path."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(Path(self), name)

    def __truediv__(self, name: str) -> RemotePath:
        """Return a path below this one."""
        return replace(self, inner=(PurePosixPath(self.inner) / name).as_posix())

    @property
    def name(self) -> str:
        """The last part of the address."""
        return str(self).split("://", 1)[1].rpartition("/")[2]

    @property
    def parent(self) -> RemotePath:
        """The parent folder."""
        if self.inner:
            return replace(self, inner=self.inner.rpartition("/")[0])
        scheme, mark, rest = self.shown_root.partition("://")
        return replace(self, root=self.root.rpartition("/")[0], shown_root=f"{scheme}{mark}{rest.rpartition('/')[0]}")

    @property
    def _is_web(self) -> bool:
        return self.shown_root.partition("://")[0] in WEB

    @property
    def _target(self) -> str:
        """The path or address of this file in the storage."""
        inner = quote(self.inner) if self._is_web else self.inner
        return f"{self.root.rstrip('/')}/{inner}" if inner else self.root

    def _asked(self, ask: Callable[[str], T], target: str) -> T | None:
        """Return the answer of the storage; None if it has no such file.

        Raises:
            InputError: it reports another error.
        """
        try:
            return ask(target)
        except Exception as error:  # noqa: BLE001 - each storage raises errors of its own
            if (found := fault(error)) is None:
                return None
            # The cause is dropped, because it may quote credentials in the address.
            raise InputError([Problem(self.inner or str(self), *found)]) from None

    def is_dir(self) -> bool:
        """Return whether the folder exists; false on the web, which has no folders."""
        return not self._is_web and bool(self.storage.isdir(self._target))

    def absolute(self) -> RemotePath:
        """Return the path itself."""
        return self

    resolve = absolute

    def is_relative_to(self, folder: Path) -> bool:
        """Return whether the path is below a folder."""
        return f"{self}/".startswith(f"{folder}/")

    def relative_to(self, folder: Path) -> PurePosixPath:
        """Return the path relative to a folder above it."""
        return PurePosixPath(str(self).removeprefix(str(folder)).lstrip("/"))

    def holds(self, name: str) -> bool:
        """Return whether a path in a manifest is below this path, also if it is percent-encoded."""
        plain = name
        while (once := unquote(plain)) != plain:
            plain = once
        parts = plain.split("/")
        odd = "\\" in plain or "::" in plain or any(ord(c) < ord(" ") for c in plain)
        return not (odd or ".." in parts or "" in parts[:-1] or plain.count("/") != name.count("/"))

    def matching(self, pattern: str) -> list[str] | None:
        """Return the files below this path that match a pattern; None if the storage cannot list files.

        A web server's page of links is not a list, because it may omit files.
        """
        if self._is_web:
            return None
        import glob

        target = self._target.rstrip("/")
        found = self._asked(self.storage.glob, f"{glob.escape(target)}/{pattern}") or ()
        return [str(path).removeprefix(f"{target}/") for path in found]


def as_path(where: str | os.PathLike[str] | UPath | RemotePath) -> Path:
    """Return the path of a local file or folder, or of one at a URL that fsspec can read.

    >>> as_path("series/series.toml").name
    'series.toml'

    Raises:
        UsageError: the library for this URL is not installed, or the URL is not valid.
        InputError: the storage cannot be reached.
    """
    path: Path = _place(where)
    return path


def _place(where: Any) -> Any:  # noqa: ANN401 - a remote path has all that reading needs of a path
    if isinstance(where, RemotePath):
        return where
    options = {} if isinstance(where, str | os.PathLike) else where.storage_options
    text = os.fspath(where) if isinstance(where, os.PathLike) else str(where)
    local = text[: len(_FILE)].casefold() == _FILE
    return Path(unquote(text[len(_FILE) :])) if local else _opened(text, options) if is_url(text) else Path(text)


def is_url(text: str) -> bool:
    """Return whether a text is a URL rather than a local path."""
    return "://" in text


def is_remote(path: object) -> TypeGuard[RemotePath]:
    """Return whether a path is that of a URL."""
    return isinstance(path, RemotePath)


def without_secrets(text: str) -> str:
    """Return a URL without user, password, query and fragment; other texts unchanged.

    >>> without_secrets("https://me:p/w@host/series?signature=abc")
    'https://host/series'
    """
    scheme, mark, rest = text.partition("://")
    if not mark:
        return text
    # The text before the last @ may be a password.
    rest = re.sub(r"^[^/@]*:.*@|^[^/]*@", "", rest, flags=re.DOTALL)
    return f"{scheme}://{re.split('[?#]', rest, maxsplit=1)[0]}"


def is_inside(folder: Path, name: str) -> bool:
    """Return whether a path in a folder's manifest is inside the folder, after links are resolved."""
    if is_remote(folder):
        return folder.holds(name)
    try:
        return (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def is_there(path: Path) -> bool:
    """Return whether a file or folder exists, or may exist inside a folder that cannot be read."""
    try:
        return exists(path)
    except PermissionError:
        return True


def exists(path: Path) -> bool:
    """Return whether a file or folder exists.

    Raises:
        PermissionError: its folder cannot be read. (From Python 3.14 on, `Path.exists` would return False.)
    """
    try:
        if not (remote := is_remote(path)):
            path.stat()
    except PermissionError:
        raise
    except (OSError, ValueError):  # none exists, or none can have this name
        return False
    return not remote or path.exists()


def real_path(path: Path) -> Path:
    """Return a local path with its links resolved; unchanged if a link leads to itself."""
    return Path(os.path.realpath(path))


def matching(folder: Path, pattern: str) -> list[str] | None:
    """Return the files of a folder that match a pattern, unordered; None if the storage cannot list files."""
    if is_remote(folder):
        return folder.matching(pattern)
    try:
        return [path.relative_to(folder).as_posix() for path in folder.glob(pattern)]
    except (ValueError, NotImplementedError, OSError):
        return []


def same_file(one: Path, other: Path) -> bool:
    """Return whether two paths are the same file."""
    if str(one) == str(other):
        return True
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)  # noqa: PTH110, PTH121 - never raises


def version(path: Path) -> tuple[int, int]:
    """Return a value that changes when the file does."""
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def kept_while_unchanged(most: int) -> Callable[[Reader[P, T]], Reader[P, T]]:
    """Return a decorator for a function that reads a file; it caches results until the file changes.

    The header, the lines and the notes of a file are asked for before its columns, and by different callers. Tables of
    other programs can only be read whole, so that without the cache each question would decode the file again.

    Args:
        most: how many results are cached.
    """

    def decorate(read: Reader[P, T]) -> Reader[P, T]:
        kept: Callable[..., T] = lru_cache(most)(lambda path, _version, *more, **named: read(path, *more, **named))

        @wraps(read)
        def reading(path: Path, /, *more: P.args, **named: P.kwargs) -> T:
            return kept(Path(path), version(path), *more, **named)  # a remote path would keep what it has fetched

        return reading

    return decorate


def _opened(text: str, options: Mapping[str, Any]) -> RemotePath:
    """Return the place at a URL."""
    shown = without_secrets(text)
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        what = "reading a series from a URL needs further packages"
        raise UsageError(f"{shown}: {what}; install series-audit[dask]") from error
    if not _SCHEME.match(text) or "::" in text:
        raise UsageError(f"{shown}: this URL cannot be read; write scheme://place, such as s3://bucket/series")
    scheme, _, rest = text.partition("://")
    scheme, query = scheme.lower(), ""
    if scheme in WEB:
        rest, _, query = rest.partition("#")[0].partition("?")
    address = f"{scheme}://{rest.rstrip('/') or rest}"
    try:
        storage, root = url_to_fs(address, **{**_web_options(scheme), **options})
        storage.invalidate_cache()
    except ImportError as error:
        what = f"the package that reads {scheme}:// is not installed"
        raise UsageError(f"{shown}: {what}; install the package that fsspec asks for") from error
    except ValueError:
        raise UsageError(f"{shown}: there is no storage of this kind, or no such address; check the URL") from None
    except Exception as error:  # noqa: BLE001 - some storages connect at once, and raise errors of their own
        raise InputError([Problem(shown, *(fault(error) or _ABSENT))]) from None
    clean = without_secrets(address).partition("://")[2].rstrip("/")
    return RemotePath(storage, root, f"{scheme}://{clean}", FetchedFiles(), query=query)


def _web_options(scheme: str) -> dict[str, Any]:
    """Return the options for web addresses: no unpacking, and a timeout for silence, not for the whole file.

    A client would unpack a `.csv.gz` that a server declares as compressed. The user's own options take precedence.
    """
    if scheme not in WEB:
        return {}
    import aiohttp
    from fsspec.config import conf

    timeout = aiohttp.ClientTimeout(total=None, sock_connect=_PATIENCE, sock_read=_PATIENCE)
    options = {
        "client_kwargs": {"timeout": timeout, "auto_decompress": False},
        "headers": {"Accept-Encoding": "identity"},
    }
    return {**options, **conf.get(scheme, {})}


def fault(error: BaseException) -> tuple[str, str] | None:
    """Return what a storage error means, and the remedy; None if there is no such file."""
    chain = [error]
    while (cause := chain[-1].__cause__) is not None and cause not in chain:
        chain.append(cause)
    said = " ".join(map(_described, chain)).casefold()
    for signs, what, remedy in _FAULTS:
        if re.search(signs, said):
            return what, remedy
    if status := re.search(r"status=(?!404|410)(\d+)", said):
        return f"the server answers with the error {status[1]}", "try again later, or ask who runs it"
    in_memory = isinstance(error, FileNotFoundError) and isinstance(chain[-1], KeyError)
    absent = isinstance(chain[-1], FileNotFoundError | NotADirectoryError | IsADirectoryError)
    if "status=" in said or absent or in_memory:
        return None
    return f"the storage cannot be read ({type(chain[-1]).__name__})", "check the address and the connection"


def _described(error: BaseException) -> str:
    """Return the names of an error and of its classes, its error number by name, and the HTTP status."""
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
