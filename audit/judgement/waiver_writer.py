"""Accepting findings: waivers written into a series' manifest."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from pathlib import Path

from audit.io.atomic_files import write_file
from audit.io.manifest import NAME, PRIVATE, parse_manifest
from audit.io.toml import read_text
from audit.judgement.pseudonyms import private_key
from audit.model.errors import InputError, Problems, UsageError, printable

_FINDING = re.compile(r"[a-z-]+-[0-9a-f]{16}")


def waive(folder: Path, ids: Sequence[str], reason: str, until: datetime.date) -> Path:
    """Write a waiver for each id, of a finding or a person, and return the manifest.

    Raises:
        UsageError: the date is past, or there is no key by which ids could be known again.
        InputError: the manifest cannot be read.
    """
    if until < datetime.date.today():
        raise UsageError(f"--until: {until} is past, so that nothing would be waived; give a later date")
    if not reason.strip():
        raise UsageError("--reason: it is empty; say why this is accepted")
    problems = Problems()
    text = read_text(folder, NAME, "name the folder of a series", problems)
    if text is not None:
        parse_manifest(folder, text, problems)
    problems.check()
    if text is None:
        raise InputError(problems.found)
    findings = [each for each in ids if "*" in each or _FINDING.fullmatch(each)]
    if findings and private_key(folder / PRIVATE, make=False) is None:
        what = f"no report on this series can have shown {printable(findings[0], 80)}"
        raise UsageError(
            f"{what}: there is no {PRIVATE}/finding.key; audit it with --stable-ids, and take ids from that"
        )
    written = _with_waivers(text, ids, set(findings), reason.strip(), until)
    parse_manifest(folder, written, problems)
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
