"""Pages that are made from the program: the command reference from its parsers, and that of the benchmarks."""

from __future__ import annotations

import argparse
import re
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
    for name in COMMANDS:
        [commands] = (each for each in command_parser(name)._actions if isinstance(each, argparse._SubParsersAction))
        pages.append(_command(f"audit {name}", commands.choices[name]))
    return "\n".join(pages)


def _command(title: str, of: argparse.ArgumentParser) -> str:
    usage = re.sub(r"\s+", " ", of.format_usage()).strip()
    rows = [_row(of, action) for action in of._actions if action.help != argparse.SUPPRESS]
    table = "\n".join(["| option | |", "|---|---|", *rows])
    return f"## `{title}`\n\n{of.description or ''}\n\n```text\n{usage}\n```\n\n{table}\n"


def _row(of: argparse.ArgumentParser, action: argparse.Action) -> str:
    formatter = of._get_formatter()
    name = formatter._format_action_invocation(action)
    told = formatter._expand_help(action) if action.help else ""
    return f"| `{_cell(name)}` | {_cell(told)} |"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")
