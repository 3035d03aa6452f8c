"""How often statetool and HCL agree on whether a file is a configuration, and where they don't.

    python benchmarks/syntax_agreement.py FOLDER [MUTATIONS [SEED]]

Every file below FOLDER with an ending of the native syntax is read here and by `terraform fmt` or `tofu fmt`, which
use HCL's own parser. With MUTATIONS, as many texts are made of these files by taking out, doubling, moving or adding
a word or a sign, and are read by both as well. OpenTofu's own files, `internal/` of its repository, are the measure.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from statefmt.hcl.source import Problem, SourceText
from statefmt.hcl.syntax.native import read_file

_ENDINGS: Final = (".tf", ".tofu", ".tfvars", ".hcl")
_PIECE: Final = re.compile(rb"\w+|\s+|[^\w\s]")
_PUT_IN: Final = (b"\n", b" ", b'"', b"{", b"}", b"(", b"[", b",", b"=", b".", b"${", b"1", b"<<")


def _mutated(text: bytes, chance: random.Random) -> bytes:
    pieces = _PIECE.findall(text) or [b""]
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(pieces))
        kind = chance.random()
        if kind < 0.4 and len(pieces) > 1:
            del pieces[at]
        elif kind < 0.6:
            pieces.insert(at, pieces[at])
        elif kind < 0.8:
            pieces[at] = chance.choice(pieces)
        else:
            pieces.insert(at, chance.choice(_PUT_IN))
    return b"".join(pieces)


def _rejected_by_program(texts: list[bytes]) -> set[int]:
    program = shutil.which("tofu") or shutil.which("terraform")
    if program is None:
        raise SystemExit("neither tofu nor terraform is on PATH")
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(texts):
            Path(folder, f"t{number:06d}.tf").write_bytes(text)
        environment = {**os.environ, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"}
        command = [program, "fmt", "-no-color", "-list=false", "-write=false", "-check"]
        done = subprocess.run(command, cwd=folder, capture_output=True, errors="replace", env=environment, check=False)
    return {int(found) for found in re.findall(r"^\s+on t(\d{6})\.tf line", done.stderr, re.MULTILINE)}


def _is_rejected(text: bytes) -> bool:
    problems: list[Problem] = []
    read_file(SourceText("", text.removeprefix(b"\xef\xbb\xbf")), problems)
    return bool(problems)


def _report(what: str, names: list[str], texts: list[bytes]) -> None:
    theirs = _rejected_by_program(texts)
    ours = {number for number, text in enumerate(texts) if _is_rejected(text)}
    share = 100 * (1 - len(ours ^ theirs) / len(texts))
    print(f"{what}: {len(texts):,}, of which HCL rejects {len(theirs):,}; agreement {share:.2f} %")
    for number in sorted(theirs - ours):
        print(f"  only HCL rejects {names[number]}")
    for number in sorted(ours - theirs):
        print(f"  only statetool rejects {names[number]}")


def main(folder: Path, mutations: int, seed: int) -> None:
    files = sorted(path for path in folder.rglob("*") if path.name.endswith(_ENDINGS) and path.is_file())
    if not files:
        raise SystemExit(f"there are no configuration files below {folder}")
    texts = [path.read_bytes() for path in files]
    _report("files", [str(path.relative_to(folder)) for path in files], texts)
    if mutations:
        chance = random.Random(seed)
        chosen = [chance.randrange(len(texts)) for _ in range(mutations)]
        made = [_mutated(texts[number], chance) for number in chosen]
        _report("mutated texts", [f"one made of {files[number].relative_to(folder)}" for number in chosen], made)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    given = [*sys.argv[2:], "0", "1"] if len(sys.argv) == 2 else [*sys.argv[2:], "1"]
    main(Path(sys.argv[1]), int(given[0]), int(given[1]))
