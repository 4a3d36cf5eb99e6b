"""Printed pages: related content is on one sheet."""

import re
import shutil
import subprocess

import pytest

from reports.html import drawn
from reports.page import Bullets, Entry, Facts, Page, PageSteps, PageTable, PageVerdict, Paragraph, Section, Signing
from tests.browser.chromium import printed
from tests.helpers.amount import slow

pytestmark = slow

MANY, ROWS = 60, 9


def filler(place):
    """A heading, a small table, a finding and some lines; how many differs from one section to the next."""
    table = PageTable([f"head{place}x", "n"], [[f"row{place}x{row}", "1"] for row in range(ROWS)])
    finding = Entry(f"Found {place}x", [PageSteps([f"step{place}x{step}" for step in range(3)])])
    lines = [Paragraph(f"line{place}x") for _ in range(place % 11)]
    return Section(
        f"Heading {place}x", [Paragraph(f"before{place}x"), Bullets([f"item{place}x"]), table, finding, *lines]
    )


def decision(place):
    """A place to sign, and what is signed."""
    about = Facts([(f"About{place}x", "series"), ("Verdict", "safe")])
    allowed = Paragraph("The verdict allows it.")
    return Section(f"Decision {place}x", [about, allowed, Signing(["Yes"], ["Name", f"Signature{place}x"])])


@pytest.fixture(scope="module")
def sheets(tmp_path_factory):
    """The text of each sheet, line by line, without what stands on all of them."""
    if shutil.which("pdftotext") is None:
        pytest.skip("there is no pdftotext to read prints with (poppler-utils)")
    sections = [part for place in range(MANY) for part in (filler(place), decision(place))]
    text = drawn(Page("n", True, [], sections, "t", "mark", "corner", PageVerdict("holds", "green"), band="BAND"))
    page = tmp_path_factory.mktemp("print") / "page.html"
    page.write_text(text, encoding="utf-8")
    printed(page)
    done = subprocess.run(
        ["pdftotext", "-layout", page.with_suffix(".pdf"), "-"], capture_output=True, text=True, check=True
    )
    on_all = re.compile(r"BAND|corner.*|\d+ / \d+")
    return [
        [line.strip() for line in sheet.splitlines() if line.strip() and not on_all.fullmatch(line.strip())]
        for sheet in done.stdout.split("\f")[:-1]
    ]


def test_there_are_enough_sheets_for_something_to_be_cut(sheets):
    assert len(sheets) > 15


def test_each_sheet_says_whether_it_may_leave(sheets, tmp_path_factory):
    pages = tmp_path_factory.getbasetemp().glob("print*/page.pdf")
    text = subprocess.run(["pdftotext", "-layout", next(pages), "-"], capture_output=True, text=True, check=True).stdout
    assert [sheet.count("BAND") for sheet in text.split("\f")[:-1]] == [1] * len(sheets)


def test_no_heading_stands_last(sheets):
    last = [sheet[-1] for sheet in sheets]
    assert [line for line in last if line.startswith(("Heading", "Found", "before", "head"))] == []


def test_no_small_table_is_cut(sheets):
    for place in range(MANY):
        on = [sum(line.startswith(f"row{place}x") for line in sheet) for sheet in sheets]
        assert [count for count in on if count] == [ROWS]


def test_no_finding_is_cut(sheets):
    for place in range(MANY):
        on = [any(line.startswith((f"Found {place}x", f"step{place}x")) for line in sheet) for sheet in sheets]
        assert sum(on) == 1


def test_each_place_to_sign_is_on_one_sheet_with_what_is_signed(sheets):
    for place in range(MANY):
        parts = f"Decision {place}x", f"About{place}x", f"Signature{place}x"
        assert sum(any(part in line for line in sheet for part in parts) for sheet in sheets) == 1
