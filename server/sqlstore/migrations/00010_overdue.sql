-- +goose Up
-- Finds the imports with an expired part. Without these indexes, each search reads all imports.
CREATE INDEX imports_originals ON imports (org, modified, schema_id)
	WHERE status IN ('SUCCESSFUL', 'FAILED') AND raw_key <> '';
CREATE INDEX imports_results ON imports (org, modified, schema_id)
	WHERE status IN ('SUCCESSFUL', 'FAILED') AND (result_key <> '' OR stage <> '');
CREATE INDEX imports_problems ON imports (org, modified, schema_id)
	WHERE status IN ('SUCCESSFUL', 'FAILED') AND problems_kept;
