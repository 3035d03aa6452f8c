"""A state that the command `split` divides into three, two of them new; it may be encrypted."""

from __future__ import annotations

import io
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from statefmt.cli.main import main
from statefmt.encryption import decrypt
from statefmt.model.errors import StoreError
from tests.cli.encrypted import configuration, configured, encrypted
from tests.edit.transactions.three_states import Scene, state

ENCRYPTED = "encrypted"
_MODULES = {"vpc": "module.net", "shared": "module.fresh"}


class SplitScene(Scene):
    """The state, and those that are made from it by its modules."""

    @property
    def local(self) -> dict[str, Path]:
        return {name: self.folder / f"{name}.tfstate" for name in ("app", "fresh", "net")}

    @property
    def contents(self) -> dict[str, bytes]:
        there = [name for name, path in self.local.items() if path.exists() and path.read_bytes()]
        return {name: self.settled(name) for name in there}

    def settled(self, name: str) -> bytes:
        content = super().settled(name)
        return decrypt(content, configured("new")).plain if self.variables else content

    def apply(self) -> None:
        self._run("-y")

    def end(self, *, back: bool) -> tuple[str, ...]:
        self._run("--abort" if back else "--resume")
        return ()

    def _run(self, option: str) -> None:
        os.environ.update(self.context.environment)
        new = str(self.folder / "{name}.tfstate")
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as said:
            status = main(["split", str(self.local["app"]), "--by", "module", "--into", new, option])
        if status != 0:
            raise StoreError(said.getvalue())


def split_scene(folder: Path, kind: str) -> SplitScene:
    """Make the state; `kind` is ENCRYPTED, or anything else."""
    folder.mkdir(parents=True)
    document = json.loads(state("app", ("vpc", "shared", "own")))
    for one in document["resources"]:
        if one["name"] in _MODULES:
            one["module"] = _MODULES[one["name"]]
    content = json.dumps(document, indent=2).encode() + b"\n"
    variables = {"TF_ENCRYPTION": json.dumps(configuration("new"))} if kind == ENCRYPTED else {}
    (folder / "app.tfstate").write_bytes(encrypted(content, "new") if variables else content)
    return SplitScene(folder, [], variables)
