"""Accepting findings: waivers written into a series' manifest."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from audit.io.atomic_files import write_file
from audit.io.manifest import NAME, parse_manifest
from audit.io.toml import read_text
from audit.model.errors import InputError, Problems, UsageError

Parse = Callable[[Path, str, Problems], object]


def waive(
    folder: Path,
    named: Callable[[], Sequence[Mapping[str, object]]],
    reason: str,
    until: datetime.date,
    parse: Parse = parse_manifest,
) -> int:
    """Write some waivers, each with what it is about and how much it accepts, and return how many there are.

    `named` returns them, when nothing else is wrong, and `parse` reads the manifest.

    Raises:
        UsageError: the date is past, or there is no reason; also what `named` raises.
        InputError: the manifest cannot be read.
    """
    if until < datetime.date.today():
        raise UsageError(f"--until: {until} is past, so that nothing would be waived; give a later date")
    if not reason.strip():
        raise UsageError("--reason: it is empty; say why this is accepted")
    problems = Problems()
    text = read_text(folder, NAME, "name the folder of a series", problems)
    if text is not None:
        parse(folder, text, problems)
    problems.check()
    if text is None:
        raise InputError(problems.found)
    waivers = named()
    written = _with_waivers(text, [{**each, "reason": reason.strip(), "expires": until} for each in waivers])
    parse(folder, written, problems)
    problems.check()
    try:
        write_file(folder / NAME, written)
    except OSError as error:
        raise UsageError(f"{NAME}: {error.strerror or 'it cannot be written'}; nothing was changed") from error
    return len(waivers)


def _with_waivers(text: str, waivers: Sequence[Mapping[str, object]]) -> str:
    """Return the manifest with some waivers more."""
    import tomlkit

    document = tomlkit.parse(text.removeprefix("\ufeff"))
    if "waiver" not in document:
        document.add("waiver", tomlkit.aot())
    for each in waivers:
        waiver = tomlkit.table()
        for key, value in each.items():
            if isinstance(value, dict):
                size = tomlkit.inline_table()
                size.update(value)
                waiver.add(key, size)
            else:
                waiver.add(key, value)
        document["waiver"].append(waiver)
    return tomlkit.dumps(document)
