-- Which states grew.
-- The size and the objects of each state in the first and the last run that could read it, the greatest growth first.
SELECT states.uri,
    arg_min(history.size, history.run_id) AS size_first, arg_max(history.size, history.run_id) AS size_last,
    arg_min(history.n_objects, history.run_id) AS objects_first, arg_max(history.n_objects, history.run_id) AS objects_last
FROM history JOIN states USING (state_id) WHERE history.error IS NULL
GROUP BY states.uri HAVING size_last > size_first OR objects_last > objects_first
ORDER BY size_last - size_first DESC, states.uri
