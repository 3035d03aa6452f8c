-- How many states depend on each state.
-- They read its outputs directly or through others: follows remote state references, also in circles; `direct` counts the
-- states that read it themselves. A change of the outputs of the first ones reaches the most states.
WITH RECURSIVE direct AS (
    SELECT DISTINCT target_state_id AS target, state_id AS reader FROM remote_refs WHERE target_state_id IS NOT NULL
),
reached(target, reader) AS (
    SELECT target, reader FROM direct
    UNION
    SELECT reached.target, direct.reader FROM reached JOIN direct ON direct.target = reached.reader
)
SELECT uri, count(*) AS readers, count(direct.reader) AS direct
FROM reached JOIN states ON states.state_id = reached.target
LEFT JOIN direct ON direct.target = reached.target AND direct.reader = reached.reader
WHERE reached.reader != reached.target GROUP BY uri ORDER BY readers DESC, direct DESC, uri
