"""The recorded plans: real changes of `terraform_data` resources, with states and schemas."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from functools import cache
from typing import Final

from tests.lifecycle.recorded import FOLDER

_DATA: Final = FOLDER / "plans.tar.xz"


@cache
def recorded_plans() -> Mapping[str, Mapping[str, bytes]]:
    """Return the files of each plan: `{"001-create": {"plan.json": …, "after.tfstate": …}}`."""
    plans: dict[str, dict[str, bytes]] = {}
    with tarfile.open(fileobj=io.BytesIO(_DATA.read_bytes())) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                _, plan, name = member.name.split("/", 2)
                plans.setdefault(plan, {})[name] = file.read()
    return plans
