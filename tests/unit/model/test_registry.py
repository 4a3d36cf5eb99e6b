"""What installed packages bring is found wherever they lie on the path."""

import sys
import zipfile

import pytest

from audit.model.registry import Registry

GROUP = "series_audit.formats"
ENTRY = f"[{GROUP}]\nlines = somewhere:Lines\n"


def names():
    return Registry(GROUP, "format", {"own": "here:Own"}).names


@pytest.mark.parametrize("place", ["lines-1.0.dist-info", "lines.egg-info", "EGG-INFO"])
def test_what_a_folder_on_the_path_has_is_found(tmp_path, monkeypatch, place):
    (tmp_path / place).mkdir()
    (tmp_path / place / "METADATA").write_text("Metadata-Version: 2.1\nName: lines\nVersion: 1.0\n")
    (tmp_path / place / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: lines\nVersion: 1.0\n")
    (tmp_path / place / "entry_points.txt").write_text(ENTRY)
    if place == "EGG-INFO":
        tmp_path = tmp_path.rename(tmp_path.with_name("lines-1.0.egg"))
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    assert names() == ("own", "lines")


def test_what_an_archive_on_the_path_has_is_found(tmp_path, monkeypatch):
    archive = tmp_path / "lines.whl"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("lines-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: lines\nVersion: 1.0\n")
        file.writestr("lines-1.0.dist-info/entry_points.txt", ENTRY)
    monkeypatch.setattr(sys, "path", [*sys.path, str(archive)])
    assert names() == ("own", "lines")


def test_where_nobody_brings_any_there_are_our_own(tmp_path, monkeypatch):
    (tmp_path / "other-1.0.dist-info").mkdir()
    (tmp_path / "other-1.0.dist-info" / "entry_points.txt").write_text("[console_scripts]\nother = other:main\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path), str(tmp_path / "absent")])
    assert names() == ("own",)
