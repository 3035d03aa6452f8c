"""The command line and the real programs, beside the states that the library makes."""

from tests.cli.conftest import Statetool, folder, statetool
from tests.compat.conftest import real

__all__ = ["Statetool", "folder", "real", "statetool"]
