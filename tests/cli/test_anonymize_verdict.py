"""`audit anonymize` judges what it publishes by the policy of the series."""

from pathlib import Path

import pytest

from audit.api.series import load_microdata
from tests.helpers.microdata import write_microdata
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

WORDS = ("--method", "l-diversity", "--l", "2", "--seed", "0")
FIRST = [
    ("A", 20, "Wetwang", "flu"),
    ("B", 21, "Wetwang", "cold"),
    ("C", 50, "Wetwang", "flu"),
    ("D", 51, "Wetwang", "cold"),
]
SECOND = [
    ("A", 20, "Wetwang", "flu"),
    ("B", 60, "Wetwang", "cold"),
    ("C", 61, "Wetwang", "flu"),
    ("D", 21, "Wetwang", "cold"),
]


def anonymize(micro: Path, series: Path, *words: str) -> tuple[int, str, str]:
    return run_main("anonymize", str(micro), *WORDS, "--output", str(series), *words)


def test_a_release_that_would_break_the_policy_is_not_published(tmp_path):
    micro, series = tmp_path / "micro", tmp_path / "series"
    write_microdata(micro, {"1": FIRST})
    code, out, _ = anonymize(micro, series)
    assert code == 0
    assert "The policy holds" in out
    write_microdata(micro, {"1": FIRST, "2": SECOND})
    before = (series / "series.toml").read_bytes()
    code, out, err = anonymize(micro, series)
    assert (code, err) == (1, "")
    assert out.startswith("Release 2 is not published: it keeps l-diversity (l = 2), but")
    assert "NOT SAFE" in out
    assert f"audit plan {micro}" in out
    assert (series / "series.toml").read_bytes() == before
    assert not (series / "releases/2.csv").exists()
    assert not (series / "private/2.key.csv").exists()
    code, out, _ = anonymize(micro, series, "--no-audit")
    assert (code, (series / "releases/2.csv").exists()) == (0, True)
    assert run_main(str(series))[0] == 1


def test_values_that_change_without_transitions_are_said_before_all_else(tmp_path):
    """Drawing other groups does not help where the values of people change and nothing says that they may."""
    micro, series = tmp_path / "micro", tmp_path / "series"
    write_microdata(micro, {"1": FIRST})
    anonymize(micro, series)
    changed = [(who, age, town, "gout" if who == "A" else value) for who, age, town, value in SECOND]
    write_microdata(micro, {"1": FIRST, "2": changed})
    code, out, _ = anonymize(micro, series)
    assert code == 1
    assert "the value of 1 person changes although it must not" in out.splitlines()[1]
    assert "file of transitions" in out.splitlines()[2]
    assert "Run the command again: other groups" not in out


def test_a_new_series_that_breaks_the_policy_ends_as_its_audit(tmp_path):
    micro, series = tmp_path / "micro", tmp_path / "series"
    write_microdata(micro, {"1": FIRST, "2": SECOND})
    code, out, _ = anonymize(micro, series)
    assert (code, run_main(str(series))[0]) == (1, 1)
    *_, settle, plan, following = out.splitlines()
    assert settle == "Do not pass the new releases on before this is settled."
    assert f"audit plan {micro}" in plan
    assert following == f"Next: audit {series}"
    assert out.index("NOT SAFE") < out.index(settle)


def test_a_repair_that_breaks_the_declared_promise_says_so_first(tmp_path):
    micro, series, other = tmp_path / "micro", tmp_path / "series", tmp_path / "other"
    words = ("--method", "m-invariance", "--m", "2", "--no-audit", "--seed", "0")
    write_microdata(micro, {"1": FIRST})
    run_main("anonymize", str(micro), *words, "--output", str(series))
    write_microdata(micro, {"1": FIRST, "2": SECOND})
    run_main("anonymize", str(micro), *words, "--output", str(other))
    (other / "releases/2.key.csv").write_bytes((other / "private/2.key.csv").read_bytes())
    candidate = str(other / "releases/2.csv")
    code, out, err = run_main("repair", str(series), candidate, "--output", str(tmp_path / "repaired"))
    assert (code, err) == (0, "")
    assert "This repair breaks m-invariance (m = 2), which series.toml declares" in " ".join(out.split())
    (series / "releases/2.csv").write_bytes((tmp_path / "repaired/2.csv").read_bytes())
    (series / "private/2.key.csv").write_bytes((tmp_path / "repaired/private/2.key.csv").read_bytes())
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace('"releases/1.csv"', '"releases/1.csv", "releases/2.csv"'))
    assert run_main("check", str(series), "--principle", "m-invariance", "--m", "2")[0] == 1


@pytest.mark.parametrize("audit", [True, False])
def test_the_api_judges_as_the_command_does(tmp_path, audit):
    """The first release holds, and the second one is refused because it breaks the policy."""
    micro, ways = tmp_path / "micro", ("command", "api")
    for number, rows in enumerate((FIRST, SECOND), start=1):
        write_microdata(micro, {"1": FIRST, "2": SECOND} if rows is SECOND else {"1": FIRST})
        code, out, _ = anonymize(micro, tmp_path / "command", *([] if audit else ["--no-audit"]))
        series = load_microdata(micro).anonymize("l-diversity", tmp_path / "api", l=2, seed=0, audit=audit)
        assert (series.verdict is not None) == audit
        assert code == (number - 1 if audit else 0)
        if series.verdict is not None:
            assert series.verdict.policy.exit_code == code
            assert (series.refused == "2") == ("Release 2 is not published" in out) == (number == 2)
    assert [len([*(tmp_path / way / "releases").iterdir()]) for way in ways] == [2 - audit] * 2


@kills("audit.io.microdata.Microdata.check_spelling", "groups and name not in self.spelled", "False")
@pytest.mark.parametrize(
    ("who", "value", "column"),
    [("A", "flu?", None), ("A101", "Flu", "Disease"), ("A/2", "flu", None), ("A101/2", "flu", "individual"),
     ("A-101", "flu", "individual"), ("A101B", "flu", "individual"), ("A102", "flu", None)],
)  # fmt: skip
def test_people_and_values_in_two_spellings_are_refused_before_a_file_is_written(tmp_path, who, value, column):
    micro, series = tmp_path / "micro", tmp_path / "series"
    first = [("A101", *FIRST[0][1:]), *FIRST[1:]]
    write_microdata(micro, {"1": first, "2": [(who, 20, "Wetwang", value), *FIRST[1:]]})
    code, _, err = anonymize(micro, series)
    assert (code == 2, f'spelled = ["{column}"]' in err, series.exists()) == (column is not None,) * 2 + (
        column is None,
    )
    if column is not None:
        text = (micro / "microdata.toml").read_text(encoding="utf-8")
        (micro / "microdata.toml").write_text(text.replace("[columns]", f'[columns]\nspelled = ["{column}"]'), "utf-8")
        assert anonymize(micro, series)[0] != 2
        assert f'spelled = ["{column}"]' in (series / "series.toml").read_text(encoding="utf-8")
