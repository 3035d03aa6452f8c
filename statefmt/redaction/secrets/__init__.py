"""Recognises secrets in attributes and outputs, for the SEC rules and for hiding values without a mark.

Decodes few values: a cheap search over the bytes finds no probe in the others. Each probe is a literal and a pattern
for the text after it. The literals are cheap to search for: if possible, a letter that is rare in states. Probes are
looser than the final shapes and names in `search`, and must match whatever those match.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json import in_batches
from statefmt.golang import JSONValue, Members, encode_string, loads_exact
from statefmt.model.cty.data import Path
from statefmt.model.findings import Code
from statefmt.redaction.partial import step_key
from statefmt.text import asterisk_test, pattern

if TYPE_CHECKING:
    from statefmt.redaction.secrets.search import FoundSecret


# An escape may hide a trace in a name.
_ESCAPE: Final = b"\\u"


class TypedAttributes(NamedTuple):
    """The attributes of an object as JSON, flat ones as an object of strings, and the type of its resource."""

    type_name: str
    text: Raw
    is_flat: bool = False


def typed_attributes(type_name: str, attributes: Raw | None, flat: Mapping[str, str | None] | None) -> TypedAttributes:
    """Return the attributes of an object; `flat` are the flat ones if `attributes` is None."""
    if attributes is not None:
        return TypedAttributes(type_name, attributes)
    return TypedAttributes(type_name, Raw(msgspec.json.encode(flat or {})), is_flat=True)


def suspected_objects(objects: Sequence[TypedAttributes]) -> list[int]:
    """Return the indexes of objects that may have secrets, in order."""
    found = set(suspects([each.text for each in objects]))
    found.update(place for place, each in enumerate(objects) if _has_trace(each))
    return sorted(found)


def is_suspected(attributes: TypedAttributes) -> bool:
    """Return whether the attributes of an object may have secrets."""
    return is_suspect(attributes.text) or _has_trace(attributes)


def secrets_of_object(attributes: TypedAttributes) -> tuple[FoundSecret, ...]:
    """Return the secrets in the attributes of an object. Raises ValueError if they nest too deeply."""
    # Imported late: compiling its patterns takes as long as checking dozens of states.
    from statefmt.redaction.secrets.search import attribute_secrets

    value = loads_exact(bytes(attributes.text), replace_invalid=True)
    return attribute_secrets(value, known_secrets(attributes.type_name), is_flat=attributes.is_flat)


def known_attributes(type_name: str) -> frozenset[str]:
    """Return the attributes of a resource type that are, or contain, known secrets."""
    return frozenset(one.names[0] for one in known_secrets(type_name))


def suspected_outputs(outputs: Sequence[tuple[str, Raw]]) -> Iterator[int]:
    """Yield the indexes of outputs that may have secrets, in order; `outputs` are names and values."""
    return suspects([_member(name, value) for name, value in outputs])


def is_suspected_output(name: str, value: Raw) -> bool:
    """Return whether the value of an output may have secrets."""
    return is_suspect(_member(name, value))


def _member(name: str, value: Raw) -> Raw:
    """Return an output as the only member of an object, for the search over bytes."""
    return Raw(b"{%b:%b}" % (encode_string(name), value))


def secrets_of_output(name: str, value: Raw) -> tuple[FoundSecret, ...]:
    """Return the secrets in the value of an output. Raises ValueError if it nests too deeply."""
    from statefmt.redaction.secrets.search import secrets_in

    return tuple(secrets_in(loads_exact(bytes(value), replace_invalid=True), name))


def _has_trace(each: TypedAttributes) -> bool:
    traces = known_traces(each.type_name)
    if not traces:
        return False
    text = bytes(each.text)
    return each.is_flat or any(trace in text for trace in traces) or _ESCAPE in text


# After a name: a non-empty string, possibly in an entry {"name": "DB_PASSWORD", "value": "…"}, possibly in JSON inside
# a string.
_VALUE: Final = rb'\\*"\s*(?::|,\s*\\*"[vV]alue\\*"\s*:)\s*\\*"(?!\\*"|arn:)'
_KEY_VALUE: Final = rb"(?<=[A-Za-z_. -].{3})" + _VALUE + rb'[^"\s]{12}'

# The text after each literal: the rest of a secret with a known shape, or of the name and value of a secret.
_RESTS: Final = {
    b"p": (rb"at-[A-Za-z0-9_-]{20}", rb"m_[A-Za-z0-9]{36}", rb"a(?:ssword|sswd|ssphrase)" + _VALUE, rb"wd" + _VALUE),
    b"P": (
        rb"a(?:ssword|sswd|ssphrase)" + _VALUE, rb"A(?:SSWORD|SSWD|SSPHRASE)" + _VALUE,
        rb"wd" + _VALUE, rb"WD" + _VALUE,
    ),
    b"I": (rb"A(?<=A[KS]IA)[A-Z2-7]{16}", rb"(?<=AI)za[0-9A-Za-z_-]{35}"),
    b"S": (rb"G\.[A-Za-z0-9_-]{22}\.", rb"5vcmc", rb"ECRET(?:_STRING|_VALUE)?" + _VALUE),
    b"ecret": (rb"(?:[_-]?(?:string|value|String|Value))?" + _VALUE,),
    b"k": (rb"_live_", rb"-ant-", rb"en" + _VALUE, rb"ey" + _KEY_VALUE),
    b"K": (
        rb"EN" + _VALUE, rb"EY(?:-----|-1| BLOCK)", rb"EY" + _KEY_VALUE, rb"ey" + _KEY_VALUE, rb"ey=[A-Za-z0-9+/]{43}",
        rb"ey-File-",
    ),
    b"h": (rb"[pousr]_[A-Za-z0-9]{36}", rb"ub_pat_", rb"v[bsr]\.[A-Za-z0-9_-]{24}", rb"ooks\.slack\.com/"),
    b"x": (rb"ox[abeoprs]-",),
    b"J": (rb"(?<=\.eyJ)", rb"TiB[FPQS]", rb"0eXBlIjogInNlcnZpY2Vf", rb"(?<=T3BlbkFJ)"),
    b"~": (rb"(?<=Q~)",),
    b"=": (rb"(?<=sig=)", rb"""(?:(?<=[wW][dD]=)|(?<=[wW][oO][rR][dD]=))[^\s;"'&\\]"""),
}  # fmt: skip
# The patterns avoid groups where possible: groups keep `re` from checking the next byte first.
_EXPRESSIONS: Final = [piece + b"(?:" + b"|".join(rests) + b")" for piece, rests in _RESTS.items()]
_PROBES: Final = tuple(zip(_RESTS, map(pattern, _EXPRESSIONS), strict=True))
# All patterns in one, for a short text for which only the answer matters.
_ANY: Final = pattern(b"|".join(_EXPRESSIONS))
# A URL with a password is found from its @, which is rarer than the start of a URL.
_URL_PASSWORD: Final = pattern(rb"""://[^\s/:@"']*:[^\s/@?#"']+@""")
_LONGEST_URL: Final = 256

