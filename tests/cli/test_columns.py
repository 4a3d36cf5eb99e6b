"""Roles of published columns: none without one is passed over, and what is declared unlinkable ties no rows."""

import pytest

from tests.helpers.messy import as_csv, write
from tests.helpers.running import run_audit, run_main

MANIFEST = """[series]
releases = [{releases}]

[columns]
sensitive = "Disease"
quasi_identifiers = ["Age"]
{more}
"""
HEAD = ["Age", "Disease", "Remarks"]
DECLARED = 'unlinkable = { Remarks = "free text, which no outsider can know" }'


def rows(release, remark, count=40):
    return [[f"{20 + 10 * (n % 2)}-{29 + 10 * (n % 2)}", ["flu", "cold", "gout"][n % 3], remark(release, n)]
            for n in range(count)]  # fmt: skip


def series(folder, *releases, more=""):
    for tag, table in enumerate(releases, 1):
        write(folder / f"{tag}.csv", as_csv(table))
    names = ", ".join(f'"{tag}.csv"' for tag in range(1, len(releases) + 1))
    write(folder / "series.toml", MANIFEST.format(releases=names, more=more))
    return folder


def remarked(folder, remark, more="", releases=2):
    return series(folder, *([HEAD, *rows(tag, remark)] for tag in range(releases)), more=more)


def judged(folder, *words):
    code, result, err = run_audit(folder, *words)
    assert result is not None, err
    return code, {each["clause"]: each for each in result["policy"]["clauses"]}, result


def test_a_column_without_a_role_is_named(tmp_path):
    code, clauses, result = judged(remarked(tmp_path, lambda tag, n: "ok"))
    assert code == 3
    for name in ("k", "max_risk"):
        assert clauses[name]["state"] == "undecided"
        assert clauses[name]["reason"].startswith('the published column "Remarks" has no role: name it under')
    assert "unjudged-column" not in {each["kind"] for each in result["warnings"]}


def test_what_is_unlinkable_is_said_with_its_reason(tmp_path):
    folder = remarked(tmp_path, lambda tag, n: f"{tag}-{n}", DECLARED)
    code, clauses, result = judged(folder)
    assert (code, clauses["k"]["state"], clauses["max_risk"]["state"]) == (0, "holds", "holds")
    [said] = [each for each in result["warnings"] if each["kind"] == "unlinkable-column"]
    assert said["examples"] == ["Remarks: free text, which no outsider can know"]
    assert "free text, which no outsider can know" in run_main(str(folder))[1]


@pytest.mark.parametrize(("shared", "state"), [(0, "holds"), (2, "holds"), (3, "undecided"), (40, "undecided")])
def test_texts_that_tie_rows_are_no_longer_unlinkable(tmp_path, shared, state):
    """Of 40 rows, two may be tied by chance; more tie people."""
    folder = remarked(tmp_path, lambda tag, n: f"note {n}" if n < shared else f"{tag} note {n}", DECLARED)
    code, clauses, _ = judged(folder)
    assert code == (0 if state == "holds" else 3)
    for name in ("k", "max_risk"):
        assert clauses[name]["state"] == state
        assert (f'{shared} texts of the unlinkable column "Remarks"' in str(clauses[name]["reason"])) == (code == 3)


@pytest.mark.parametrize(
    "remark", [lambda tag, n: "ok", lambda tag, n: f"note {n // 2}", lambda tag, n: "", lambda tag, n: "*" * n]
)
def test_texts_that_stand_twice_or_say_nothing_tie_no_rows(tmp_path, remark):
    code, clauses, _ = judged(remarked(tmp_path, remark, DECLARED))
    assert (code, clauses["k"]["state"]) == (0, "holds")


def test_ties_over_releases_that_are_not_neighbours(tmp_path):
    folder = remarked(tmp_path, lambda tag, n: f"note {n}" if tag != 1 else "", DECLARED, releases=3)
    assert judged(folder)[1]["k"]["state"] == "undecided"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('unlinkable = { Remarks = " " }', '`unlinkable`: "Remarks" has no reason; write Remarks ='),
        ('unlinkable = ["Remarks"]', "`unlinkable`: this has to be a table of texts"),
        ('unlinkable = { Age = "x" }', "`Age`: one column has two meanings"),
    ],
)
def test_what_unlinkable_needs(tmp_path, line, what):
    code, _, err = run_main(str(remarked(tmp_path, lambda tag, n: "ok", line)))
    assert code == 2
    assert what in err
    assert "series.toml:7: " in err or "series.toml:6: " in err


@pytest.mark.parametrize("numbered", [True, False])
def test_row_names_are_no_column_where_they_count_the_rows(tmp_path, numbered):
    """As R and pandas write them; numbers of something else tie rows."""
    table = [["", "Age", "Disease"]]
    table += [[str(n + 1 if numbered else 7 * n), age, disease] for n, (age, disease, _) in
              enumerate(rows(0, lambda tag, n: ""))]  # fmt: skip
    code, clauses, _ = judged(series(tmp_path, table))
    assert code == (0 if numbered else 3)
    assert ("has no name, and so no role" in str(clauses["k"]["reason"])) == (not numbered)


@pytest.mark.parametrize("beside", ["Age", "Disease"])
def test_in_a_pair_each_file_has_its_own_roles(tmp_path, beside):
    """The value beside its row, or a quasi-identifier beside the values, is read by nothing, and so has no role."""
    exact = [[str(20 + n), str(n // 4), ["flu", "cold"][n % 2]] for n in range(8)]
    for column in ("", beside):
        more = column == "Disease"
        first = [["Age", "Group", *(["Disease"] if more else [])], *([age, group, *([value] if more else [])]
                 for age, group, value in exact)]  # fmt: skip
        older = column == "Age"
        values = [["Group", "Disease", "count", *(["Age"] if older else [])]]
        values += [
            [str(group), value, "2", *(["old"] if older else [])] for group in (0, 1) for value in ("flu", "cold")
        ]
        write(tmp_path / "1.rows.csv", as_csv(first))
        write(tmp_path / "1.values.csv", as_csv(values))
        manifest = MANIFEST.replace("[{releases}]", '[{{ rows = "1.rows.csv", values = "1.values.csv" }}]')
        write(tmp_path / "series.toml", manifest.format(more='group = "Group"'))
        code, clauses, _ = judged(tmp_path, "--k", "2")
        assert (code, clauses["k"]["state"]) == ((3, "undecided") if column else (0, "holds"))
        assert (f'"{column}" has no role' in str(clauses["k"]["reason"])) == bool(column)
