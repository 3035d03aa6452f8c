"""The canonical style nearest to a file's own."""

from __future__ import annotations

import pytest

import statefmt
from statefmt.formats import Layout, Style, style_of
from tests.tables import each_row

_ONE_LINE = Style(Layout.COMPACT)
_INDENTED = Style(Layout.INDENT, 1)
_INDENTED_1_12 = Style(Layout.INDENT, 2)


@each_row(
    ("data", "style"),
    [
        pytest.param(b'{"version":4}\n', _ONE_LINE, id="OpenTofu 1.8 to 1.11, and remote states"),
        pytest.param(b'{"version":4}', _ONE_LINE, id="one line without its end"),
        pytest.param(b'{"version": 4, "serial": 1}', _ONE_LINE, id="Python's json.dumps"),
        pytest.param(b'{"version":4,\n"serial":1}', _ONE_LINE, id="broken later only"),
        pytest.param(b"{}", _ONE_LINE, id="nothing in it"),
        pytest.param(b'{\n  "version": 4\n}\n', _INDENTED, id="Terraform, and OpenTofu up to 1.7"),
        pytest.param(b'{\n  "version": 4\n}', _INDENTED, id="indented without a last line end"),
        pytest.param(b'{\r\n  "version": 4\r\n}\r\n', _INDENTED, id="CRLF"),
        pytest.param(b'{\n\t"version": 4\n}\n', _INDENTED, id="tabs"),
        pytest.param(b'\n {  \n"version": 4\n}\n', _INDENTED, id="spaces about the bracket"),
        pytest.param(b'{\n  "version": 4\n}\n\n', _INDENTED_1_12, id="OpenTofu 1.12 and later"),
        pytest.param(b'{\n  "version": 4\n}\n\n\n', _INDENTED, id="more line ends than anyone writes"),
    ],
)
def test_style_of(data: bytes, style: Style) -> None:
    assert style_of(data) == style
    assert statefmt.inspect(data).style == (style if b"version" in data else _INDENTED)
