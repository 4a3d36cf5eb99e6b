"""Series at URLs: the same results as of a folder, one line for whatever is wrong, and no credentials anywhere."""

import base64
import gc
import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import fsspec
import pytest

from audit.cli.main import COMMANDS
from audit.io import paths
from audit.io.series import open_series
from tests.helpers.amount import slow
from tests.helpers.places import SERIES, example, served, to_memory
from tests.helpers.running import run_main
from tests.mutants.mutant import kills

NAME = "hospital-l-diverse"
SECRETS = ("topsecret", "hunter2", "someone")


def told(*words):
    """Exit code and the result without its seconds, of a command that prints JSON; an audit with the series' ids."""
    ids = () if words[0] in COMMANDS and words[0] != "next" else ("--stable-ids",)
    code, out, err = run_main(*words, "--format", "json", *ids)
    assert not err
    return code, json.loads(out, object_hook=lambda entry: {k: v for k, v in entry.items() if k != "seconds"})


def one_line(*words):
    """What a command says that ends with exit code 2."""
    code, out, err = run_main(*map(str, words))
    assert (code, out) == (2, ""), err
    assert err.count("\n") == 1
    assert err.startswith("audit: ")
    assert not any(secret in err for secret in SECRETS)
    return err.removeprefix("audit: ").rstrip("\n")


@pytest.mark.many
@pytest.mark.parametrize("name", SERIES)
def test_a_url_gives_what_the_folder_gives(name, tmp_path):
    form = ("csv", "parquet")[SERIES.index(name) % 2]
    series = example(name, tmp_path, form)
    expected = told(str(series))
    assert told(series.as_uri()) == expected
    assert told(to_memory(series, f"bucket/{name}-{form}")) == expected
    with served(tmp_path) as server:
        assert told(f"http://{server.place}/{name}{'/series.toml' if name == NAME else ''}") == expected


@slow
def test_a_candidate_may_be_at_a_url(tmp_path):
    series = example(NAME, tmp_path)
    last = series / "releases" / "2.csv"
    candidate = tmp_path / "beside" / "2.csv"
    candidate.parent.mkdir()
    shutil.move(last, candidate)
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace('"releases/1.csv", "releases/2.csv"', '"releases/1.csv"'))
    url, beside = to_memory(series, "bucket/next"), to_memory(candidate.parent, "bucket/beside")
    expected = told("next", str(series), str(candidate))

    def without_inputs(answer):
        code, result = answer
        return code, json.loads(json.dumps(result).replace(f"{beside}/", "").replace(f"{candidate.parent}/", ""))

    assert without_inputs(told("next", url, f"{beside}/2.csv")) == without_inputs(expected)
    assert without_inputs(told("next", str(series), f"{beside}/2.csv")) == without_inputs(expected)
    assert without_inputs(told("next", url, str(candidate))) == without_inputs(expected)
    assert "in the series already" in one_line("next", url, f"{url}/releases/1.csv")
    assert "in the series already" in one_line("next", series.as_uri(), series / "releases" / "1.csv")


def test_globs_are_listed_where_that_can_be(tmp_path):
    series = example(NAME, tmp_path)
    manifest = series / "series.toml"
    text = manifest.read_text()
    assert 'releases = ["releases/1.csv", "releases/2.csv"]' in text
    expected = told(str(series))
    for pattern in ("releases/*.csv", "releases/[12].csv", "**/?.csv"):
        manifest.write_text(text.replace('["releases/1.csv", "releases/2.csv"]', f'["{pattern}"]'))
        assert told(to_memory(series, "bucket/globs[1]*")) == expected
        assert told(series.as_uri()) == expected
        with served(tmp_path) as server:
            line = one_line(f"http://{server.place}/{NAME}")
        assert "cannot be listed there; name each file" in line
    manifest.write_text(text.replace('["releases/1.csv", "releases/2.csv"]', '["other/*.csv"]'))
    assert 'no file matches "other/*.csv"' in one_line(to_memory(series, "bucket/none"))


@pytest.mark.parametrize("where", ["memory", "http"])
@pytest.mark.parametrize(
    "name",
    [
        "../out.csv",
        "releases/../../out.csv",
        "/etc/out.csv",
        "%2e%2e/out.csv",
        "%252E%252e/out.csv",
        "..%2fout.csv",
        "releases//out.csv",
        "//127.0.0.1/out.csv",
        "memory://bucket/out.csv",
        "file:///etc/out.csv",
        "x::memory://out.csv",
        "..\\\\\\\\out.csv",
        "releases/../*.csv",
        "\\u0000.csv",
    ],
)
def test_paths_may_not_leave_the_prefix(name, where, tmp_path):
    series = example(NAME, tmp_path)
    shutil.copy(series / "releases" / "2.csv", tmp_path / "out.csv")
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace('"releases/2.csv"', f'"{name}"'))
    fsspec.filesystem("memory").pipe_file("/bucket/out.csv", (tmp_path / "out.csv").read_bytes())
    with served(tmp_path) as server:
        line = one_line(to_memory(series, "bucket/leave") if where == "memory" else f"http://{server.place}/{NAME}")
        assert not any("out" in path for path in server.asked)
    assert "the path leads out of the series folder" in line
    assert line.startswith("series.toml:")


