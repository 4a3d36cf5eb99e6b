"""Series at URLs: in memory, in files, and on a web server of this machine."""

import functools
import http.server
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fsspec
import pyarrow.parquet as pq
from pyarrow import csv

EXAMPLES = Path(__file__).parent.parent / "examples"
SERIES = sorted(path.parent.name for path in EXAMPLES.glob("*/series.toml"))
_KEY = "5a" * 32


def example(name: str, folder: Path, form: str = "csv") -> Path:
    """Copy an example, with a key for its findings' ids, and its releases in a form."""
    series = folder / name
    shutil.copytree(EXAMPLES / name, series)
    (series / "private").mkdir(exist_ok=True)
    (series / "private" / "finding.key").write_text(_KEY)
    if form == "parquet":
        for path in series.glob("releases/*.csv"):
            texts = csv.ConvertOptions(strings_can_be_null=False)
            pq.write_table(csv.read_csv(path, convert_options=texts), path.with_suffix(".parquet"))
            path.unlink()
        manifest = series / "series.toml"
        manifest.write_text(re.sub(r'("releases/[^"]+)\.csv"', r'\1.parquet"', manifest.read_text()))
    return series


def to_memory(series: Path, place: str) -> str:
    """Put a series into the memory of this process, and return its URL."""
    storage = fsspec.filesystem("memory")
    for path in series.rglob("*"):
        if path.is_file():
            storage.pipe_file(f"/{place}/{path.relative_to(series).as_posix()}", path.read_bytes())
    return f"memory://{place}"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files as Python's own server does, and remembers what it was asked for."""

    def do_GET(self):
        self.server.asked.append(self.path)
        self.server.credentials.add(self.headers["Authorization"])
        answer = self.server.answers.get(self.path.partition("?")[0])
        if answer is None:
            super().do_GET()
        elif isinstance(answer, int):
            self.send_error(answer)
        else:
            answer(self)

    def do_HEAD(self):
        answer = self.server.answers.get(self.path.partition("?")[0])
        if answer is None:
            super().do_HEAD()
        elif isinstance(answer, int):
            self.send_error(answer)
        else:
            answer(self)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """A web server of a folder; `answers` replaces what it says of some paths, by an error's number or a function."""

    daemon_threads = True

    def __init__(self, folder: Path):
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        self.asked: list[str] = []
        self.credentials: set[str | None] = set()
        self.answers: dict[str, object] = {}

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    def handle_error(self, *_):
        pass  # a client that hangs up


@contextmanager
def served(folder: Path) -> Iterator[Server]:
    """Serve a folder for as long as it is needed."""
    server = Server(folder)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