# If a letter occurs more often than once in this many bytes, a regular expression is faster than a loop.
_DENSE: Final = 500
_FIRST_HOPS: Final = 16

# Base64 contains every letter often, but secrets contain other characters, too, except for these.
_BASE64: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\\"
_IN_BASE64: Final = dict(_PROBES)[b"I"]
_ENCODED: Final = (b"LS0tLS1CRUdJTiB", b"ewogICJ0eXBlIjogInNlcnZpY2VfYWNjb3VudCI")
# Shorter strings are searched unchanged. Of longer base64, both ends stay: secrets may begin or end there.
_LONG: Final = 4096
_END: Final = 64
_SAMPLE: Final = 64


def suspects(texts: Sequence[Raw]) -> Iterator[int]:
    """Yield the indexes of texts that may contain a secret, in order."""
    start = 0
    shortened = (text if len(text) < _LONG else _without_base64(text) for text in texts)
    for batch in in_batches(shortened):
        places = _places(b"\n".join(batch))
        if places:
            ends = list(accumulate(len(text) + 1 for text in batch))
            yield from sorted({start + bisect_right(ends, place) for place in places})
        start += len(batch)


def is_suspect(text: Raw) -> bool:
    """Return whether suspects() yields a text; this is faster for a single short one."""
    if len(text) >= _LONG:
        return any(True for _ in suspects((text,)))
    given = bytes(text)
    return _ANY.search(given) is not None or (b"@" in given and any(True for _ in _url_passwords(given)))


