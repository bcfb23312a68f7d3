-- +goose StatementBegin
CREATE OR REPLACE FUNCTION memories_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	each_row CONSTANT BIGINT := CASE TG_OP WHEN 'INSERT' THEN 1 WHEN 'DELETE' THEN -1 ELSE 0 END;
BEGIN
	INSERT INTO memory_versions (org, import_identifier, version, mappings)
	SELECT org, import_identifier, 1, each_row * count(*) FROM changed GROUP BY 1, 2 ORDER BY 1, 2
	ON CONFLICT (org, import_identifier) DO UPDATE
	SET version = memory_versions.version + 1, mappings = memory_versions.mappings + excluded.mappings;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
