-- How many states depend on each state, directly or through others.
-- Follows remote state references.
WITH RECURSIVE reached(target, reader) AS (
    SELECT target_state_id, state_id FROM remote_refs WHERE target_state_id IS NOT NULL
    UNION
    SELECT reached.target, remote_refs.state_id FROM reached JOIN remote_refs ON remote_refs.target_state_id = reached.reader
)
SELECT uri, count(DISTINCT reader) AS readers
FROM reached JOIN states ON states.state_id = reached.target GROUP BY uri ORDER BY readers DESC, uri