def test_links_may_not_leave_a_folder_that_a_url_names(tmp_path):
    series = example(NAME, tmp_path)
    shutil.move(series / "releases" / "2.csv", tmp_path / "out.csv")
    (series / "releases" / "2.csv").symlink_to(tmp_path / "out.csv")
    assert "the path leads out of the series folder" in one_line(series.as_uri())
    (series / "releases" / "2.csv").unlink()
    shutil.move(tmp_path / "out.csv", series / "2.csv")
    (series / "releases" / "2.csv").symlink_to(series / "2.csv")
    assert told(series.as_uri()) == told(str(series))
    (series / "private" / "2.key.csv").symlink_to("/dev/null")
    assert "takes this path out of the series folder" in one_line(series.as_uri())


def test_credentials_appear_nowhere(tmp_path):
    series = example(NAME, tmp_path)
    manifest = series / "series.toml"
    manifest.write_text("\n".join(line for line in manifest.read_text().split("\n") if not line.startswith("name")))
    with served(tmp_path) as server:
        url = f"http://someone:hunter2@{server.place}/{NAME}?sig=topsecret#topsecret"
        clean = f"http://{server.place}/{NAME}"
        basic = f"Basic {base64.b64encode(b'someone:hunter2').decode()}"
        for form in ("text", "json", "markdown", "html", "sarif"):
            code, out, err = run_main(url, "--format", form, "--reveal")
            assert (code, err) == (1, "")
            assert not any(secret in out for secret in SECRETS)
        assert told(url)[1]["series"]["name"] == NAME
        assert server.credentials == {basic}
        for form in ("text", "json", "html"):
            _, out, err = run_main("compare", url, url, "--format", form)
            assert not err
            assert clean in out
            assert not any(secret in out for secret in SECRETS)
        assert not any(secret in repr(open_series(url).manifest) for secret in SECRETS)
        server.answers[f"/{NAME}/releases/2.csv"] = 403
        one_line(url)
        assert clean in one_line("compare", url, url)
        one_line(url, url)
        one_line("init", url)
        one_line(url, "--output", url)
        one_line("next", url, f"{url}x")
        one_line("next", str(series), f"http://someone:hunter2@{server.place}/nowhere.csv?sig=topsecret")
    one_line(url)


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("https://a:b@h/x?q#f", "https://h/x"),
        ("https://a:b/c@h/x", "https://h/x"),
        ("https://a:b?c@h/x", "https://h/x"),
        ("s3://key:se/cr@et@bucket/x", "s3://bucket/x"),
        ("s3://token@bucket/x", "s3://bucket/x"),
        ("s3://bucket/x@y", "s3://bucket/x@y"),
        ("/plain/a:b@c?d", "/plain/a:b@c?d"),
    ],
)
def test_what_is_shown_of_a_url(url, clean):
    assert paths.without_secrets(url) == clean


def silent(handler):
    """Never answer."""
    handler.server.closing.wait(30)