def _without_base64(text: Raw) -> Raw | bytes:
    """Shorten long base64 strings that certainly contain no secret, if the text has many."""
    if len(bytes(memoryview(text)[::_SAMPLE]).translate(None, _BASE64)) * _SAMPLE * 8 > len(text):
        return text
    return b'"'.join(
        string if len(string) < _LONG or _may_have_secret(string) else string[:_END] + b"\n" + string[-_END:]
        for string in bytes(text).split(b'"')
    )


def _may_have_secret(string: bytes) -> bool:
    """Return whether a string is more than base64, or starts like a secret of such characters."""
    return bool(
        string.rstrip(b"=").translate(None, _BASE64)
        or any(start in string for start in _ENCODED)
        or _IN_BASE64.search(string)
    )


def _places(text: bytes) -> set[int]:
    found: set[int] = set()
    for piece, probe in _PROBES:
        found.update(_hop(text, piece, probe))
    if b"@" in text:
        found.update(_url_passwords(text))
    return found


def _hop(text: bytes, piece: bytes, probe: re.Pattern[bytes]) -> Iterator[int]:
    """Yield the positions where a probe matches, searching for its literal as long as that is rare."""
    find, match = text.find, probe.match
    place = find(piece)
    hops = 0
    while place >= 0:
        if match(text, place):
            yield place
        hops += 1
        if (hops - _FIRST_HOPS) * _DENSE > place and len(piece) == 1:
            yield from [found.start() for found in probe.finditer(text, place + 1)]
            return
        place = find(piece, place + 1)


def _url_passwords(text: bytes) -> Iterator[int]:
    place = text.find(b"@")
    while place >= 0:
        start = text.rfind(b"://", max(0, place - _LONGEST_URL), place)
        found = _URL_PASSWORD.match(text, start) if start >= 0 else None
        if found:
            yield start
        place = text.find(b"@", place + 1)


_KEY, _CLOUD = Code.SECRET_PRIVATE_KEY, Code.SECRET_CLOUD_KEY
_TOKEN, _PASSWORD = Code.SECRET_TOKEN, Code.SECRET_PASSWORD
_PRIVATE: Final = "a private key"
_SECRET: Final = "a secret"
_ACCESS: Final = "a token"
_WORD: Final = "a password"
_AZURE: Final = "an access key of Azure"


class KnownSecret(NamedTuple):
    """A kind of secret of a resource type: the code of its rule, its kind, and the names on the path to it."""

    code: str
    kind: str
    names: tuple[str, ...]


# Types, attributes, the code of the rule, and the kind.
_Line: TypeAlias = tuple[str, str, str, str]

