"""Merged buckets: beside the definition, read from the published files."""

import csv
import shutil
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymizers.m_invariance import MInvarianceAnonymizer
from audit.adversary.view import build_evidence
from audit.io.microdata import open_microdata
from audit.io.series import open_series
from audit.metrics.utility import Queries, measure
from audit.principles.registry import find
from audit.publishing.publish import PublishOptions, publish
from series_bench.papers.equivalence.merging import by_signature, merge
from tests.helpers.microdata import write_microdata

EXAMPLES = Path(__file__).parents[3] / "tests" / "examples"
DISEASES = ("flu", "cough", "ache", "rash")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), min_size=1))
def test_groups_are_one_when_their_sets_of_values_are(entries):
    numbers = {group: place for place, group in enumerate(sorted({group for group, _ in entries}))}
    held = defaultdict(set)
    for group, value in entries:
        held[numbers[group]].add(value)
    columns = np.array([(numbers[group], value) for group, value in entries], dtype=np.int32).T
    found = by_signature(*columns).tolist()
    seen = list(dict.fromkeys(frozenset(held[group]) for group in range(len(held))))
    assert found == [seen.index(frozenset(held[group])) + 1 for group in range(len(held))]


def published(micro, folder):
    return publish(
        open_microdata(micro),
        folder,
        MInvarianceAnonymizer(2),
        find("m-invariance", {"m": 2}),
        PublishOptions(form="anatomy", seed=1),
    )


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def groups(folder, tag):
    """Return the signature, the rows and the values of each group of a release, and its counterfeits."""
    rows, values = defaultdict(list), defaultdict(Counter)
    for place, row in enumerate(read(folder / f"releases/{tag}.rows.csv")):
        rows[row.pop("Group")].append((place, *row.items()))
    for entry in read(folder / f"releases/{tag}.values.csv"):
        values[entry["Group"]][entry["Disease"]] += int(entry["count"])
    fakes = folder / f"counterfeits/{tag}.csv"
    fake = Counter({each["Group"]: int(each["Count"]) for each in read(fakes)} if fakes.exists() else {})
    return [(frozenset(values[name]), rows[name], values[name], fake[name]) for name in values]


def joined(some):
    """Merge groups by hand."""
    rows, values, fakes = defaultdict(set), defaultdict(Counter), Counter()
    for signature, of_group, content, fake in some:
        rows[signature].update(of_group)
        values[signature] += content
        fakes[signature] += fake
    return rows, values, fakes


def test_what_is_published_of_a_signature_is_merged(tmp_path):
    published(EXAMPLES / "clinic-microdata", tmp_path / "fine")
    merge(tmp_path / "fine", tmp_path / "whole")
    merge(tmp_path / "whole", tmp_path / "again")
    several = faked = 0
    for tag in "123":
        fine, whole = groups(tmp_path / "fine", tag), groups(tmp_path / "whole", tag)
        assert len(whole) == len({signature for signature, *_ in fine})
        assert joined(whole) == joined(fine)
        assert groups(tmp_path / "again", tag) == whole
        several += len(fine) > len(whole)
        faked += sum(fake for *_, fake in whole)
        key = f"private/{tag}.key.csv"
        assert (tmp_path / "whole" / key).read_bytes() == (tmp_path / "fine" / key).read_bytes()
    assert several
    assert faked
    assert len(build_evidence(open_series(tmp_path / "whole"))) == 1


def test_queries_cannot_tell_merged_buckets_from_fine_groups(tmp_path):
    """Proposition 1 of the equivalence paper: without counterfeits the expected counts are the same."""
    people = [(f"p{n}", 20 + 7 * n % 30, ("Rome", "Oslo")[n % 2], DISEASES[n % 4]) for n in range(24)]
    micro = write_microdata(tmp_path / "micro", {"1": people})
    published(micro, tmp_path / "fine")
    merge(tmp_path / "fine", tmp_path / "whole")
    assert len(groups(tmp_path / "whole", "1")) < len(groups(tmp_path / "fine", "1"))
    named = [(name, open_series(tmp_path / name)) for name in ("fine", "whole")]
    (fine,), (whole,) = measure(named, open_microdata(micro), Queries(200, 0.3))
    assert fine.query_error == pytest.approx(whole.query_error)


def test_generalized_groups_are_not_merged(tmp_path):
    shutil.copytree(EXAMPLES / "hospital-2-invariant", tmp_path / "generalized")
    with pytest.raises(ValueError, match="publish the series by Anatomy"):
        merge(tmp_path / "generalized", tmp_path / "whole")
    assert not (tmp_path / "whole").exists()
