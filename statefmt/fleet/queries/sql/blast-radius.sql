-- How many states depend on each state, directly and through others.
-- Follows remote state references, also in circles. A change of the outputs of the first ones reaches the most states.
WITH RECURSIVE reached(target, reader) AS (
    SELECT target_state_id, state_id FROM remote_refs WHERE target_state_id IS NOT NULL
    UNION
    SELECT reached.target, remote_refs.state_id FROM reached JOIN remote_refs ON remote_refs.target_state_id = reached.reader
)
SELECT uri, count(*) FILTER (EXISTS (FROM remote_refs WHERE target_state_id = target AND remote_refs.state_id = reader)) AS direct,
    count(*) AS readers
FROM reached JOIN states ON states.state_id = target WHERE reader != target GROUP BY uri ORDER BY readers DESC, direct DESC, uri
