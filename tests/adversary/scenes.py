"""Commands that write, each with what is in the folder before: what kills, errors and plants are tried on."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Final, NamedTuple

from tests.adversary.mutations import parsed
from tests.adversary.runs import Ended, Forks

SAMPLES: Final = Path(__file__).resolve().parents[2] / "samples"
STATE: Final = "terraform.tfstate"
JOURNAL: Final = f".{STATE}.statetool.journal"
_CONFIGURATION: Final = """key_provider "pbkdf2" "one" {
  passphrase = "correct-horse-battery-staple"
  iterations = 200000
}
method "aes_gcm" "one" {
  keys = key_provider.pbkdf2.one
}
state {
  method = method.aes_gcm.one
}
"""
# Go matches names of members without regard to case, and takes U+017F for an s.
_SERIAL: Final = re.compile(rb'("(?:s|\xc5\xbf)erial"\s*:\s*)[-0-9.eE+]+', re.IGNORECASE)
_KEYS: Final = ("--encryption", "c.hcl")
_MV: Final = ("mv", "aws_vpc.main", "aws_vpc.network_of_all")
_MV_SHORT: Final = ("mv", "aws_vpc.main", "aws_vpc.n")
_ENCRYPT: Final = ("encrypt", "-i", STATE, *_KEYS)


# What a command says that has written.
SAYS_SO: Final = re.compile("written|: encrypted|encrypted by|kept in|Plain copies deleted|half written")


class Scene(NamedTuple):
    """A command, the sample that it works on, what is done before, and the file that it writes."""

    name: str
    command: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    sample: str = "v4-regions.tfstate"
    target: str = STATE
    keys: tuple[str, ...] = ()


SCENES: Final = (
    Scene("mv, longer", _MV),
    Scene("mv, shorter, second edit", _MV_SHORT, before=(("set-serial", "70"),)),
    Scene("fmt", ("fmt", "--style", "compact", STATE)),
    Scene("upgrade", ("upgrade", "-i", "--registry", "terraform", STATE), sample="v3-legacy.tfstate"),
    Scene("downgrade", ("downgrade", "-i", "--for", "1.8", STATE), sample="v4-resource-level.tfstate"),
    Scene("undo", ("undo", STATE), before=(_MV,)),
    Scene("undo of an undo", ("undo", STATE), before=(_MV_SHORT, ("undo", STATE))),
    Scene("restore", ("restore", "new", "-y"), before=((*_MV, "--out", "new"),)),
    Scene("no backup", (*_MV, "--no-backup")),
    Scene("set-serial", ("set-serial", "1000")),
    Scene("backup elsewhere", (*_MV, "--backup", "elsewhere/old")),
    Scene("new file", (*_MV, "--out", "new"), target="new"),
    Scene("file replaced", (*_MV, "--out", "new", "-y"), before=(("set-serial", "70", "--out", "new"),), target="new"),
    Scene("encrypt", _ENCRYPT, keys=_KEYS),
    Scene("encrypt, discard plain", (*_ENCRYPT, "--discard-plain"), before=(("set-serial", "70"),), keys=_KEYS),
    Scene("decrypt", ("decrypt", "-i", STATE, *_KEYS), before=(_ENCRYPT,), keys=_KEYS),
    Scene("mv, encrypted", (*_MV, *_KEYS), before=(_ENCRYPT,), keys=_KEYS),
)


def prepared(run: Forks, folder: Path, scene: Scene) -> Path:
    """The folder with everything that stands there before the command."""
    (folder / "elsewhere").mkdir(parents=True)
    shutil.copyfile(SAMPLES / scene.sample, folder / STATE)
    (folder / "c.hcl").write_text(_CONFIGURATION)
    for command in scene.before:
        ended = run(folder, *command)
        assert ended.status == 0, (command, ended)
    return folder


def copied(folder: Path, name: str) -> Path:
    """Another folder of the same content; what is one file under two names becomes two."""
    return Path(shutil.copytree(folder, folder.with_name(name), symlinks=True))


def plain(run: Forks, folder: Path, name: str = STATE) -> bytes | None:
    """What a file says, decrypted if it is encrypted; None where there is none. It is read as everybody reads it."""
    path = folder / name
    if not path.exists():
        return None
    content = path.read_bytes()
    if b'"encrypted_data"' not in content[-200:] + content[:4000]:
        return content
    shutil.copyfile(path, folder / "opened")
    ended = run(folder, "decrypt", "opened", *_KEYS)
    (folder / "opened").unlink()
    return ended.out.encode("utf-8", "surrogateescape") if ended.status == 0 else b"cannot be decrypted"


def without_serial(content: bytes | None) -> bytes:
    """A state's text but for its serial."""
    return _SERIAL.sub(rb"\g<1>0", content or b"")


def same_but_for_serial(now: bytes, before: bytes) -> bool:
    """Whether two states have the same text but for the serial. Where there was none, only what they say counts."""
    if _SERIAL.search(before):
        return without_serial(now) == without_serial(before)
    return _but_for_serial(now) == _but_for_serial(before)


def _but_for_serial(content: bytes) -> list[object]:
    return [member for member in parsed(content) if member[0].casefold() != "serial"]


def listed(run: Forks, folder: Path, scene: Scene) -> Ended:
    """The command `list`, which finishes or rolls back what was cut off."""
    return run(folder, "list", *scene.keys)


def left_behind(folder: Path) -> list[str]:
    """Files that a write needs only while it is in progress."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".tmp", ".journal", ".new") or path.name.endswith(".lock.info")
    ]


def said(ended: Ended) -> str:
    """What a command printed on standard error, in one line."""
    return " ".join(ended.err.split())
