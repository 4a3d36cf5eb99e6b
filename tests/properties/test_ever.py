"""The probability ever to have had a grave value, beside all histories enumerated; and its clause."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.forms import EXAMPLES, append
from tests.helpers.running import run_audit, run_main, written
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import Row, TinySeries
from tests.oracle.per_person import known_values, paths


def stated(folder, grave, limit="0.999"):
    named = ", ".join(f'"{value}"' for value in grave)
    append(folder / "series.toml", f"\n[policy]\nmax_ever_risk = {limit}\ngrave = [{named}]\n")


def expected(series, adversary, grave):
    """By person, the share of the weight of histories with a grave value; None without any history."""
    found = {}
    for person in series.people(adversary):
        stay = series.presence(person, adversary)
        if all(person in known_values(series, j, adversary) for j in stay):
            continue
        weights = list(paths(series, person, adversary, len(series.releases)))
        total = sum(weight for _, weight in weights)
        if total:
            found[person] = sum(weight for path, weight in weights if set(path) & grave) / total
    return found


@pytest.mark.parametrize("adversary", ["linked", "register"])
@given(data=st.data())
def test_all_histories(adversary, data):
    drawn = register_series if adversary == "register" else linked_series
    series = data.draw(drawn(changing=data.draw(st.booleans()), known=data.draw(st.booleans())))
    grave = set(data.draw(st.lists(st.sampled_from(series.values), min_size=1, max_size=2, unique=True)))
    answer = expected(series, adversary, grave)
    with written(series) as folder:
        stated(folder, sorted(grave))
        _, result, err = run_audit(folder, "--adversary", adversary, "--attack", "update-graph")
    assert result is not None, err
    measures = result["attacks"][0]["measures"]
    if result["contradictions"]["changed"]:
        return
    if not answer:
        assert (measures["max_ever_risk"], measures["certain_ever"]) == (None, 0)
        return
    assert measures["max_ever_risk"] == pytest.approx(float(max(answer.values())), abs=1e-9)
    assert measures["certain_ever"] == sum(risk == 1 for risk in answer.values())
    assert (measures["max_ever_risk"] == 1) == (max(answer.values()) == 1)


def quarters(count):
    """Somebody in a group of four values in so many releases, where any value may follow any."""
    release = [Row(name, "1", value) for name, value in zip("ABCD", ["HIV", "flu", "gout", "cold"], strict=True)]
    values = [row.value for row in release]
    return TinySeries([release] * count, {(a, b): None for a in values for b in values})


def test_what_no_release_tells_follows_from_all():
    with written(quarters(12)) as folder:
        stated(folder, ["HIV"], "0.9")
        code, result, _ = run_audit(folder, "--attack", "update-graph")
    [entry] = result["attacks"]
    assert code == 1
    assert entry["measures"]["max_risk"] == pytest.approx(0.25)
    assert entry["measures"]["max_ever_risk"] == pytest.approx(1 - 0.75**12)
    [violation] = result["policy"]["violations"]
    assert (violation["measure"], violation["attack"]) == ("max_ever_risk", "update-graph")


def test_a_misspelt_grave_value_does_not_pass():
    with written(quarters(2)) as folder:
        stated(folder, ["hiv"])
        code, result, _ = run_audit(folder, "--attack", "update-graph")
    assert code == 3
    assert [each["measure"] for each in result["policy"]["undecided"]] == ["max_ever_risk"]
    assert 'no release has the grave value "hiv"' in result["policy"]["undecided"][0]["reason"]


def test_what_the_clause_needs(tmp_path):
    with written(quarters(2)) as folder:
        code, _, err = run_main(str(folder), "--policy", "max_ever_risk=0.5")
        assert code == 3, err
        append(folder / "series.toml", "\n[policy]\nmax_ever_risk = 0.5\n")
        code, out, err = run_main(str(folder))
        assert (code, out) == (2, "")
        assert 'grave = ["' in err


def test_a_grave_value_that_joint_finds_is_certain_ever(tmp_path):
    import shutil

    shutil.copytree(EXAMPLES / "hospital-l-diverse", tmp_path / "s")
    stated(tmp_path / "s", ["bronchitis"])
    result = json.loads(run_main(str(tmp_path / "s"), "--format", "json", "--reveal", "--findings", "all")[1])
    joint = next(entry for entry in result["attacks"] if entry["attack"] == "joint")
    certain = any(one["value"] == "bronchitis" for one in joint["findings"])
    violations = {(each["measure"], each["attack"]) for each in result["policy"]["violations"]}
    assert (("max_ever_risk", "joint") in violations) == certain
    assert certain
