"""Words for a shell: bash itself says what they mean."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from statefmt.text import shell_line, shell_word

WORDS = [
    "",
    "plain",
    "two words",
    "it's",
    'aws.web["a"]',
    "$(x) `y`",
    "a\nb\t\r",
    "\x1b[31m\x7f",
    "\u202e\x9b",
    "Ä→",
    "\\'\n$x",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize("word", [*map(str.encode, WORDS), b"\xff.tfstate", b"a\xe2\x82'\n", b"\x80\xc3\xa4"], ids=repr)
def test_bash_reads_the_same_bytes(word: bytes) -> None:
    shown = shell_word(os.fsdecode(word))
    assert shown.isprintable()
    assert subprocess.run(["bash", "-c", f"printf %s {shown}"], capture_output=True, check=True).stdout == word


def test_line() -> None:
    assert shell_line(["rm", "a b", "--yes"]) == "rm 'a b' --yes"
