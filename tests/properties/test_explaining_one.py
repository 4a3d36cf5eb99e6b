"""What is told of one person, settled for that person alone, is what the audit of everybody tells."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attacks.equivalence.attack import EquivalenceAttack
from attacks.intersection import IntersectionAttack
from attacks.joint import settling
from attacks.joint.attack import JointAttack
from attacks.joint.linear_model import LinearModel
from attacks.update_graph import UpdateGraphAttack
from audit.io.series import open_series
from audit.pipeline.audit_run import AuditOptions
from audit.pipeline.explanation import explain_person
from audit.runtime.engine import Local
from tests.helpers.amount import some
from tests.helpers.crowds import KINDS, crowds
from tests.helpers.running import written
from tests.helpers.strategies import linked_series, register_series
from tests.helpers.tiny import read
from tests.oracle.asking import forced

ATTACKS = (IntersectionAttack(), UpdateGraphAttack(), EquivalenceAttack(), JointAttack())
HOOKED = JointAttack, EquivalenceAttack
FEW = settings(max_examples=some(5))
MANIFEST = """[series]
name = "cycle"
releases = ["1.csv", "2.csv", "3.csv"]
[columns]
sensitive = "Disease"
quasi_identifiers = ["Age"]
group = "Group"
individual = "Owner"
"""


def explained(folder, person, adversary=None):
    """What is told of somebody; ids of findings are drawn for each report, and the order of equal ones with them."""
    options = AuditOptions(adversary=adversary, engine=Local(1), time_limit=None)
    told, _ = explain_person(open_series(folder), ATTACKS, person, options)
    said = [
        replace(each, said=tuple(replace(s, findings=without_ids(s.findings)) for s in each.said))
        for each in told.explained
    ]
    return replace(told, explained=tuple(said))


def without_ids(findings):
    return tuple(sorted((replace(finding, id="") for finding in findings), key=repr))


def by_audit(folder, person, adversary=None):
    """The same from attacks that settle everything about everybody."""
    with pytest.MonkeyPatch.context() as patch:
        for attack in HOOKED:
            patch.delattr(attack, "about")
        return explained(folder, person, adversary)


def any_series(adversary, kind):
    spread = register_series if adversary == "register" else linked_series
    more = [spread(changing=kind == "any", known=known) for known in (False, True)]
    return st.one_of(crowds(adversary, kind), *more) if kind in {"constant", "any"} else crowds(adversary, kind)


@pytest.mark.parametrize("adversary", ["linked", "register"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["counted", "walked"])
@FEW
@given(data=st.data())
def test_one_person_is_told_of_as_in_the_audit(adversary, kind, way, data):
    series = data.draw(any_series(adversary, kind))
    people = sorted(series.people(adversary))
    with written(series) as folder, pytest.MonkeyPatch.context() as patch:
        forced(patch, way)
        for person in people[:3]:
            assert explained(folder, person, adversary) == by_audit(folder, person, adversary)


@pytest.fixture
def cycle(tmp_path):
    """Three people of whom each two have different values of two, which nobody can have; two more are apart."""
    (tmp_path / "series.toml").write_text(MANIFEST, encoding="utf-8")
    for at, (one, other) in enumerate(["ab", "bc", "ca"], 1):
        rows = [f"{one},1,20,x", f"{other},1,20,y", "d,2,30,u", "e,2,30,v"]
        (tmp_path / f"{at}.csv").write_text("\n".join(["Owner,Group,Age,Disease", *rows, ""]), encoding="utf-8")
    return tmp_path


def test_where_no_world_is_found_for_the_others_they_are_asked_about_too(cycle, wanted, monkeypatch):
    """That nothing fits elsewhere may show later on only, and then nothing follows for the person."""
    monkeypatch.setattr(settling, "STEPS", 0)
    monkeypatch.setattr(LinearModel, "integers", lambda *_: ("unknown", None))
    told = explained(cycle, "d")
    assert wanted == [len(read(cycle).people("linked"))]
    (attribute,) = told.explained
    assert all(version.together is None for version in attribute.versions)
    assert next(each.status for each in attribute.said if each.attack == "joint") == "incomplete"
    assert told == by_audit(cycle, "d")


@pytest.fixture
def wanted(monkeypatch):
    """How many variables were asked about in the end, each time that a network was settled."""
    counts = []
    settle = settling.Settling.settle

    def noted(self, *args, **options):
        decision = settle(self, *args, **options)
        counts.append(int(self.known.wanted.sum()))
        return decision

    monkeypatch.setattr(settling.Settling, "settle", noted)
    return counts
