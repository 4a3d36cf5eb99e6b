"""Dates: of the report, and of the releases."""

import datetime
import json

import pytest

from tests.cli.forms import EXAMPLES, FORMS, append, edit
from tests.helpers.running import run_main

HOSPITAL = str(EXAMPLES / "hospital-l-diverse")
QUICK = ("--attack", "intersection", "--format", "json")


def test_a_report_bears_the_day_of_its_making(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    days = [datetime.date.today()]
    made = json.loads(run_main(HOSPITAL, *QUICK)[1])["made"]
    days.append(datetime.date.today())  # midnight may come in between
    assert made in [day.isoformat() for day in days]


def test_the_day_can_be_set_to_make_a_report_again(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1704067200")
    assert json.loads(run_main(HOSPITAL, *QUICK)[1])["made"] == "2024-01-01"


def test_an_old_day_revives_no_waiver(monkeypatch, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    waiver = '\n[[waiver]]\nindividual = "Bob"\nreason = "asked"\nexpires = 2001-01-01\n'
    append(tmp_path / "s" / "series.toml", waiver)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    _, out, _ = run_main(str(tmp_path / "s"), *QUICK)
    assert [each["state"] for each in json.loads(out)["policy"]["waived"]] == ["expired"]
    assert json.loads(out)["made"] == "1970-01-01"


def test_a_day_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    code, out, err = run_main(HOSPITAL, *QUICK)
    assert (code, json.loads(out)["exit_code"]) == (2, 2)
    assert "SOURCE_DATE_EPOCH=yesterday" in err


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('published = { "3" = 2024-04-15 }', "not in the series"),
        ('published = { "1" = "April" }', "this is not a date"),
        ("published = 2024-04-15", "this has to be a table"),
    ],
)
def test_dates_of_releases_that_are_none_are_refused(tmp_path, entry, said):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    edit(tmp_path / "s" / "series.toml", "[columns]", f"{entry}\n[columns]")
    code, _, err = run_main(str(tmp_path / "s"), *QUICK)
    assert code == 2
    assert said in err


def test_dates_of_releases_are_told(tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "s")
    edit(tmp_path / "s" / "series.toml", "[columns]", 'published = { "1" = 2024-04-15 }\n[columns]')
    assert json.loads(run_main(str(tmp_path / "s"), *QUICK)[1])["series"]["published"] == {"1": "2024-04-15"}
