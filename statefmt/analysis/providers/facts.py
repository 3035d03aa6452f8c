"""Reads from provider arguments and from objects which account and which region they belong to.

A fact is something that a resource takes from its provider: what its block can override is a fact only where the block
does not set it. The table has one entry for each provider, with the pages that say so.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Raw, Struct

from statefmt.formats.versions import object_members
from statefmt.golang import NumberText, loads_exact
from statefmt.hcl.value import Part, Value, children
from statefmt.model.addrs.provider import Provider
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.object_value import sensitive_paths
from statefmt.redaction.partial import step_key


class FactKind(StrEnum):
    """What a provider instance decides for its resources."""

    ACCOUNT = "account"
    SUBSCRIPTION = "subscription"
    TENANT = "tenant"
    PROJECT = "project"
    REGION = "region"
    ZONE = "zone"


class Contradiction(Struct, frozen=True):
    """A fact of an object that its provider instance contradicts."""

    kind: FactKind
    of_object: str
    of_provider: str

    def __str__(self) -> str:
        return f"the object is in {self.kind} {self.of_object}, the provider instance in {self.of_provider}"


class _Reading(Struct, frozen=True):
    """Reads a fact from an argument or an attribute: the first group of a regular expression in its value."""

    name: str  # of the attribute, or a regular expression for the path of the argument
    kind: FactKind
    value: str = r"(.+)"


class _Knowledge(Struct, frozen=True):
    """What is known of a provider.

    `arguments` are those of a provider block, `attributes` those of objects. `overrides` are the arguments of a
    resource that override the provider's. `cosmetic` is a regular expression for arguments of the provider that do not
    decide which objects it finds. `unlike` matches the types whose attributes are not about the object itself, and
    `excepted` those in whose blocks the overrides mean something else.
    `needs` is an attribute that only objects have which are in the provider's own account, but for the type `first`.
    """

    arguments: tuple[_Reading, ...]
    attributes: tuple[_Reading, ...]
    overrides: Mapping[str, FactKind] = {}
    cosmetic: str = r"(?!)"
    unlike: str = r"(?!)"
    excepted: str = r"(?!)"
    needs: str = ""
    first: str = ""


_ARN_ACCOUNT: Final = r"arn:[^:]*:(?!organizations:)[^:]*:[^:]*:([0-9]{12}):.*"
_ARN_REGION: Final = r"arn:[^:]*:[^:]*:([a-z]{2,}-[a-z-]+-[0-9]+):.*"
_REGIONAL: Final = {"region": FactKind.REGION}

# Sources, by provider:
# - aws: https://registry.terraform.io/providers/hashicorp/aws/latest/docs (region, assume_role, allowed_account_ids);
#   .../docs/guides/enhanced-region-support (`region` of resources); .../docs/guides/version-6-upgrade (resources whose
#   `region` meant something else before); the form of an ARN:
#   https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html. An ARN of organizations has the account that
#   manages the organization, and what accepts an offer has the ARN of what somebody else offers.
# - google, google-beta: .../hashicorp/google/latest/docs/guides/provider_reference (project, region and zone are
#   defaults for the resources that set none).
# - azurerm: .../hashicorp/azurerm/latest/docs (subscription_id, tenant_id); the form of an id:
#   https://learn.microsoft.com/rest/api/resources/resources/get-by-id. Only what is created in a resource group of the
#   provider is surely in its subscription: scopes and targets may be in others.
# - oci: https://docs.oracle.com/iaas/Content/API/SDKDocs/terraformproviderconfiguration.htm; the form of an OCID:
#   https://docs.oracle.com/iaas/Content/General/Concepts/identifiers.htm, and the short codes of its two oldest
#   regions: https://docs.oracle.com/iaas/Content/General/Concepts/regions.htm.
# - alicloud: .../aliyun/alicloud/latest/docs (region, account_id, assume_role); the form of an ARN:
#   https://www.alibabacloud.com/help/en/ram/arn-faq.
# - openstack: .../terraform-provider-openstack/openstack/latest/docs; huaweicloud: .../huaweicloud/huaweicloud/latest/
#   docs; scaleway: .../scaleway/scaleway/latest/docs; yandex: .../yandex-cloud/yandex/latest/docs. Their resources
#   have the arguments of the provider, too, which are the default.
_AWS_EXCEPTED: Final = (
    "aws_cloudformation_stack_set_instance|aws_config_aggregate_authorization|aws_dx_hosted_connection|"
    "aws_servicequotas_template|aws_dynamodb_table_replica"
)
_AWS: Final = _Knowledge(
    arguments=(
        _Reading(r"region", FactKind.REGION),
        _Reading(r"allowed_account_ids", FactKind.ACCOUNT, r"([0-9]{12})"),
        # These log in; then the role of assume_role is assumed, whatever the order of the blocks.
        _Reading(r"assume_role_with_(web_identity|saml)\[[0-9]+\]\.role_arn", FactKind.ACCOUNT, _ARN_ACCOUNT),
        _Reading(r"assume_role\[[0-9]+\]\.role_arn", FactKind.ACCOUNT, _ARN_ACCOUNT),
    ),
    attributes=(
        _Reading("arn", FactKind.ACCOUNT, _ARN_ACCOUNT),
        _Reading("arn", FactKind.REGION, _ARN_REGION),
        _Reading("region", FactKind.REGION, r"([a-z]{2,}-[a-z-]+-[0-9]+)"),
    ),
    overrides=_REGIONAL,
    cosmetic=r"(default_tags|ignore_tags|user_agent)\b.*|skip_.*|max_retries|retry_mode|insecure|version|"
    r"assume_role.*\.(session_name|external_id|duration|tags\b.*|transitive_tag_keys|"
    r"policy|policy_arns|source_identity|web_identity_token(_file)?|saml_assertion|principal_arn)",
    excepted=_AWS_EXCEPTED,
    unlike=rf"{_AWS_EXCEPTED}|.*_accepter|aws_s3control_.*|aws_ram_.*|aws_sns_topic_subscription|"
    r"aws_cloudwatch_event_target|aws_lakeformation_.*",
)
_GOOGLE: Final = _Knowledge(
    arguments=tuple(
        _Reading(kind.value, kind, r"([^0-9].*)") for kind in (FactKind.PROJECT, FactKind.REGION, FactKind.ZONE)
    ),
    attributes=tuple(
        _Reading(kind.value, kind, r"(?:.*/)?([^0-9/][^/]*)")
        for kind in (FactKind.PROJECT, FactKind.REGION, FactKind.ZONE)
    ),
    overrides={
        "location": FactKind.REGION,
        **{kind.value: kind for kind in (FactKind.PROJECT, FactKind.REGION, FactKind.ZONE)},
    },
    cosmetic=r"default_labels\b.*|add_terraform_attribution_label|user_project_override|billing_project|"
    r"request_(timeout|reason)|batching\b.*|version",
)
_KNOWLEDGE: Final[Mapping[str, _Knowledge]] = {
    "hashicorp/aws": _AWS,
    "hashicorp/google": _GOOGLE,
    "hashicorp/google-beta": _GOOGLE,
    "hashicorp/azurerm": _Knowledge(
        arguments=(_Reading("subscription_id", FactKind.SUBSCRIPTION), _Reading("tenant_id", FactKind.TENANT)),
        attributes=(_Reading("id", FactKind.SUBSCRIPTION, r"(?i:/subscriptions/)([^/]+)(?:/.*)?"),),
        cosmetic=r"features\b.*|skip_provider_registration|resource_provider(s_to_register|_registrations)|"
        r"storage_use_azuread|partner_id|disable_.*",
        needs="resource_group_name",
        first="azurerm_resource_group",
    ),
    "oracle/oci": _Knowledge(
        arguments=(_Reading("region", FactKind.REGION), _Reading("tenancy_ocid", FactKind.ACCOUNT)),
        attributes=(_Reading("id", FactKind.REGION, r"ocid1\.[a-z0-9]+\.[a-z0-9]+\.([a-z0-9-]+)\..*"),),
    ),
    "aliyun/alicloud": _Knowledge(
        arguments=(
            _Reading("region", FactKind.REGION),
            _Reading("account_id", FactKind.ACCOUNT),
            _Reading(r"assume_role\[[0-9]+\]\.role_arn", FactKind.ACCOUNT, r"acs:ram:[^:]*:([0-9]+):.*"),
        ),
        attributes=(
            _Reading("arn", FactKind.REGION, r"acs:[^:]*:([a-z]+-[a-z0-9-]+):.*"),
            _Reading("arn", FactKind.ACCOUNT, r"acs:[^:]*:[^:]*:([0-9]+):.*"),
        ),
        cosmetic=r"configuration_source|skip_.*|max_retry_timeout|client_(read|connect)_timeout|"
        r"assume_role.*\.(session_name|session_expiration|policy|external_id)",
    ),
    "terraform-provider-openstack/openstack": _Knowledge(
        arguments=(_Reading("region", FactKind.REGION), _Reading("tenant_id", FactKind.PROJECT)),
        attributes=(_Reading("region", FactKind.REGION),),
        overrides=_REGIONAL,
        cosmetic=r"insecure|max_retries|enable_logging|disable_no_cache_header",
    ),
    "huaweicloud/huaweicloud": _Knowledge(
        arguments=(_Reading("region", FactKind.REGION), _Reading("account_name|domain_name", FactKind.ACCOUNT)),
        attributes=(_Reading("region", FactKind.REGION),),
        overrides=_REGIONAL,
        cosmetic=r"insecure|max_retries|default_tags\b.*",
    ),
    "scaleway/scaleway": _Knowledge(
        arguments=(
            _Reading("project_id", FactKind.PROJECT),
            _Reading("region", FactKind.REGION),
            _Reading("zone", FactKind.ZONE),
        ),
        attributes=(
            _Reading("project_id", FactKind.PROJECT),
            _Reading("region", FactKind.REGION),
            _Reading("zone", FactKind.ZONE),
        ),
        overrides={"project_id": FactKind.PROJECT, "region": FactKind.REGION, "zone": FactKind.ZONE},
    ),
    "yandex-cloud/yandex": _Knowledge(
        arguments=(_Reading("folder_id", FactKind.PROJECT), _Reading("zone", FactKind.ZONE)),
        attributes=(_Reading("folder_id", FactKind.PROJECT), _Reading("zone", FactKind.ZONE)),
        overrides={"folder_id": FactKind.PROJECT, "zone": FactKind.ZONE},
        cosmetic=r"max_retries|insecure|plaintext",
    ),
}
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html,
# https://cloud.google.com/storage/docs/buckets#naming,
# https://learn.microsoft.com/azure/storage/common/storage-account-overview#storage-account-name
_GLOBAL_NAMES: Final = frozenset(
    {("aws_s3_bucket", "bucket"), ("google_storage_bucket", "name"), ("azurerm_storage_account", "name")}
)
# The older names of sources. Both are forwarded by the registries.
_SAME: Final = {"hashicorp/oci": "oracle/oci", "hashicorp/alicloud": "aliyun/alicloud"}
# The two regions that OCIDs have by their codes.
_CODES: Final = {"iad": "us-ashburn-1", "phx": "us-phoenix-1"}
# Facts that differ only in upper and lower case are the same.
_WITHOUT_CASE: Final = frozenset({FactKind.SUBSCRIPTION, FactKind.TENANT})


def settings_facts(provider: Provider, settings: Mapping[str, Part]) -> dict[FactKind, str]:
    """Return the facts that the evaluated arguments of a provider instance state."""
    found: dict[FactKind, str] = {}
    knowledge = _knowledge(provider)
    for reading in () if knowledge is None else knowledge.arguments:
        # Of several roles, each is assumed with the one before it: the last one counts.
        for name, part in settings.items():
            value = _only_string(part) if re.fullmatch(reading.name, name) else None
            if value is not None and (fact := _read(reading, value)) is not None:
                found[reading.kind] = fact
    return found


def object_facts(provider: Provider, type_name: str, obj: ResourceInstanceObject) -> dict[FactKind, str]:
    """Return the facts that the attributes of an object state."""
    knowledge = _knowledge(provider)
    if knowledge is None or obj.attributes is None or re.fullmatch(knowledge.unlike, type_name):
        return {}
    members = attribute_members(obj)
    if knowledge.needs and type_name != knowledge.first and string_attribute(members, knowledge.needs) is None:
        return {}
    hidden = {step_key(path[0]) if path else "" for path in sensitive_paths(obj)}
    found: dict[FactKind, str] = {}
    for reading in knowledge.attributes:
        value = None if hidden & {reading.name, ""} else string_attribute(members, reading.name)
        if value is not None and (fact := _read(reading, value)) is not None:
            found.setdefault(reading.kind, fact)
    return found


def overridden(provider: Provider, arguments: Collection[str] | None) -> frozenset[FactKind]:
    """Return the facts that a resource block with these arguments does not take from its provider.

    None if the arguments are not known: all that a block can set.
    """
    knowledge = _knowledge(provider)
    given = {} if knowledge is None else knowledge.overrides
    return frozenset(kind for name, kind in given.items() if arguments is None or name in arguments)


def override_facts(provider: Provider, type_name: str, arguments: Mapping[str, Part]) -> dict[FactKind, str | None]:
    """Return the facts that the arguments of a resource state in place of its provider; None for an unknown one."""
    knowledge = _knowledge(provider)
    found: dict[FactKind, str | None] = {}
    if knowledge is None or re.fullmatch(knowledge.excepted, type_name):
        return found
    for name, kind in knowledge.overrides.items():
        part = arguments.get(name)
        if part is None or (isinstance(part, Value) and part.is_null):
            continue
        value = _only_string(part)
        # A location may be a region, a zone or a part of the world.
        found[kind] = value if name == kind.value or name == f"{kind.value}_id" else None
    return found


def fact_kinds(provider: Provider, argument: str) -> frozenset[FactKind]:
    """Return the facts that an argument of a provider block, by its path, states."""
    knowledge = _knowledge(provider)
    readings = () if knowledge is None else knowledge.arguments
    return frozenset(one.kind for one in readings if re.fullmatch(one.name, argument))


def is_global_name(type_name: str, attribute: str) -> bool:
    """Return whether no two objects of a type have equal values of an attribute, in whatever account and region."""
    return (type_name, attribute) in _GLOBAL_NAMES


def is_cosmetic(provider: Provider, argument: str) -> bool:
    """Return whether an argument of a provider block, by its path, does not decide which objects it finds."""
    knowledge = _knowledge(provider)
    return knowledge is not None and re.fullmatch(knowledge.cosmetic, argument) is not None


def contradictions(
    of_object: Mapping[FactKind, str], of_provider: Mapping[FactKind, str], free: Collection[FactKind] = frozenset()
) -> Iterator[Contradiction]:
    """Yield the facts of an object that its provider instance contradicts, without those that are `free`."""
    for kind, value in of_object.items():
        other = of_provider.get(kind)
        if other is not None and other != value and kind not in free:
            yield Contradiction(kind, value, other)


def attribute_members(obj: ResourceInstanceObject) -> dict[str, Raw]:
    """Return the attributes of an object, undecoded; {} if they are not a JSON object."""
    raw = obj.attributes
    if raw is None or memoryview(raw)[0] != ord("{"):
        return {}
    try:
        return object_members(raw)
    except RecursionError:
        return {}


def string_attribute(members: Mapping[str, Raw], name: str) -> str | None:
    """Return an attribute that is a string and not empty; None otherwise."""
    raw = members.get(name)
    if raw is None or memoryview(raw)[0] != ord('"'):
        return None
    value = loads_exact(bytes(raw), replace_invalid=True)
    return value if isinstance(value, str) and not isinstance(value, NumberText) and value else None


def _knowledge(provider: Provider) -> _Knowledge | None:
    name = f"{provider.namespace}/{provider.type}"
    return _KNOWLEDGE.get(_SAME.get(name, name))


def _only_string(part: Part) -> str | None:
    """Return a known string that is not sensitive, or the only one in a list."""
    if part.sensitive:
        return None
    if isinstance(part, Value) and isinstance(part.data, str):
        return part.data or None
    inside = children(part)
    return _only_string(inside[0]) if len(inside) == 1 else None


def _read(reading: _Reading, value: str) -> str | None:
    found = re.fullmatch(reading.value, value)
    if found is None:
        return None
    fact = str(found[1])
    return fact.lower() if reading.kind in _WITHOUT_CASE else _CODES.get(fact, fact)
