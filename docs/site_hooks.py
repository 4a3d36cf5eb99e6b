"""Pages that are made from the program: the command reference from its parsers, and that of the benchmarks."""

from __future__ import annotations

import argparse
import io
from contextlib import redirect_stdout, suppress
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from audit.cli.main import COMMANDS, command_parser, parser

_ROOT = Path(__file__).parent.parent
_BENCHMARKS = "benchmarks.md"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are no files of `docs/`."""
    files.append(File.generated(config, "reference/commands.md", content=command_reference()))
    figures = (_ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    files.append(File.generated(config, _BENCHMARKS, content=figures.replace("](../docs/", "](")))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """Lead links to the benchmarks' page, which stands outside `docs/` in the repository, to its place in the site."""
    return markdown.replace("../benchmarks/README.md", _BENCHMARKS)


def command_reference() -> str:
    """Return the options of every command as Markdown."""
    pages = ["# Commands\n\nMade from the program's own parsers; `audit COMMAND --help` prints the same.\n"]
    pages.append(_command("audit SERIES", parser()))
    pages += [_command(f"audit {name}", command_parser(name), name) for name in COMMANDS]
    return "\n".join(pages)


def _command(title: str, of: argparse.ArgumentParser, *words: str) -> str:
    shown = io.StringIO()
    with redirect_stdout(shown), suppress(SystemExit):
        of.parse_args([*words, "--help"])
    return f"## `{title}`\n\n```text\n{shown.getvalue()}```\n"
