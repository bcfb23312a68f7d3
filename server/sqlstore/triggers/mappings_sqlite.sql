DROP TRIGGER memories_version_insert;
DROP TRIGGER memories_version_delete;
-- +goose StatementBegin
CREATE TRIGGER memories_version_insert AFTER INSERT ON memories
BEGIN
	INSERT INTO memory_versions (org, import_identifier, version, mappings) VALUES (NEW.org, NEW.import_identifier, 1, 1)
	ON CONFLICT (org, import_identifier) DO UPDATE SET version = version + 1, mappings = mappings + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER memories_version_delete AFTER DELETE ON memories
BEGIN
	UPDATE memory_versions SET version = version + 1, mappings = mappings - 1
	WHERE org = OLD.org AND import_identifier = OLD.import_identifier;
END;
-- +goose StatementEnd
