"""Reads cases of adoption: two configurations, a state, and the only right result, in one text file each.

-- before/main.tf --       files of the old configuration; without any, there is no old configuration
-- after/main.tf --        files of the new one
-- state --                ADDRESS PROVIDER [JSON attributes]; `ADDRESS deposed:KEY PROVIDER …` for a deposed object;
                           `ADDRESS PROVIDER {…} needs ADDRESS,…` with dependencies
-- result --               OLD -> NEW; `choice OLD: NEW, …`; `refused OLD -> NEW`; `left OLD`; `dropped OLD`
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

from statefmt.addrs import parse_abs_resource_instance
from statefmt.analysis.adoption import adopt
from statefmt.analysis.adoption.model import Adoption
from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences

CASES = Path(__file__).parent / "cases"
_SOURCES = {
    "oci": "registry.opentofu.org/oracle/oci",
    "alicloud": "registry.opentofu.org/aliyun/alicloud",
    "cloudflare": "registry.opentofu.org/cloudflare/cloudflare",
    "github": "registry.opentofu.org/integrations/github",
    "postgresql": "registry.opentofu.org/cyrilgdn/postgresql",
    "terraform": "terraform.io/builtin/terraform",
}
_LINE = re.compile(r"(\S+(?:\[\"[^\"]*\"\]\S*)*)(?: deposed:(\w+))? (\S+)(?: (\{.*\}))?(?: needs (\S+))?")


class Case(NamedTuple):
    """The two configurations, the document of the state, and the lines of the result."""

    before: ProviderReferences | None
    after: ProviderReferences
    state: bytes
    result: list[str]

    def adopted(self) -> Adoption:
        from statefmt.formats.reading import read

        return adopt(read(self.state).snapshot, self.after, self.before)


def parts_of(text: str) -> dict[str, str]:
    """The sections of a case, by their names."""
    found = re.split(r"^-- (.+) --\n", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def read_case(text: str, folder: Path) -> Case:
    """Write the configurations of a case to a folder, and load them."""
    parts = parts_of(text)
    for name, content in parts.items():
        if "/" in name:
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
    before = ProviderReferences(load(folder / "before")) if (folder / "before").exists() else None
    after = ProviderReferences(load(folder / "after"))
    lines = [line for line in parts["result"].splitlines() if line.strip()]
    return Case(before, after, state_of(parts["state"]), sorted(lines))


def state_of(text: str) -> bytes:
    """A state of format 4 from one line for each object."""
    resources: dict[tuple[str, str], dict[str, object]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        found = _LINE.fullmatch(line)
        assert found is not None, line
        address, deposed, provider, attributes, needs = found.groups()
        parsed = parse_abs_resource_instance(address)
        home, (config, key) = str(parsed.containing_resource()), provider_of(provider)
        module = {"module": str(parsed.module)} if parsed.module else {}
        resource = parsed.resource.resource
        block = resources.setdefault(
            (home, config),
            {
                **module,
                "mode": resource.mode.value,
                "type": resource.type,
                "name": resource.name,
                "instances": [],
                **({} if key else {"provider": config}),
            },
        )
        index = getattr(parsed.key, "value", None)
        instances = block["instances"]
        assert isinstance(instances, list)
        instances.append(
            {
                **({} if index is None else {"index_key": index}),
                **({"deposed": deposed} if deposed else {}),
                **({"provider": config + key} if key else {}),
                "schema_version": 0,
                "attributes": json.loads(attributes or "{}"),
                "sensitive_attributes": [],
                **({"dependencies": needs.split(",")} if needs else {}),
            }
        )
    document = {
        "version": 4,
        "terraform_version": "1.10.6",
        "serial": 7,
        "lineage": "3f2b1c1e-0000-4000-8000-000000000001",
        "outputs": {},
        "resources": list(resources.values()),
        "check_results": None,
    }
    return json.dumps(document, indent=2).encode() + b"\n"


def provider_of(text: str) -> tuple[str, str]:
    """The configuration and the key of a provider instance such as `module.m.aws.eu["x"]`."""
    found = re.fullmatch(r"((?:module\.\w+\.)*)(\w+)(\.\w+)?(\[.*\])?", text)
    assert found is not None, text
    module, name, alias, key = found.groups()
    source = _SOURCES.get(name, f"registry.opentofu.org/hashicorp/{name}")
    return f'{module}provider["{source}"]{alias or ""}', key or ""


def lines_of(found: Adoption) -> list[str]:
    """The result as a case has it."""
    return sorted(
        [
            *(f"{pair.source.addr} -> {pair.target.address}" for pair in found.pairs),
            *(
                f"choice {one.source.addr}: "
                + (", ".join(sorted(str(pair.target.address) for pair in one.candidates)) or "unknown")
                for one in found.choices
            ),
            *(f"refused {one.source.addr} -> {one.target.address}" for one in found.refused),
            *(f"left {one.addr}" for one in found.left),
            *(f"dropped {addr}" for addr in found.dropped),
        ]
    )
