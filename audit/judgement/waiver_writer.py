"""Accepting findings: waivers written into a series' manifest."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from audit.io.atomic_files import write_file
from audit.io.manifest import NAME, PRIVATE, parse_manifest
from audit.io.toml import read_text
from audit.judgement.pseudonyms import private_key
from audit.judgement.waivers import matcher
from audit.model.errors import InputError, Problems, UsageError, printable
from audit.model.report import CountSize

_FINDING = re.compile(r"[a-z-]+-[0-9a-f]{16}")

Parse = Callable[[Path, str, Problems], object]


def waive(
    folder: Path,
    ids: Sequence[str],
    reason: str,
    until: datetime.date,
    *,
    parse: Parse = parse_manifest,
    counts: Mapping[str, CountSize] | None = None,
) -> int:
    """Write a waiver for each id, of a finding or a person, and return how many there are.

    `parse` reads the manifest. Of count tables, `counts` are the findings by their ids, which need no key: each waiver
    says how much it accepts.

    Raises:
        UsageError: the date is past, something is no id, or there is no key by which ids could be known again.
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
    waivers = _of_people(folder, ids) if counts is None else _of_counts(ids, counts)
    written = _with_waivers(text, [{**each, "reason": reason.strip(), "expires": until} for each in waivers])
    parse(folder, written, problems)
    problems.check()
    try:
        write_file(folder / NAME, written)
    except OSError as error:
        raise UsageError(f"{NAME}: {error.strerror or 'it cannot be written'}; nothing was changed") from error
    return len(waivers)


def _of_people(folder: Path, ids: Sequence[str]) -> list[dict[str, object]]:
    findings = [each for each in ids if "*" in each or _FINDING.fullmatch(each)]
    if findings and private_key(folder / PRIVATE, make=False) is None:
        what = f"no report on this series can have shown {printable(findings[0], 80)}"
        raise UsageError(
            f"{what}: there is no {PRIVATE}/finding.key; audit it with --stable-ids, and take ids from that"
        )
    return [{"finding" if each in findings else "individual": each} for each in dict.fromkeys(ids)]


def _of_counts(ids: Sequence[str], counts: Mapping[str, CountSize]) -> list[dict[str, object]]:
    named: dict[str, CountSize] = {}
    for each in ids:
        matches = {ident: size for ident, size in counts.items() if matcher(each)(ident)}
        if not matches:
            what = f"{printable(each, 80)} is no finding of these tables"
            raise UsageError(f"{what}; take its id from a report of today, such as differencing-0123456789ab")
        named |= matches
    return [{"finding": ident, "size": vars(size)} for ident, size in named.items()]


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
