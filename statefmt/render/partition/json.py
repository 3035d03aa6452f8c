"""Prints ways to divide a state as JSON."""

from __future__ import annotations

from statefmt.analysis.partition import Partition, Suggestions
from statefmt.render.json_output import document


def partitions_json(found: Suggestions) -> bytes:
    """Render the partitions, best first (schema: `split-suggest-output.schema.json`)."""
    return document(
        {
            "suggestions": [_partition(partition) for partition in found.partitions],
            "without": [{"by": kind.value, "reason": reason} for kind, reason in found.without.items()],
        }
    )


def _partition(partition: Partition) -> dict[str, object]:
    return {
        "by": partition.kind.value,
        "score": round(partition.score, 3),
        "largest": round(partition.largest, 4),
        "outputs": partition.outputs,
        "secrets": partition.secrets,
        "applies": partition.applies,
        "divided": [str(module) for module in partition.divided],
        "parts": [
            {
                "name": part.name,
                "stays": part.stays,
                "level": part.level,
                "instances": part.instances,
                "needs": list(part.needs),
                "contents": list(part.contents),
            }
            for part in partition.parts
        ],
        "needed": [
            {"resource": one.resource, "part": one.part, "needed_by": list(one.needed_by), "secret": one.is_secret}
            for one in partition.needed
        ],
    }
