"""`audit demo [DIR]`: three series, audited: two from the papers, and a larger one that is generated."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt

from audit.cli.audit import replace_file
from audit.core.errors import UsageError

_HOSPITAL = {
    "series.toml": """[series]
name = "Hospital, each release 2-diverse (Xiao and Tao, m-invariance, Tables 1b and 2b)"
releases = ["releases/1.csv", "releases/2.csv"]

[columns]
individual = "Owner"                     # the publisher's key: whose row this is
group = "Group-ID"
quasi_identifiers = ["Age", "Zipcode"]
sensitive = "Disease"
""",
    "releases/1.csv": """Owner,Group-ID,Age,Zipcode,Disease
Bob,1,"[21, 22]","[12000, 14000]",dyspepsia
Alice,1,"[21, 22]","[12000, 14000]",bronchitis
Andy,2,"[23, 24]","[18000, 25000]",flu
David,2,"[23, 24]","[18000, 25000]",gastritis
Gary,3,"[36, 41]","[20000, 27000]",flu
Helen,3,"[36, 41]","[20000, 27000]",gastritis
Jane,4,"[37, 43]","[26000, 35000]",dyspepsia
Ken,4,"[37, 43]","[26000, 35000]",flu
Linda,4,"[37, 43]","[26000, 35000]",gastritis
Paul,5,"[52, 56]","[33000, 34000]",dyspepsia
Steve,5,"[52, 56]","[33000, 34000]",gastritis
""",
    "releases/2.csv": """Owner,Group-ID,Age,Zipcode,Disease
Bob,1,"[21, 23]","[12000, 25000]",dyspepsia
David,1,"[21, 23]","[12000, 25000]",gastritis
Emily,2,"[25, 43]","[21000, 33000]",flu
Jane,2,"[25, 43]","[21000, 33000]",dyspepsia
Linda,2,"[25, 43]","[21000, 33000]",gastritis
Gary,3,"[41, 46]","[20000, 30000]",flu
Mary,3,"[41, 46]","[20000, 30000]",gastritis
Ray,4,"[54, 56]","[31000, 34000]",dyspepsia
Steve,4,"[54, 56]","[31000, 34000]",gastritis
Tom,5,"[60, 65]","[36000, 44000]",gastritis
Vince,5,"[60, 65]","[36000, 44000]",flu
""",
}

_WARD = {
    "series.toml": """[series]
name = "Ward whose diagnoses change, each release 2-diverse (Li and Zhou, m-Distinct, Tables III and IV)"
releases = ["releases/1.csv", "releases/2.csv"]

[columns]
individual = "Owner"
group = "Group-ID"
quasi_identifiers = ["Zip", "Hours"]
sensitive = "Disease"

[adversary]
transitions = "transitions.csv"          # which diagnosis may follow which
""",
    "transitions.csv": """from,to
cataract,cataract
dyspepsia,dyspepsia
dyspepsia,gastritis
flu,flu
flu,lung cancer
flu,pneumonia
gastritis,dyspepsia
gastritis,gastritis
glaucoma,cataract
glaucoma,glaucoma
lung cancer,lung cancer
pneumonia,flu
pneumonia,lung cancer
pneumonia,pneumonia
""",
    "releases/1.csv": """Owner,Group-ID,Zip,Hours,Disease
Ken,1,"[14, 16]","[20, 23]",dyspepsia
Julia,1,"[14, 16]","[20, 23]",pneumonia
Tom,2,"[24, 26]","[32, 35]",pneumonia
Harry,2,"[24, 26]","[32, 35]",gastritis
Lily,3,"[29, 31]","[17, 19]",glaucoma
Ben,3,"[29, 31]","[17, 19]",flu
""",
    "releases/2.csv": """Owner,Group-ID,Zip,Hours,Disease
Ken,1,"[12, 14]","[17, 20]",dyspepsia
Lily,1,"[12, 14]","[17, 20]",glaucoma
Julia,2,"[15, 18]","[27, 31]",lung cancer
Tom,2,"[15, 18]","[27, 31]",pneumonia
Harry,3,"[23, 26]","[32, 35]",dyspepsia
Ben,3,"[23, 26]","[32, 35]",pneumonia
""",
}

_CLINIC_MANIFEST = """[series]
name = "Clinic, generated: 12,000 people a quarter, groups of five formed anew each time"
releases = ["releases/*.csv"]

