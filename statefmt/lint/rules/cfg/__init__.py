"""Rules about configurations alone (CFG), except the longer ones, which are modules of this package."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from statefmt.configuration.model import Declarations
from statefmt.configuration.provider_checks import (
    import_problems,
    import_references,
    import_target,
    passing_problems,
    problems_of_tests,
    requirement_problems,
)
from statefmt.configuration.provider_instances import ProviderReferences, not_present
from statefmt.configuration.provider_reference import read_provider_reference
from statefmt.hcl.source import Problem, ProblemKind
from statefmt.hcl.syntax import AttributeAccess, Expression, references as names_in
from statefmt.hcl.value import Unknown
from statefmt.lint.configurations import place, problem_finding, provider_blocks
from statefmt.lint.rule import Rule
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigResource, Module
from statefmt.model.errors import StoreError
from statefmt.model.findings import Code, Command, Finding, Fix, Place
from statefmt.whereabouts import is_record_itself
from statefmt.whereabouts.find import configured_backend, find_backend, located


def _problem_rule(code: Code, kinds: Collection[ProblemKind], page: str) -> Rule:
    return Rule(code, check_configuration=lambda references: _problems(references, kinds, code), page=page)


def _problems(references: ProviderReferences, kinds: Collection[ProblemKind], code: Code) -> Iterable[Finding]:
    """Yield findings for the problems of some kinds; a problem without a range concerns the whole directory."""
    configuration = references.configuration
    whole = Place(file="", line=1, column=1, end_line=1, end_column=1)
    for problem in configuration.problems:
        if problem.kind in kinds:
            found = place(problem.range) or whole
            yield Finding(code, problem.severity, problem.summary, problem.detail, place=found)


def _for_each_without_alias(references: ProviderReferences) -> Iterable[Finding]:
    for block in provider_blocks(references.configuration):
        if block.for_each is not None and not block.alias:
            yield Code.PROVIDER_FOR_EACH_WITHOUT_ALIAS.finding(
                'Alias required when using "for_each"',
                "The for_each argument is allowed only for provider configurations with an alias.",
                fix='Add an alias: `alias = "by_key"`.',
                place=place(block.for_each.expression.range),
            )


def _reserved_argument(references: ProviderReferences) -> Iterable[Finding]:
    for block in provider_blocks(references.configuration):
        for argument in block.reserved:
            yield Code.PROVIDER_RESERVED_ARGUMENT.finding(
                "Reserved argument name in provider block",
                f'The provider argument name "{argument.name}" is reserved for use by OpenTofu in a future version.',
                fix="Use for_each with an alias." if argument.name == "count" else "",
                place=place(argument.name_range),
            )


def _reference_invalid(references: ProviderReferences) -> Iterable[Finding]:
    for path, module in references.configuration.modules.items():
        for block in module.declarations.resources:
            if block.provider is not None:
                yield from _invalid(block.provider.expression, "provider", str(ConfigResource(path, block.address)))
        for imported in module.declarations.imports:
            if imported.provider is not None:
                yield from _invalid(imported.provider.expression, "provider", str(import_target(imported) or path))
        for use in module.declarations.uses:
            if use.provider is not None:
                yield from _invalid(use.provider.expression, "provider", ".".join(filter(None, (str(path), use.user))))
        for call in module.declarations.calls.values():
            for pair in call.providers or ():
                for expression in (pair.child, pair.parent):
                    yield from _invalid(expression, "providers", str(path.child(call.name)))
        yield from _providers_in_locals(path, module.declarations)


def _providers_in_locals(path: Module, declared: Declarations) -> Iterable[Finding]:
    """Yield the local values that refer to a provider configuration, which is not a value."""
    resources = {(block.type, block.name) for block in declared.resources}
    for local in declared.locals.values():
        for reference in names_in(local.expression):
            step = reference.steps[0] if reference.steps else None
            if not isinstance(step, AttributeAccess):
                continue
            name = reference.root, step.name
            if name in declared.providers and name not in resources:
                detail = (
                    f'A managed resource "{name[0]}" "{name[1]}" has not been declared in {path or "the root module"}. '
                    "It is a provider configuration, which only the arguments provider and providers can name."
                )
                address = ".".join(filter(None, (str(path), f"local.{local.name}")))
                yield Code.PROVIDER_REFERENCE_INVALID.finding(
                    "Reference to undeclared resource", detail, address, place=place(reference.range)
                )


def _invalid(expression: Expression, argument: str, address: str) -> Iterable[Finding]:
    found = read_provider_reference(expression, argument)
    if isinstance(found, Problem):
        yield problem_finding(Code.PROVIDER_REFERENCE_INVALID, found, address)


def _undeclared(references: ProviderReferences) -> Iterable[Finding]:
    for resource in references.blocks:
        found = references.block_binding(resource)
        if isinstance(found, Problem) and found.kind is ProblemKind.NO_PROVIDER:
            yield problem_finding(Code.PROVIDER_UNDECLARED, found, str(resource))
    for target, reference in import_references(references.configuration):
        if references.tree.resolve(target.module, reference.local) is None:
            found = not_present(f"The import of {target}", target.module, reference)
            yield problem_finding(Code.PROVIDER_UNDECLARED, found, str(target))
    for module, use in references.uses():
        bound = references.use_binding(module, use)
        if isinstance(bound, Problem) and bound.kind is ProblemKind.NO_PROVIDER:
            # A function has no address: a block calls it.
            address = str(module) if use.is_function else ".".join(filter(None, (str(module), use.user)))
            yield replace(problem_finding(Code.PROVIDER_UNDECLARED, bound, address), severity=bound.severity)


def _key_undeclared(references: ProviderReferences) -> Iterable[Finding]:
    for resource in references.blocks:
        binding = references.block_binding(resource)
        addresses = references.instances.all_of(resource)
        if isinstance(binding, Problem) or isinstance(addresses, Unknown) or not binding.has_key:
            continue
        declared = references.declared_keys(binding.config)
        if isinstance(declared, Unknown) or NO_KEY in declared:
            continue
        bound = ((address, references.instance_binding(address)) for address in addresses)
        missing = [
            (address, provider)
            for address, provider in bound
            if isinstance(provider, AbsProviderInstance) and provider.key not in declared
        ]
        if missing:
            address, provider = missing[0]
            more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
            detail = f"{address}{more} needs the provider instance {provider}, which is not declared."
            fix = "Add the key to the for_each of the provider, or remove it from that of the resource."
            yield Code.PROVIDER_KEY_UNDECLARED.finding(
                "Provider instance not present", detail, str(resource), fix=fix, place=place(binding.range)
            )


def _passing(references: ProviderReferences) -> Iterable[Finding]:
    for module, found in passing_problems(references.configuration):
        where = place(found.range)
        yield Finding(Code.PROVIDER_PASSING, found.severity, found.summary, found.detail, str(module), place=where)


def _in_tests(references: ProviderReferences) -> Iterable[Finding]:
    for found in problems_of_tests(references.configuration):
        where = place(found.range)
        yield Finding(Code.PROVIDER_IN_TESTS, found.severity, found.summary, found.detail, place=where)


def _required_twice(references: ProviderReferences) -> Iterable[Finding]:
    for module, resource, found in requirement_problems(references.configuration):
        address = str(module if resource is None else ConfigResource(module, resource))
        where = place(found.range)
        yield Finding(Code.PROVIDER_REQUIRED_TWICE, found.severity, found.summary, found.detail, address, place=where)


def _import_provider(references: ProviderReferences) -> Iterable[Finding]:
    for target, found in import_problems(references.configuration):
        yield problem_finding(Code.IMPORT_PROVIDER, found, str(target))


def _backend_path_of_init(references: ProviderReferences) -> Iterable[Finding]:
    try:
        found = located(configured_backend(Path(references.configuration.directory), {}), {})
        wrong = is_record_itself(found)
    except StoreError:
        # An invalid block has other findings.
        return
    if wrong:
        place = next((setting.place for setting in found.backend.given if setting.name == "path"), found.backend.place)
        file, _, line = place.rpartition(":")
        yield Code.BACKEND_PATH_OF_INIT.finding(
            "Backend path is the file of init",
            "The backend keeps the state in the file in which init records the backend; with a state in it, no command "
            "works in this folder.",
            fix="Choose another path, or leave it out.",
            place=Place(
                os.path.relpath(file, references.configuration.directory),
                line=int(line),
                column=1,
                end_line=int(line),
                end_column=1,
            ),
        )


def _state_in_record(references: ProviderReferences) -> Iterable[Finding]:
    folder = references.configuration.directory
    try:
        record = find_backend(Path(folder), {}).state_in_record
    except StoreError:
        # Commands on the state of this folder report the problem.
        return
    if record:
        yield Code.STATE_IN_RECORD.finding(
            "State in the file of init",
            "init records the backend in this file, and it holds a state: no command works in this folder.",
            fix=Fix.of("Copy it to where the backend expects it: ", Command("copy", (record, folder)),
                       "; then delete the file, and run init."),
            place=Place(os.path.relpath(record, folder), line=1, column=1, end_line=1, end_column=1),
        )  # fmt: skip


RULES: Final = (
    _problem_rule(
        Code.CONFIGURATION_UNREADABLE,
        (ProblemKind.UNREADABLE, ProblemKind.SYNTAX),
        r"""A configuration file cannot be read

