"""Print the lowest versions of each dependency, and of those of the extras that users install, for `pip -c`."""

import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def lowest() -> list[str]:
    """Return the dependencies, each with its lowest versions: `numpy==2.1.*`."""
    extras = PROJECT["optional-dependencies"]
    every = [*PROJECT["dependencies"], *extras["dask"], *extras["formats"]]
    return [f"{each.partition(',')[0].replace('>=', '==')}.*" for each in every]


if __name__ == "__main__":
    print("\n".join(lowest()))  # noqa: T201 - it is run for what it prints
