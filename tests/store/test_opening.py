"""Opening clients of backends."""

from __future__ import annotations

import subprocess
import sys

_WITHOUT_PSYCOPG = """
import sys
sys.modules["psycopg"] = None
import statefmt
try:
    statefmt.open("pg://db.example.com/infra")
except statefmt.StoreError as error:
    print(error)
"""


def test_a_missing_package() -> None:
    found = subprocess.run([sys.executable, "-c", _WITHOUT_PSYCOPG], capture_output=True, text=True, check=True)
    assert "pg://db.example.com" in found.stdout
    assert f"the package psycopg: run {sys.executable} -m pip install" in found.stdout
