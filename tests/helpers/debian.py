"""Programs that a few tests need, which Debian has."""

import os
import shutil
import subprocess
from contextlib import suppress
from functools import cache

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome"), ("chromium",)
R = ("Rscript",), ("r-base-core", "r-cran-jsonlite")
"""Commands, any of which will do, and the packages that have them."""


@cache
def program(names: tuple[str, ...], packages: tuple[str, ...]) -> str:
    """Return the first of some commands that there is; with AUDIT_TEST_DEBIAN=install they are installed if need be."""
    if not any(map(shutil.which, names)) and os.environ.get("AUDIT_TEST_DEBIAN") == "install":
        quiet = {"check": False, "capture_output": True, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
        wait = ("-o", "DPkg::Lock::Timeout=300")  # another worker may install something as well
        subprocess.run(["apt-get", "update", "-qq", *wait], **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wait, *packages], **quiet)
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"there is no {names[0]}; AUDIT_TEST_DEBIAN=install lets the tests install Debian's, as root")
    return found


if __name__ == "__main__":  # so that no test waits until they are installed
    for each in (CHROMIUM, R):
        with suppress(pytest.skip.Exception):
            program(*each)
