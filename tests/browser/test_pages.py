"""HTML reports in a real browser: nothing is asked for, nothing complained of, all text can be read."""

import re
from itertools import product
from pathlib import Path

import pytest

from audit.runtime.phrases import say
from reports.charts import lines
from reports.html import drawn
from reports.languages.catalogues import LANGUAGES, in_language
from reports.page import Figures, Page, Section
from tests.browser.chromium import DARK, asked, logged, printed, screenshot, violations
from tests.cli.forms import EXAMPLES, FORMS
from tests.helpers.amount import slow
from tests.helpers.running import run_main

pytestmark = slow

TABLES = "../count_table_examples/tables-rounded-quarters"
CASES = [
    ("hospital-l-diverse", ()),
    ("joint-breaks-2-distinct", ("--reveal",)),
    ("hospital-2-invariant", ()),
    (TABLES, ("--language", "de")),
]
FIRST = pytest.mark.parametrize("page", CASES[:1], ids=[CASES[0][0]], indirect=True)
"""What a browser or a rule hears of one page, it hears of all."""

# For each text: its colour, and what is behind it, both as computed; WCAG's relative luminance and contrast.
CONTRAST = """
const linear = v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const lum = c => { const [r, g, b] = c.map(v => linear(v / 255)); return .2126 * r + .7152 * g + .0722 * b };
const rgba = s => s.match(/[0-9.]+/g).map(Number);
const behind = e => { for (; e; e = e.parentElement) { const c = rgba(getComputedStyle(e).backgroundColor);
                      if (c.length === 3 || c[3] > 0) return c.slice(0, 3) } return [255, 255, 255] };
const found = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const e = walk.currentNode.parentElement;
  if (!walk.currentNode.textContent.trim() || e.tagName === 'SCRIPT') continue;
  const a = lum(rgba(getComputedStyle(e).color).slice(0, 3)), b = lum(behind(e));
  const text = walk.currentNode.textContent.trim().slice(0, 40);
  found.push([(Math.max(a, b) + .05) / (Math.min(a, b) + .05), e.tagName, text]);
}
return found;
"""


@pytest.fixture(scope="module", params=CASES, ids=[Path(name).name for name, _ in CASES])
def page(request, tmp_path_factory):
    name, options = request.param
    path = tmp_path_factory.mktemp(Path(name).name) / "report.html"
    code, _, err = run_main(str(EXAMPLES / name), "--format", "html", "--output", str(path), *options)
    assert (code in {0, 1, 3}, err) == (True, "")
    return path


@pytest.fixture(scope="module", params=[(), DARK], ids=["light", "dark"])
def look(request):
    return request.param


PICTURES = "[...document.querySelectorAll('main > section > .figures svg')].map(s => s.getBoundingClientRect())"
SEEN = f"""return {{
  texts: (() => {{{CONTRAST}}})(),
  paper: getComputedStyle(document.body).backgroundColor,
  pictures: {PICTURES}.map(r => [r.width, r.height]),
  wide: [document.documentElement.scrollWidth, document.documentElement.clientWidth],
}}"""


@pytest.fixture(scope="module")
def seen(page, look):
    """What scripts measure of the page."""
    return asked(page, SEEN, *look)


def test_nothing_is_complained_of_and_no_request_leaves(page):
    assert logged(page) == ([], set())


@FIRST
def test_complaints_would_be_heard(page):
    broken = page.with_name("broken.html")
    broken.write_text(
        page.read_text(encoding="utf-8").replace("<main>", "<main><p style='color: red'>"), encoding="utf-8"
    )
    assert any("Content Security Policy" in line for line in logged(broken)[0])


@FIRST
def test_a_request_would_be_seen(page):
    calling = page.with_name("calling.html")
    text = page.read_text(encoding="utf-8").replace("Content-Security-Policy", "x-none")
    calling.write_text(text.replace("<main>", "<main><img src='http://127.0.0.1:9/x.png' alt=''>"), encoding="utf-8")
    assert any("127.0.0.1:9" in url for url in logged(calling)[1])


def test_text_has_contrast(seen):
    assert len(seen["texts"]) > 50
    assert [each for each in seen["texts"] if each[0] < 4.5] == []


