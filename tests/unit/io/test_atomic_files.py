"""Files that appear whole or not at all."""

import stat
from pathlib import Path

import pytest

from audit.io.atomic_files import atomic_path, hide_from_version_control, write_file


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_that_was_there_keeps_its_permissions(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("old")
    path.chmod(0o640)
    write_file(path, "new\n")
    assert path.read_bytes() == b"new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_file(path, "secret", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert names(tmp_path) == ["report.json"]


@pytest.mark.parametrize("new", [False, True])
def test_after_an_error_nothing_is_changed(new, tmp_path):
    path = tmp_path / "report.json"
    if not new:
        path.write_text("old")
    with pytest.raises(ZeroDivisionError), atomic_path(path, new=new) as draft:
        draft.write_text(str(1 / 0))
    assert names(tmp_path) == ([] if new else ["report.json"])
    assert new or path.read_text() == "old"


def test_what_should_be_new_never_replaces_anything(tmp_path):
    path = tmp_path / "key"
    write_file(path, "first", new=True)
    with pytest.raises(FileExistsError):
        write_file(path, "second", new=True)
    with pytest.raises(FileExistsError), atomic_path(tmp_path / "other", new=True):
        (tmp_path / "other").write_text("meanwhile")
    assert (path.read_text(), (tmp_path / "other").read_text()) == ("first", "meanwhile")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError):
        write_file(tmp_path / "link", "third", new=True)
    assert names(tmp_path) == ["key", "link", "other"]


def test_links_are_followed_and_devices_written_to(tmp_path):
    target = tmp_path / "target"
    target.write_text("old")
    (tmp_path / "link").symlink_to(target)
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert target.read_text() == "new"
    write_file(Path("/dev/null"), "gone")
    assert not Path("/dev/null").is_file()


def test_long_names_and_odd_characters(tmp_path):
    path = tmp_path / ("x" * 240)
    write_file(path, "\udc80 and ä")
    assert path.read_text(encoding="utf-8") == "? and ä"


def test_a_private_folder_is_hidden_from_version_control_once(tmp_path):
    hide_from_version_control(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "*\n"
    (tmp_path / ".gitignore").write_text("mine")
    hide_from_version_control(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "mine"
