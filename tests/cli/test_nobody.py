"""Series in which nobody is known to be, or only in some releases: every command says so, and none breaks."""

import pytest

from tests.helpers.running import run_main
from tests.helpers.tiny import Registered, Row, TinySeries


@pytest.fixture
def nobody(tmp_path):
    """A key with empty individuals alone: all rows are counterfeits."""
    rows = [Row(None, "1", "flu"), Row(None, "1", "gout")]
    return TinySeries([rows, rows]).write(tmp_path / "series")


@pytest.mark.parametrize("attack", ["intersection", "update-graph", "equivalence", "joint"])
def test_nobody_judged_is_undecided(attack, nobody):
    code, out, err = run_main(str(nobody), "--attack", attack)
    assert (code, err) == (3, "")
    assert "nobody could be judged" in out


def test_every_command_takes_a_key_of_counterfeits(nobody, tmp_path):
    candidate = tmp_path / "3.csv"
    candidate.write_text("Owner,Group-ID,Value\n,1,flu\n,1,gout\n", encoding="utf-8")
    assert run_main(str(nobody))[0] == 3
    assert run_main("next", str(nobody), str(candidate))[0] == 3
    assert run_main("compare", str(nobody))[0] == 0
    code, _, err = run_main("explain", str(nobody), "--individual", "Ann")
    assert (code, len(err.splitlines())) == (2, 1)


def test_a_register_of_people_who_are_in_no_earlier_release(tmp_path):
    rows = [Row(None, "1", "flu", ("x",)), Row(None, "1", "gout", ("x",))]
    register = [Registered("Ann", 1, ("x",))]
    late = TinySeries([rows, rows], register=register, quasi_identifiers=("City",), keyed=False)
    series = late.write(tmp_path / "series")
    assert run_main(str(series))[0] == 0
    (series / "register.csv").write_text("individual,City,release\nAnn,x,3\n", encoding="utf-8")
    candidate = tmp_path / "3.csv"
    candidate.write_text("Group-ID,City,Value\n1,x,flu\n1,x,gout\n", encoding="utf-8")
    code, out, err = run_main("next", str(series), str(candidate))
    assert (code, err) == (0, "")
    assert "1 person" in out
