"""Places: where a text becomes a path, and all that differs between files at hand and files at a URL.

A path of this machine is a `pathlib.Path`, for which nothing of fsspec is imported. Anything with `://` in it, but for
`file://`, becomes a `RemotePath`, which does what reading asks of a path and never writes. Functions here know the
differences; nothing else has to.
"""

from __future__ import annotations

import os
import re
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar
from urllib.parse import unquote

from audit.io.remote_path import WEB, RemotePath, fault, forget
from audit.model.errors import InputError, Problem, UsageError

if TYPE_CHECKING:
    from upath import UPath

P = ParamSpec("P")
T = TypeVar("T")
Reader: TypeAlias = Callable[Concatenate[Path, P], T]
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PATIENCE = 60.0
_FILE = "file://"
_ABSENT = ("there is no such place", "correct the address")


def as_path(where: str | os.PathLike[str] | UPath | RemotePath) -> Path:
    """Return the path of a file or folder, of this machine or, when it is a URL, of a storage that fsspec knows.

    >>> as_path("series/series.toml").name
    'series.toml'

    Raises:
        UsageError: what reads URLs is not installed, or this is none.
        InputError: the storage cannot be reached.
    """
    path: Path = _place(where)
    return path


def _place(where: Any) -> Any:  # noqa: ANN401 - a place at a URL is a path in all that reading asks of one
    if isinstance(where, RemotePath):
        return where
    options = {} if isinstance(where, str | os.PathLike) else where.storage_options
    text = os.fspath(where) if isinstance(where, os.PathLike) else str(where)
    local = text[: len(_FILE)].casefold() == _FILE
    return Path(unquote(text[len(_FILE) :])) if local else _opened(text, options) if is_url(text) else Path(text)


def is_url(text: str) -> bool:
    """Return whether a text is a URL rather than a path of this machine."""
    return "://" in text


def is_remote(path: Path) -> bool:
    """Return whether a path is that of a URL."""
    return _remote(path) is not None


def _remote(path: object) -> RemotePath | None:
    """Return a path that is one of a URL as what it is: see `_opened`."""
    return path if isinstance(path, RemotePath) else None


def without_secrets(text: str) -> str:
    """Return a URL without user, password, query and fragment; other texts as they are.

    >>> without_secrets("https://me:p/w@host/series?signature=abc")
    'https://host/series'
    """
    scheme, mark, rest = text.partition("://")
    if not mark:
        return text
    # What stands before the last @ may be a password, whatever it holds.
    rest = re.sub(r"^[^/@]*:.*@|^[^/]*@", "", rest, flags=re.DOTALL)
    return f"{scheme}://{re.split('[?#]', rest, maxsplit=1)[0]}"


def is_inside(folder: Path, name: str) -> bool:
    """Return whether a path that a folder's manifest names, links resolved, is in the folder."""
    if (remote := _remote(folder)) is not None:
        return remote.holds(name)
    try:
        return (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return False


def real_path(path: Path) -> Path:
    """Return a path of this machine with its links resolved; links that lead to themselves stay as they are."""
    return Path(os.path.realpath(path))


def matching(folder: Path, pattern: str) -> list[str] | None:
    """Return the files of a folder that match a pattern, in no order; None where files cannot be listed."""
    if (remote := _remote(folder)) is not None:
        return remote.matching(pattern)
    try:
        return [path.relative_to(folder).as_posix() for path in folder.glob(pattern)]
    except (ValueError, NotImplementedError, OSError):
        return []


def same_file(one: Path, other: Path) -> bool:
    """Return whether two paths are those of one file."""
    if str(one) == str(other):
        return True
    if is_remote(one) or is_remote(other) or not (os.path.exists(one) and os.path.exists(other)):  # noqa: PTH110 - never raises
        return False
    return one.samefile(other)


def version(path: Path) -> tuple[object, ...] | None:
    """Return what changes when a file does; None where the storage does not say it."""
    if (remote := _remote(path)) is not None:
        return remote.version()
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def kept_while_unchanged(most: int) -> Callable[[Reader[P, T]], Reader[P, T]]:
    """Return a decorator of a function that reads a file: what it read last is kept while the file is unchanged.

    Args:
        most: the number of results that are kept.
    """

    def decorate(read: Reader[P, T]) -> Reader[P, T]:
        kept: OrderedDict[tuple[object, ...], T] = OrderedDict()

        @wraps(read)
        def reading(path: Path, /, *more: P.args, **named: P.kwargs) -> T:
            changes = version(path)
            if changes is None:
                return read(path, *more, **named)
            key = path, changes, more, *named.items()
            found = kept.get(key)
            if found is None:
                found = kept[key] = read(path, *more, **named)
                if len(kept) > most:
                    kept.popitem(last=False)
            return found

        return reading

    return decorate


def size(path: Path) -> int:
    """Return a file's size in bytes, 0 where the storage does not say it."""
    if (remote := _remote(path)) is not None:
        return int((remote.info() or {}).get("size") or 0)
    return path.stat().st_size


def _opened(text: str, options: Mapping[str, Any]) -> RemotePath:
    """Return the place at a URL."""
    shown = without_secrets(text)
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        what = "a series at a URL is read with the help of other packages"
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
        forget()
    except ImportError as error:
        what = f"what reads {scheme}:// is not installed"
        raise UsageError(f"{shown}: {what}; install the package that fsspec asks for") from error
    except ValueError:
        raise UsageError(f"{shown}: there is no storage of this kind, or no such address; check the URL") from None
    except Exception as error:  # noqa: BLE001 - some storages are reached for at once, and fail in their own ways
        raise InputError([Problem(shown, *(fault(error) or _ABSENT))]) from None
    clean = without_secrets(address).partition("://")[2].rstrip("/")
    return RemotePath(storage, root, f"{scheme}://{clean}", query=query)


def _web_options(scheme: str) -> dict[str, Any]:
    """Return options for a web client that takes files as they are, and gives up on a silent server, not a long file.

    Else a `.csv.gz` that a server calls compressed would be unpacked on the way. What the user set comes first.
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
