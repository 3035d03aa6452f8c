"""The text of `check`, against texts that somebody has looked at.

`python -m tests.render.check.test_text` writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from statefmt.lint.checked import CheckedState
from statefmt.render.check import check_text, statistics_text
from statefmt.render.findings import findings_text, message
from statefmt.render.terminal import Terminal
from tests.render.states import (
    CLEAN,
    ERROR,
    HOSTILE,
    INFO,
    LOWER_CASE,
    NO_DETAIL,
    NO_STATE,
    SEVERAL,
    WARNING,
    hundred,
    state,
)
from tests.tables import each_row

GOLDEN = Path(__file__).with_name("golden")
PLAIN, COLOURED = Terminal(80), Terminal(80, colour=True)

TEXTS = {
    "none.txt": "\n".join(check_text([CLEAN], PLAIN)),
    "none-hidden.txt": "\n".join(check_text([state(hidden=2), CLEAN], PLAIN)),
    "one.txt": "\n".join(check_text([state(ERROR)], PLAIN)),
    "one-coloured.txt": "\n".join(check_text([state(ERROR)], COLOURED)),
    "several.txt": "\n".join(check_text(SEVERAL, PLAIN)),
    "several-coloured.txt": "\n".join(check_text(SEVERAL, COLOURED)),
    "several-narrow.txt": "\n".join(check_text(SEVERAL, Terminal(50))),
    "hundred.txt": "\n".join(check_text([hundred()], PLAIN)),
    "hostile.txt": "\n".join(check_text([state(HOSTILE, name="a\x1b[31m\nb\udcff.tfstate")], PLAIN)),
    "statistics.txt": statistics_text([*SEVERAL, hundred()], PLAIN),
    "statistics-coloured.txt": statistics_text([*SEVERAL, hundred()], COLOURED),
    "statistics-none.txt": statistics_text([CLEAN], PLAIN),
    "for-errors.txt": findings_text([ERROR, WARNING, NO_STATE], PLAIN),
}

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@each_row("name", TEXTS)
def test_golden(name: str) -> None:
    assert TEXTS[name] + "\n" == (GOLDEN / name).read_text("utf-8")


def test_every_golden_text_is_compared() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == sorted(TEXTS)


@pytest.mark.parametrize(("states", "width"), [(SEVERAL, 40), (SEVERAL, 80), (SEVERAL, 120), ((hundred(),), 80)])
def test_lines_fit_where_no_word_is_longer(states: tuple[CheckedState, ...], width: int) -> None:
    for line in "\n".join(check_text(states, Terminal(width))).splitlines()[:-1]:
        # One word after the indentation may be as long as it is, and so may the head: severity, code, address.
        alone = len(re.sub(r'\["[^"]*"\]', "", line).split()) <= 2
        head = re.match(r"(error|warning|info) +[A-Z]{3}\d{3} ", line)
        assert len(line) <= width or alone or head, line


@pytest.mark.parametrize("width", [40, 80, 120])
def test_addresses_are_never_broken(width: int) -> None:
    text = "\n".join(check_text(SEVERAL, Terminal(width)))
    for address in (ERROR.address, WARNING.address, 'provider["registry.opentofu.org/hashicorp/aws"].by_region'):
        assert address in text
    assert text.count(WARNING.address) == 2


@pytest.mark.parametrize("name", [name for name in TEXTS if name.endswith("-coloured.txt")])
def test_colours_change_nothing_else(name: str) -> None:
    assert _COLOUR.search(TEXTS[name])
    assert _COLOUR.sub("", TEXTS[name]) == TEXTS[name.replace("-coloured", "")]


@pytest.mark.parametrize("name", [name for name in TEXTS if not name.endswith("-coloured.txt")])
def test_no_control_characters(name: str) -> None:
    assert re.search(r"[^\n\x20-\x7e→…“”]", TEXTS[name]) is None


MESSAGES = [
    (ERROR, f"{ERROR.summary}. {ERROR.detail}", "two sentences"),
    (LOWER_CASE, f"{LOWER_CASE.summary}: {LOWER_CASE.detail}", "a detail that goes on"),
    (INFO, INFO.detail, "the detail says all of it"),
    (NO_DETAIL, NO_DETAIL.summary, "no detail"),
]


@pytest.mark.parametrize(("finding", "text", "shows"), MESSAGES, ids=[case[2] for case in MESSAGES])
def test_summary_and_detail(finding: object, text: str, shows: str) -> None:
    assert message(finding) == text  # type: ignore[arg-type]


if __name__ == "__main__":
    for path in GOLDEN.iterdir():
        path.unlink()
    for golden, content in TEXTS.items():
        (GOLDEN / golden).write_text(content + "\n", "utf-8")
