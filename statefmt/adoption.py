"""From copies of blocks to `for_each`: where the objects of a state belong in a new configuration.

    >>> import statefmt
    >>> from pathlib import Path
    >>> from statefmt import adoption, configuration, providers
    >>> samples = Path("samples/adopt")
    >>> old, new = (
    ...     providers.ProviderReferences(configuration.load(samples / name)) for name in ("before", "after")
    ... )
    >>> snapshot = statefmt.open("samples/adopt/terraform.tfstate").snapshot
    >>> found = adoption.adopt(snapshot, new, old)
    >>> for pair in found.pairs:
    ...     print(pair.source.addr, pair.target.address)
    aws_sqs_queue.jobs_eu aws_sqs_queue.jobs["eu"]
    aws_sqs_queue.jobs_us aws_sqs_queue.jobs["us"]

`adoption_operations` gives the operations for the certain pairs, `adopted` runs them. `folder_of_revision` returns the
configuration of a revision in git, and `unrolled` a configuration without `for_each` in provider blocks, for the
reverse.
"""

from __future__ import annotations

from statefmt._lazy import lazy_imports

with lazy_imports(globals()):
    from statefmt.analysis.adoption import adopt as adopt
    from statefmt.analysis.adoption.copies import adopt_copies as adopt_copies
    from statefmt.analysis.adoption.model import (
        AdoptedPair as AdoptedPair,
        Adoption as Adoption,
        EvidenceKind as EvidenceKind,
        MovingObject as MovingObject,
        NewInstance as NewInstance,
        OpenChoice as OpenChoice,
        PairEvidence as PairEvidence,
        RefusedPair as RefusedPair,
    )
    from statefmt.configuration.revisions import (
        Revision as Revision,
        folder_of_revision as folder_of_revision,
        unread_declarations as unread_declarations,
        unread_inputs as unread_inputs,
    )
    from statefmt.configuration.unrolling import (
        Unrolled as Unrolled,
        UnrolledBlock as UnrolledBlock,
        unrolled as unrolled,
    )
    from statefmt.edit.adoption import (
        adopted as adopted,
        adoption_moves as adoption_moves,
        adoption_operations as adoption_operations,
        without_conflicts as without_conflicts,
    )
