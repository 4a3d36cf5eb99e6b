"""Every sentence exists in every language, with the same placeholders, and none is built from pieces."""

import datetime
import re
import string
import subprocess
import sys
from collections import defaultdict
from functools import cache

import polib
import pytest

from audit.model.errors import SENTENCE, UsageError
from audit.runtime.phrases import LANGUAGE, Noun, Phrase, day, figure, percent, risk_text, say, say_count
from reports.languages.catalogues import FOLDER, LANGUAGES, in_language, language, of_locale
from reports.languages.extract import ROOT, SAYING, said_in, sentences

LONG = 45
"""The characters of a sentence that is written in one place alone."""
CODES = [code for code in LANGUAGES if code != "en"]


def placeholders(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@cache
def said():
    """The ids of all sentences of the program."""
    return {each.id for each in sentences() if each.id}


def catalogue(code):
    return polib.pofile(str(FOLDER / f"{code}.po"), encoding="utf-8")


@cache
def calls():
    """Each call of the code that says something: its file, line and function, and what it says."""
    found = []
    for package in ("audit", "attacks", "anonymizers", "reports"):
        for path in (ROOT / package).rglob("*.py"):
            with path.open("rb") as file:
                name = path.relative_to(ROOT).as_posix()
                found += [(name, *call[:3]) for call in said_in(file, SAYING, (), {})]
    return found


def test_what_is_said_is_a_literal():
    """Else no catalogue could have it; what `phrases` and an error itself say was a literal elsewhere."""
    for path, line, name, said in calls():
        if path not in ("audit/runtime/phrases.py", "audit/model/errors.py"):
            assert all(isinstance(said[place - 1], str) for place in SAYING[name]), (path, line)


def test_a_long_sentence_stands_once():
    """What two places say is a `Phrase`, or a function, of the room that owns it."""
    places = defaultdict[str, list[str]](list)
    for path, line, _, said in calls():
        places[str(said[0])].append(f"{path}:{line}")
    assert {said: where for said, where in places.items() if len(where) > 1 and len(said) >= LONG} == {}


@pytest.mark.parametrize("code", CODES)
def test_every_sentence_is_in_the_catalogue_and_no_other(code):
    known = [entry.msgid for entry in catalogue(code)]
    assert len(known) == len(set(known))
    assert {(e.msgid, e.msgid_plural) if e.msgid_plural else e.msgid for e in catalogue(code)} == said()


@pytest.mark.parametrize("code", CODES)
def test_every_translation_is_whole(code):
    for entry in catalogue(code):
        assert entry.translated(), entry.msgid
        assert not entry.fuzzy, entry.msgid
        assert not entry.obsolete, entry.msgid
        forms = list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]
        assert len(forms) == (2 if entry.msgid_plural else 1), entry.msgid
        for form, original in zip(forms, (entry.msgid, entry.msgid_plural), strict=False):
            # One may be a word: "one person was left out"; several are a number.
            missing = placeholders(original) - placeholders(form) - ({"count"} if original == entry.msgid else set())
            assert missing == set(), entry.msgid
            assert placeholders(form) <= placeholders(original) | {"count"}, entry.msgid
            assert form.count("\n") <= original.count("\n"), entry.msgid


@pytest.mark.parametrize("code", CODES)
def test_every_catalogue_tells_its_terms_and_its_plurals(code):
    read = catalogue(code)
    assert "Terms:" in read.header
    assert read.metadata["Language"] == code
    assert read.metadata["Plural-Forms"].startswith("nplurals=2;")


def test_no_sentence_is_as_long_as_what_is_cut():
    """Other people's words are cut where they are quoted, lists after a dozen of them, and never a sentence."""
    listed = 12 * 60
    for code in sorted(LANGUAGES.keys() - {"en"}):
        for entry in catalogue(code):
            for text in (entry.msgid, entry.msgid_plural, entry.msgstr, *entry.msgstr_plural.values()):
                assert len(text) + listed * min(len(placeholders(text)), 4) < SENTENCE


def test_french_has_no_break_spaces_around_its_signs():
    for entry in catalogue("fr"):
        for form in (entry.msgstr, *entry.msgstr_plural.values()):
            assert not re.search("[^ ] [:;?!»]|« ", re.sub("`[^`]*`", "", form)), entry.msgid


def test_numbers_and_dates_follow_the_language():
    shown = {}
    for code in LANGUAGES:
        with in_language(code):
            said = say("{count} more", count=1234567)
            shown[code] = (
                figure(1234.5, ",.1f"),
                figure(0.125, ".1%"),
                percent(0.974),
                day(datetime.date(2026, 11, 22)),
            )
            assert figure(1234567) in said
            assert risk_text(0.5) == ("0.500" if code == "en" else "0,500")
    assert shown["en"] == ("1,234.5", "12.5%", "97%", "2026-11-22")
    assert shown["de"] == ("1.234,5", "12,5\N{NO-BREAK SPACE}%", "97\N{NO-BREAK SPACE}%", "22.11.2026")
    assert shown["fr"] == (
        "1\N{NARROW NO-BREAK SPACE}234,5",
        "12,5\N{NARROW NO-BREAK SPACE}%",
        "97\N{NARROW NO-BREAK SPACE}%",
        "22/11/2026",
    )
    assert shown["es"] == ("1.234,5", "12,5\N{NO-BREAK SPACE}%", "97\N{NO-BREAK SPACE}%", "22/11/2026")


def test_a_number_decides_between_two_sentences():
    people = Noun("{count} [person|people]")
    with in_language("de"):
        assert people.counted(1) == "1 Person"
        assert people.counted(2000) == "2.000 Personen"
        assert str(people) == "Personen"
        assert say_count("{count} [row|rows]", 2) == "2 Zeilen"


def test_a_phrase_is_said_in_the_language_in_use():
    phrase = Phrase("values never change")
    assert str(phrase) == "values never change"
    with in_language("fr"):
        assert f"{phrase}" == "les valeurs ne changent jamais"
        with in_language("en"):
            assert str(phrase) == "values never change"
        assert LANGUAGE.get().code == "fr"
    assert LANGUAGE.get().code == "en"


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_CA"}, "fr"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "fr_CA", "LC_ALL": "es@euro"}, "es"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "en"),
        ({"LANG": "DE"}, "de"),
        ({}, "en"),
    ],
)
def test_the_language_is_that_of_the_locale(environment, code):
    assert of_locale(environment) == code


def test_an_unknown_language_is_refused():
    with pytest.raises(UsageError, match="use one of en, de, fr, es"):
        language("pt")


def test_english_reads_no_catalogue():
    program = "import sys, audit.cli.main, reports.html; assert 'polib' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
