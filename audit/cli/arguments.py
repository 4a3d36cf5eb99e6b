"""Arguments: the parser whose errors are one line, and types of arguments."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from attacks.registry import MOST_ON_A_SIDE
from audit.core.errors import UsageError, printable
from audit.reading.places import is_url, without_secrets


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` instead of printing its usage."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong as one line.

        Raises:
            UsageError: always.
        """
        message = re.sub(r"""[^\s'"]+://[^'"]*""", lambda url: without_secrets(url[0]), message)
        raise UsageError(f"{printable(message, 300)}; see `{self.prog} --help`")


def positive_seconds(text: str) -> float:
    """Return a positive number of seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError("a number of seconds above 0 is needed")
    return seconds


def local(text: str) -> Path:
    """Return a path of this machine."""
    if is_url(text):
        raise argparse.ArgumentTypeError("this is a URL, and only series are read from one; name a file or folder here")
    return Path(text)


def how_many(text: str) -> int | None:
    """Return a whole number from 0, or None for `all`."""
    if text == "all":
        return None
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    raise argparse.ArgumentTypeError("a whole number or `all` is needed")


def from_one(text: str) -> int:
    """Return a whole number from 1."""
    if text.isascii() and text.isdigit() and len(text) < 10 and int(text) >= 1:
        return int(text)
    raise argparse.ArgumentTypeError("a whole number from 1 to 999999999 is needed")


def counted(least: int, most: int = 999_999_999) -> Callable[[str], int]:
    """Return a type of argument: a whole number within limits."""

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 12 and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"a whole number from {least} to {most} is needed")

    return read


def sides(text: str) -> int:
    """Return how many people there may be on a side of an equivalence."""
    if text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= MOST_ON_A_SIDE:
        return int(text)
    raise argparse.ArgumentTypeError(f"a whole number from 1 to {MOST_ON_A_SIDE} is needed")


def limit(text: str) -> tuple[str, float]:
    """Return a clause of the policy and its limit, from `clause=limit`."""
    from audit.reading.manifest import policy_trouble

    name, _, number = text.partition("=")
    try:
        value: float = int(number) if number.strip().isdigit() else float(number)
    except ValueError:
        value = float("nan")
    trouble = policy_trouble(name, value)
    if trouble:
        raise argparse.ArgumentTypeError(f"{printable(text)}: {trouble[0]}; {trouble[1]}")
    return name, value
