-- Real objects that states of different lineages manage.
-- Compares identities, else ARNs, else type, id, region and account, with one row for each place. Of the copies of one
-- lineage, those with the highest serial count. Deposed objects count, data sources and hidden ids do not.
WITH newest AS (
    SELECT state_id, uri, lineage, serial, coalesce(lineage, sha256, uri) AS family FROM states WHERE error IS NULL
    QUALIFY coalesce(serial, 0) = max(coalesce(serial, 0)) OVER (PARTITION BY family)
),
-- Identities as sorted members, without those that have no value.
identified AS (
    SELECT *, CASE WHEN NOT contains(identity::VARCHAR, '(sensitive value)') THEN list_sort(list_filter(
        map_entries(TRY_CAST(identity AS MAP(VARCHAR, JSON))), lambda part: part.value::VARCHAR != 'null')) END AS parts
    FROM objects
),
-- What several lineages have, as hashes: this rules out nearly all objects.
shared AS MATERIALIZED (
    SELECT mark FROM (
        SELECT hash(family) AS family, unnest([CASE WHEN arn != '' THEN hash(arn) END,
            CASE WHEN remote_id != '' THEN hash(remote_id) END, CASE WHEN len(parts) > 0 THEN hash(parts) END]) AS mark
        FROM identified JOIN newest USING (state_id)
    ) WHERE mark IS NOT NULL GROUP BY mark HAVING min(family) != max(family)
),
candidates AS MATERIALIZED (
    SELECT * FROM identified JOIN newest USING (state_id)
    WHERE hash(arn) IN (FROM shared) OR hash(remote_id) IN (FROM shared) OR hash(parts) IN (FROM shared)
),
-- The public registries have the same providers; a state of an old format names none.
managed AS (
    SELECT DISTINCT state_id, address, type,
        coalesce(regexp_replace(regexp_replace(provider_source, '^registry\.(terraform\.io|opentofu\.org)/', ''), '^-/', 'hashicorp/'),
            'hashicorp/' || split_part(type, '_', 1)) AS provider
    FROM resources WHERE mode = 'managed' AND address != '(sensitive value)'
        AND (state_id, address) IN (SELECT (state_id, resource) FROM candidates)
),
-- The ARNs of its neighbours tell the region and the account of a provider instance, if they agree.
provided AS (
    SELECT state_id, provider_instance, CASE WHEN min(region) = max(region) THEN min(region) END AS region,
        CASE WHEN min(account) = max(account) THEN min(account) END AS account
    FROM (
        SELECT state_id, provider_instance, nullif(split_part(arn, ':', 4), '') AS region,
            CASE WHEN split_part(arn, ':', 5) NOT IN ('', 'aws') THEN split_part(arn, ':', 5) END AS account
        FROM objects WHERE arn LIKE 'arn:%' AND state_id IN (SELECT state_id FROM candidates)
    ) GROUP BY ALL
),
-- Kubernetes and Helm name objects within a cluster, which a state does not tell; the others make no remote objects.
named AS (
    SELECT family, uri, lineage, serial, candidates.address, deposed, type, provider, identity, parts,
        nullif(nullif(remote_id, ''), '(sensitive value)') AS id, nullif(nullif(arn, ''), '(sensitive value)') AS arn,
        coalesce(candidates.region, provided.region) AS region, coalesce(candidates.account, provided.account) AS account,
        coalesce('(sensitive value)' IN (candidates.region, candidates.account), false) AS hidden
    FROM candidates JOIN managed ON managed.state_id = candidates.state_id AND managed.address = resource
    LEFT JOIN provided ON provided.state_id = candidates.state_id AND provided.provider_instance = candidates.provider_instance
    WHERE split_part(provider, '/', -1) NOT IN ('archive', 'cloudinit', 'external', 'helm', 'http', 'kubectl',
        'kubernetes', 'local', 'null', 'random', 'template', 'terraform', 'time', 'tls')
),
-- An ARN may be that of what an object belongs to, such as the secret of a version: then ids differ.
keyed AS (
    SELECT *,
        CASE WHEN len(parts) > 0 THEN concat_ws(' ', 'identity', provider, type, parts::VARCHAR) END AS by_identity,
        arn || ' ' || coalesce(id, min(id) OVER (PARTITION BY arn), '') AS by_arn,
        CASE WHEN id IS NOT NULL AND NOT hidden THEN to_json([provider, type, id,
            coalesce(region, CASE WHEN min(region) OVER same = max(region) OVER same THEN min(region) OVER same END),
            coalesce(account, CASE WHEN min(account) OVER same = max(account) OVER same THEN min(account) OVER same END)
        ])::VARCHAR END AS by_id
    FROM named WINDOW same AS (PARTITION BY provider, type, id)
),
-- Not all releases of a provider store identities and ARNs: what has neither is what else has the same id, unless that is
-- several objects.
joined AS (
    SELECT *, CASE WHEN by_arn IS NULL THEN by_identity ELSE coalesce(min(by_identity) OVER (PARTITION BY by_arn), by_arn) END AS strong
    FROM keyed
),
found AS (
    SELECT *, CASE
        WHEN by_id IS NULL THEN strong
        WHEN min(by_identity) OVER alike IS DISTINCT FROM max(by_identity) OVER alike
            OR min(by_arn) OVER alike IS DISTINCT FROM max(by_arn) OVER alike THEN coalesce(strong, by_id)
        ELSE coalesce(min(strong) OVER alike, by_id) END AS thing
    FROM joined WINDOW alike AS (PARTITION BY by_id)
),
several AS (
    SELECT thing, min(coalesce(arn, id, identity::VARCHAR)) AS object,
        CASE WHEN bool_and(by_identity IS NOT NULL) AND count(DISTINCT by_identity) = 1 THEN 'identity'
            WHEN bool_and(by_arn IS NOT NULL) THEN 'arn' ELSE 'id' END AS matched_by
    FROM found WHERE thing IS NOT NULL GROUP BY thing HAVING count(DISTINCT family) > 1
)
SELECT dense_rank() OVER (ORDER BY object, thing) AS number, object, matched_by, type, region, account,
    uri, address, deposed, lineage, serial
FROM several JOIN found USING (thing) ORDER BY number, uri, address, deposed