## What it does
Reports, with `--config`, files and directories that cannot be read, and syntax errors in HCL and `.json` files.

## Why is this bad?
OpenTofu refuses the configuration. statetool does not see the contents of such a file either, so it does not report
anything as missing from that module.

## Example
```hcl
provider "aws" {
  alias = "west
}
```

## What to do
Correct the file; `tofu validate` shows more.
""",
    ),
    _problem_rule(
        Code.CONFIGURATION_MODULE_MISSING,
        (ProblemKind.MODULE,),
        r"""A module of a configuration cannot be read

## What it does
Reports, with `--config`, a `module` block whose module does not exist: a missing directory, or a module from a
registry or a repository that is not installed. It also reports modules that call themselves.

## Why is this bad?
statetool cannot know which resources the module has and which providers they need.

## Example
```hcl
module "network" {
  source = "./modules/netwrok"
}
```

## What to do
Correct the source, or run `tofu get`, which installs modules without credentials for providers.
""",
    ),
    _problem_rule(
        Code.CONFIGURATION_INVALID,
        (ProblemKind.BLOCK, ProblemKind.DUPLICATE, ProblemKind.VARIABLE, ProblemKind.EVALUATION),
        r"""A declaration in a configuration is invalid

## What it does
Reports, with `--config`, invalid blocks and arguments, duplicate declarations, and values of input variables that
OpenTofu would refuse.

