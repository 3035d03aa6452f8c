"""Markdown for pull requests: folded, short enough, and with nothing in it that a state could make into markup."""

from __future__ import annotations

import re
from html import unescape

import pytest

from statefmt.analysis.diff import diff
from statefmt.model.snapshot import Snapshot
from statefmt.render.diff import Manner
from statefmt.render.diff.reports import diff_markdown
from tests.analysis.diff.build import snapshot

GITHUB_TAKES = 65_536


def _markdown(old: Snapshot, new: Snapshot, *names: str) -> str:
    return diff_markdown(diff(old, new), Manner(), *(names or ("old", "new")))


def test_all_of_it() -> None:
    old = snapshot("a.x = 1", "a.m = 2", ("a.c = 3", {"attributes": {"n": 1}}))
    new = snapshot("a.n = 2", ("a.c = 3", {"attributes": {"n": 2}}), "a.y = 4", serial=2)
    assert _markdown(old, new) == (
        "### State differences\n\n<code>old</code> → <code>new</code>\n\n"
        "**1 added, 1 removed, 1 changed, 1 moved&#59; serial 1 &#8594; 2**\n\n"
        '<details><summary>Removed (1 entry)</summary>\n\n```diff\n- a.x (id "1")\n```\n\n</details>\n\n'
        '<details><summary>Added (1 entry)</summary>\n\n```diff\n+ a.y (id "4")\n```\n\n</details>\n\n'
        "<details><summary>Moved (1 entry)</summary>\n\n```diff\n# a.m → a.n\n```\n\n</details>\n\n"
        "<details><summary>Changed (1 entry)</summary>\n\n```diff\n! a.c\n!     n: 1 → 2\n```\n\n</details>\n\n"
        "<details><summary>State (1 entry)</summary>\n\n```diff\n! serial: 1 → 2\n```\n\n</details>\n"
    )


def test_nothing() -> None:
    assert _markdown(snapshot(), snapshot()).endswith("\n\nNo differences.")


@pytest.mark.parametrize("number", [1, 900, 1500, 5000])
def test_never_longer_than_a_comment_may_be(number: int) -> None:
    old = snapshot()
    new = snapshot(
        *[f'a.x["{"k" * 20}{n}"] = {n}' for n in range(number)], outputs={"o": {"value": 1, "type": "number"}}
    )
    text = _markdown(old, new)
    assert len(text) <= GITHUB_TAKES - 500
    assert len(text.encode()) < GITHUB_TAKES + 1000
    is_cut = "**Truncated" in text
    assert is_cut == (number > 1000)
    assert text.count("<details>") == text.count("</details>")
    assert text.count("```") == 2 * text.count("<details>")
    if is_cut:
        assert len(text) > 60_000, "cut no sooner than need be"


FENCES = ["```", "`````\n", "~~~", "</details>", "<b>x</b>", "@somebody", "| a | b |", "![](http://x)"]


@pytest.mark.parametrize("evil", FENCES)
def test_values_cannot_leave_their_block(evil: str) -> None:
    """All that comes from a state stands between two fences longer than any in it."""
    new = snapshot(
        ("a.x = 1", {"attributes": {"evil": evil, evil: "x"}}), outputs={evil: {"value": 1, "type": "number"}}
    )
    text = _markdown(snapshot("a.x = 1"), new)
    outside = re.sub(r"^(`{3,})diff\n.*?^\1\n", "", text, flags=re.DOTALL | re.MULTILINE)
    assert evil.strip() not in outside.replace("<details>", "").replace("</details>", "")
    for fence, content in re.findall(r"^(`{3,})diff\n(.*?)^\1\n", text, flags=re.DOTALL | re.MULTILINE):
        assert fence not in content


@pytest.mark.parametrize("name", ["a|b", "`x`", "<script>", "@somebody", "*x*", "a\nb", "[x](y)", "\x1b[31m", "#1"])
def test_names_of_files_are_no_markup(name: str) -> None:
    line = _markdown(snapshot(), snapshot(), name, "new").splitlines()[2]
    (shown, _) = re.findall(r"<code>(.*?)</code>", line)
    assert not re.search(r"[<>`|*\[\]@\x00-\x1f]|#(?!\d+;)|&(?!#\d+;)", shown)
    assert unescape(shown) == name.replace("\n", "\\x0a").replace("\x1b", "\\x1b")
