"""The quick answer to whether a text is canonical is that of making the canonical text."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from statefmt.formats import Layout, Style
from statefmt.formats.reading import inspect
from statefmt.formats.writing import canonical, is_canonical
from statefmt.model.snapshot import Snapshot
from tests.analysis.diff.realistic import realistic
from tests.tables import each_row

STYLES = [Style(Layout.INDENT), Style(Layout.INDENT, 2), Style(Layout.COMPACT), Style(Layout.COMPACT, 2)]
SAMPLES = sorted(Path(__file__).parents[3].joinpath("samples").glob("v*.tfstate"))
MARK = "\ue000resources\ue000"


@each_row("style", STYLES, ids=str)
@each_row("seed", range(8))
def test_canonical_text_is_canonical_in_its_own_style_only(seed: int, style: Style) -> None:
    text = canonical(realistic(seed), style)
    answers = {other: is_canonical(text, realistic(seed), other, keep_unknown=True) for other in STYLES}
    assert answers == {other: other == style for other in STYLES}


@pytest.mark.parametrize("style", STYLES[::2], ids=str)
def test_no_byte_may_be_another(style: Style) -> None:
    snapshot = realistic(3)
    text = canonical(snapshot, style)
    wrong = [
        text[:place] + other + text[place + 1 :]
        for place in range(0, len(text), 7)
        for other in (b"", b" ", b"x" + text[place : place + 1])
        if other != text[place : place + 1]
    ]
    wrong += [b"", text[:-1], text + b"\n", b" " + text, text[: len(text) // 2], text + text]
    assert not any(is_canonical(other, snapshot, style, keep_unknown=True) for other in wrong)


@each_row("path", SAMPLES, ids=lambda path: path.name)
@each_row("keep_unknown", [True, False])
def test_samples(path: Path, keep_unknown: bool) -> None:
    inspection = inspect(path.read_bytes())
    assert inspection.snapshot is not None
    for style in STYLES:
        text = canonical(inspection.snapshot, style, keep_unknown=keep_unknown)
        assert is_canonical(text, inspection.snapshot, style, keep_unknown=keep_unknown)
        same = text == path.read_bytes()
        assert is_canonical(path.read_bytes(), inspection.snapshot, style, keep_unknown=keep_unknown) is same


@each_row(
    "snapshot",
    [
        pytest.param(Snapshot(), id="nothing at all"),
        pytest.param(replace(realistic(1), resources=realistic(1).resources[:1]), id="one resource"),
        pytest.param(replace(realistic(1), lineage=MARK), id="the mark is in the state"),
    ],
)
@each_row("style", STYLES, ids=str)
def test_edges(snapshot: Snapshot, style: Style) -> None:
    text = canonical(snapshot, style)
    assert is_canonical(text, snapshot, style, keep_unknown=True)
    assert not is_canonical(text.replace(b"[", b"[ ", 1) + b" ", snapshot, style, keep_unknown=True)
