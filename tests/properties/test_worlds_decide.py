"""Below certainty the shares of worlds decide `max_risk`: estimates from people's own groups do not."""

import pytest

from tests.helpers.running import read_audit, run_audit, run_main, written
from tests.helpers.tiny import Registered, Row, TinySeries


def max_risk(result):
    return next(each for each in result["policy"]["clauses"] if each["clause"] == "max_risk")


def measure(result, attack):
    return next(each for each in result["attacks"] if each["attack"] == attack)["measures"]["max_risk"]


def four_times():
    """The same table four times: in each group six of ten people have the same value."""
    values = ["none"] * 6 + ["a", "b", "c", "d"]
    table = [Row(f"p{group}{n}", str(group), value) for group in range(3) for n, value in enumerate(values)]
    return TinySeries([table] * 4)


@pytest.mark.parametrize(
    ("limit", "code", "state"), [("0.9", 0, "holds"), ("0.61", 0, "holds"), ("0.6", 1, "violated")]
)
def test_a_table_published_again_tells_nothing_new(limit, code, state):
    with written(four_times()) as folder:
        found, result, _ = run_audit(folder, "--policy", f"max_risk={limit}", "--policy", "min_e=1", "--reveal")
        _, text, _ = run_main(str(folder), "--policy", f"max_risk={limit}", "--policy", "min_e=1")
    assert (found, max_risk(result)["state"]) == (code, state)
    assert measure(result, "joint") == pytest.approx(0.6)
    assert measure(result, "intersection") > 0.99
    assert {each["attack"] for each in result["policy"]["violations"]} == ({"joint"} if code else set())
    verdict = text.split("\n\n")[1]
    assert "99" not in verdict
    risks = {
        entry["attack"]: [each for each in entry["findings"] if each["kind"] == "risk"] for entry in result["attacks"]
    }
    assert {attack for attack, found in risks.items() if found} == ({"joint"} if code else set())


def test_estimates_alone_leave_it_undecided():
    with written(four_times()) as folder:
        code, result, _ = run_audit(folder, "--attack", "intersection", "--policy", "max_risk=0.9")
        certain, alone, _ = run_audit(folder, "--attack", "intersection", "--policy", "max_risk=1")
    assert (code, max_risk(result)["state"]) == (3, "undecided")
    assert "shares of worlds" in max_risk(result)["reason"]
    assert (certain, max_risk(alone)["state"]) == (0, "holds")


def hiding(counterfeits):
    """Bob fits group 1, of ten rows, five of them HIV, and group 2, of two with HIV; some of 1 are counterfeits."""
    values = ["HIV"] * 5 + ["flu", "gas", "ulc", "cold", "gout"]
    rows = [Row(None, "1", value, ("20-29",)) for value in values]
    rows += [Row(None, "2", value, ("25-34",)) for value in ("HIV", "HIV")]
    told = {"counterfeits": [{"1": counterfeits}]} if counterfeits else {}
    return TinySeries([rows], register=[Registered("Bob", 0, ("27",))], quasi_identifiers=("Age",), keyed=False, **told)


@pytest.mark.parametrize(("counterfeits", "share"), [(0, 7 / 12), (9, 5 / 6), (10, 1.0)])
def test_published_counterfeits_weigh_worlds(counterfeits, share):
    """Of ten rows with nine counterfeits one is a place: ten ways there, beside twenty in the other group."""
    with written(hiding(counterfeits)) as folder:
        _, result = read_audit(folder, "--adversary", "register", "--policy", "max_risk=0.7", "--policy", "k=1")
    assert measure(result, "joint") == pytest.approx(share)
    # Of the rows of group 2 as such homogeneity says more.
    found = {each["attack"] for each in result["policy"]["violations"]}
    assert ("joint" in found) == (share > 0.7)


@pytest.mark.parametrize(("strangers", "state"), [(0, "holds"), (1, "undecided")])
def test_strangers_in_several_releases_are_tied_by_nothing(strangers, state):
    """Beside rows of strangers people in several releases are not counted exactly; without any they are."""
    names = [("Ann", "20"), ("Bob", "21"), ("Cid", "22")]
    values = ["flu", "gas", "ulc"] + ["flu"] * strangers
    table = [Row(None, "1", value, ("20-29",)) for value in values]
    register = [Registered(name, release, (age,)) for release in range(2) for name, age in names]
    series = TinySeries([table, table], register=register, quasi_identifiers=("Age",), keyed=False)
    with written(series) as folder:
        _, result = read_audit(folder, "--adversary", "register", "--policy", "max_risk=0.9", "--policy", "k=1")
    assert max_risk(result)["state"] == state