# Types (patterns, for managed and data resources) and their secret attributes: names, with dots between the names of
# nested blocks, whose indexes are omitted. Each group names its source: the attributes with `Sensitive: true` in the
# schema of the provider, which its documentation marks as sensitive.
_TABLE: Final[tuple[_Line, ...]] = (
    # hashicorp/random: resource_password.go, resource_bytes.go. In releases before 3.0, `id` is the result.
    ("random_password", "result bcrypt_hash", _PASSWORD, _WORD),
    ("random_bytes", "base64 hex", _PASSWORD, _SECRET),
    # hashicorp/tls: documentation of tls_private_key, tls_self_signed_cert, tls_cert_request, tls_locally_signed_cert.
    ("tls_private_key", "private_key_pem private_key_openssh private_key_pem_pkcs8", _KEY, _PRIVATE),
    ("tls_self_signed_cert", "private_key_pem", _KEY, _PRIVATE),
    ("tls_cert_request", "private_key_pem", _KEY, _PRIVATE),
    ("tls_locally_signed_cert", "ca_private_key_pem", _KEY, _PRIVATE),
    # hashicorp/local: documentation of local_sensitive_file, local_file.
    ("local_sensitive_file", "content content_base64", _PASSWORD, "a sensitive file"),
    ("local_file", "sensitive_content", _PASSWORD, "a sensitive file"),
    # hashicorp/aws: documentation of each type, "Argument Reference" and "Attribute Reference".
    ("aws_iam_access_key", "secret", _CLOUD, "an AWS secret access key"),
    ("aws_iam_access_key", "ses_smtp_password ses_smtp_password_v4", _PASSWORD, _WORD),
    ("aws_iam_user_login_profile", "password", _PASSWORD, _WORD),
    ("aws_iam_server_certificate", "private_key", _KEY, _PRIVATE),
    ("aws_iam_service_specific_credential", "service_password service_credential_secret", _PASSWORD, _WORD),
    ("aws_acm_certificate", "private_key", _KEY, _PRIVATE),
    ("aws_lightsail_key_pair", "private_key", _KEY, _PRIVATE),
    ("aws_secretsmanager_secret_version*", "secret_string secret_binary", _PASSWORD, _SECRET),
    ("aws_secretsmanager_random_password", "random_password", _PASSWORD, _WORD),
    ("aws_ssm_parameter", "value", _PASSWORD, "a parameter"),
    ("aws_ssm_parameters_by_path", "values", _PASSWORD, "a parameter"),
    ("aws_ssm_activation", "activation_code", _PASSWORD, _SECRET),
    ("aws_kms_secrets", "plaintext", _PASSWORD, _SECRET),
    ("aws_kms_ciphertext", "plaintext", _PASSWORD, _SECRET),
    ("aws_kms_external_key", "key_material_base64", _KEY, "a key"),
    ("aws_db_instance", "password", _PASSWORD, _WORD),
    ("aws_rds_cluster", "master_password", _PASSWORD, _WORD),
    ("aws_docdb_cluster", "master_password", _PASSWORD, _WORD),
    ("aws_docdbelastic_cluster", "admin_user_password", _PASSWORD, _WORD),
    ("aws_redshift_cluster", "master_password", _PASSWORD, _WORD),
    ("aws_redshift_cluster_credentials", "db_password", _PASSWORD, _WORD),
    ("aws_redshiftserverless_namespace", "admin_user_password", _PASSWORD, _WORD),
    ("aws_redshiftserverless_credentials", "db_password", _PASSWORD, _WORD),
    ("aws_elasticache_replication_group", "auth_token", _TOKEN, _ACCESS),
    ("aws_elasticache_user", "passwords authentication_mode.passwords", _PASSWORD, _WORD),
    ("aws_memorydb_user", "authentication_mode.passwords", _PASSWORD, _WORD),
    ("aws_mq_broker", "user.password", _PASSWORD, _WORD),
    ("aws_dms_endpoint", "password", _PASSWORD, _WORD),
    ("aws_directory_service_directory", "password", _PASSWORD, _WORD),
    ("aws_*search_domain", "advanced_security_options.master_user_options.master_user_password", _PASSWORD, _WORD),

    ("aws_fsx_*", "self_managed_active_directory.password fsx_admin_password svm_admin_password", _PASSWORD, _WORD),
    ("aws_cognito_user", "password temporary_password", _PASSWORD, _WORD),
    ("aws_cognito_user_pool_client*", "client_secret", _PASSWORD, _SECRET),
    ("aws_cognito_managed_user_pool_client", "client_secret", _PASSWORD, _SECRET),
    ("aws_api_gateway_api_key", "value", _CLOUD, "an API key"),
    ("aws_appsync_api_key", "key", _CLOUD, "an API key"),
    ("aws_cloudwatch_event_connection", "auth_parameters.api_key.value", _PASSWORD, _SECRET),
    ("aws_cloudwatch_event_connection", "auth_parameters.basic.password", _PASSWORD, _SECRET),
    ("aws_eks_cluster_auth", "token", _TOKEN, _ACCESS),
    ("aws_ecr_authorization_token", "authorization_token password", _TOKEN, _ACCESS),
    ("aws_codeartifact_authorization_token", "authorization_token", _TOKEN, _ACCESS),
    ("aws_connect_user", "password", _PASSWORD, _WORD),
    # Amazon: "preshared keys" of a Site-to-Site VPN (documentation of aws_vpn_connection).
    ("aws_vpn_connection", "tunnel1_preshared_key tunnel2_preshared_key", _PASSWORD, _SECRET),
    ("aws_vpn_connection", "customer_gateway_configuration", _PASSWORD, _SECRET),
    # hashicorp/google: `Sensitive: true` in google/services/*/resource_*.go and data_source_*.go.
    ("google_service_account_key", "private_key", _CLOUD, "the key of a Google service account"),
    ("google_service_account_access_token", "access_token", _TOKEN, _ACCESS),
    ("google_service_account_id_token", "id_token", _TOKEN, _ACCESS),
    ("google_service_account_jwt", "jwt", _TOKEN, _ACCESS),
    ("google_client_config", "access_token", _TOKEN, _ACCESS),
    ("google_secret_manager_*secret_version*", "secret_data", _PASSWORD, _SECRET),
    ("google_parameter_manager_*parameter_version*", "parameter_data", _PASSWORD, "a parameter"),
    ("google_parameter_manager_*parameter_version*", "rendered_parameter_data", _PASSWORD, "a parameter"),
    ("google_kms_secret*", "plaintext", _PASSWORD, _SECRET),
    ("google_sql_user", "password", _PASSWORD, _WORD),
    ("google_sql_database_instance", "root_password replica_configuration.password", _PASSWORD, _WORD),
    ("google_sql_ssl_cert", "private_key", _KEY, _PRIVATE),
    ("google_alloydb_user", "password", _PASSWORD, _WORD),
    ("google_alloydb_cluster", "initial_user.password", _PASSWORD, _WORD),
    ("google_container_cluster", "master_auth.client_key", _KEY, _PRIVATE),
    ("google_container_cluster", "master_auth.password", _PASSWORD, _WORD),
    ("google_compute_*ssl_certificate", "private_key", _KEY, _PRIVATE),
    ("google_certificate_manager_certificate", "self_managed.pem_private_key", _KEY, _PRIVATE),
    ("google_certificate_manager_certificate", "self_managed.private_key_pem", _KEY, _PRIVATE),
    ("google_compute_vpn_tunnel", "shared_secret", _PASSWORD, _SECRET),
    ("google_compute_backend_*signed_url_key", "key_value", _CLOUD, "a key"),
    ("google_redis_instance", "auth_string", _PASSWORD, _WORD),
    ("google_storage_hmac_key", "secret", _CLOUD, "a Google HMAC key"),
    ("google_storage_bucket_object", "content", _PASSWORD, "a sensitive file"),
    ("google_apikeys_key", "key_string", _CLOUD, "a Google API key"),
    ("google_iap_client", "secret", _PASSWORD, _SECRET),
    ("google_composer_user_workloads_secret", "data", _PASSWORD, _SECRET),
    ("google_bigquery_connection", "cloud_sql.credential.password", _PASSWORD, _WORD),
    ("google_firestore_user_creds", "secure_password", _PASSWORD, _WORD),
    # hashicorp/azurerm: `Sensitive: true` in internal/services/*/*_resource.go and *_data_source.go.
    ("azurerm_key_vault_secret", "value", _PASSWORD, _SECRET),
    ("azurerm_key_vault_certificate*", "certificate.contents certificate.password pem key", _KEY, _PRIVATE),
    ("azurerm_key_vault_managed_storage_account_sas_token_definition", "sas_template_uri", _CLOUD, _AZURE),
    ("azurerm_*", "primary_connection_string secondary_connection_string", _CLOUD, "a connection string"),
    ("azurerm_*", "primary_blob_connection_string secondary_blob_connection_string", _CLOUD, "a connection string"),
    ("azurerm_*", "default_primary_connection_string", _CLOUD, "a connection string"),
    ("azurerm_*", "default_secondary_connection_string", _CLOUD, "a connection string"),
    ("azurerm_*", "connection_string connection_strings", _CLOUD, "a connection string"),
    ("azurerm_*", "primary_key secondary_key primary_access_key secondary_access_key", _CLOUD, _AZURE),
    ("azurerm_*", "primary_readonly_key secondary_readonly_key", _CLOUD, _AZURE),
    ("azurerm_*", "primary_shared_key secondary_shared_key", _CLOUD, _AZURE),
    ("azurerm_*", "storage_account_access_key account_key instrumentation_key", _CLOUD, _AZURE),
    ("azurerm_*", "shared_key authorization_key", _CLOUD, _AZURE),
    ("azurerm_*", "kube_config kube_config_raw", _CLOUD, "the access to a cluster"),
    ("azurerm_*", "kube_admin_config kube_admin_config_raw", _CLOUD, "the access to a cluster"),
    ("azurerm_*", "admin_password administrator_password administrator_login_password password", _PASSWORD, _WORD),
    ("azurerm_*", "client_secret protected_settings site_credential.password", _PASSWORD, _SECRET),
    ("azurerm_*virtual_machine*", "custom_data", _PASSWORD, _SECRET),
    ("azurerm_storage_account_*sas", "sas connection_string", _CLOUD, "an Azure shared access signature"),
    ("azurerm_managed_disk_sas_token", "sas_url", _CLOUD, "an Azure shared access signature"),
    ("azurerm_api_management_*named_value", "value", _PASSWORD, _SECRET),
    ("azurerm_app_configuration", "primary_read_key.secret primary_write_key.secret", _CLOUD, _AZURE),
    ("azurerm_app_configuration", "secondary_read_key.secret secondary_write_key.secret", _CLOUD, _AZURE),
    ("azurerm_*app*", "connection_string.value", _CLOUD, "a connection string"),
    ("azurerm_function_app_host_keys", "default_function_key", _CLOUD, "a key"),
    ("azurerm_container_registry_token_password", "password1.value password2.value", _PASSWORD, _WORD),
    ("azurerm_container_app", "secret.value", _PASSWORD, _SECRET),
    ("azurerm_container_group", "container.secure_environment_variables", _PASSWORD, _SECRET),
    ("azurerm_automation_certificate", "base64", _KEY, "a certificate with its key"),
    ("azurerm_static_web_app", "api_key", _CLOUD, "an API key"),
    ("azurerm_application_insights_api_key", "api_key", _CLOUD, "an API key"),
    ("azurerm_virtual_network_gateway", "vpn_client_configuration.radius_server_secret", _PASSWORD, _SECRET),
    # hashicorp/azuread: documentation of each type.
    ("azuread_application_password", "value", _PASSWORD, "an Azure client secret"),
    ("azuread_service_principal_password", "value", _PASSWORD, "an Azure client secret"),
    ("azuread_application", "password.value", _PASSWORD, "an Azure client secret"),
    ("azuread_user", "password", _PASSWORD, _WORD),
    # hashicorp/kubernetes, hashicorp/helm, gavinbunney/kubectl: documentation of each type.
    ("kubernetes_secret*", "data binary_data", _PASSWORD, "the data of a Kubernetes secret"),
    ("kubernetes_token_request*", "token", _TOKEN, _ACCESS),
    ("helm_release", "set_sensitive repository_password", _PASSWORD, _SECRET),
    ("kubectl_manifest", "yaml_body", _PASSWORD, "a manifest"),
    # hashicorp/vault: `Sensitive: true` in vault/*.go.
    ("vault_generic_secret", "data data_json", _PASSWORD, _SECRET),
    ("vault_generic_endpoint", "data_json write_data write_data_json", _PASSWORD, _SECRET),
    ("vault_kv_*", "data data_json", _PASSWORD, _SECRET),
    ("vault_aws_*credentials", "access_key secret_key security_token", _CLOUD, "an AWS secret access key"),
    ("vault_azure_access_credentials", "client_secret", _CLOUD, "an Azure client secret"),
    ("vault_ldap_*credentials", "password last_password", _PASSWORD, _WORD),
    ("vault_ad_access_credentials", "current_password last_password", _PASSWORD, _WORD),
    ("vault_nomad_access_token", "secret_id", _TOKEN, _ACCESS),
    ("vault_kubernetes_service_account_token", "service_account_token", _TOKEN, _ACCESS),
    ("vault_token", "client_token wrapped_token", _TOKEN, "a Vault token"),
    ("vault_approle_auth_backend_*", "secret_id client_token wrapping_token", _TOKEN, "a Vault token"),
    ("vault_aws_auth_backend_login", "client_token", _TOKEN, "a Vault token"),
    ("vault_*secret_backend*", "password token secret_key client_secret credentials bindpass", _PASSWORD, _SECRET),
    ("vault_*secret_backend*", "private_key pem_bundle client_key client_tls_key", _KEY, _PRIVATE),
    ("vault_transit_*crypt", "plaintext", _PASSWORD, _SECRET),
    ("vault_identity_oidc_client*", "client_secret", _PASSWORD, _SECRET),
    # integrations/github and gitlabhq/gitlab: documentation of each type.
    ("github_*secret", "plaintext_value value", _PASSWORD, _SECRET),
    ("github_app_token", "token", _TOKEN, "a GitHub token"),
    ("gitlab_*variable", "value", _PASSWORD, "a variable"),
    ("gitlab_*token", "token", _TOKEN, "a GitLab token"),
    # hashicorp/tfe: documentation of tfe_variable, tfe_team_token, tfe_organization_token, tfe_agent_token.
    ("tfe_variable", "value", _PASSWORD, "a variable"),
    ("tfe_*token", "token", _TOKEN, _ACCESS),
    # Datadog/datadog, cloudflare/cloudflare, digitalocean/digitalocean, vancluever/acme, grafana/grafana: documentation
    # of each type.
    ("datadog_api_key", "key", _CLOUD, "an API key"),
    ("datadog_application_key", "key", _CLOUD, "an API key"),
    ("cloudflare_api_token", "value", _TOKEN, _ACCESS),
    ("cloudflare_*tunnel*", "secret tunnel_secret tunnel_token token", _TOKEN, _ACCESS),
    ("cloudflare_access_service_token", "client_secret", _PASSWORD, _SECRET),
    ("digitalocean_database_*", "password uri private_uri", _PASSWORD, _WORD),
    ("digitalocean_kubernetes_cluster", "kube_config", _CLOUD, "the access to a cluster"),
    ("digitalocean_spaces_key", "secret_key", _CLOUD, "a secret key"),
    ("acme_certificate", "private_key_pem account_key_pem certificate_p12", _KEY, _PRIVATE),
    ("acme_registration", "account_key_pem", _KEY, _PRIVATE),
    ("grafana_*token", "key", _TOKEN, _ACCESS),
    ("grafana_api_key", "key", _CLOUD, "an API key"),
    # cyrilgdn/postgresql, petoju/mysql, mongodb/mongodbatlas, Snowflake-Labs/snowflake: documentation of each type.
    ("postgresql_role", "password", _PASSWORD, _WORD),
    ("mysql_user*", "password plaintext_password", _PASSWORD, _WORD),
    ("mongodbatlas_database_user", "password", _PASSWORD, _WORD),
    ("snowflake_user", "password", _PASSWORD, _WORD),
)  # fmt: skip


