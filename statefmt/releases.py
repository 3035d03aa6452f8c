"""What each release of OpenTofu and Terraform reads, writes and keeps of a state.

>>> from statefmt import open, releases
>>> snapshot = open("samples/v4-regions.tfstate").snapshot
>>> losses = releases.losses(snapshot, releases.parse_release("opentofu-1.8"))
>>> {loss.cause.name for loss in losses} >= {"PROVIDER_KEY"}
True
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.formats.losses import Cause as Cause, Fitted as Fitted, Loss as Loss, fit as fit, losses as losses
    from statefmt.formats.releases import (
        Fact as Fact,
        Release as Release,
        Written as Written,
        all_releases as all_releases,
        facts_of as facts_of,
        parse_release as parse_release,
    )
