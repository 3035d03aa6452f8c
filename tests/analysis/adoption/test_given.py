"""Pairs that the user gives are held against what the old provider instances say."""

from pathlib import Path

import pytest

from statefmt.addrs import parse_abs_resource_instance
from statefmt.analysis.adoption import adopt
from statefmt.analysis.adoption.model import Adoption
from statefmt.formats.reading import read
from statefmt.model.errors import SelectionError
from tests.analysis.adoption.case import CASES, read_case


def _adopted(folder: Path, old: str, new: str) -> Adoption:
    # app_a was on db1 and app_b on db2; app["a"] is on db2 and app["b"] on db3.
    case = read_case((CASES / "other-account-pg-host-replaced.txt").read_text(), folder)
    given = {parse_abs_resource_instance(old): parse_abs_resource_instance(new)}
    return adopt(read(case.state).snapshot, case.after, case.before, given)


def test_a_pair_with_the_host_of_another_object_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SelectionError, match=r"host of .* was that of another old provider instance"):
        _adopted(tmp_path, "postgresql_role.app_a", 'postgresql_role.app["a"]')


def test_a_pair_with_a_host_that_no_object_had_is_taken(tmp_path: Path) -> None:
    found = _adopted(tmp_path, "postgresql_role.app_a", 'postgresql_role.app["b"]')
    assert {(str(pair.source.addr), str(pair.target.address)) for pair in found.pairs} == {
        ("postgresql_role.app_a", 'postgresql_role.app["b"]'),
        ("postgresql_role.app_b", 'postgresql_role.app["a"]'),
    }
