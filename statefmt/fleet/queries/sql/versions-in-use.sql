-- Which releases and formats write the states.
-- One row for each engine, release and format version, with the number of states.
SELECT engine, terraform_version, format_version, count(*) AS states
FROM states WHERE error IS NULL GROUP BY ALL ORDER BY states DESC, engine, terraform_version, format_version
