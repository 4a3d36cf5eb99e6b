"""The lock file of the development environment is about what pyproject.toml asks for."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def asked(requirement: str, extra: str | None) -> tuple[str, str, str | None]:
    """Return the package, the versions and the extra of a requirement."""
    name, versions = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?(.*)", requirement).groups()
    return re.sub(r"[-_.]+", "-", name).lower(), versions, extra


def test_the_lock_file_has_what_is_asked_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {asked(each, None) for each in project["dependencies"]}
    wanted |= {asked(each, extra) for extra, some in project["optional-dependencies"].items() for each in some}
    packages = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))["package"]
    [own] = [each for each in packages if each["name"] == "series-audit"]
    locked = set()
    for each in own["metadata"]["requires-dist"]:
        extra = re.search(r"extra == '([a-z]+)'", each.get("marker", ""))
        locked.add((each["name"], each.get("specifier", ""), extra[1] if extra else None))
    itself = {"series-audit"}  # uv writes out the extras that an extra of its own names
    assert {each for each in locked if each[0] not in itself} >= {each for each in wanted if each[0] not in itself}
    names = {each["name"] for each in packages}
    assert {name for name, _, _ in wanted} <= names
