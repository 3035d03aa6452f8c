"""What encrypting and decrypting a state of 100 MB costs, against plain AES-GCM on the same bytes.

    python benchmarks/encryption_large.py [MEGABYTES] [RUNS]

Plain AES-GCM is what `cryptography` takes for the bytes alone. An encrypted state is more than that: its bytes stand in
base64 in a JSON document, and its serial and lineage, which stand beside them, must be looked up in the plain state.
The rows show what each part takes. The key is there from the start; with pbkdf2 deriving it comes on top, the same for
every size. Each figure is the shortest of as many runs (5 unless told otherwise), in milliseconds.
"""

from __future__ import annotations

import json
import random
import secrets
import sys
import time
from collections.abc import Callable
from typing import Any, Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tabulate import tabulate

from statefmt.encryption import SystemRandomness, decrypt, encrypt, parse_envelope
from statefmt.encryption.bytes_text import decode_base64, encode_base64
from statefmt.encryption.plaintext import identity_of
from statefmt.encryption_config import read_surroundings, text_configuration

_KEY: Final = list(range(32))


def _configuration(keys: object, **more: object) -> Any:
    text = {**more, "method": {"aes_gcm": {"m": {"keys": keys}}}, "state": {"method": "method.aes_gcm.m"}}
    return text_configuration("c.json", json.dumps(text).encode(), read_surroundings(None, {}, ()))


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


def _milliseconds(work: Callable[[], object], runs: int) -> float:
    shortest = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest * 1000


def main(megabytes: int, runs: int) -> None:
    """Measure, and print a table."""
    plain = _state(megabytes * 1_000_000)
    literal = _configuration({"encryption_key": _KEY, "decryption_key": _KEY})
    derived = _configuration(
        "key_provider.pbkdf2.p", key_provider={"pbkdf2": {"p": {"passphrase": "0123456789abcdef"}}}
    )
    cipher, nonce = AESGCM(bytes(_KEY)), secrets.token_bytes(12)
    sealed = cipher.encrypt(nonce, plain, None)
    base64 = encode_base64(sealed)[1:-1]
    encrypted, encrypted_derived = (encrypt(plain, one, SystemRandomness()) for one in (literal, derived))
    works: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "plain AES-GCM": (lambda: cipher.encrypt(nonce, plain, None), lambda: cipher.decrypt(nonce, sealed, None)),
        "base64": (lambda: encode_base64(sealed), lambda: decode_base64(base64)),
        "envelope, with base64": (lambda: None, lambda: parse_envelope(encrypted)),
        "serial and lineage": (lambda: identity_of(plain), lambda: identity_of(plain)),
        "statetool": (
            lambda: encrypt(plain, literal, SystemRandomness()), lambda: decrypt(encrypted, literal)
        ),
        "statetool with pbkdf2": (
            lambda: encrypt(plain, derived, SystemRandomness()), lambda: decrypt(encrypted_derived, derived)
        ),
    }  # fmt: skip
    rows, least = [], (0.0, 0.0)
    for name, pair in works.items():
        took = _milliseconds(pair[0], runs), _milliseconds(pair[1], runs)
        least = least if rows else took
        rows.append(
            [
                name,
                *(text for one, base in zip(took, least, strict=True) for text in (f"{one:.0f}", f"{one / base:.1f}")),
            ]
        )
    print(f"A state of {len(plain):,} bytes, the shortest of {runs} runs, in ms")
    print(tabulate(rows, headers=["", "encrypt", "ratio", "decrypt", "ratio"], stralign="right"))


if __name__ == "__main__":
    main(*(int(given) for given in (*sys.argv[1:], *("100", "5")[len(sys.argv) - 1 :])))
