"""Accepting findings: waivers written into a series' manifest."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from audit.io.atomic_files import write_file
from audit.io.manifest import NAME, PRIVATE, parse_manifest
from audit.io.toml import read_text
from audit.judgement.pseudonyms import private_key
from audit.model.errors import InputError, Problems, UsageError, printable

_FINDING = re.compile(r"[a-z-]+-[0-9a-f]{16}")
_COUNT_FINDING = re.compile(r"differencing-[0-9a-f]{12}")


Parse = Callable[[Path, str, Problems], object]


def waive(
    folder: Path, ids: Sequence[str], reason: str, until: datetime.date, parse_tables: Parse | None = None
) -> Path:
    """Write a waiver for each id, of a finding or a person, and return the manifest.

    `parse_tables` reads the manifest of count tables: their findings have the same ids in every report, without a key.

    Raises:
        UsageError: the date is past, something is no id, or there is no key by which ids could be known again.
        InputError: the manifest cannot be read.
    """
    if until < datetime.date.today():
        raise UsageError(f"--until: {until} is past, so that nothing would be waived; give a later date")
    if not reason.strip():
        raise UsageError("--reason: it is empty; say why this is accepted")
    problems, parse = Problems(), parse_tables or parse_manifest
    text = read_text(folder, NAME, "name the folder of a series", problems)
    if text is not None:
        parse(folder, text, problems)
    problems.check()
    if text is None:
        raise InputError(problems.found)
    findings = [each for each in ids if "*" in each or _FINDING.fullmatch(each)]
    if parse_tables is not None:
        findings = [each for each in ids if "*" in each or _COUNT_FINDING.fullmatch(each)]
        if wrong := [each for each in ids if each not in findings]:
            what = f"{printable(wrong[0], 80)} is no finding of count tables"
            raise UsageError(f"{what}; take its id from a report, such as differencing-0123456789ab")
    elif findings and private_key(folder / PRIVATE, make=False) is None:
        what = f"no report on this series can have shown {printable(findings[0], 80)}"
        raise UsageError(
            f"{what}: there is no {PRIVATE}/finding.key; audit it with --stable-ids, and take ids from that"
        )
    written = _with_waivers(text, ids, set(findings), reason.strip(), until)
    parse(folder, written, problems)
    problems.check()
    try:
        write_file(folder / NAME, written)
    except OSError as error:
        raise UsageError(f"{NAME}: {error.strerror or 'it cannot be written'}; nothing was changed") from error
    return folder / NAME


def _with_waivers(text: str, ids: Sequence[str], findings: set[str], reason: str, until: datetime.date) -> str:
    """Return the manifest with one waiver more for each id."""
    import tomlkit

    document = tomlkit.parse(text.removeprefix("\ufeff"))
    if "waiver" not in document:
        document.add("waiver", tomlkit.aot())
    for each in dict.fromkeys(ids):
        waiver = tomlkit.table()
        waiver.add("finding" if each in findings else "individual", each)
        waiver.add("reason", reason)
        waiver.add("expires", until)
        document["waiver"].append(waiver)
    return tomlkit.dumps(document)