@lru_cache(maxsize=4096)
def known_secrets(type_name: str) -> tuple[KnownSecret, ...]:
    """Return the secret attributes of a resource type; none for nearly all types."""
    found = [*_by_type().get(type_name, ())]
    # Comparing the start avoids most patterns.
    found += [line for start, line in _patterns() if type_name.startswith(start) and asterisk_test(line[0])(type_name)]
    return tuple(
        KnownSecret(code, kind, tuple(name.split("."))) for _, names, code, kind in found for name in names.split()
    )


@lru_cache(maxsize=1)
def _by_type() -> Mapping[str, list[_Line]]:
    found: dict[str, list[_Line]] = {}
    for line in _TABLE:
        if "*" not in line[0]:
            found.setdefault(line[0], []).append(line)
    return found


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, _Line], ...]:
    return tuple((line[0].partition("*")[0], line) for line in _TABLE if "*" in line[0])


@lru_cache(maxsize=4096)
def known_traces(type_name: str) -> tuple[bytes, ...]:
    """Return the ends of the names of a type's known secrets: JSON without any of them has no known secret."""
    return tuple({b'%b"' % one.names[-1].encode() for one in known_secrets(type_name)})


def places_of(known: KnownSecret, value: JSONValue) -> Iterator[tuple[SecretSteps, JSONValue]]:
    """Yield the paths and values of a known secret in attributes: in each element of a list on the path."""
    waiting: list[tuple[SecretSteps, JSONValue, int]] = [((), value, 0)]
    while waiting:
        steps, current, place = waiting.pop()
        if place == len(known.names):
            yield steps, current
        elif isinstance(current, list):
            waiting += [((*steps, index), item, place) for index, item in reversed(list(enumerate(current)))]
        elif isinstance(current, Members):
            waiting += [((*steps, name), item, place + 1) for name, item in current if name == known.names[place]]


