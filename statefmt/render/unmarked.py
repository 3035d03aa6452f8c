"""Says which values are hidden although the state does not mark them as sensitive, and how to see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from statefmt.model.snapshot import InstanceState, OutputValue, ResourceInstanceObject
from statefmt.redaction.object_value import output_steps, unmarked_secrets
from statefmt.redaction.partial import path_text
from statefmt.render.counted import counted
from statefmt.render.printable import printable

_MOST = 8


def unmarked_lines(obj: ResourceInstanceObject, type_name: str) -> Iterator[str]:
    """Yield a line for each value of an object that is hidden without a mark, then how to see them."""
    from statefmt.redaction.secrets.search import without_secret_names

    found = unmarked_secrets(obj, type_name)
    if not found:
        return
    kinds = {path_text(without_secret_names(secret.steps)) or "a value": secret.kind for secret in found}
    for path, kind in list(kinds.items())[:_MOST]:
        yield f"{printable(path)} looks like {kind}"
    if len(kinds) > _MOST:
        yield f"{len(kinds) - _MOST:,} more values look like secrets"
    yield "not marked as sensitive in the state; --show-sensitive shows what is hidden"


def unmarked_note(instances: Iterable[InstanceState], outputs: Iterable[OutputValue] = ()) -> str:
    """Return a sentence on how many values are hidden without a mark; "" if there are none."""
    count = sum(
        len(unmarked_secrets(obj, instance.resource.addr.resource.type))
        for instance in instances
        for obj in instance.objects
        if obj.attributes is not None
    )
    count += sum(len(output_steps(output)) for output in outputs if not output.sensitive)
    if not count:
        return ""
    what, verb = (counted(count, "value"), "looks like a secret" if count == 1 else "look like secrets")
    are = "is hidden, although it is" if count == 1 else "are hidden, although they are"
    return f"{what} that {verb} {are} not marked as sensitive; use --show-sensitive to show what is hidden"
