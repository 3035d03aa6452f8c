"""The parts of a snapshot: resources with their objects, outputs, and the layout of the file.

>>> from statefmt import open, snapshots
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> [str(one.addr) for one in snapshots.instances(snapshot) if one.resource.addr.resource.type == "aws_vpc"]
['aws_vpc.main["eu-west-1"]', 'aws_vpc.main["us-west-2"]']
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.formats import Layout as Layout, Style as Style
    from statefmt.formats.reading import CURRENT_VERSION as CURRENT_VERSION
    from statefmt.formats.writing.write import as_dict as as_dict
    from statefmt.model.snapshot import (
        HIGHEST_SERIAL as HIGHEST_SERIAL,
        CheckResult as CheckResult,
        InstanceState as InstanceState,
        ObjectStatus as ObjectStatus,
        OutputValue as OutputValue,
        ResourceInstanceObject as ResourceInstanceObject,
        ResourceState as ResourceState,
        Snapshot as Snapshot,
        UnknownMember as UnknownMember,
        each_instance as each_instance,
        instances as instances,
    )
