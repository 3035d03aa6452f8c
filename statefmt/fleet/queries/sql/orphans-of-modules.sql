-- Objects that depend on modules that are gone.
-- Their states record a dependency on a module that has no objects there any more: it was removed or renamed, or moved to
-- another state. The next apply of the object corrects the record.
WITH present AS (
    SELECT DISTINCT state_id, unnest([regexp_replace(module, '\[("([^"\\]|\\.)*"|[0-9]+)\]', '', 'g')]) AS module FROM resources
),
named AS (
    SELECT state_id, depends_on,
        regexp_extract(regexp_replace(depends_on, '\[("([^"\\]|\\.)*"|[0-9]+)\]', '', 'g'), '^(module\.[^.]+(\.module\.[^.]+)*)\.', 1) AS module
    FROM (SELECT DISTINCT state_id, depends_on FROM dependencies WHERE depends_on LIKE 'module.%')
)
SELECT uri, named.module, count(DISTINCT address) AS objects, min(address) AS example
FROM named ANTI JOIN present ON present.state_id = named.state_id AND (present.module = named.module OR starts_with(present.module, named.module || '.'))
JOIN dependencies USING (state_id, depends_on) JOIN states USING (state_id)
GROUP BY ALL ORDER BY uri, named.module