[columns]
group = "Group"
quasi_identifiers = ["Age", "Area"]
sensitive = "Diagnosis"
# Who is who stands in private/<release>.key.csv, which is never published.
"""
_QUARTERS = ("2024Q1", "2024Q2", "2024Q3", "2024Q4")
_PEOPLE, _PER_QUARTER, _CHANGES, _GROUP = 16_500, 12_000, 1_500, 5
_DIAGNOSES = (
    "asthma",
    "cancer",
    "diabetes",
    "flu",
    "fracture",
    "gastritis",
    "hypertension",
    "migraine",
    "pneumonia",
)


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    command = commands.add_parser("demo", help="make three series and audit them, in under a minute")
    command.add_argument("folder", metavar="DIR", type=Path, nargs="?", default=Path("demo-series"))


def run(arguments: argparse.Namespace) -> int:
    """Write the series, audit each, and say what to try next."""
    from attacks.registry import ATTACKS
    from audit.reading.series import open_series
    from audit.running import Options, run_audit
    from reports.text import Text

    folder: Path = arguments.folder
    start = time.monotonic()
    _write_series(folder)
    for name in ("hospital", "ward", "clinic"):
        command = f"audit {folder / name} --findings 2" + (" --reveal" if name != "clinic" else "")
        options = Options(findings=2, reveal=name != "clinic")
        report = run_audit(open_series(folder / name), ATTACKS, options)
        sys.stdout.write(f"$ {command}\n\n{Text().render(report)}\n")
    sys.stdout.write(
        f"Made and audited in {time.monotonic() - start:.1f} s; the series are in {folder}/. Try:\n"
        f"  audit {folder / 'clinic'} --format json\n"
        f"  audit {folder / 'hospital'} --attack intersection --findings all\n"
    )
    return 0


def _write_series(folder: Path) -> None:
    """Write the three series.

    Raises:
        UsageError: the folder cannot be written to.
    """
    try:
        for name, files in (("hospital", _HOSPITAL), ("ward", _WARD), ("clinic", _clinic())):
            for file, content in files.items():
                path = folder / name / file
                path.parent.mkdir(parents=True, exist_ok=True)
                if path.parent.name == "private":
                    path.parent.chmod(0o700)
                replace_file(path, content)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or 'it cannot be written'}; name another folder") from error


def _diverse(groups: npt.NDArray[np.int64], value: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the groups after giving each that has one value only somebody of the next group that has two."""
    for place in np.flatnonzero((value[groups] == value[groups[:, :1]]).all(axis=1)):
        for other in [*range(place + 1, len(groups)), *range(place)]:
            strangers = groups[other][value[groups[other]] != value[groups[place, 0]]]
            if len(set(value[groups[other]])) > 1 and len(strangers) > 1:
                seat = int(np.flatnonzero(groups[other] == strangers[0])[0])
                groups[place, 0], groups[other, seat] = groups[other, seat], groups[place, 0]
                break
    return groups


def _clinic() -> dict[str, str]:
    """Return the files of a series that is 2-diverse release by release, and yet unsafe."""
    rng = np.random.default_rng(20240101)
    age, area = rng.integers(18, 95, _PEOPLE), rng.integers(100, 400, _PEOPLE)
    diagnosis = np.minimum(rng.geometric(0.22, _PEOPLE) - 1, len(_DIAGNOSES) - 1)
    files = {"series.toml": _CLINIC_MANIFEST}
    for quarter, tag in enumerate(_QUARTERS):
        present = np.arange(quarter * _CHANGES, quarter * _CHANGES + _PER_QUARTER)
        # Sorted by area, then by age within strips of areas: groups of neighbours, formed anew each quarter.
        strip = np.argsort(np.argsort(area[present] + rng.random(len(present)))) // 600
        order = present[np.lexsort((rng.random(len(present)), age[present], strip))]
        groups = _diverse(order.reshape(-1, _GROUP), diagnosis)
        names = rng.permutation(len(groups)) + 1
        rows, key = ["Group,Age,Area,Diagnosis"], ["row,individual"]
        for place in np.argsort(names):
            members = groups[place][np.argsort(diagnosis[groups[place]], kind="stable")]
            ages, areas = np.sort(age[members]), np.sort(area[members])
            for person in members:
                key.append(f"{len(rows) - 1},P{person:05d}")
                cells = f'"[{ages[0]}, {ages[-1]}]","[{areas[0]}, {areas[-1]}]"'
                rows.append(f"{names[place]},{cells},{_DIAGNOSES[diagnosis[person]]}")
        files[f"releases/{tag}.csv"] = "\n".join(rows) + "\n"
        files[f"private/{tag}.key.csv"] = "\n".join(key) + "\n"
    return files
