-- Remote state references that are stale.
-- The state that is read is not in the index, since it was moved or deleted or is in no source of the index, or it
-- cannot be read.
SELECT states.uri, remote_refs.address, backend, target_uri,
    CASE WHEN target.state_id IS NULL THEN 'not in the index' ELSE 'cannot be read' END AS reason
FROM remote_refs JOIN states USING (state_id) LEFT JOIN states AS target ON target.state_id = target_state_id
WHERE target_state_id IS NOT NULL AND (target.state_id IS NULL OR target.error IS NOT NULL) ORDER BY 1, 2
