"""A change of three states: two files, and one in a backend that is a folder, in a circle with a chain behind it.

One that creates states has a fourth one, and neither that nor the one in the backend is there before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

import msgspec

from statefmt.cli.run import system_context
from statefmt.context import RunContext
from statefmt.edit.changes import Ending
from statefmt.edit.operations.undo import undo_request
from statefmt.edit.operations_file import created_states
from statefmt.edit.operations_file.read import read_operations_file
from statefmt.edit.pipeline import EditOptions
from statefmt.edit.transactions import applied
from statefmt.edit.transactions._ending import ended
from statefmt.edit.transactions._participants import ApplyJournal, Participant, participants
from statefmt.edit.transactions._undone_change import UndoneChange, begun_undo, undone_change
from statefmt.edit.transactions.plan import Intent
from statefmt.edit.transactions.staging import staging
from statefmt.model.errors import StoreError
from statefmt.store.backends.options import BackendOptions
from statefmt.store.backends.settings import StatePlace
from statefmt.store.local.settled import read_settled
from statefmt.store.opening import RemoteStore
from statefmt.store.remote.client import Connection
from tests.store.remote.file_client import FileClient

LOCATION = "s3://bucket/far.tfstate"
NAMES = ("app", "net", "far")
# What each state has before; `shared` is in two of them, and is exchanged.
BEFORE: dict[str, tuple[str, ...]] = {
    "app": ("vpc", "shared", "own"),
    "net": ("own", "subnet"),
    "far": ("shared", "own"),
}
STATES = """state "app" { path = "app.tfstate" }
state "net" { path = "net.tfstate" }
state "far" { path = "far" }
"""
CHAIN = """move {
  from = state.app.terraform_data.vpc
  to   = state.far.terraform_data.vpc
}
move {
  from = state.net.terraform_data.subnet
  to   = state.app.terraform_data.subnet
}
"""
CIRCLE = """move {
  from = state.app.terraform_data.shared
  to   = state.net.terraform_data.from_app
}
move {
  from = state.far.terraform_data.shared
  to   = state.app.terraform_data.shared
}
move {
  from = state.net.terraform_data.subnet
  to   = state.far.terraform_data.subnet
}
"""
CREATED = "create = true"
CREATION = """state "app" { path = "app.tfstate" }
state "net" { path = "net.tfstate" }
state "far" {
  path   = "far"
  create = true
}
state "fresh" {
  path   = "fresh.tfstate"
  create = true
}
move {
  from = state.app.terraform_data.vpc
  to   = state.fresh.terraform_data.vpc
}
move {
  from = state.fresh.terraform_data.vpc
  to   = state.far.terraform_data.vpc
}
move {
  from = state.app.terraform_data.shared
  to   = state.fresh.terraform_data.shared
}
move {
  from = state.net.terraform_data.subnet
  to   = state.fresh.terraform_data.subnet
}
"""


@dataclass(frozen=True)
class Scene:
    """Three states in a folder, and the operations file that changes them."""

    folder: Path
    notes: list[str]
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def file(self) -> Path:
        return self.folder / "change.stateops.hcl"

    @property
    def far(self) -> Path:
        return self.folder / "far"

    @property
    def context(self) -> RunContext:
        environment = {"XDG_STATE_HOME": str(self.folder / "home"), "HOME": str(self.folder), **self.variables}
        return replace(system_context(), environment=environment, note=self.notes.append)

    @property
    def local(self) -> dict[str, Path]:
        """The files, of states that are there or that the change creates."""
        names = ("app", "fresh", "net") if CREATED in self.file.read_text() else ("app", "net")
        return {name: self.folder / f"{name}.tfstate" for name in names}

    @property
    def participants(self) -> dict[str, Participant]:
        created = created_states(read_operations_file(str(self.file), self.file.read_bytes()))
        local = participants(self.context, {name: str(path) for name, path in self.local.items()}, created)
        place = StatePlace("s3", "default", LOCATION, ())
        connection = Connection(self.context.environment, self.notes.append, BackendOptions())
        store = RemoteStore(place, connection, lambda *_: FileClient(self.far, LOCATION), lambda _: None)
        far = Participant(store, LOCATION, "far", is_remote=True, created_from=created.get("far"))
        return {**local, "far": far}

    @property
    def contents(self) -> dict[str, bytes]:
        """What the states have; an empty file has no state."""
        paths = {**self.local, "far": self.far / "state"}
        found = {name: path.read_bytes() for name, path in paths.items() if path.exists()}
        return {name: content for name, content in found.items() if content}

    def settled(self, name: str) -> bytes:
        """What a file has before or after any write."""
        return read_settled(str(self.local[name]), self.context)

    @property
    def leftovers(self) -> set[str]:
        """What must not be left once a change has ended."""
        found = {path.name for path in self.folder.glob(".*.hold")} | {path.name for path in self.folder.glob("*.tmp")}
        found |= {path.name for path in self.local.values() if path.exists() and not path.read_bytes()}
        found |= {path.name for path in self.folder.glob("home/statetool/states/*/.*.hold")}
        found |= {path.name for path in self.folder.glob("home/statetool/applies/*/journal.json")}
        return found | ({"lock"} if (self.far / "lock").exists() else set())

    def intent(self) -> Intent:
        options = EditOptions(command="apply change.stateops.hcl")
        return Intent(str(self.file), sha256(self.file.read_bytes()).hexdigest(), options)

    def apply(self) -> None:
        file = read_operations_file(str(self.file), self.file.read_bytes())
        applied(self.context, self.participants, self.intent(), staging(file))

    def undone(self) -> UndoneChange:
        """The undo of the change, as the user of the state app asks for it."""
        states = {one.location: one._replace(created_from=None) for one in self.participants.values()}
        app = self.participants["app"]
        return undone_change(
            self.context, app, undo_request(app.store, None), lambda location, _joint: states[location]
        )

    def undo(self) -> None:
        change = self.undone()
        intent = change.intent(EditOptions(command="undo"))
        applied(self.context, change.states, intent, change.staging(self.context), pins=change.pins)

    def end_undo(self, ending: Ending) -> tuple[str, ...]:
        states = {one.location: one._replace(created_from=None) for one in self.participants.values()}
        app = self.participants["app"]
        journals = list(self.folder.glob("home/statetool/applies/undo-*/journal.json"))
        if not journals:
            # What the command says then, in other words.
            raise StoreError("there is no unfinished undo")
        [journal] = journals
        begun = msgspec.json.decode(journal.read_bytes(), type=ApplyJournal)
        change = begun_undo(begun, app, {location: states[location] for location in begun.states})
        return ended(self.context, change.states, change.intent(EditOptions()), change.staging(self.context), ending)

    def end(self, *, back: bool) -> tuple[str, ...]:
        return self._ended(Ending.TAKE_BACK if back else Ending.FINISH)

    def leave(self) -> None:
        self._ended(Ending.LEAVE)

    def _ended(self, ending: Ending) -> tuple[str, ...]:
        file = read_operations_file(str(self.file), self.file.read_bytes())
        return ended(self.context, self.participants, self.intent(), staging(file), ending)


class UndoScene(Scene):
    """Three states after the change, which is undone."""

    def apply(self) -> None:
        self.undo()

    def _ended(self, ending: Ending) -> tuple[str, ...]:
        return self.end_undo(ending)


def undo_scene(folder: Path, operations: str) -> UndoScene:
    """Make the three states, and the change."""
    made = scene(folder, operations)
    made.apply()
    return UndoScene(made.folder, made.notes, made.variables)


def scene(folder: Path, operations: str) -> Scene:
    """Make the three states before the change."""
    folder.mkdir(parents=True)
    (folder / "far").mkdir()
    for name, resources in BEFORE.items():
        if name == "far" and CREATED in operations:
            continue
        path = folder / "far/state" if name == "far" else folder / f"{name}.tfstate"
        path.write_bytes(state(name, resources))
    made = Scene(folder, [])
    made.file.write_text(operations if CREATED in operations else STATES + operations)
    return made


def state(name: str, resources: tuple[str, ...]) -> bytes:
    """A state in which each object has an ID of its own."""
    data = {
        "version": 4, "terraform_version": "1.11.0", "serial": 7, "lineage": f"lineage-{name}", "outputs": {},
        "resources": [
            {
                "mode": "managed", "type": "terraform_data", "name": one,
                "provider": 'provider["terraform.io/builtin/terraform"]',
                "instances": [{"schema_version": 0, "attributes": {"id": f"{name}-{one}"}}],
            } for one in sorted(resources)
        ],
    }  # fmt: skip
    return json.dumps(data, indent=2).encode() + b"\n"


def owners(contents: Mapping[str, bytes]) -> dict[str, list[str]]:
    """The states that have each object, by its ID."""
    found: dict[str, list[str]] = {}
    for name, content in contents.items():
        for resource in json.loads(content)["resources"]:
            for instance in resource["instances"]:
                found.setdefault(instance["attributes"]["id"], []).append(name)
    return found


def objects(content: bytes) -> dict[str, str]:
    """The IDs of the objects by their addresses."""
    resources = json.loads(content)["resources"]
    return {f"{one['type']}.{one['name']}": one["instances"][0]["attributes"]["id"] for one in resources}
