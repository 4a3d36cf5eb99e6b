"""The comparison of several series in every format: text and a page for reading, JSON for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from audit.model.comparison import Comparison
from reports import comparison_table
from reports.comparison import notes
from reports.comparison_page import render
from reports.escaping import as_json as to_json
from reports.json_forms.comparison import comparison_document
from reports.json_values import json_object


def text(comparison: Comparison) -> str:
    """Return the comparison as a table with a row for each series."""
    return comparison_table.text(comparison, list(notes(comparison)))


def markdown(comparison: Comparison) -> str:
    """Return the same table in Markdown."""
    return comparison_table.markdown(comparison, list(notes(comparison)))


def as_json(comparison: Comparison) -> str:
    """Return the comparison as one JSON object."""
    return to_json(json_object(comparison_document(comparison)))


def as_html(comparison: Comparison) -> str:
    """Return the comparison as one self-contained page with plots."""
    return render(comparison)


FORMATS: Mapping[str, Callable[[Comparison], str]] = {
    "text": text,
    "json": as_json,
    "html": as_html,
    "csv": comparison_table.as_csv,
    "markdown": markdown,
}
