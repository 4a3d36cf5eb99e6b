"""The pre-commit hook, run by pre-commit itself: it installs this checkout, and audits before a commit.

It takes minutes and a package registry, so it runs only where AUDIT_TEST_PACKAGE is set (`make package`).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "tests" / "examples"
pytestmark = pytest.mark.skipif("AUDIT_TEST_PACKAGE" not in os.environ, reason="takes minutes; AUDIT_TEST_PACKAGE=1")


def run(*words: object, cwd: Path, home: Path) -> subprocess.CompletedProcess[str]:
    me = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    own = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment = {**own, **me, "PRE_COMMIT_HOME": str(home)}
    return subprocess.run(list(map(str, words)), cwd=cwd, env=environment, capture_output=True, text=True, timeout=900)


def test_the_hook_audits_before_a_commit(tmp_path):
    assert run(sys.executable, "-m", "venv", tmp_path / "tools", cwd=tmp_path, home=tmp_path).returncode == 0
    python = tmp_path / "tools/bin/python"
    installed = run(python, "-m", "pip", "install", "--quiet", "pre-commit", cwd=tmp_path, home=tmp_path)
    assert installed.returncode == 0, installed.stderr
    revision = run("git", "rev-parse", "HEAD", cwd=ROOT, home=tmp_path).stdout.strip()
    work = tmp_path / "work"
    shutil.copytree(EXAMPLES / "ward-2-distinct", work / "published")
    (work / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {ROOT.as_uri()}\n  rev: {revision}\n  hooks:\n  - id: audit\n    args: [published]\n"
    )
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "a")):
        assert run("git", *words, cwd=work, home=tmp_path).returncode == 0
    hook = (python, "-m", "pre_commit", "run", "--all-files")
    kept = run(*hook, cwd=work, home=tmp_path / "cache")
    assert (kept.returncode, "Passed" in kept.stdout) == (0, True), kept.stdout + kept.stderr
    shutil.rmtree(work / "published")
    shutil.copytree(EXAMPLES / "hospital-l-diverse", work / "published")
    run("git", "add", "-A", cwd=work, home=tmp_path)
    broken = run(*hook, cwd=work, home=tmp_path / "cache")
    assert broken.returncode == 1
    assert "NOT SAFE" in broken.stdout
