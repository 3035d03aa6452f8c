-- Copies of states: several states with one lineage.
-- They are one state to Terraform and OpenTofu. The newest has the highest serial; those with the same bytes are equal.
-- States without a lineage are copies if their bytes are the same.
SELECT lineage, uri, serial, coalesce(serial, 0) = max(coalesce(serial, 0)) OVER family AS newest, n_objects, size, sha256
FROM states WHERE error IS NULL
WINDOW family AS (PARTITION BY coalesce(lineage, sha256, uri))
QUALIFY count(*) OVER family > 1
ORDER BY lineage IS NULL, coalesce(lineage, sha256), serial DESC, uri
