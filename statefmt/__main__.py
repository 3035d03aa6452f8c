"""Runs statetool as `python -m statefmt`."""

from __future__ import annotations

from statefmt.cli.start import run

if __name__ == "__main__":
    run()
