"""What a command does not need is not imported: each of these takes from a tenth of a second to half a second."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.test_command_line import HOSPITAL

HEAVY = ("pandas", "ortools", "numba", "matplotlib", "networkx", "distributed", "IPython")
SERIES = str(HOSPITAL)
UNASKED = ("audit.model.count_tables", "reports.json_forms.repair")
"""What only series of count tables need, and what only repairs do."""


@pytest.mark.parametrize(
    ("words", "also"),
    [
        (["--help"], ("numpy", "pyarrow", "scipy", "rich", "jinja2", "importlib.metadata", "audit.model.report")),
        (["next", "--help"], ("numpy", "pyarrow", "scipy", "rich", "jinja2")),
        (["--version"], ("pyarrow", "scipy", "rich", "jinja2")),
        (["anonymize", "--help"], ("pyarrow", "scipy", "rich", "jinja2")),
        ([SERIES], ("jinja2", "scipy.linalg", "numpy.f2py", "numpy.testing", "importlib.metadata", *UNASKED)),
        ([SERIES, "--attack", "intersection", "--format", "json"], ("scipy", "rich", "jinja2")),
        ([SERIES, "--format", "html"], ("rich",)),
    ],
)
def test_a_command_imports_what_it_needs(words, also) -> None:
    program = f"""
import sys
from audit.cli.entry import main
sys.argv = ["audit", *{words!r}]
main()
print("\\nimported:", *(name for name in {(*HEAVY, *also)!r} if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1].split() == ["imported:"], done.stderr


def test_an_attack_is_imported_without_the_others() -> None:
    program = """
import sys
from audit.cli.entry import main
sys.argv = ["audit", *sys.argv[1:]]
main()
print("\\nimported:", *sorted(name for name in sys.modules if name.startswith("attacks.joint.")))
"""
    few = [SERIES, "--attack", "intersection", "--findings=3", "--format", "json"]
    for words, others in ((few, False), ([*few, "--max-e", "2"], True), ([*few, "--polic", "k=2"], True)):
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, timeout=120)
        assert ("attacks.joint.attack" in done.stdout.splitlines()[-1]) == others, done.stderr


def test_what_scipy_imports_later_is_there_when_it_is_asked_for() -> None:
    program = """
import sys
from audit.cli.lean_imports import keep_imports_lean
keep_imports_lean()
import numpy as np
from scipy.sparse import csr_array, csgraph
assert not {"numpy.f2py", "numpy.testing", "scipy.linalg"} & set(sys.modules)
path = csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
assert csgraph.laplacian(path).toarray().tolist() == [[1, -1, 0], [-1, 2, -1], [0, -1, 1]]
from scipy._lib.array_api_compat import numpy as names
assert names.testing is np.testing and "f2py" in np.__all__
import scipy.linalg, scipy.optimize, scipy.spatial
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_functions_of_pyarrow_work_without_their_docstrings() -> None:
    program = """
import sys
from audit.cli.lean_imports import keep_imports_lean
keep_imports_lean()
import pyarrow as pa
import pyarrow.compute as pc
assert pc.sort_indices(pa.array([2, None, 1]), null_placement="at_start").to_pylist() == [1, 2, 0]
assert pa.array(["a", "b"]).cast(pa.large_string()).to_pylist() == ["a", "b"]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_functions_of_pyarrow_are_made_when_they_are_asked_for() -> None:
    program = """
import inspect, sys
if sys.argv[1] == "lean":
    from audit.cli.lean_imports import keep_imports_lean
    keep_imports_lean()
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.compute import and_kleene
if sys.argv[1] == "lean":
    assert "utf8_upper" not in vars(pc)
print(pc.and_(pa.array([True]), pa.array([False])), and_kleene.__name__, inspect.signature(pc.utf8_lpad))
for name in sorted({*pc.list_functions(), "and_", "or_", "not_", "sum_"}):
    print(name, getattr(getattr(pc, name, None), "__arrow_compute_function__", None))
print(pc.utf8_upper("a"), pc.utf8_zero_fill is pc.utf8_zfill, hasattr(pc, "nothing of the kind"))
"""
    told = [
        subprocess.run([sys.executable, "-c", program, how], capture_output=True, text=True, timeout=120)
        for how in ("lean", "whole")
    ]
    assert not told[0].returncode, told[0].stderr
    assert len(told[0].stdout.splitlines()) > 200
    assert told[0].stdout == told[1].stdout, told[1].stderr