## Why is this bad?
OpenTofu refuses the configuration.

## Example
```hcl
provider "aws" {
  alias = "west"
}
provider "aws" {
  alias = "west"
}
```

## What to do
Correct it; `tofu validate` shows more.
""",
    ),
    Rule(
        Code.PROVIDER_FOR_EACH_WITHOUT_ALIAS,
        check_configuration=_for_each_without_alias,
        page="""A provider block has for_each but no alias

## What it does
Reports, with `--config`, a `provider` block with `for_each` that has no `alias`.

## Why is this bad?
OpenTofu refuses the configuration. A block without `alias` is the default configuration, which resources and
modules use without naming it, so it cannot have several instances.

## Example
```hcl
provider "aws" {
  for_each = toset(["eu-west-1"])
}
```

## What to do
Add an alias that describes the keys (`by_region`), and name it in every resource and module.
""",
    ),
    Rule(
        Code.PROVIDER_RESERVED_ARGUMENT,
        check_configuration=_reserved_argument,
        page="""A provider block has count or another reserved argument

## What it does
Reports, with `--config`, `count`, `depends_on` and `source` in a `provider` block.

## Why is this bad?
OpenTofu refuses the configuration: these names are reserved.

## Example
```hcl
provider "aws" {
  count = 2
}
```

