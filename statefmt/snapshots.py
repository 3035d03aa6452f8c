"""What a snapshot consists of: resources with their objects, outputs, and how the file is laid out.

>>> from statefmt import open, snapshots
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> [str(one.addr) for one in snapshots.instances(snapshot) if one.resource.addr.resource.type == "aws_vpc"]
['aws_vpc.main["eu-west-1"]', 'aws_vpc.main["us-west-2"]']
"""

from statefmt.formats.reading.inspect import CURRENT_VERSION
from statefmt.formats.style import Layout, Style
from statefmt.model.check_results import CheckResult
from statefmt.model.instances import InstanceState, instances
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
    "instances",
]
