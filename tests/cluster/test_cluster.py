"""Two workers of dask.distributed give the same answers as this process, also when one of them is killed."""

import contextlib
import gc
import ipaddress
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from attacks.intersection import IntersectionAttack
from audit.runtime.distributed.dask_cluster import cluster
from tests.cli.forms import EXAMPLES, FORMS
from tests.helpers.amount import slow
from tests.helpers.engines import told, with_key
from tests.helpers.results import timeless
from tests.helpers.running import refused, run_main

# distributed leaves a connection that was half made to a killed worker to the garbage collector, which finds it in
# whichever test runs then.
pytestmark = [slow, pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")]


@pytest.fixture(autouse=True)
def collected():
    """Nothing that a killed worker left is found by tests of other modules."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def workers():
    with cluster(workers=2) as engine:
        yield engine


def running(pid: int | None = None) -> list[psutil.Process]:
    """The workers that a process has started, this one unless another is named."""
    found = []
    for each in psutil.Process(pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any("spawn_main" in word for word in each.cmdline()):
                found.append(each)
    return found


def own_pid() -> int:
    return os.getpid()


@pytest.mark.parametrize(
    "form", ["hospital-l-diverse", "clinic-merged", "two_values", "changing", "everything", "parquet"]
)
def test_every_attack_says_the_same(form, workers, tmp_path):
    FORMS[form](tmp_path / "series")
    folder = with_key(tmp_path / "series")
    assert told(folder, engine=workers) == told(folder)


def test_faults_of_the_files_are_told_as_ever(workers, tmp_path):
    FORMS["hospital-l-diverse"](tmp_path / "series")
    folder = with_key(tmp_path / "series")
    release = next((folder / "releases").iterdir())
    release.write_text(release.read_text() + "one,cell\n")
    there = told(folder, engine=workers)
    assert there == told(folder)
    assert there.startswith("InputError: releases/")


def test_a_worker_that_is_killed_costs_time_alone(workers, tmp_path):
    FORMS["hospital-2-invariant"](tmp_path / "series")
    folder, killed = with_key(tmp_path / "series"), []

    def watch(_attack):
        def progress(done, total):
            # Between two tasks: what the worker had of the others is gone.
            if len(killed) < 2 and done < total:
                killed.append(running()[0].pid)
                os.kill(killed[-1], signal.SIGKILL)

        return progress

    assert told(folder, engine=workers, progress=watch) == told(folder)
    assert len(killed) == 2


def test_every_socket_is_on_loopback(workers):
    list(workers.results(workers.submit(own_pid) for _ in range(4)))
    addresses = [
        socket.laddr.ip
        for process in (psutil.Process(), *running())
        for socket in process.net_connections(kind="inet")
        if socket.laddr
    ]
    assert len(addresses) > 4
    assert all(ipaddress.ip_address(address).is_loopback for address in addresses), addresses


def test_strangers_are_not_let_in(workers):
    from distributed import Client

    address = workers._client.scheduler.address
    assert address.startswith("tls://127.0.0.1:")
    with pytest.raises(OSError, match="closed"):
        Client(address.replace("tls://", "tcp://"), timeout=60)


# -- the command ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def started(nworkers: int = 1):
    """A scheduler that somebody else has started: its address, its process, and that of its workers."""
    with tempfile.TemporaryDirectory() as folder:
        address_file = Path(folder) / "scheduler.json"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        dask = [sys.executable, "-m", "dask"]
        options = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(address_file)]
        one = subprocess.Popen([*dask, "scheduler", "--port", "0", *options], **quiet)
        options += ["--nworkers", str(nworkers), "--nthreads", "1", "--local-directory", folder]
        other = subprocess.Popen([*dask, "worker", *options], **quiet)
        try:
            from distributed import Client

            with Client(scheduler_file=str(address_file), timeout=600) as client:
                client.wait_for_workers(nworkers, timeout=600)
                address = client.scheduler.address
            yield address, one, other
        finally:
            for process in (other, one):
                process.terminate()
                process.wait(600)


@pytest.fixture(scope="module")
def scheduler():
    with started() as (address, _, _):
        yield address


@pytest.mark.parametrize("named", ["{0}/series", "series", "file://{0}/series"])
def test_a_scheduler_elsewhere(scheduler, named, tmp_path, monkeypatch):
    FORMS["clinic-merged"](tmp_path / "series")
    with_key(tmp_path / "series")
    monkeypatch.chdir(tmp_path)  # where the workers are not
    words = [named.format(tmp_path), "--format", "json", "--stable-ids"]
    code, out, err = run_main(*words, "--engine", "dask", "--scheduler", scheduler)
    local = run_main(*words)
    assert (code, timeless(out), err) == (local[0], timeless(local[1]), local[2])


def test_workers_of_another_version_are_refused(scheduler, monkeypatch):
    monkeypatch.setattr("audit.runtime.distributed.dask_cluster.VERSION", "0.0.0")
    words = [str(EXAMPLES / "hospital-l-diverse"), "--engine", "dask", "--scheduler", scheduler]
    err = refused(*words)
    assert err.startswith("audit: the cluster's workers have series-audit ")
    assert err.count("\n") == 1


def test_a_scheduler_that_dies_leaves_no_verdict(monkeypatch):
    # The client calls a scheduler so long again that is gone.
    monkeypatch.setattr("audit.runtime.distributed.dask_cluster._PATIENCE", 10)
    run = IntersectionAttack.run
    with started() as (address, scheduler, _):

        def dying(*rest):
            scheduler.kill()
            scheduler.wait(600)
            # However long it waits, nothing answers any more.
            monkeypatch.setattr("audit.runtime.distributed.dask_cluster._PATIENCE", 1)
            return run(*rest)

        monkeypatch.setattr(IntersectionAttack, "run", dying)
        for said in ("the cluster's scheduler has stopped", "there is no scheduler at"):
            err = refused(str(EXAMPLES / "clinic-2-equivalence"), "--engine", "dask", "--scheduler", address)
            assert (said in err, err.count("\n")) == (True, 1)


def test_options_that_do_not_fit_each_other():
    series = str(EXAMPLES / "hospital-l-diverse")
    for words in (["--scheduler", "tcp://127.0.0.1:1"], ["--engine", "dask", "--scheduler", "x", "--jobs", "2"]):
        assert refused(series, *words).count("\n") == 1


def test_without_the_library_the_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    err = refused(str(EXAMPLES / "hospital-l-diverse"), "--engine", "dask")
    assert "install series-audit[dask]" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("many", "wait"), [(2, "list(engine.results(tasks))"), (1, "for _ in range(5000): gc.collect()")]
)
def test_an_interrupt_ends_the_run_and_the_workers(many, wait):
    code = (
        "import gc, time; from audit.runtime.distributed.dask_cluster import cluster\n"
        "if __name__ == '__main__':\n"
        f"    with cluster(workers={many}) as engine:\n"
        "        tasks = [engine.submit(time.sleep, 100) for _ in range(2)]\n"
        "        print('begun', flush=True)\n"
        f"        {wait}\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True
    )
    assert process.stdout.readline() == "begun\n"
    workers = running(process.pid)
    assert len(workers) == many
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert process.returncode == -signal.SIGINT
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert err.count("Traceback") == 1
    _, alive = psutil.wait_procs(workers, timeout=600)
    assert not alive