## What to do
Use `for_each` with an `alias` instead of `count`: `for_each = toset(["a", "b"])`.
""",
    ),
    Rule(
        Code.PROVIDER_REFERENCE_INVALID,
        check_configuration=_reference_invalid,
        page="""A provider argument is not a provider reference

## What it does
Reports, with `--config`, a `provider` argument or an entry of `providers` that is not a name with an optional alias
and key: a quoted string, a variable as the alias (`aws[local.x][each.key]`), a function, a key without an alias
(`aws[each.key]`). It also reports names that no provider can have (`my_provider`), and local values that refer to a
provider configuration (`p = aws.by_region["us"]`): OpenTofu takes that for a resource.

## Why is this bad?
OpenTofu refuses the configuration. It must know the provider configuration before it evaluates anything; only the
instance key can depend on values.

## Example
```hcl
resource "aws_vpc" "main" {
  provider = aws[local.alias][each.key]
}
```

## What to do
Write out the name of the configuration (`aws.by_region[each.key]`).
""",
    ),
    Rule(
        Code.PROVIDER_UNDECLARED,
        check_configuration=_undeclared,
        page="""A block or function names a provider configuration that does not exist

## What it does
Reports, with `--config`, a block whose provider configuration is neither declared by a `provider` block nor passed by a
caller of its module: `resource`, `data` (also in `check`), `ephemeral`, `import`, and the `action` and `list` blocks of
Terraform. It also reports the functions of providers (`provider::aws::arn_parse`): their provider must be in
`required_providers` of the module. If only their alias does not exist, OpenTofu uses another configuration, and this is
a warning.

What a root module without a backend names in `configuration_aliases` counts as passed: other modules call it (CFG021).

## Why is this bad?
The next plan fails with "Provider configuration not present". A module never inherits a configuration with an
alias: the module call must pass it in `providers`.

## Example
```hcl
resource "aws_vpc" "main" {
  provider = aws.wset
}
```

## What to do
Correct the name, add the `provider` block, or pass the configuration to the module.
""",
    ),
    Rule(
        Code.PROVIDER_KEY_UNDECLARED,
        check_configuration=_key_undeclared,
        page="""A resource needs a provider instance that is not declared

## What it does
Reports, with `--config`, a resource or data block with instances whose provider key is not in the `for_each` of the
provider configuration.

## Why is this bad?
The next plan fails with "Provider instance not present", before anything is created.

## Example
```hcl
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1"])
}

resource "aws_vpc" "main" {
  for_each = toset(["eu-west-1", "us-east-1"])
  provider = aws.by_region[each.key]
}
```

## What to do
Add the key to the `for_each` of the provider, or remove it from that of the resource.
""",
    ),
    Rule(
        Code.PROVIDER_PASSING,
        check_configuration=_passing,
        page="""A module is not passed the provider configurations that it needs

## What it does
Reports, with `--config`, mismatches between the `providers` of a module call and the declarations of the module:
- an alias that the module requires but is not passed;
- a configuration that the module declares itself and is passed as well;
- a configuration of another provider;
- a name that is not declared anywhere;
- `provider` blocks in a module that is repeated;
- empty `provider` blocks.

## Why is this bad?
OpenTofu refuses the configuration, or uses another provider configuration than intended. If OpenTofu only warns,
the finding is a warning.

## Example
```hcl
module "network" {
  source = "./network" # its required_providers has configuration_aliases = [aws.west]
}
```

