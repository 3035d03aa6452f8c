"""Plans as `show -json` prints them: reads the JSON into typed values; attributes stay raw JSON."""
