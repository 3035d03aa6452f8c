"""The names of the schema, table and index that have the states of a backend, and the statements that use them."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg.sql import SQL, Composed, Identifier

from statefmt.store.backends.description import SettingValues, text_of


@dataclass(frozen=True, slots=True)
class StateTable:
    """The table of states, its schema and index, and which of them must not be created."""

    schema: str
    table: str
    index: str
    skips_schema: bool
    skips_table: bool
    skips_index: bool

    @staticmethod
    def of(values: SettingValues) -> StateTable:
        """Return the table that the settings name."""
        return StateTable(
            schema=text_of(values, "schema_name"),
            table=text_of(values, "table_name"),
            index=text_of(values, "index_name"),
            skips_schema=bool(values.get("skip_schema_creation")),
            skips_table=bool(values.get("skip_table_creation")),
            skips_index=bool(values.get("skip_index_creation")),
        )

    def sql(self, statement: str) -> Composed:
        """Return a statement, with the quoted names in place of {table}, {schema} and {index}."""
        return SQL(statement).format(
            table=_quoted(self.schema, self.table), schema=_quoted(self.schema), index=_quoted(self.index)
        )


def _quoted(*names: str) -> Identifier:
    # psycopg looks for parameters in names, too.
    return Identifier(*(name.replace("%", "%%") for name in names))