## What to do
Pass what the module declares, under its name in the module:
`providers = { aws.west = aws.by_region["us-west-2"] }`.
""",
    ),
    Rule(
        Code.PROVIDER_IN_TESTS,
        check_configuration=_in_tests,
        page="""A provider in a test file does not fit the module under test

## What it does
Reports, with `--config`:
- a `provider` or `mock_provider` block in a test file that has `for_each` although the module's block that it
  replaces has none, or the reverse;
- `providers` of a `run` that have instance keys, name a configuration with `for_each`, or name another provider.

## Why is this bad?
The test fails before it runs anything: resources choose a provider instance by key, or they do not.

## Example
```hcl
mock_provider "aws" {
  alias = "by_region" # the module's block has for_each, so this one needs it, too
}
```

## What to do
Add `for_each` to the block in the test, or remove it there. The expression may differ: a mock can have any keys
that the module uses.
""",
    ),
    Rule(
        Code.PROVIDER_REQUIRED_TWICE,
        check_configuration=_required_twice,
        page="""A module has two names for one provider

## What it does
Reports, with `--config`, a provider that `required_providers` lists under two names, or under another name than a
`provider` block or a resource type implies. It also reports resource types that imply an invalid provider name.

## Why is this bad?
The names lead to different configurations. A block `provider "google"` configures nothing for resources that use
the same provider as `google-beta`, and OpenTofu warns about it.

## Example
```hcl
terraform {
  required_providers {
    cloud = {
      source = "hashicorp/aws"
    }
  }
}

resource "aws_vpc" "main" {} # not the provider "cloud"
```

## What to do
Keep one name, preferably the prefix of its resource types, or name the provider in each resource:
`provider = cloud`.
""",
    ),
    Rule(
        Code.IMPORT_PROVIDER,
        check_configuration=_import_provider,
        page="""An import names another provider than the resource

## What it does
Reports, with `--config`, an `import` block with a `provider` that differs from that of the resource block, or with
a `provider` for a resource in a module.

## Why is this bad?
OpenTofu refuses the configuration. The resource block determines the provider of a resource. The `provider` of an
import is only for resources without a block, which OpenTofu is to generate.

## Example
```hcl
import {
  to       = aws_vpc.main
  id       = "vpc-1"
  provider = aws.west
}

resource "aws_vpc" "main" {} # needs `provider = aws.west`
```

## What to do
Set the provider in the resource block, and remove it from the import.
""",
    ),
    Rule(
        Code.BACKEND_PATH_OF_INIT,
        check_configuration=_backend_path_of_init,
        page="""The backend keeps the state in the file of init

## What it does
Reports, with `--config`, a `backend "local"` block whose path is `.terraform/terraform.tfstate`, by itself or through a
link.

## Why is this bad?
In that file, `init` records the backend. The first apply replaces the record by a state, and from then on OpenTofu and
Terraform refuse every command in the folder ("unsupported backend state version 4").

## Example
```hcl
terraform {
  backend "local" {
    path = ".terraform/terraform.tfstate"
  }
}
```

## What to do
Choose another path, or leave `path` out: the default is `terraform.tfstate` in the folder.
""",
    ),
    Rule(
        Code.STATE_IN_RECORD,
        check_configuration=_state_in_record,
        page="""The file of init holds a state

## What it does
Reports, with `--config`, a folder whose `.terraform/terraform.tfstate`, in which `init` records the backend, holds a
state.

## Why is this bad?
OpenTofu and Terraform refuse every command in the folder ("unsupported backend state version 4", in older releases
"does not support state version 4"), and the objects of that state are in no state that a command uses.

## Example
```json
{"version": 4, "serial": 3, "resources": []}
```

## What to do
Copy the state to where the backend expects it, `statetool copy .terraform/terraform.tfstate .`, delete the file, and
run `init`.
""",
    ),
)
