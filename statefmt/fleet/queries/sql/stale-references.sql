-- Remote state references to states that are not in the index.
-- The state was moved or deleted, or its place was not a source of the index.
SELECT states.uri, remote_refs.address, backend, target_uri
FROM remote_refs JOIN states USING (state_id)
WHERE target_state_id IS NOT NULL AND target_state_id NOT IN (SELECT state_id FROM states) ORDER BY 1, 2
