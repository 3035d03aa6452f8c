"""What applying the certain pairs does to a state, for every case."""

from collections import Counter
from pathlib import Path

import pytest

from statefmt import write
from statefmt.analysis.adoption import adopt
from statefmt.edit.adoption import adopted, adoption_operations, without_conflicts
from statefmt.formats.reading import inspect, read
from statefmt.lint.check import check
from statefmt.model.findings import Severity
from statefmt.model.snapshot import Snapshot, instances
from tests.analysis.adoption.case import CASES, Case, read_case

_FILES = sorted(CASES.glob("*.txt"))


@pytest.fixture(params=_FILES, ids=[file.stem for file in _FILES])
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Case:
    return read_case(request.param.read_text(), tmp_path)


def test_the_objects_are_where_they_belong(case: Case) -> None:
    before = read(case.state).snapshot
    found = without_conflicts(before, adopt(before, case.after, case.before))
    after = adopted(before, adoption_operations(before, found)).snapshot
    places = {instance.addr: instance for instance in instances(after)}
    for pair in found.pairs:
        there = places[pair.target.address]
        assert [obj.attributes for obj in there.objects] == [obj.attributes for obj in pair.source.instance.objects]
        assert {there.provider(obj) for obj in there.objects} == {pair.target.provider}
    # Each object is there exactly once, but for data resources, which are read again.
    assert _objects(before) - _objects(after) == Counter(
        bytes(obj.attributes or b"")
        for instance in instances(before)
        if instance.addr in found.dropped
        for obj in instance.objects
    )
    assert not _objects(after) - _objects(before)
    # Nothing is left to be proposed.
    assert not adopt(after, case.after, None).pairs


def test_nothing_that_is_decided_loses_its_provider(case: Case) -> None:
    before = read(case.state).snapshot
    found = without_conflicts(before, adopt(before, case.after, case.before))
    after = adopted(before, adoption_operations(before, found)).snapshot
    decided = {str(pair.target.address) for pair in found.pairs}
    findings = check(inspect(write(after)), select=("CFS",), configuration=case.after)
    errors = [one for one in findings if one.severity is Severity.ERROR]
    assert not [one for one in errors if one.address in decided]
    if found.is_decided and not found.left:
        assert not errors


def _objects(snapshot: Snapshot) -> Counter[bytes]:
    return Counter(bytes(obj.attributes or b"") for instance in instances(snapshot) for obj in instance.objects)
