"""Versions of a state that a bucket keeps, for programs."""

from __future__ import annotations

from typing import Final

import pytest

import statefmt
from statefmt import locations
from tests.cli.states import resource, state
from tests.servers.s3 import S3Server, moto

__all__ = ["moto"]

KEY: Final = "app.tfstate"
FIRST: Final = state(resource("terraform_data", "a"))
SECOND: Final = state(resource("terraform_data", "b"))


def test_versions(moto: S3Server, tmp_path_factory: pytest.TempPathFactory) -> None:
    bucket, client = moto.new_bucket(versioned=True), moto.s3()
    for content in (FIRST, SECOND):
        client.put_object(Bucket=bucket, Key=KEY, Body=content)
    home = {"XDG_STATE_HOME": str(tmp_path_factory.mktemp("home"))}
    context = statefmt.run_context(environment={**moto.environment, **home})
    url = f"s3://{bucket}/{KEY}"
    newest, oldest = locations.kept_versions(context, url)
    assert (newest.is_current, oldest.is_current, oldest.size) == (True, False, len(FIRST))
    name = locations.version_name(context, oldest.id, url)
    earlier = statefmt.open(name, context=context)
    assert earlier.data == FIRST
    assert earlier.location == name
    assert oldest.id in name
    with pytest.raises(statefmt.StoreError, match="cannot be edited"), earlier.edit("nothing"):
        pass
    with pytest.raises(statefmt.StoreError, match="no history"):
        earlier.history()
    with pytest.raises(statefmt.StoreError, match="files have no versions"):
        locations.kept_versions(context, "app.tfstate")
