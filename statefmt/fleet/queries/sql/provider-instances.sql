-- Which provider instances are in use.
-- Objects and states by provider instance, the most used first.
SELECT provider_instance, count(*) AS objects, count(DISTINCT state_id) AS states
FROM objects GROUP BY ALL ORDER BY objects DESC, provider_instance
