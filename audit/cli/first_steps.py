"""First steps: what `audit` prints without a command, and suggestions for a misspelt word."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from audit.runtime.phrases import Phrase, say

FIRST_STEPS = Phrase(
    """\
audit: what do published releases give away together? The first three steps:

  1. Put the published tables into a folder, one file for each release: CSV, Excel, Parquet, Stata, SPSS, SAS.
  2. audit init FOLDER      looks at them, asks what it cannot tell, and writes FOLDER/series.toml
  3. audit FOLDER           gives the verdict

To see one first: audit demo. For all commands and options: audit --help
"""
)


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """Return a question that suggests the most similar word, or an empty text.

    >>> did_you_mean("chek", ["check", "demo"]), did_you_mean("series", ["check"])
    ('; did you mean `check`?', '')
    """
    near = get_close_matches(word, list(words), 1, 0.7)
    return say("; did you mean `{word}`?", word=near[0]) if near else ""
