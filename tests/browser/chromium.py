"""Chromium without a window: what it prints, asks for and shows of a page."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.helpers.debian import CHROMIUM, program

QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--virtual-time-budget=5000",
)


def chromium() -> str:
    """Return the browser."""
    return program(*CHROMIUM)


def run(page: Path, *options: str) -> subprocess.CompletedProcess[str]:
    profile = page.parent / "profile"
    command = [chromium(), *QUIET, f"--user-data-dir={profile}", *options, page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done


def logged(page: Path) -> tuple[list[str], set[str]]:
    """Return what the page makes the browser print, and the addresses that it asks for, its own file left out."""
    log = page.parent / "net.json"
    words = ("--enable-logging=stderr", "--log-level=0", f"--log-net-log={log}", "--net-log-capture-mode=Everything")
    done = run(page, *words, "--dump-dom")
    events = json.loads(log.read_text(encoding="utf-8"))["events"]
    told = {str(event.get("params", {}).get("url", "")) for event in events}
    asked_for = {url for url in told if url.startswith(("http", "ws", "ftp")) and "google" not in url}
    return [line for line in done.stderr.splitlines() if ":CONSOLE" in line], asked_for


def screenshot(page: Path, size: str = "1100,4000") -> bytes:
    picture = page.parent / "page.png"
    run(page, f"--screenshot={picture}", f"--window-size={size}")
    return picture.read_bytes()


def printed(page: Path) -> bytes:
    sheets = page.parent / "page.pdf"
    run(page, f"--print-to-pdf={sheets}")
    return sheets.read_bytes()


DARK = ("--blink-settings=preferredColorScheme=0",)
"""What makes the browser prefer dark pages."""


def asked(page: Path, script: str, *options: str) -> object:
    """Return what a script says of the page, which has to be allowed to run for that: its policy is taken away."""
    said = f"encodeURIComponent(JSON.stringify((() => {{{script}}})()))"
    return _said(page, f"<script>document.body.innerHTML = '<pre>' + {said} + '</pre>'</script>", *options)


@cache
def axe() -> str:
    """Return the text of axe-core: from AUDIT_TEST_AXE, or as npm has it; else the test is skipped."""
    if named := os.environ.get("AUDIT_TEST_AXE"):
        return Path(named).read_text(encoding="utf-8")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("there is no npm to get axe-core with; AUDIT_TEST_AXE may name its axe.min.js")
    with tempfile.TemporaryDirectory() as folder:
        got = subprocess.run([npm, "pack", "axe-core@4"], cwd=folder, capture_output=True, timeout=600, check=False)
        packed = next(Path(folder).glob("axe-core-*.tgz"), None)
        if got.returncode or packed is None:
            pytest.skip("npm cannot reach axe-core; AUDIT_TEST_AXE may name its axe.min.js")
        with tarfile.open(packed) as files:
            member = files.extractfile("package/axe.min.js")
            assert member is not None
            return member.read().decode("utf-8")


def violations(page: Path, *options: str) -> list[list[str]]:
    """Return what axe-core has against a page, all its details open: each rule with what breaks it."""
    told = "r.violations.map(v => [v.id, ...v.nodes.map(n => n.html.slice(0, 200))])"
    shown = f"document.body.innerHTML = '<pre>' + encodeURIComponent(JSON.stringify({told})) + '</pre>'"
    opened = "document.querySelectorAll('details').forEach(d => d.open = true)"
    asking = f"<script>{opened}; axe.run().then(r => {{{shown}}})</script>"
    found = _said(page, f"<script>{axe()}</script>{asking}", *options)
    assert isinstance(found, list)
    return found


def _said(page: Path, tail: str, *options: str) -> object:
    """Return what scripts at the end of a page leave in it."""
    text = page.read_text(encoding="utf-8").replace("Content-Security-Policy", "x-taken-away")
    probe = page.parent / "probe.html"
    probe.write_text(text.replace("</body>", f"{tail}</body>"), encoding="utf-8")
    shown = run(probe, "--dump-dom", *options).stdout
    return json.loads(unquote(shown.split("<pre>")[1].split("</pre>")[0]))
