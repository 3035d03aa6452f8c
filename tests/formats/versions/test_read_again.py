"""States of older formats that are read again with other provider sources."""

from __future__ import annotations

import json
from typing import Any

import pytest

from statefmt.edit.provider_sources import SourceRequest
from statefmt.edit.session import loaded_plain
from statefmt.formats.providers import SourceRewriter, source_choice
from statefmt.formats.reading import inspect, read

_RESOURCE = {
    "type": "aws_vpc", "depends_on": ["aws_eip.a"], "provider": "provider.aws",
    "primary": {"id": "i", "attributes": {"id": "i", "tags.%": "0"}, "meta": {}}, "deposed": [],
}  # fmt: skip
_DOCUMENTS: list[dict[str, Any]] = [
    {"version": 1, "modules": [{"path": ["root"], "outputs": {}, "resources": {"aws_vpc.a": {"type": "aws_vpc"}}}]},
    {"version": 2, "modules": [{"path": ["root"], "outputs": {}, "resources": {"aws_vpc.a": _RESOURCE}}]},
    {"version": 3, "modules": [{"path": ["root", "m"], "outputs": {}, "resources": {"aws_vpc.a.0": _RESOURCE}}]},
    {"version": 3, "terraform_version": "v0.11.14", "new": 1, "modules": []},
]


@pytest.mark.parametrize("document", _DOCUMENTS, ids=lambda document: f"format {document['version']}")
def test_the_upgraded_document_gives_the_same_as_the_bytes(document: dict[str, Any]) -> None:
    data = json.dumps(document).encode()
    first = read(data)
    assert first.upgraded == inspect(data).upgraded
    choice = source_choice("registry.terraform.io", [])
    assert read(data, SourceRewriter(choice).document, first.upgraded) == read(data, SourceRewriter(choice).document)
    # Nothing of this changed the document.
    assert read(data, None, first.upgraded) == first == read(data)


def test_the_upgraded_document_is_not_read_again() -> None:
    data = json.dumps(_DOCUMENTS[2]).encode()
    first = read(data)
    rewriter = SourceRewriter(source_choice("registry.terraform.io", []))
    # The upgrade stands for the bytes, whatever they are.
    again = read(b"{}", rewriter.document, first.upgraded)
    assert rewriter.report.changed
    assert again.upgraded is first.upgraded
    assert again.version == 3


def test_inferred_sources_need_one_upgrade() -> None:
    state = loaded_plain("-", json.dumps(_DOCUMENTS[2]).encode())
    found = SourceRequest(choice=source_choice("", ["aws=hashicorp/aws"])).applied(state)
    assert found.sources.changed
    assert found.result.upgraded is state.result.upgraded


def test_a_state_of_the_current_format_keeps_no_document() -> None:
    assert read(b'{"version": 4, "terraform_version": "1.5.7", "serial": 1, "lineage": "l"}').upgraded is None
    assert read(b'{"version": 4, "terraform_version": "1.5.7", "serial": 1, "lineage": "l", "x": 1}').upgraded is None