def test_the_dark_page_is_dark(seen, look):
    """Else what is measured of it would be measured of the light one."""
    assert seen["paper"] == ("rgb(21, 21, 21)" if look else "rgb(255, 255, 255)")


def test_axe_finds_nothing(page, look):
    assert violations(page, *look) == []


@FIRST
def test_axe_would_find_something(page):
    broken = page.with_name("mute.html")
    text = page.read_text(encoding="utf-8")
    broken.write_text(re.sub(r'<html lang="..">', "<html>", text), encoding="utf-8")
    assert [rule for rule, *_ in violations(broken)] == ["html-has-lang"]


def test_pictures_are_shown(seen, page):
    assert seen["pictures"] or page.parent.name.startswith("tables")  # whose pictures are tables
    assert all(width > 100 and height > 60 for width, height in seen["pictures"])


def test_nothing_is_cut_off_on_a_telephone(seen):
    """Wide tables scroll by themselves; the page does not."""
    wide, width = seen["wide"]
    assert wide <= width


def test_it_is_seen_and_printed(page):
    assert len(screenshot(page)) > 20_000
    sheets = printed(page)
    assert sheets.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", sheets)) >= 2


WORDS = ["Wellenerhebungsveröffent", "wwwwwwwwwwmmmmmmmmmmmm", "il.il.il", "2024-01"]


def test_no_name_is_cut_in_a_picture(tmp_path):
    """Neither those of releases, however long, nor those of attacks and axes, in any language."""
    charts = []
    for code, many in product(LANGUAGES, (1, 3, 12)):
        ticks = [WORDS[place % 4] for place in range(many)]
        with in_language(code):
            names = [say("{attack}, at least", attack=f"{word} (MMWW@mmww)") for word in WORDS[:3]]
            charts += [
                lines("t", ticks, [(name, [place] * many) for place, name in enumerate(some)], axes=axes)
                for some in (names, names[:1])
                for axes in [(say("after release"), say("people")), (say("risk in percent, from …"), "W" * 15)]
            ]
    page = tmp_path / "page.html"
    page.write_text(drawn(Page("n", True, [], [Section("", [Figures(charts)])], "t", "m", "c")), encoding="utf-8")
    assert asked(page, CUT) == []


# Names that reach beyond their picture, by more than rounding.
CUT = """
const out = [];
const over = (a, b) => a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;
for (const svg of document.querySelectorAll('svg')) for (const text of svg.querySelectorAll('text'))
  if (over(text.getBoundingClientRect(), svg.getBoundingClientRect())) out.push(text.textContent);
return [document.querySelectorAll('svg text').length ? 0 : 'none', ...out].filter(Boolean);
"""


@pytest.mark.parametrize("code", list(LANGUAGES))
@pytest.mark.parametrize("name", ["hospital-l-diverse", "clinic-2-equivalence", "two_values", "tables-year-to-date"])
def test_the_first_sheet_fits_on_one(tmp_path, name, code):
    """The first sheet is at most as high as a printed page, so that the signature is on it, whatever the verdict."""
    page, series = tmp_path / "page.html", EXAMPLES.parent / "count_table_examples" / name
    if name in FORMS:
        FORMS[name](series := tmp_path / "s")
    words = "--format", "html", "--language", code, "--output", str(page)
    assert run_main(str(series), *words)[0] in (0, 1, 3)
    text = page.read_text(encoding="utf-8").replace("@media print", "@media screen")
    page.write_text(text, encoding="utf-8")
    width, height = 178 * 96 / 25.4, 259 * 96 / 25.4
    size = "const s = document.querySelector('.sheet').getBoundingClientRect(); return [s.width, s.bottom]"
    wide, high = asked(page, size, f"--window-size={round(width)},1200")
    assert wide <= width + 1
    assert 0.4 * height < high <= height


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_column_of_a_comparison_is_beyond_the_edge(code, tmp_path):
    path = tmp_path / "page.html"
    several = [str(EXAMPLES / name) for name in ("hospital-2-invariant", "hospital-l-diverse", "clinic-2-equivalence")]
    code, _, err = run_main("compare", *several, "--output", str(path), "--language", code)
    assert (code, err) == (0, "")
    beyond = "const table = document.querySelector('.scroll'); return table.scrollWidth - table.clientWidth"
    assert asked(path, beyond, "--window-size=1280,2000") == 0
