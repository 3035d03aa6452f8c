"""What a snapshot consists of: resources with their objects, outputs, and how the file is laid out.

>>> from statefmt import open, snapshots
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> [str(one.addr) for one in snapshots.instances(snapshot) if one.resource.addr.resource.type == "aws_vpc"]
['aws_vpc.main["eu-west-1"]', 'aws_vpc.main["us-west-2"]']
"""

from __future__ import annotations

from statefmt._lazy import lazy_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.formats import Layout, Style
    from statefmt.formats.reading import CURRENT_VERSION
    from statefmt.formats.writing.write import as_dict
    from statefmt.model.check_results import CheckResult
    from statefmt.model.instances import InstanceState, each_instance, instances
    from statefmt.model.outputs import OutputValue
    from statefmt.model.resources import ObjectStatus, ResourceInstanceObject, ResourceState, UnknownMember
    from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot

__all__ = [
    "CURRENT_VERSION",
    "HIGHEST_SERIAL",
    "CheckResult",
    "InstanceState",
    "Layout",
    "ObjectStatus",
    "OutputValue",
    "ResourceInstanceObject",
    "ResourceState",
    "Snapshot",
    "Style",
    "UnknownMember",
    "as_dict",
    "each_instance",
    "instances",
]

__getattr__ = lazy_names(
    __name__,
    {
        "CURRENT_VERSION": "statefmt.formats.reading",
        "HIGHEST_SERIAL": "statefmt.model.snapshot",
        "CheckResult": "statefmt.model.check_results",
        "InstanceState": "statefmt.model.instances",
        "Layout": "statefmt.formats",
        "ObjectStatus": "statefmt.model.resources",
        "OutputValue": "statefmt.model.outputs",
        "ResourceInstanceObject": "statefmt.model.resources",
        "ResourceState": "statefmt.model.resources",
        "Snapshot": "statefmt.model.snapshot",
        "Style": "statefmt.formats",
        "UnknownMember": "statefmt.model.resources",
        "as_dict": "statefmt.formats.writing.write",
        "each_instance": "statefmt.model.instances",
        "instances": "statefmt.model.instances",
    },
)


def __dir__() -> list[str]:
    return sorted(__all__)
