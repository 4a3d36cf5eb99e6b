"""Write the files of a witness: the common part of witnesses of series about people and of count tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.io.atomic_files import atomic_path, hide_from_version_control, write_file
from audit.model.errors import UsageError, printable
from audit.model.report import ClauseReport, WitnessReport
from audit.runtime.phrases import Phrase, figure, say

FILES = (
    *("statement.json", "statement.md", "proofs.json", "worlds.parquet", "findings.opb", "findings.pbp"),
    *("questions.json", "tables.parquet"),
)
_WORDS = {
    "values": Phrase(
        "of {total} people, the {sensitive} of {certain} is certain, and {two} have two possible values (in {worlds} "
        "worlds)"
    ),
    "values of people in releases": Phrase(
        "of {total} people in releases, the {sensitive} of {certain} is certain, and {two} have two possible values "
        "(in {worlds} worlds)"
    ),
    "values of classes": Phrase(
        "of {total} classes of rows that look alike, {certain} have one {sensitive} only, and {two} have several"
    ),
    "same": Phrase("{people} people certainly have a {sensitive} that somebody else certainly has, too"),
    "different": Phrase("no two of {people} people have the same {sensitive} in all worlds"),
    "close": Phrase(
        "of {total} people (or people in releases), the {sensitive} of {certain} is known to within {within}, and "
        "{two} have two possible values that differ by more"
    ),
    "close of classes": Phrase(
        "of {total} classes of rows, {certain} only have {sensitive} within {within} of each other, "
        "and {two} have two values that differ by more"
    ),
    "categories": Phrase(
        "of {total} people (or people in releases), {certain} have a {sensitive} whose category is certain, and {two} "
        "have possible ones without a common category"
    ),
    "categories of classes": Phrase(
        "of {total} classes of rows, {certain} have a {sensitive} of one category only, and {two} "
        "have values without a common category"
    ),
    "k": Phrase("each class of each release has at least {rows} rows and {people} people"),
    "min_e": Phrase("there is no equivalence of {sensitive} with fewer than {at_least} people on each side"),
    "equivalent": Phrase("two sides of an equivalence (people on each: {people}) have each {sensitive} equally often"),
    "findings": Phrase("of {people} people, the {sensitive} follows from a proof that VeriPB checks as well"),
}
_OF_COUNTS = Phrase(
    "of {questions} counts that {claim} asks about, {settled} can have several values (in {worlds} tables), and "
    "{findings} are findings"
)


@contextmanager
def supported() -> Iterator[None]:
    """Turn errors of the checkers into one line that says what they do not support or cannot read.

    Raises:
        UsageError: the checkers do not support the series.
    """
    try:
        yield
    except NotImplementedError as stop:
        raise UsageError(f"--witness: the checkers do not support: {stop.args[-1]}; leave --witness out") from None
    except (LookupError, ValueError, OSError) as error:
        what = f"the checkers cannot read the series ({type(error).__name__})"
        raise UsageError(f"--witness: {what}; leave --witness out") from error


@dataclass(frozen=True)
class Witness:
    """The contents of a witness.

    Attributes:
        series: the published series as the checkers read it.
        stated: the keys of `statement.json` besides the files of the series: `claims` are the statements, `rests` says
            in words what has no evidence.
        tables: tables of pyarrow by file name; their worlds are columns such as `world_0` or `table_0`.
        texts: the texts of the other files, by name.
        private: whether the files name people.
    """

    series: Any
    stated: Mapping[str, Any]
    tables: Mapping[str, Any]
    texts: Mapping[str, str]
    private: bool

    def write(self, folder: Path) -> WitnessReport:
        """Write the witness into a folder, readable only by its owner if private; return the part of a report about it.

        Files of an earlier witness in the folder are deleted; the statement is written last.

        Raises:
            UsageError: the folder cannot be written.
        """
        import pyarrow.parquet as pq

        series, mode = self.series, 0o600 if self.private else None
        files = {
            name: {"sha256": hashlib.sha256((series.folder / name).read_bytes()).hexdigest(), "rows": rows}
            for name, rows in series.read.items()
        }
        try:
            folder.mkdir(mode=0o700 if self.private else 0o777, parents=True, exist_ok=True)
            if self.private:
                hide_from_version_control(folder)
            for name in FILES:
                (folder / name).unlink(missing_ok=True)
            for name, table in self.tables.items():
                with atomic_path(folder / name, mode=mode) as draft:
                    pq.write_table(table, draft, compression="zstd")
            statement = json.dumps({**self.stated, "files": files}, indent=1, ensure_ascii=False)
            for name, text in {**self.texts, "statement.json": f"{statement}\n"}.items():
                write_file(folder / name, text, mode=mode)
        except OSError as error:
            raise UsageError(
                f"--witness: {error.strerror or 'the files cannot be written'}; name another folder"
            ) from error
        return self._reported()

    def _reported(self) -> WitnessReport:
        """Return in words what is stated, and what has no evidence."""
        names = [name for table in self.tables.values() for name in table.column_names]
        worlds, shown = sum(name.startswith(("world_", "table_")) for name in names), []
        for claim in self.stated["claims"]:
            words = _OF_COUNTS if "questions" in claim else _words(claim["claim"], claim.get("of", ""))
            said = {
                name: figure(each) if isinstance(each, int) else printable(str(each)) for name, each in claim.items()
            }
            shown.append(words.filled(**said, worlds=figure(worlds)))
        return WitnessReport(tuple(shown), tuple(self.stated["rests"]))


def _words(kind: str, of: str) -> Phrase:
    """Return the sentence of a claim of some kind, about sets of values `of` people or classes."""
    known = "close" if kind == "near" else kind
    keys = (f"{known} of {of}", f"{known} of {of.partition(' ')[0]}", known)
    return next(_WORDS[key] for key in keys if key in _WORDS)


def unshown(clause: ClauseReport) -> str:
    """Return a sentence that the state of a clause has no evidence."""
    limit = figure(clause.limit, "g")
    if clause.state == "holds":
        return say("that the clause {clause} of the policy ({limit}) holds", clause=clause.clause, limit=limit)
    if clause.state == "violated":
        return say("that the clause {clause} of the policy ({limit}) is violated", clause=clause.clause, limit=limit)
    return say("that the clause {clause} of the policy ({limit}) is undecided", clause=clause.clause, limit=limit)
