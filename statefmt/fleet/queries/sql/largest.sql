-- The largest states.
-- The 50 states with the most bytes.
SELECT uri, size, n_resources, n_objects FROM states WHERE size IS NOT NULL ORDER BY size DESC, uri LIMIT 50
