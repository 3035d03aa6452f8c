"""The files of AWS with profiles, and who names them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from statefmt.model.errors import StoreError
from statefmt.store.backends.settings import BackendSetting
from statefmt.store.reading import reason_of
from statefmt.store.remote.trust import is_of_folder
from statefmt.store.s3._settings import Given
from statefmt.store.small_files import read_bounded

# In bytes; people have hundreds of profiles.
LARGEST: Final = 16 << 20
_ARGUMENTS: Final = ("shared_config_files", "shared_credentials_files", "shared_credentials_file")


class AwsFiles(NamedTuple):
    """The paths of both files. `named_by` is the setting by which the files of a folder name one, None if none does."""

    config: str
    credentials: str
    named_by: BackendSetting | None


def aws_files(given: Given, environment: Mapping[str, str]) -> AwsFiles:
    """Return the files that are read. Raises StoreError if there are several of a kind."""
    home = environment.get("HOME") or str(Path.home())
    config = _one_file(given, "shared_config_files") or environment.get("AWS_CONFIG_FILE", "")
    credentials = _one_file(given, "shared_credentials_files") or given.text("shared_credentials_file")
    credentials = credentials or environment.get("AWS_SHARED_CREDENTIALS_FILE", "")
    settings = (given.by_name.get(name) for name in _ARGUMENTS)
    return AwsFiles(
        _in_home(config or "~/.aws/config", home),
        _in_home(credentials or "~/.aws/credentials", home),
        next((setting for setting in settings if is_of_folder(setting)), None),
    )


def check_files(files: AwsFiles) -> None:
    """Make sure that the SDK can read the files to their end if a folder names one. Raises StoreError."""
    if files.named_by is None:
        return
    for name in (files.config, files.credentials):
        try:
            read_bounded(name, LARGEST)
        except FileNotFoundError:
            # The SDK says so, or goes on without it.
            continue
        except OSError as error:
            raise StoreError(f"{files.named_by.place}: {name}: {reason_of(error)}") from None


def _one_file(given: Given, name: str) -> str:
    files = given.texts(name)
    if len(files) > 1:
        raise StoreError(f"{given.where(name)}: several files in {name} are not supported: name one")
    return files[0] if files else ""


def _in_home(name: str, home: str) -> str:
    """Return a path with the home directory of the environment in the place of `~`."""
    return f"{home}{name[1:]}" if name == "~" or name.startswith("~/") else name
