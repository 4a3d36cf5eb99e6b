"""First steps: what `audit` prints without a command."""

from __future__ import annotations

from audit.runtime.phrases import Phrase

FIRST_STEPS = Phrase(
    """\
audit: what do published releases give away together? The first three steps:

  1. Put the published tables into a folder, one file for each release: CSV, Excel, Parquet, Stata, SPSS, SAS.
  2. audit init FOLDER      looks at them, asks what it cannot tell, and writes FOLDER/series.toml
  3. audit FOLDER           gives the verdict

To see one first: audit demo. For all commands and options: audit --help
"""
)
