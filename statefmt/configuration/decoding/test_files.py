"""Decodes test files. Source: OpenTofu `internal/configs/test_file.go`."""

from __future__ import annotations

from collections.abc import Mapping

from statefmt.configuration.decoding._providers import read_passed, read_provider
from statefmt.configuration.decoding.reader import FileReader
from statefmt.configuration.model import ProviderBlock, TestFile, TestRun
from statefmt.hcl.source.position import Range
from statefmt.hcl.syntax.body import Argument, Block, Body


def read_test_file(reader: FileReader, body: Body) -> TestFile:
    """Decode the provider blocks, real and mocked, the runs and the variables of a test file."""
    providers = [read_provider(reader, block) for block in body.blocks("provider", 1)]
    mocks: dict[tuple[str, str], ProviderBlock] = {}
    for block in body.blocks("mock_provider", 1):
        mock = read_provider(reader, block, mock=True)
        if mocks.setdefault((mock.name, mock.alias), mock) is not mock:
            detail = f"There is already a mock of {mock.name}{'.' if mock.alias else ''}{mock.alias} in this file."
            reader.complain("Duplicated `mock_provider` block", detail, mock.range)
    runs = [_run(reader, block) for block in body.blocks("run", 1)]
    return TestFile(reader.source.file, (*providers, *mocks.values()), tuple(runs), _variables(body))


def _run(reader: FileReader, block: Block) -> TestRun:
    providers = block.body.attribute("providers")
    source: str | None = None
    where: Range | None = None
    for module in block.body.blocks("module"):
        source, where = reader.text(module.body.attribute("source")), module.range
    return TestRun(
        name=block.labels[0],
        range=block.range,
        module_source=source or "",
        module_range=where,
        providers=() if providers is None else tuple(read_passed(reader, providers.expression)),
        variables=_variables(block.body),
    )


def _variables(body: Body) -> Mapping[str, Argument]:
    found: dict[str, Argument] = {}
    for block in body.blocks("variables"):
        for name in block.body.names():
            argument = block.body.attribute(name)
            if argument is not None:
                found[name] = argument
    return found
