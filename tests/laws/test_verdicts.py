"""What a verdict may not become when something is not understood, or when more is known; one table of adversaries.

Each law is tried on four rows that are safe to publish and on four that are not.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

import pytest

from audit.model.adversary import ADVERSARIES
from tests.helpers.running import run_audit
from tests.mutants.mutant import kills

SAFE, NOT_SAFE = "abcd", "aabc"
"""The values of two classes of two: each has two, or the first one has one."""
AGES = ["20-29", "20-29", "30-39", "30-39"]
PEOPLE = ["Ann", "Bob", "Cyd", "Dan"]


@dataclass
class Table:
    """One release, and what is known beside it."""

    values: str
    adversary: str
    registered: int = 4  # the last so many are in the register
    keyed: int = 4  # the last so many rows are in the key

    def __post_init__(self) -> None:
        self.head = ["Group", "Age", "Value"]
        self.rows = [
            [str(place // 2), age, value] for place, (age, value) in enumerate(zip(AGES, self.values, strict=True))
        ]
        self.columns = ['group = "Group"', 'quasi_identifiers = ["Age"]', 'sensitive = "Value"']
        self.types = ""
        if self.adversary == "pseudonym":
            self.put("Case", [f"c{place}" for place in range(4)])
            self.columns += ['record = "Case"']

    def put(self, name: str, texts: list[str]) -> None:
        """Add a column to the release."""
        self.head.append(name)
        for row, text in zip(self.rows, texts, strict=True):
            row.append(text)

    def write(self, folder: Path) -> Path:
        columns, more = [*self.columns, *([self.types] if self.types else [])], []
        if self.adversary == "linked":
            lines = [[str(place), who] for place, who in enumerate(PEOPLE)][4 - self.keyed :]
            _write(folder / "private" / "1.key.csv", [["row", "individual"], *lines])
        if self.adversary in {"register", "possible"}:
            exact = zip(PEOPLE, ("21", "22", "31", "32"), strict=True)
            lines = [[who, age, "1", "1"] for who, age in exact][4 - self.registered :]
            _write(folder / "register.csv", [["individual", "Age", "first", "last"], *lines])
            more = ["[adversary]", 'register = "register.csv"']
            more += ['presence = "possible"'] if self.adversary == "possible" else []
        _write(folder / "1.csv", [self.head, *self.rows])
        text = ["[series]", 'name = "Four"', 'releases = ["1.csv"]', "[columns]", *columns, *more]
        (folder / "series.toml").write_text("\n".join([*text, ""]), encoding="utf-8")
        return folder

    def verdict(self, folder: Path) -> tuple[int, dict[str, str]]:
        """Return the exit code of its audit, and how each clause ended."""
        code, result, err = run_audit(self.write(folder), "--adversary", self.adversary)
        assert code == 2 or result is not None, err
        clauses = {} if result is None else {each["clause"]: each["state"] for each in result["policy"]["clauses"]}
        return code, clauses


def _write(path: Path, rows: list[list[str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_what_is_understood_is_safe_or_not(adversary, tmp_path):
    assert Table(SAFE, adversary).verdict(tmp_path / "safe")[0] == 0
    code, clauses = Table(NOT_SAFE, adversary).verdict(tmp_path / "other")
    assert (code, clauses["max_risk"]) == (1, "violated")


# -- what is not understood ------------------------------------------------------------------------------------

UNREAD = ["20-29-39", ">>20", "[20; 29"]


def with_remarks(values, adversary):
    table = Table(values, adversary)
    table.put("Remark", ["x", "y", "x", "y"])
    return table


def with_unread(values, adversary, text):
    """The second class is of two rows with a text that is not read."""
    table = Table(values, adversary)
    for row in table.rows[2:]:
        row[1] = text
    return table


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_a_column_without_a_role_never_lets_the_policy_hold(adversary, tmp_path):
    code, result, err = run_audit(with_remarks(SAFE, adversary).write(tmp_path), "--adversary", adversary)
    assert code in {2, 3}
    assert "Remark" in err + "".join(
        each["reason"] for each in (result or {"policy": {"undecided": []}})["policy"]["undecided"]
    )


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_a_column_without_a_role_never_hides_a_violation(adversary, tmp_path):
    assert with_remarks(NOT_SAFE, adversary).verdict(tmp_path)[0] != 0


@pytest.mark.parametrize("text", UNREAD)
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_an_unread_cell_never_lets_the_policy_hold(adversary, text, tmp_path):
    assert with_unread(SAFE, adversary, text).verdict(tmp_path)[0] in {2, 3}


@pytest.mark.parametrize("text", UNREAD)
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_an_unread_cell_never_hides_a_violation(adversary, text, tmp_path):
    assert with_unread(NOT_SAFE, adversary, text).verdict(tmp_path)[0] != 0


@kills("audit.io.attributes.QuasiIdentifier.number", '(not text or text.strip("*"))', "not text")
@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_values_that_were_recorded_as_unknown_do_not_hide_among_suppressed_ones(adversary, tmp_path):
    """The rows of Ann and Bob, of one value, say "unknown"; the others say "*"."""
    table = Table(NOT_SAFE, adversary)
    table.columns[0] = 'missing = ["unknown"]'
    for place, row in enumerate(table.rows):
        row[1] = "unknown" if place < 2 else "*"
    code, clauses = table.verdict(tmp_path)
    assert (code, clauses["max_risk"]) == (1, "violated")


# -- what more is known ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "known",
    [
        pytest.param({"adversary": "linked"}, id="a key"),
        pytest.param({"adversary": "register"}, id="a register"),
        pytest.param({"adversary": "pseudonym"}, id="record ids"),
        pytest.param({"adversary": "register", "registered": 2}, id="a register of others"),
        pytest.param({"adversary": "linked", "keyed": 2}, id="a key of others"),
    ],
)
def test_knowing_more_never_hides_what_the_files_tell(known, tmp_path):
    """Ann and Bob are in a class of one value, whoever else is known; nothing is told of them where they are not."""
    assert Table(NOT_SAFE, "published").verdict(tmp_path / "files")[0] == 1
    code, clauses = Table(NOT_SAFE, **known).verdict(tmp_path / "more")
    assert (code, clauses.get("max_risk")) == (1, "violated")
