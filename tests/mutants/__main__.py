"""Try a seeded sample of changes: `python -m tests.mutants --seed 1 --count 100`.

Each change is made in a copy of the checkout, and the nearest tests run there. What no test notices is printed. Neither
mutmut nor cosmic-ray fits: mutmut's functions read its configuration in the current folder, where tests start the
program in folders of their own; cosmic-ray does not change words.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Final

from tests.mutants.change import Kind, Mutant, mutants
from tests.mutants.nearest import Tests

_ROOT: Final = Path(__file__).resolve().parents[2]
# What decides what is said and what is written.
MODULES: Final = (
    "statefmt/cli/*.py", "statefmt/cli/commands/*.py", "statefmt/render/**/*.py", "statefmt/edit/**/*.py",
    "statefmt/store/**/*.py", "statefmt/lifecycle/verification/*.py", "statefmt/redaction/*.py",
    "statefmt/lint/gate*.py", "statefmt/formats/salvage/*.py",
)  # fmt: skip
# A third are words, verdicts and exit statuses of what is said.
_SAID: Final = ("statefmt/cli/", "statefmt/render/")
_MOST_FILES: Final = 10
_PATIENCE: Final = 240.0


def main(words: Sequence[str]) -> int:
    """Run the sample; the exit status is 1 if a change survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", help="only files whose path contains this")
    given = parser.parse_args(words)
    chosen = sample(_ROOT, given.seed, given.count, given.only)
    tests = Tests(_ROOT)
    copies: SimpleQueue[Path] = SimpleQueue()
    outcomes: Counter[tuple[Kind, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="statetool-mutants-") as folder, ThreadPoolExecutor(given.jobs) as pool:
        for number in range(given.jobs):
            copies.put(_copy(Path(folder, str(number))))
        for mutant, outcome in pool.map(lambda one: (one, _tried(one, tests, copies)), chosen):
            outcomes[mutant.kind, outcome] += 1
            before = (_ROOT / mutant.file).read_text("utf-8")[mutant.start : mutant.end]
            change = f"{' '.join(before.split())[:90]} → {' '.join(mutant.new.split())[:90]}"
            print(f"{outcome:8} {mutant.kind.value:11} {mutant.file}:{mutant.line}: {change}", flush=True)
    for kind in Kind:
        killed, survived = outcomes[kind, "killed"], outcomes[kind, "survived"]
        print(f"{kind.value}: {killed} of {killed + survived} noticed, {outcomes[kind, 'no tests']} without near tests")
    return any(outcome != "killed" for _, outcome in outcomes)


def sample(root: Path, seed: int, count: int, only: str = "") -> list[Mutant]:
    """Choose changes: a third of what is said, the others of all modules in question, each module as likely."""
    chance = random.Random(seed)
    files = sorted({path.relative_to(root) for pattern in MODULES for path in root.glob(pattern)})
    found: list[Mutant] = []
    seen: set[tuple[Path, int, str]] = set()
    said = [file for file in files if file.as_posix().startswith(_SAID)]
    while len(found) < count:
        file = chance.choice(said if len(found) % 3 == 0 else files)
        if only not in file.as_posix():
            continue
        candidates = list(mutants(file, (root / file).read_text("utf-8")))
        if len(found) % 3 == 0:
            candidates = [one for one in candidates if one.kind is not Kind.STEP]
        if not candidates:
            continue
        mutant = chance.choice(candidates)
        if (mutant.file, mutant.start, mutant.new) not in seen:
            seen.add((mutant.file, mutant.start, mutant.new))
            found.append(mutant)
    return found


def _copy(target: Path) -> Path:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=_ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (_ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(_ROOT / name, target / name)
    return target


def _tried(mutant: Mutant, tests: Tests, copies: SimpleQueue[Path]) -> str:
    source = (_ROOT / mutant.file).read_text("utf-8")
    near = tests.nearest(mutant, source, _MOST_FILES)
    if not near:
        return "no tests"
    copy = copies.get()
    try:
        (copy / mutant.file).write_text(mutant.applied(source), "utf-8")
        # Each with -x, the nearest first.
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *map(str, near)]
        environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            done = subprocess.run(
                command,
                cwd=copy,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return "too slow"
        return "survived" if done.returncode == 0 else "killed"
    finally:
        (copy / mutant.file).write_text(source, "utf-8")
        copies.put(copy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
