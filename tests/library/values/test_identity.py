"""An identity is a read-only mapping like attributes; test_show.py compares it with what `show` prints."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Final

import pytest
from msgspec import Raw

import statefmt
from statefmt import ResourceIdentity
from statefmt.library.values import Sensitive
from statefmt.model.snapshot import ResourceInstanceObject
from tests.cli.states import resource, state

_PATHS: Final = b'[[{"type":"get_attr","value":"p"}]]'
_TEXT: Final = b'{ "id" : 1.50, "p": "hunter2", "region": {"k": [1]}, "auth_token": "s3cret" }'


def _identity(text: bytes) -> ResourceIdentity:
    obj = ResourceInstanceObject(identity=Raw(text), identity_schema_version=3, sensitive_attributes=_PATHS)
    return ResourceIdentity(obj, "x")


def test_values_are_decoded_and_masked() -> None:
    found = _identity(_TEXT)
    assert list(found) == ["id", "p", "region", "auth_token"]
    assert (str(found["id"]), found["region"], found.at("region.k[0]")) == ("1.50", {"k": (1,)}, 1)
    assert found.sensitive == ("p", "auth_token")
    assert [found[name].reveal() for name in found.sensitive] == ["hunter2", "s3cret"]
    assert (found.raw, found.schema_version) == (_TEXT, 3)


def test_it_prints_masked_and_is_not_pickled() -> None:
    found = _identity(_TEXT)
    assert repr(found) == (
        "ResourceIdentity({'id': Decimal('1.50'), 'p': (sensitive value), 'region': {'k': (1,)}, "
        "'auth_token': (sensitive value)})"
    )
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(found)
    assert copy.copy(found) is copy.deepcopy(found) is found


def test_no_identity() -> None:
    found = ResourceIdentity(ResourceInstanceObject(), "x")
    assert (dict(found), found.sensitive, found.raw, found.schema_version) == ({}, (), None, None)


@pytest.mark.parametrize("text", [b"null", b"[1]", b'"x"'])
def test_an_identity_that_is_not_an_object(text: bytes) -> None:
    found = _identity(text)
    assert (dict(found), found.raw) == ({}, text)


def test_an_identity_nested_too_deeply() -> None:
    found = _identity(b'{"a": %b, "b": 1}' % (b"[" * 100_000 + b"]" * 100_000))
    assert list(found) == ["a", "b"]
    # What hides cannot look inside, so all of it is hidden.
    assert isinstance(found["b"], Sensitive)
    with pytest.raises(statefmt.SelectionError, match="nested too deeply"):
        found["a"].reveal()


def test_of_an_instance(tmp_path: Path) -> None:
    """That of the current object, like its attributes."""
    members = [{"attributes": {"id": "2"}, "identity": {"n": 2}, "deposed": "7c1f00aa"}]
    members.append({"attributes": {"id": "1"}, "identity": {"n": 1}, "identity_schema_version": 0})
    path = tmp_path / "terraform.tfstate"
    path.write_bytes(state(resource("a", "b", *members), resource("a", "c", {"attributes": {}})))
    first, second = statefmt.open(path).select("a.*")
    assert (dict(first.identity), json.loads(first.identity_raw or b""), first.identity.schema_version) == (
        {"n": 1},
        {"n": 1},
        0,
    )
    assert first.identity is first.identity
    assert (dict(second.identity), second.identity_raw) == ({}, None)
