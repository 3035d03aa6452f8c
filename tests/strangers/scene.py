"""A user with secrets, a stranger's folder, and a server that writes down what it is sent."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote, unquote

from statefmt.store.backends.description import BackendArgument
from statefmt.store.backends.settings import named_arguments
from statefmt.store.backends.types import BACKENDS, backend_type
from tests.adversary.runs import Ended, Forks
from tests.cli.states import resource, state
from tests.strangers.commands import KEYS, OUT
from tests.strangers.recorder import Event, is_below, recorded

CANARY: Final = "CANARY7f3a9b"
STATE: Final = state(
    resource("terraform_data", "a", provider='provider["terraform.io/builtin/terraform"]'), terraform_version="1.9.0"
)
# A host that exists nowhere (RFC 2606), which only a stranger names.
NOWHERE: Final = "host-of-a-stranger.invalid"
# DuckDB reserves what it hardly uses.
_MEMORY: Final = 8 << 30
# A server of a stranger asks for what it wants: a password, in clear text.
_ANSWER: Final = (
    b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
)
# Messages of PostgreSQL: requests for encryption, the question for a password, and the end.
_NO_ENCRYPTION: Final = (b"\x04\xd2\x16\x2f", b"\x04\xd2\x16\x30")
_PASSWORD: Final = b"R\0\0\0\x08\0\0\0\x03"
_REFUSED: Final = b"E\0\0\0\x17SFATAL\0C28P01\0Mno\0\0"
_WAIT: Final = 5


class Listener:
    """A server on this machine. It keeps every byte that it is sent, and asks HTTP and PostgreSQL for a password."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: Final = self._socket.getsockname()[1]
        self._lock = threading.Lock()
        self._received: list[bytes] = []
        self._open = 0
        self._quiet = threading.Condition(self._lock)
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def taken(self) -> list[bytes]:
        """Return what came since the last call, an entry for each connection."""
        with self._quiet:
            self._quiet.wait_for(lambda: self._open == 0, timeout=20)
            found, self._received = self._received, []
        return found

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                with self._lock:
                    self._open += 1
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        content = b""
        with connection, suppress(OSError):
            connection.settimeout(_WAIT)
            while piece := connection.recv(65536):
                content += piece
                if content[:1].isalpha():
                    if b"\r\n\r\n" in content:
                        connection.sendall(_ANSWER)
                        break
                elif content[4:8] in _NO_ENCRYPTION:
                    connection.sendall(b"N")
                    content = content[8:]
                elif content[4:6] != b"\0\3":
                    # TLS, which has nothing in clear text.
                    break
                elif len(content) == int.from_bytes(content[:4]):
                    connection.sendall(_PASSWORD)
                else:
                    connection.sendall(_REFUSED)
                    break
        with self._quiet:
            self._received.append(content)
            self._open -= 1
            self._quiet.notify_all()


class User(NamedTuple):
    """The folders of a user: the home with secrets, others with files of value, one for results, and the clone."""

    root: Path
    listener: Listener
    forks: Forks

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def victim(self) -> Path:
        return self.root / "victim"

    @property
    def out(self) -> Path:
        return self.root / "out"

    @property
    def clone(self) -> Path:
        return self.root / "clone"

    def environment(self) -> dict[str, str]:
        """The variables of the user; each that sets a secret argument of a backend has a canary."""
        secrets = {
            argument.environment[0]
            for name in BACKENDS
            for _, argument in named_arguments(_arguments(name))
            if argument.secret and argument.environment
        }
        return {
            **dict.fromkeys(
                secrets - {"PG_CONN_STR", "KUBE_CLIENT_KEY_DATA", "TF_HTTP_CLIENT_PRIVATE_KEY_PEM"}, CANARY
            ),
            "AWS_SSE_CUSTOMER_KEY": base64.b64encode((CANARY * 3)[:32].encode()).decode(),
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "LC_ALL": "C.UTF-8",
            "LANGUAGE": "C",
            "TF_VAR_token": CANARY,
            "TF_HTTP_USERNAME": "user",
            "PGPASSWORD": CANARY,
            "GITHUB_TOKEN": CANARY,
            "AWS_EC2_METADATA_DISABLED": "true",
            "EDITOR": "true",
            "STATETOOL_TIMEOUT": "5",
        }

    def run(
        self,
        *words: str,
        recorded: bool = True,
        strace: tuple[str, ...] = (),
        environment: dict[str, str] | None = None,
    ) -> Ended:
        """Run a command in the clone."""
        named = {OUT: str(self.out), KEYS: str(self.home / "keys.hcl")}
        arguments = [
            word.replace(OUT, named[OUT]) if OUT in word else named[KEYS] if word == KEYS else word for word in words
        ]
        return self.forks(
            self.clone, *arguments, environment={**self.environment(), **(environment or {})}, alone=True,
            recorded=recorded, strace=strace, memory=_MEMORY,
        )  # fmt: skip

    def prepare(self) -> None:
        """Make the clone and the folder for results anew, without anything in them."""
        for folder in (self.clone, self.out):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()

    def belongings(self) -> dict[str, bytes]:
        """Every file of the user, with its content and mode, but those that statetool keeps for states elsewhere."""
        return {
            f"{path.relative_to(self.root)} {path.lstat().st_mode:o}": (
                path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            )
            for folder in (self.home, self.victim)
            for path in sorted(folder.rglob("*"))
            if not is_below(str(path), self.home / ".local")
        }