def flat_places_of(known: KnownSecret, value: JSONValue) -> Iterator[tuple[SecretSteps, JSONValue]]:
    """Like places_of(), for flat attributes, whose names have indexes and hashes: `user.12345.password`, `data.key`."""
    for name, item in value if isinstance(value, Members) else ():
        if known.names[-1] in name:
            parts = tuple(part for part in name.split(".") if not part.lstrip("~").isdecimal())
            if parts[: len(known.names)] == known.names and parts[-1] not in ("#", "%"):
                yield (name,), item


# Names and positions in the JSON.
SecretSteps: TypeAlias = tuple[str | int, ...]


class Covered:
    """The values that paths mark as sensitive, as a tree of steps, so that lookups stay fast with many paths."""

    def __init__(self, paths: Sequence[Path], place: int = 0) -> None:
        self._paths = paths
        self._place = place
        self._all = any(len(path) == place for path in paths)

    def __contains__(self, steps: Sequence[str | int]) -> bool:
        """Whether a path marks the value at `steps` (names and indexes in the JSON), or a value that contains it."""
        return self._covers(steps, 0, past_value=False)

    def _covers(self, steps: Sequence[str | int], at: int, *, past_value: bool) -> bool:
        # `past_value`: the step "value" before this step belongs to the encoding of a dynamically typed value.
        if self._all:
            return True
        if at == len(steps) or not self._paths:
            return False
        step = steps[at]
        if isinstance(step, int):
            # Paths identify an element of a set by its value, not by its index.
            below = (self._by_key.get(step), self._by_other_name if past_value else self._by_name)
            return any(part is not None and part._covers(steps, at + 1, past_value=False) for part in below)
        found = None if past_value and step == "value" else self._by_key.get(step)
        if found is not None and found._covers(steps, at + 1, past_value=False):
            return True
        # This may be the encoding of a dynamically typed value.
        return step == "value" and self._covers(steps, at + 1, past_value=True)

    @cached_property
    def _by_key(self) -> Mapping[str | int, Covered]:
        """The rest of the paths, by their key at this step."""
        found: dict[str | int, list[Path]] = {}
        for path in self._paths:
            key = step_key(path[self._place])
            if isinstance(key, (str, int)):
                found.setdefault(key, []).append(path)
        return {key: Covered(paths, self._place + 1) for key, paths in found.items()}

    @cached_property
    def _by_name(self) -> Covered:
        """The rest of the paths whose key at this step is not an index."""
        paths = [path for path in self._paths if not isinstance(step_key(path[self._place]), int)]
        return Covered(paths, self._place + 1)

    @cached_property
    def _by_other_name(self) -> Covered:
        """Like `_by_name`, without the key "value"."""
        paths = [path for path in self._by_name._paths if step_key(path[self._place]) != "value"]
        return Covered(paths, self._place + 1)
