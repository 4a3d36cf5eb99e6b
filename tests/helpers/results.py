"""Shared code of tests of the Python API: worked examples, and series with comparable results."""

import json
import re

from tests.cli.forms import EXAMPLES, FORMS

EXPECTED = {path.parent.name: json.loads(path.read_text()) for path in sorted(EXAMPLES.glob("*/expected.json"))}


def timeless(text):
    """A document without what the clock says, whose digits can be those of an identifier by chance."""
    return re.sub(r'"seconds": [0-9.e-]+', '"seconds": 0', text)


def made(form, folder):
    """A series in one of its forms, whose findings keep their ids."""
    FORMS[form](folder)
    (folder / "private").mkdir(exist_ok=True)
    return folder
