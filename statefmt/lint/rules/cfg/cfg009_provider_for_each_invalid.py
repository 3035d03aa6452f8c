r"""The for_each of a provider is invalid

## What it does
Reports, with `--config`:
- the `for_each` of a `provider` block, if it is neither a map nor a set of strings, is ephemeral, or has null or
  sensitive keys, as far as its value is known;
- provider references with keys that are null or sensitive;
- references in such a `for_each`, direct or through local values and variables, to something known only in a plan:
  resources, data sources, outputs of modules, functions of providers.

## Why is this bad?
OpenTofu refuses the configuration.

## Example
```hcl
provider "aws" {
  alias    = "by_region"
  for_each = ["eu-west-1"] # a list: toset() makes a set of it
}
```

## What to do
Use a map or a set of strings (`toset`) without sensitive values, computed only from variables, local values and
functions.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from statefmt.configuration.instances import static_problems
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.hcl.source import Problem
from statefmt.hcl.value import Unknown
from statefmt.lint.configurations import problem_finding
from statefmt.lint.rule import Rule
from statefmt.model.addrs import ConfigProviderConfig
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for config, block in references.tree.declared.items():
        problems = list[Problem]()
        if block.for_each is not None:
            problems = list(static_problems(references.configuration, config.module, block.for_each.expression))
        for problem in problems:
            yield problem_finding(Code.PROVIDER_FOR_EACH_INVALID, problem, str(config))
        yield from _null_values(references, config)
        keys = references.declared_keys(config)
        if isinstance(keys, Unknown) and keys.problem is not None and not problems:
            yield problem_finding(Code.PROVIDER_FOR_EACH_INVALID, keys.problem, str(config))
    for resource in references.blocks:
        addresses = references.instances.all_of(resource)
        for address in () if isinstance(addresses, Unknown) else addresses:
            provider = references.instance_binding(address)
            if isinstance(provider, Unknown) and provider.problem is not None:
                yield problem_finding(Code.PROVIDER_FOR_EACH_INVALID, provider.problem, str(resource))
                break


def _null_values(references: ProviderReferences, config: ConfigProviderConfig) -> Iterable[Finding]:
    """Yield a finding for each key with the value null, if the block uses a part of `each.value`."""
    for key in references.null_keys(config):
        for value in references.settings(config.instance(key)).values():
            if isinstance(value, Unknown) and value.problem is not None:
                detail = f"{value.problem.detail} The value of the key {key} in for_each is null."
                problem = replace(value.problem, detail=detail)
                yield problem_finding(Code.PROVIDER_FOR_EACH_INVALID, problem, str(config))
                break


RULE = Rule(Code.PROVIDER_FOR_EACH_INVALID, check_configuration=_check)
