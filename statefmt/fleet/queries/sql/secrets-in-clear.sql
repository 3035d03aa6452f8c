-- Where likely secrets are not marked as sensitive.
-- The findings of the rules that look for secrets.
SELECT uri, code, severity, findings.address, pointer
FROM findings JOIN states USING (state_id) WHERE code LIKE 'SEC%' OR code = 'OUT004' ORDER BY ALL