def broken_off(handler):
    """Promise more than is sent."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    if handler.command == "GET":
        handler.wfile.write(b"Group-ID")
        handler.close_connection = True


@pytest.mark.parametrize(
    ("answer", "what"),
    [
        (404, "there is no such file"),
        (410, "there is no such file"),
        (401, "the storage does not allow reading this"),
        (403, "the storage does not allow reading this"),
        (500, "the server answers with the error 500"),
        (503, "the server answers with the error 503"),
        (broken_off, "there is no connection to the storage, or it broke off"),
    ],
)
@pytest.mark.parametrize("path", ["series.toml", "releases/2.csv", "releases/2.parquet"])
def test_what_a_server_answers(path, answer, what, tmp_path):
    example(NAME, tmp_path, "parquet" if path.endswith("parquet") else "csv")
    with served(tmp_path) as server:
        server.answers[f"/{NAME}/{path}"] = answer
        line = one_line(f"http://someone:hunter2@{server.place}/{NAME}?sig=topsecret")
    assert path in line.split(": ")[0]
    assert what in line


@pytest.mark.parametrize("answer", [401, 403, 500])
def test_a_key_that_cannot_be_looked_at_does_not_pass_for_none(answer, tmp_path):
    example(NAME, tmp_path)
    with served(tmp_path) as server:
        server.answers[f"/{NAME}/private/2.key.csv"] = answer
        assert one_line(f"http://{server.place}/{NAME}").startswith("private/2.key.csv: ")


@pytest.mark.parametrize("path", ["series.toml", "releases/2.csv"])
def test_a_file_that_cannot_be_kept_does_not_pass_for_none(path, tmp_path, monkeypatch):
    url = to_memory(example(NAME, tmp_path), "bucket/full")
    kept = paths.Path.write_bytes

    def full(self, content):
        if content == (tmp_path / NAME / path).read_bytes():
            kept(self, content[:10])
            raise OSError(28, "No space left on device")
        return kept(self, content)

    monkeypatch.setattr(paths.Path, "write_bytes", full)
    for _ in range(2):
        assert one_line(url) == f"{path}: the file cannot be stored on this machine; free space in the temporary folder"


def test_a_server_that_is_silent(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "_PATIENCE", 1.0)
    example(NAME, tmp_path)
    with served(tmp_path) as server:
        server.closing = threading.Event()
        server.answers[f"/{NAME}/releases/2.csv"] = silent
        line = one_line(f"http://{server.place}/{NAME}")
        server.closing.set()
    assert ": the storage did not answer in time" in line  # any file, on a machine that is busy


@kills("audit.cli.main.after_imports", '"SIGHUP"', '"SIGNONE"')
@pytest.mark.many
@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_files_that_were_fetched_are_gone_when_the_command_is_stopped(name, tmp_path):
    if signal.getsignal(getattr(signal, name)) == signal.SIG_IGN:
        pytest.skip("nohup ignores the signal, and so does what it starts")
    example(NAME, tmp_path)
    kept = tmp_path / "temporary"
    kept.mkdir()
    with served(tmp_path) as server:
        server.closing = threading.Event()
        server.answers[f"/{NAME}/releases/2.csv"] = silent
        words = [sys.executable, "-m", "audit", f"http://{server.place}/{NAME}"]
        process = subprocess.Popen(words, env={**os.environ, "TMPDIR": str(kept)}, stderr=subprocess.PIPE)
        while not [*kept.glob("audit-*/*.csv")] and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(getattr(signal, name))
        with suppress(subprocess.TimeoutExpired):  # a connection that breaks off first is another error
            process.wait(timeout=5)
        server.closing.set()
        _, err = process.communicate(timeout=600)
    assert (process.returncode, b"interrupted" in err) == (130, True), err
    assert [*kept.iterdir()] == []


@kills("audit.io.paths.kept_while_unchanged", "kept(Path(path), ", "kept(path, ")
def test_fetched_files_are_gone_though_what_was_read_of_them_is_remembered(tmp_path, monkeypatch):
    """They stayed until Python ended."""
    (kept := tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(kept))
    assert run_main(to_memory(example(NAME, tmp_path), "bucket/gone"))[0] == 1
    gc.collect()
    assert [*kept.iterdir()] == []


def test_a_storage_whose_reader_is_not_installed():
    pytest.importorskip("fsspec")
    try:
        import s3fs  # noqa: F401
    except ImportError:
        line = one_line("s3://someone:hunter2@bucket/series")
        assert line.startswith("s3://bucket/series: the package that reads s3:// is not installed")


def _finding_ids(out):
    return {finding["id"] for attack in json.loads(out)["attacks"] for finding in attack["findings"]}


def test_nothing_is_written_through_a_url(tmp_path):
    series = example(NAME, tmp_path)
    (series / "private" / "finding.key").unlink()
    url = to_memory(series, "bucket/unwritten")
    code, out, _ = run_main(url, "--format", "json")
    assert code == 1
    again = run_main(url, "--format", "json")[1]
    assert _finding_ids(out).isdisjoint(_finding_ids(again))
    assert not (series / "private" / "finding.key").exists()
    for words in (
        ("init", series.as_uri()),
        ("anonymize", series.as_uri(), "--method", "m-invariance", "--m", "2", "--output", str(tmp_path / "new")),
        ("anonymize", str(tmp_path), "--method", "m-invariance", "--m", "2", "--output", series.as_uri()),
        ("simulate", "--output", series.as_uri()),
        ("demo", series.as_uri()),
        ("compare", str(series), "--microdata", series.as_uri()),
        (str(series), "--output", (tmp_path / "report.txt").as_uri()),
    ):
        assert "this is a URL" in one_line(*words)
    line = one_line(series.as_uri(), "--format", "text", "--output", series / "releases" / "1.csv")
    assert "this file is one of the inputs" in line


def test_a_packed_file_that_a_server_calls_so_stays_packed(tmp_path):
    series = example(NAME, tmp_path)
    packed = gzip.compress((series / "releases" / "2.csv").read_bytes())
    (series / "releases" / "2.csv").unlink()
    (series / "releases" / "2.csv.gz").write_bytes(packed)
    manifest = series / "series.toml"
    manifest.write_text(manifest.read_text().replace("2.csv", "2.csv.gz"))

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Encoding", "gzip")
        handler.send_header("Content-Length", str(len(packed)))
        handler.end_headers()
        if handler.command == "GET":
            handler.wfile.write(packed)

    with served(tmp_path) as server:
        server.answers[f"/{NAME}/releases/2.csv.gz"] = answer
        assert told(f"http://{server.place}/{NAME}") == told(str(series))
