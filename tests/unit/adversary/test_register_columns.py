"""A register that lacks a quasi-identifier: it covers everybody in it, and knowing it as well finds no less."""

import json

import pytest
from hypothesis import given, settings

from tests.cli.forms import edit, read_rows, write_rows
from tests.helpers.amount import some
from tests.helpers.running import run_audit, run_main, written
from tests.helpers.strategies import register_series
from tests.helpers.tiny import TinySeries

FEW = settings(max_examples=some(25))


def certain(folder, *words):
    """What is certain of whom."""
    code, out, err = run_main(str(folder), "--format", "json", "--reveal", "--findings", "all", *words)
    assert code in (0, 1, 3), err
    found = json.loads(out)
    return {(each["individual"], each["value"]) for attack in found["attacks"] for each in attack["findings"]
            if each.get("kind") == "attribute"}, found  # fmt: skip


@FEW
@given(register_series())
def test_a_lacking_column_is_one_of_stars(series: TinySeries):
    with written(series) as folder:
        # A text that the register does not have is refused beside generalized ones; here it is an exact value.
        cells = {name: {row.cells[place] for rows in series.releases for row in rows}
                 for place, name in enumerate(series.quasi_identifiers)}  # fmt: skip
        texts = [name for name, some in cells.items() if name != "Age" and not any({*"*,{"} & {*text} for text in some)]
        if texts:
            edit(folder / "series.toml", "[columns]", f"[columns]\nspelled = {texts}")
        known, _ = certain(folder)
        path = folder / "register.csv"
        head, *rows = read_rows(path)
        for place in reversed([place for place, name in enumerate(head) if name in series.quasi_identifiers]):
            write_rows(path, [head, *([*row[:place], "?", *row[place + 1 :]] for row in rows)])
            edit(folder / "series.toml", "[columns]", '[columns]\nmissing = ["?"]')
            starred = certain(folder)
            edit(folder / "series.toml", '[columns]\nmissing = ["?"]', "[columns]")
            write_rows(path, [head[:place] + head[place + 1 :], *(row[:place] + row[place + 1 :] for row in rows)])
            lacking = certain(folder)
            assert lacking[0] == starred[0]
            assert lacking[0] <= known
            assert [each["state"] for each in lacking[1]["policy"]["clauses"]] == [
                each["state"] for each in starred[1]["policy"]["clauses"]
            ]
            break


@pytest.mark.parametrize("name", ["AGE", " age ", "Age"])
def test_a_column_that_is_only_spelled_otherwise_is_refused(tmp_path, name):
    (tmp_path / "1.csv").write_text("Age,Sex,Disease\n20-29,f,flu\n20-29,f,cold\n20-29,m,gout\n20-29,m,flu\n")
    (tmp_path / "register.csv").write_text(f"individual,{name},first,last\na,21,1,1\n")
    columns = 'sensitive = "Disease"\nquasi_identifiers = ["Age", "Sex"]'
    manifest = f'[series]\nreleases = ["1.csv"]\n[columns]\n{columns}\n[adversary]\nregister = "register.csv"\n'
    (tmp_path / "series.toml").write_text(manifest)
    code, result, err = run_audit(tmp_path)
    if name == "Age":
        assert (code, result["adversary"]["kind"]) == (0, "register")
    else:
        assert code == 2
        assert f'register.csv:1, column "Age": the column is spelled "{name.strip()}" here' in err
