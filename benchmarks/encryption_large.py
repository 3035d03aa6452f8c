"""What encrypting and decrypting a state of 100 MB costs, against plain AES-GCM on the same bytes.

    python -m benchmarks.encryption_large [MEGABYTES] [RUNS]

Two tables, each of which compares alike things. The first: bytes to bytes in one process, with the key there from the
start. Plain AES-GCM is what `cryptography` takes for the bytes alone. An encrypted state is more than that: its bytes
stand in base64 in a JSON document, and its serial and lineage, which stand beside them, must be looked up in the plain
state. The rows show what each part would take by itself. The second: whole processes, from a file to a new file that is
durable. There plain AES-GCM is a script of a few lines that derives the same key, reads, encrypts or decrypts, writes
and flushes; `statetool` looks at what it reads and writes as a state, and decrypts what it has encrypted.

Each figure is the shortest of as many runs (5 unless told otherwise) that take turns, in milliseconds.
"""

from __future__ import annotations

import json
import random
import secrets
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tabulate import tabulate

from benchmarks.measure import Process, run
from statefmt.encryption import Origin, SystemRandomness, decrypt, encrypt, parse_envelope
from statefmt.encryption._cipher import identity_of
from statefmt.encryption._encoding import decode_base64, encode_base64
from statefmt.encryption.sources import read_surroundings, text_configuration

_KEY: Final = list(range(32))
_PASSPHRASE: Final = "0123456789abcdef"
_ITERATIONS: Final = 200_000
# Milliseconds for encrypting and for decrypting, by what took them.
Rows: TypeAlias = dict[str, tuple[float, float]]
_PLAIN_SCRIPT: Final = """
import hashlib, os, sys
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
what, source, target = sys.argv[1:]
cipher = AESGCM(hashlib.pbkdf2_hmac("sha512", b"0123456789abcdef", bytes(32), 200000, 32))
with open(source, "rb") as file:
    data = file.read()
data = getattr(cipher, what)(bytes(12), data, None)
with open(target, "xb") as file:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())
"""


def _configuration_text(keys: object, **more: object) -> str:
    return json.dumps({**more, "method": {"aes_gcm": {"m": {"keys": keys}}}, "state": {"method": "method.aes_gcm.m"}})


def _derived_text() -> str:
    provider = {"pbkdf2": {"p": {"passphrase": _PASSPHRASE, "iterations": _ITERATIONS}}}
    return _configuration_text("key_provider.pbkdf2.p", key_provider=provider)


def _configuration(text: str) -> Any:
    return text_configuration(Origin.of_file("c.json"), text.encode(), read_surroundings(None, {}, ()))


def _state(size: int) -> bytes:
    """A state of this many bytes, made of instances of 5 kB."""
    random_ = random.Random(10)
    resources = [
        {
            "mode": "managed", "type": "aws_instance", "name": f"node_{number}",
            "provider": 'provider["registry.opentofu.org/hashicorp/aws"]',
            "instances": [{"schema_version": 1, "attributes": {
                f"attribute_{place}": random_.randbytes(20).hex() for place in range(75)
            }}],
        }
        for number in range(size // 5_670)
    ]  # fmt: skip
    head = {"version": 4, "terraform_version": "1.13.0", "serial": 7, "lineage": "c8b2f0de", "outputs": {}}
    text = json.dumps({**head, "resources": resources}, indent=2).encode()
    return text + b" " * max(0, size - len(text))


def _in_turn(works: dict[str, tuple[Callable[[], float], Callable[[], float]]], runs: int) -> Rows:
    """The shortest times of works that give how many seconds they took, and that take turns."""
    rounds = [{name: (one(), other()) for name, (one, other) in works.items()} for _ in range(runs)]
    return {
        name: (min(took[name][0] for took in rounds) * 1000, min(took[name][1] for took in rounds) * 1000)
        for name in works
    }


def _timed(work: Callable[[], object]) -> Callable[[], float]:
    def timed() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return timed


def _table(title: str, rows: Rows) -> None:
    """A row for each thing, with the ratio to the first one."""
    least = next(iter(rows.values()))
    print(title)
    texts = [
        [name, *(text for one, base in zip(row, least, strict=True) for text in (f"{one:.0f}", f"{one / base:.1f}"))]
        for name, row in rows.items()
    ]
    print(tabulate(texts, headers=["", "encrypt", "ratio", "decrypt", "ratio"], stralign="right"))
    print()


def _in_one_process(plain: bytes, runs: int) -> Rows:
    own = _configuration(_configuration_text({"encryption_key": _KEY, "decryption_key": _KEY}))
    cipher, nonce = AESGCM(bytes(_KEY)), secrets.token_bytes(12)
    sealed = cipher.encrypt(nonce, plain, None)
    base64 = encode_base64(sealed)[1:-1]
    encrypted = encrypt(plain, own, SystemRandomness())
    works: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "plain AES-GCM": (lambda: cipher.encrypt(nonce, plain, None), lambda: cipher.decrypt(nonce, sealed, None)),
        "base64": (lambda: encode_base64(sealed), lambda: decode_base64(base64)),
        "envelope, with base64": (lambda: None, lambda: parse_envelope(encrypted)),
        "serial and lineage": (lambda: identity_of(plain), lambda: identity_of(plain)),
        "statefmt.encryption": (
            lambda: encrypt(plain, own, SystemRandomness()), lambda: decrypt(encrypted, own)
        ),
    }  # fmt: skip
    return _in_turn({name: (_timed(one), _timed(other)) for name, (one, other) in works.items()}, runs)


def _whole_processes(folder: Path, plain: bytes, runs: int) -> Rows:
    state, own = folder / "state", folder / "c.json"
    state.write_bytes(plain)
    own.write_text(_derived_text())
    program = str(Path(sys.executable).with_name("statetool"))
    encrypted, target = folder / "encrypted", folder / "target"

    def script(what: str, source: str) -> Callable[[], float]:
        return _process([sys.executable, "-c", _PLAIN_SCRIPT, what, str(folder / source), str(target)], target)

    def statetool(what: str, source: Path) -> Callable[[], float]:
        return _process([program, what, str(source), "-o", str(target), "--encryption", str(own)], target)

    script("encrypt", "state")()
    target.rename(folder / "sealed")
    statetool("encrypt", state)()
    target.rename(encrypted)
    return _in_turn(
        {
            "plain AES-GCM": (script("encrypt", "state"), script("decrypt", "sealed")),
            "statetool": (statetool("encrypt", state), statetool("decrypt", encrypted)),
        },
        runs,
    )


def _process(command: list[str], target: Path) -> Callable[[], float]:
    return lambda: run(Process(command, lambda: target.unlink(missing_ok=True))).clock


def main(megabytes: int, runs: int) -> None:
    """Measure, and print both tables."""
    plain = _state(megabytes * 1_000_000)
    size = f"a state of {len(plain):,} bytes, the shortest of {runs} runs, in ms"
    _table(f"Bytes to bytes, {size}", _in_one_process(plain, runs))
    with TemporaryDirectory() as folder:
        _table(f"Whole processes, {size}", _whole_processes(Path(folder), plain, runs))


if __name__ == "__main__":
    main(*(int(given) for given in (*sys.argv[1:], *("100", "5")[len(sys.argv) - 1 :])))
