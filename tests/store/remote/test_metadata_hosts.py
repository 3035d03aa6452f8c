"""A folder has nobody ask the metadata service of a machine, which hands out credentials, or a link-local address."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from statefmt.model.errors import StoreError
from statefmt.store.backends.options import BackendOptions
from statefmt.store.remote.client import Connection
from statefmt.store.remote.hosts import approach, is_metadata_host
from tests.tables import each_row

_ROOT = Path(__file__).resolve().parents[3]

# The documented addresses of the services, and other spellings of them that a system takes.
ADDRESSES = [
    "169.254.169.254", "169.254.169.254:80", "169.254.170.2", "169.254.170.23", "169.254.0.1", "2852039166",
    "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE", "0251.0376.0251.0376", "169.254.43518", "169.16689662", "169.254.169.254.",
    "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]:80", "[::169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::1]", "[fe80::1]", "[fe80::1%eth0]:80", "[fd00:ec2::254]", "[FD00:0EC2:0::0254]", "[fd00:ec2::23]",
    "[fd20:ce::254]", "168.63.129.16", "100.100.100.200", "192.0.0.192", "metadata.google.internal",
    "Metadata.Google.Internal.:80",
]  # fmt: skip
OTHERS = ["127.0.0.1", "169.253.169.254", "10.0.0.1:8443", "2130706433", "[::1]", "[fd00::1]", "[::ffff:10.0.0.1]",
          "s3.eu-west-1.amazonaws.com", "169.254.169.254.example", "metadata.google.internal.example"]  # fmt: skip


@each_row("host", ADDRESSES)
def test_such_a_host_is_refused_unless_the_user_names_it(host: str) -> None:
    said: list[str] = []
    connection = Connection({}, said.append, BackendOptions(allowed_hosts=(host,), agree=lambda _: True))
    with pytest.raises(StoreError, match="is a link-local address or a metadata service") as raised:
        approach(connection, host.replace("%eth0", ""), named_by="main.tf:4")
    assert str(raised.value).startswith("main.tf:4: ")
    assert said == []
    if not host.startswith("[fe80::1%"):
        approach(connection, host)


@pytest.mark.parametrize("host", OTHERS)
def test_other_hosts(host: str) -> None:
    assert not is_metadata_host(host)


# In name spaces of its own, where the service is on this machine: who asks, and what the server saw.
_SCRIPT = """
set -e
ip link set lo up
ip addr add 169.254.169.254/32 dev lo
printf '127.0.0.1 localhost\\n169.254.169.254 innocent.example\\n' > hosts
mount --bind hosts /etc/hosts
"$1" -c '
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("seen", "a").write(self.path + "\\n")
        if self.server.server_address[0] == "127.0.0.1":
            self.send_response(302)
            self.send_header("Location", "http://innocent.example:8080/redirected")
            self.end_headers()
        else:
            self.send_error(404)
    def log_message(self, *_):
        pass
http.server.HTTPServer((sys.argv[1], 8080), Handler).serve_forever()
' 169.254.169.254 & first=$!
"$1" -c "$(cat /proc/$first/cmdline | tr '\\0' '\\n' | sed '1,2d;$d')" 127.0.0.1 & second=$!
trap 'kill $first $second' EXIT
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$1" -c 'import socket; [socket.create_connection((a, 8080)).close() for a in ("127.0.0.1", "169.254.169.254")]' \\
        2>/dev/null && break
    sleep 0.2
done
"$1" -m statefmt "${@:2}" 2>said || true
"""


@pytest.mark.parametrize(
    ("state", "seen"),
    [("clone", []), ("http://127.0.0.1:8080/s", ["/s"]), ("http://innocent.example:8080/s", ["/s"])],
    ids=["a name in a folder", "a redirect", "a name of the user"],
)
def test_a_name_of_the_service(state: str, seen: list[str], tmp_path: Path) -> None:
    """The check is of the address that the connection has, so no other answer to a second look-up gets through."""
    if shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("an address and a name of its own take root and unshare")
    (tmp_path / "clone").mkdir()
    block = 'backend "http" {\n    address = "http://innocent.example:8080/latest"\n  }'
    (tmp_path / "clone/main.tf").write_text(f"terraform {{\n  {block}\n}}\n")
    environment = {**os.environ, "PYTHONPATH": str(_ROOT), "TF_HTTP_RETRY_MAX": "0"}
    done = subprocess.run(
        ["unshare", "--mount", "--net", "bash", "-c", _SCRIPT, "bash", sys.executable, "list", "--state", state],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = (tmp_path / "said").read_text()
    requests = (tmp_path / "seen").read_text().splitlines() if (tmp_path / "seen").exists() else []
    assert requests == seen, (done, said)
    refused = "innocent.example has the address 169.254.169.254, which is a link-local address" in " ".join(
        said.split()
    )
    assert refused is (state != "http://innocent.example:8080/s"), said
