"""Generated operations files do what the commands do one after the other, in one serial."""

from __future__ import annotations

from functools import reduce

import pytest

from statefmt.edit.changes import composed
from statefmt.edit.operations_file import run
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.edit.operations_file.working_states import FileEdits
from statefmt.formats.reading import read
from statefmt.formats.writing.write import write
from statefmt.model.errors import SurgeryError
from tests.edit.operations_file.generated_files import GeneratedFile, generated_file

FILES = 500
SAMPLE = 24


def edits_of(generated: GeneratedFile, text: str) -> FileEdits:
    file = read_operations_file("x", (generated.head + text).encode())
    return run(file, {name: read(content).snapshot for name, content in generated.before.items()})


def check(seed: int) -> None:
    generated = generated_file(seed)
    found = edits_of(generated, "".join(generated.blocks))
    assert list(found.edits) == list(dict.fromkeys(name for made in generated.made for name in made.edits)), seed
    assert found.crossing == tuple(crossing for made in generated.made for crossing in made.crossing), seed
    new = {config for configs in found.new_providers.values() for config in configs}
    assert new == {config for made in generated.made for config in made.new_providers}, seed
    for name, edit in found.edits.items():
        edits = [made.edits[name] for made in generated.made if name in made.edits]
        assert edit.snapshot == edits[-1].snapshot, (seed, name)
        assert edit.notes == tuple(note for each in edits for note in each.notes), (seed, name)
        assert edit.joins == tuple(join for each in edits for join in each.joins), (seed, name)
        if len(generated.before) == 1:
            assert edit.moved == reduce(composed, edits).moved, seed
        # Resources that operations put elsewhere are in their order in the file.
        assert write(edit.snapshot, canonical=False) == generated.after[name], (seed, name)
    for number, block, message in generated.refused:
        with pytest.raises(SurgeryError) as raised:
            edits_of(generated, "".join((*generated.blocks[:number], block)))
        assert str(raised.value).partition(": ")[2] == message, (seed, block)


@pytest.mark.parametrize("part", range(4))
def test_a_sample(part: int) -> None:
    for seed in range(part, SAMPLE, 4):
        check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_all(part: int) -> None:
    for seed in range(part, FILES, 10):
        check(seed)


def test_files_have_many_operations_and_kinds() -> None:
    files = [generated_file(seed) for seed in range(25)]
    kinds = {block.partition(" ")[0] for file in files for block in file.blocks}
    assert kinds >= {"move", "forget", "rekey", "rebind", "replace_provider", "taint", "untaint", "set", "unset"}
    assert sum(len(file.blocks) for file in files) > 100
    assert sum(len(file.before) > 1 for file in files) > 6
