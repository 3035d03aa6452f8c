-- Provider keys that no current managed object needs.
-- Only data sources and deposed objects are bound to these instances. Apply or forget the deposed objects before the key
-- is removed from for_each. A key to which nothing at all is bound is in no state: check --config finds it.
SELECT uri, provider_instance, count(*) FILTER (mode = 'data') AS data_sources, count(*) FILTER (deposed != '') AS deposed_objects
FROM objects JOIN (SELECT DISTINCT state_id, address AS resource, mode FROM resources) USING (state_id, resource) JOIN states USING (state_id)
WHERE regexp_matches(provider_instance, 'provider\["[^"]+"\]\.[^\[]+\[.+\]$')
GROUP BY uri, provider_instance HAVING bool_and(mode = 'data' OR deposed != '') ORDER BY uri, provider_instance
