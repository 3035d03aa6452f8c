-- States in a format before version 4.
-- `statetool upgrade` rewrites them.
SELECT uri, format_version, terraform_version FROM states WHERE format_version < 4 ORDER BY format_version, uri
