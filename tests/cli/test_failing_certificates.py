"""Certificates that do not hold: the audit goes on, and what they were to show counts as not settled."""

import json

import pytest

from audit.count_tables.count_findings import FindingBuilder
from tests.helpers.count_tables import TinyTables
from tests.helpers.running import run_main

AREAS = {"g0": ("0", "4"), "g1": ("0", "1"), "g2": ("1", "2", "4"), "area2": ("2",)}
AGES = {
    "g0": ("3", "4"),
    "g1": ("0", "1", "2", "3", "4"),
    "g2": ("4",),
    "g3": ("4",),
    "g4": ("0", "1"),
    "age1": ("1",),
    "age4": ("4",),
}
CASES = [
    "area2/All c;g0/All 23;g1/All c;g2/All 28;g0/g0 8;g0/g1 c;g1/g1 14;g1/g2 c;g1/g3 c;g1/g4 10",
    "g0/g2 c;g0/g3 c;g0/g4 10;g0/age1 c;g0/age4 c;g0/All 25;g1/g0 c;g1/g1 15;g1/g2 *;g1/g3 c;g1/g4 10;g1/age1 c;"
    "g1/age4 *;g2/All 30;area2/g0 c;area2/g4 c;area2/age1 *;area2/age4 *;area2/All c",
    "area2/g1 c;area2/g2 *;area2/g3 *;area2/g4 c;area2/age1 *;area2/age4 *;area2/All c",
]


def told(series, folder):
    code, out, err = run_main(str(series.write(folder)), "--format", "json", "--findings", "all")
    assert err == ""
    return code, json.loads(out)


def rows(text):
    return [(tuple(labels.split("/")), shown) for labels, shown in (line.split() for line in text.split(";"))]


HIDDEN = TinyTables(
    ("area", "sex"),
    [rows("N/f 9;N/m *;N/All 12;S/f 20;S/m *;S/All 22")],
    totals={"sex": "All", "area": "All"},
    markers={"*": (1, 4)},
)


def test_proofs_by_cases_that_cannot_be_hold_for_lower_bounds_too(tmp_path):
    """A lower bound is proved by two cases, one of which is impossible; that is always a sum of upper ends."""
    series = TinyTables(
        ("area", "age"),
        [rows(text) for text in CASES],
        totals={"age": "All"},
        categories={"area": AREAS, "age": AGES},
        markers={"*": (1, 7), "c": (0, None)},
        threshold=8,
        over_time="cumulative",
        min_count=8,
    )
    code, report = told(series, tmp_path)
    [attack] = report["attacks"]
    assert (code, attack["measures"]["open"]) == (1, 0)
    assert attack["certificates_checked"] == attack["findings_total"] > 0
    assert '"impossible": true' in json.dumps(attack["findings"])


@pytest.fixture
def failing(monkeypatch):
    """The certificates of some upper bounds do not hold: those of the values that the test names."""
    values = set()
    real = FindingBuilder.holds

    def holds(tables, bounds):
        return real(tables, bounds) and not any(each.is_upper and each.value in values for each in bounds)

    monkeypatch.setattr(FindingBuilder, "holds", staticmethod(holds))
    return values


def test_all_certificates_hold(failing, tmp_path):
    code, report = told(HIDDEN, tmp_path)
    assert code == 1
    assert {each["upper"] for each in report["attacks"][0]["findings"]} == {2, 3}


def test_a_failing_certificate_opens_its_own_finding(failing, tmp_path):
    failing.add(3)
    code, report = told(HIDDEN, tmp_path)
    [attack] = report["attacks"]
    assert code == 1
    assert {each["upper"] for each in attack["findings"]} == {2}
    assert attack["measures"]["open"] >= 1
    assert attack["status"] == "incomplete"
    assert "certificate of a finding does not hold" in attack["reason"]


def test_where_no_other_finding_violates_the_report_comes_before_exit_4(failing, tmp_path):
    failing.update((2, 3))
    code, report = told(HIDDEN, tmp_path)
    assert code == 4
    assert report["attacks"][0]["findings"] == []
    assert not report["policy"]["passed"]
    assert {each["measure"] for each in report["policy"]["undecided"]} == {"min_width"}