def test_masked_arrays_are_there_when_they_are_asked_for() -> None:
    program = """
import sys
from audit.cli.lean_imports import keep_imports_lean
keep_imports_lean()
import numpy as np
assert np.unique([2, 1, 2]).tolist() == [1, 2]
assert "numpy.ma" not in sys.modules
masked = np.ma.masked_array([3, 1, 3, 2], mask=[False, True, False, False])
assert np.ma is sys.modules["numpy.ma"] and np.ma.is_masked(masked)
assert np.unique(masked).tolist() == [2, 3, None]
import numpy.ma
assert isinstance(masked, numpy.ma.MaskedArray)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_cp_sat_takes_what_is_of_pandas_though_it_was_imported_without() -> None:
    program = """
import sys
from audit.cli.lean_imports import keep_imports_lean
keep_imports_lean()
from ortools.sat.python import cp_model
assert "pandas" not in sys.modules
import pandas
model = cp_model.CpModel()
series = model.new_bool_var_series("x", pandas.Index(["a", "b"]))
assert isinstance(series, pandas.Series) and len(model.proto.variables) == 2
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_data_classes_are_the_same_when_their_methods_are_compiled_later() -> None:
    program = """
import dataclasses, pickle, sys
if sys.argv[1] == "later":
    from audit.cli.lean_dataclasses import compile_methods_when_called
    compile_methods_when_called()

@dataclasses.dataclass(frozen=True, slots=True)
class Small:
    x: int

@dataclasses.dataclass(order=True)
class Named(dataclasses.make_dataclass("Base", ["x"])):
    name: str = dataclasses.field(default="n", kw_only=True)
    much: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.much.append(self.x)

@dataclasses.dataclass(frozen=True)
class Further(Small):
    z: int = 3

def told(of):
    try:
        return of()
    except Exception as error:
        return type(error).__name__, str(error)

for again in range(2):  # when a method is compiled, and afterwards
    for kind in (Small, Further, Named):
        one, other = kind(1), kind(2)
        print(one, one == kind(x=1), one == other, one == 1, told(lambda: hash(one) == hash(kind(1))))
        print(told(lambda: setattr(one, "x", 5)), told(lambda: delattr(other, "x")), told(lambda: one < other), one)
        print(dataclasses.replace(one, x=7), pickle.loads(pickle.dumps(one)), dataclasses.asdict(kind(4)))
        print(told(lambda: kind()), told(lambda: kind(1, 2, 3, 4)), told(lambda: kind(w=1)))
    print(Named(3, name="m"), Further(1, z=4), [each.name for each in dataclasses.fields(Further)])
print(Further.__init__.__qualname__, Small.__eq__.__qualname__)
"""
    told = [
        subprocess.run([sys.executable, "-c", program, when], capture_output=True, text=True, timeout=120)
        for when in ("at once", "later")
    ]
    assert not told[0].returncode, told[0].stderr
    assert told[0].stdout == told[1].stdout, told[1].stderr


def test_methods_that_are_compiled_later_take_their_own_place() -> None:
    program = """
import dataclasses, sys
from audit.cli.lean_dataclasses import compile_methods_when_called
compile_methods_when_called()

@dataclasses.dataclass(frozen=True)
class Point:
    x: int

before = Point.__init__, Point.__eq__, Point.__hash__
assert Point(1) == Point(1) and len({Point(1), Point(1)}) == 1
assert sys.version_info >= (3, 13) or not {*before} & {Point.__init__, Point.__eq__, Point.__hash__}
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
