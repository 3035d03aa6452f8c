-- Real objects that several lineages manage.
-- Compares ARNs, else type, id, region and account. Copies of one lineage do not count.
SELECT coalesce(arn, concat_ws(' ', type, remote_id, region, account)) AS object, type,
    list(DISTINCT uri || ': ' || objects.address ORDER BY uri || ': ' || objects.address) AS places
FROM objects JOIN resources ON resources.state_id = objects.state_id AND resources.address = objects.resource
JOIN states ON states.state_id = objects.state_id
WHERE mode = 'managed' AND deposed = '' AND coalesce(arn, remote_id) != '(sensitive value)'
GROUP BY 1, 2 HAVING count(DISTINCT coalesce(lineage, uri)) > 1 ORDER BY 1
