r"""One remote object has two addresses

## What it does
Reports managed resources of one type and one provider instance whose current objects have the same `id`, with a
finding for each address. Objects count as different if their identity differs, or one of the attributes within
which an `id` is often only a name: `account_id`, `application`, `arn`, `autoscaling_group_name`, `bucket`,
`function_name`, `location`, `log_group_name`, `namespace`, `project`, `region`, `rule_set_name`,
`scalable_dimension`, `zone` or `zone_id`.

Types whose `id` does not identify an object are ignored:
- types without a remote object: all of `archive`, `cloudinit`, `local` (a hash), `random`, `template`, `time`,
  `tls`;
- types whose id is a chosen name, a time, a hash of the input or a fixed word: `aws_acm_certificate_validation`,
  `aws_autoscaling_notification`, `aws_iam_group_membership`, `aws_iam_policy_attachment`, `aws_lambda_invocation`,
  `consul_keys`;
- types for a part of an object that others may share: `kubernetes_annotations`, `kubernetes_config_map_v1_data`,
  `kubernetes_env`, `kubernetes_labels`, `kubernetes_node_taint`, `kubernetes_secret_v1_data`.

## Why is this bad?
Both addresses change the object in turn. When one of them is destroyed, the other one loses its object, so this is
an error.

## Example
```json
{"type": "aws_vpc", "name": "main", "instances": [{"attributes": {"id": "vpc-1"}}]},
{"type": "aws_vpc", "name": "old", "instances": [{"attributes": {"id": "vpc-1"}}]}
```

## What to do
Forget the address that is not in the configuration: `statetool rm aws_vpc.old`.
"""

from collections.abc import Iterable, Iterator

from msgspec import UNSET, Raw

from statefmt.analysis.object_id import id_among
from statefmt.formats.versions import InstanceObjectV4
from statefmt.golang import NumberText
from statefmt.lint.provider_addresses import provider_in_force
from statefmt.lint.rule import Rule
from statefmt.lint.subject import ResourcePart, Subject, instance_address
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.findings import Code, Finding, Fix
from statefmt.redaction.object_value import id_scope

_NOT_REMOTE = ("archive_", "cloudinit_", "local_", "random_", "template_", "time_", "tls_")
_SHARED_IDS = frozenset({
    "aws_acm_certificate_validation", "aws_autoscaling_notification", "aws_iam_group_membership",
    "aws_iam_policy_attachment", "aws_lambda_invocation", "consul_keys", "kubernetes_annotations",
    "kubernetes_config_map_v1_data", "kubernetes_env", "kubernetes_labels", "kubernetes_node_taint",
    "kubernetes_secret_v1_data",
})  # fmt: skip


_BARE = InstanceObjectV4()
_Place = tuple[ResourcePart, int, InstanceObjectV4]
# Type, provider instance and id.
_Identity = tuple[str, AbsProviderInstance, str]


def _check(subject: Subject) -> Iterable[Finding]:
    for group in _same_id(subject):
        objects: dict[object, dict[str, str]] = {}
        for resource, number, obj in group:
            pointers = objects.setdefault(_scope(obj), {})
            pointers.setdefault(instance_address(resource, obj), f"{resource.pointer}/instances/{number}")
        for pointers in objects.values():
            for address, pointer in pointers.items() if len(pointers) > 1 else ():
                other = next(text for text in pointers if text != address)
                others = f"{other} and {len(pointers) - 2} more" if len(pointers) > 2 else other
                yield Code.DUPLICATE_REMOTE_OBJECT.finding("Remote object with several addresses",
                    f"{address} and {others} have the same id.", address, pointer,  # The id may be secret.
                    Fix.of("If the configuration uses another address: ", subject.command_on("rm", address), "."),
                )  # fmt: skip


def _same_id(subject: Subject) -> Iterable[list[_Place]]:
    """Return the groups of current objects that share type, provider instance and id."""
    # Most states have no such group, and hashes take less memory than places.
    seen: set[int] = set()
    again: set[int] = set()
    for identity, _ in _identified(subject):
        mark = hash(identity)
        (again if mark in seen else seen).add(mark)
    groups: dict[_Identity, list[_Place]] = {}
    for identity, place in _identified(subject) if again else ():
        if hash(identity) in again:
            groups.setdefault(identity, []).append(place)
    return [group for group in groups.values() if len(group) > 1]


def _identified(subject: Subject) -> Iterator[tuple[_Identity, _Place]]:
    """Yield the identity of each current object that has an id, with its place."""
    for resource in subject.resources:
        document, kind = resource.document, resource.document.type or ""
        if document.mode != "managed" or kind in _SHARED_IDS or kind.startswith(_NOT_REMOTE):
            continue
        inherited = provider_in_force(document, _BARE)
        for number, obj in enumerate(document.instances or ()):
            name = "" if obj is None or obj.deposed else _id(obj)
            if obj and name and (provider := provider_in_force(document, obj) if obj.provider else inherited):
                yield (kind, provider, name), (resource, number, obj)


def _id(obj: InstanceObjectV4) -> str:
    name = id_among(*_attributes(obj)) or ""
    # A number is not an id. Half a surrogate pair reads as U+FFFD, so two such ids may differ.
    return "" if isinstance(name, NumberText) or "\ufffd" in name else name


def _attributes(obj: InstanceObjectV4) -> tuple[Raw | None, dict[str, str | None] | None]:
    return None if obj.attributes is UNSET else obj.attributes, obj.attributes_flat or None


def _scope(obj: InstanceObjectV4) -> object:
    """Return the possible scope of an id: attributes such as the region, and the identity."""
    return *id_scope(*_attributes(obj)), b"" if obj.identity is UNSET else bytes(obj.identity)


RULE = Rule(Code.DUPLICATE_REMOTE_OBJECT, _check)