def _arguments(name: str) -> tuple[BackendArgument, ...]:
    found = backend_type(name)
    assert found is not None
    return found.arguments


@contextmanager
def user(root: Path, forks: Forks) -> Iterator[User]:
    """A user with secrets in files, for as long as the listener is needed."""
    listener = Listener()
    found = User(root, listener, forks)
    secrets = {
        ".ssh/id_rsa": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{CANARY}\n-----END OPENSSH PRIVATE KEY-----\n",
        ".aws/credentials": f"[default]\naws_access_key_id = {CANARY}\naws_secret_access_key = {CANARY}\n",
        ".aws/config": "[default]\nregion = eu-west-1\n",
        ".terraformrc": f'credentials "app.terraform.io" {{\n  token = "{CANARY}"\n}}\n',
        ".terraform.d/credentials.tfrc.json": json.dumps({"credentials": {NOWHERE: {"token": CANARY}}}),
        ".pgpass": f"*:*:*:*:{CANARY}\n",
        ".netrc": f"machine 127.0.0.1 login user password {CANARY}\nmachine {NOWHERE} login u password {CANARY}\n",
        ".kube/config": f"users: [{{name: u, user: {{token: {CANARY}}}}}]\n",
        ".config/gcloud/application_default_credentials.json": json.dumps({"private_key": CANARY}),
        "secret.txt": CANARY,
        "keys.hcl": (
            'key_provider "pbkdf2" "k" {\n  passphrase = "correct-horse-battery-staple"\n  iterations = 200000\n}\n'
            'method "aes_gcm" "m" {\n  keys = key_provider.pbkdf2.k\n}\nstate {\n  method = method.aes_gcm.m\n}\n'
        ),
    }  # fmt: skip
    for name, text in secrets.items():
        path = found.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)
    (found.victim / "workspaces" / "default").mkdir(parents=True)
    (found.victim / "data").mkdir()
    (found.victim / "module").mkdir()
    for name in ("terraform.tfstate", "workspaces/default/terraform.tfstate", "other.tfstate"):
        (found.victim / name).write_bytes(STATE.replace(b"terraform_data", b"outside_state"))
    record = {"version": 3, "backend": {"type": "local", "config": {"path": "terraform.tfstate"}}}
    (found.victim / "data" / "terraform.tfstate").write_text(json.dumps(record))
    (found.victim / "data" / "environment").write_text(CANARY)
    (found.victim / "variables.tfvars").write_text(f'linked = "{CANARY}"\n')
    (found.victim / "module" / "main.tf").write_text(f'output "x" {{\n  value = "{CANARY}"\n}}\n')
    try:
        yield found
    finally:
        listener.close()


def canaries(text: bytes | str) -> list[str]:
    """Return the forms of the canary that a text has: as it is, as encoders of HCL and HTTP write it, reversed."""
    content = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    found = [CANARY] if CANARY.encode() in content or CANARY.encode() in unquote(content).encode() else []
    # In base64, three ways, by what precedes it; without the characters that neighbours have a part in.
    coded = [base64.b64encode(b"x" * before + CANARY.encode())[4 if before else 0 : -4] for before in range(3)]
    found += [text.decode() for text in coded if text in content or quote(text).encode() in content]
    return found + [
        other for other in (CANARY[::-1], CANARY.lower(), CANARY.encode().hex()) if other.encode() in content
    ]


def events_of(ended: Ended) -> list[Event]:
    """Return what a command did, each once, in order."""
    return list(dict.fromkeys(recorded(ended.events)))


def write_clone(folder: Path, files: dict[str, str | bytes]) -> None:
    """Write files; `-> PATH` as the text makes a link."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif content.startswith("-> "):
            path.symlink_to(content[3:])
        else:
            path.write_text(content)
            if content.startswith("#!"):
                path.chmod(0o755)
