-- Triggers that maintain the lengths of lists and the versions of learned mappings, for SQLite.
-- importRows.Insert counts new imports, because a trigger takes longer there.
DROP TRIGGER imports_usage_delete;
-- +goose StatementBegin
CREATE TRIGGER imports_usage_delete AFTER DELETE ON imports
BEGIN
	UPDATE org_usage SET
		awaiting_upload = awaiting_upload - (CASE WHEN OLD.status = 'AWAITING_UPLOAD' THEN 1 ELSE 0 END),
		in_progress = in_progress - (CASE WHEN OLD.status IN ('PENDING', 'RUNNING') THEN 1 ELSE 0 END),
		needs_review = needs_review - (CASE WHEN OLD.status = 'NEEDS_REVIEW' THEN 1 ELSE 0 END),
		successful = successful - (CASE WHEN OLD.status = 'SUCCESSFUL' THEN 1 ELSE 0 END),
		failed = failed - (CASE WHEN OLD.status = 'FAILED' THEN 1 ELSE 0 END),
		file_bytes = file_bytes - ((CASE WHEN OLD.raw_key <> '' THEN OLD.raw_size ELSE 0 END) + (CASE WHEN OLD.result_key <> '' THEN OLD.result_size ELSE 0 END)),
		listed_imports = listed_imports - (CASE WHEN OLD.sync_mode = '' THEN 1 ELSE 0 END)
	WHERE org = OLD.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER uploads_usage_insert AFTER INSERT ON uploads WHEN NEW.status = 'PROCESSED'
BEGIN
	UPDATE org_usage SET processed_uploads = processed_uploads + 1 WHERE org = NEW.org;
	INSERT INTO upload_days (org, day, n) VALUES (NEW.org, NEW.created - NEW.created % 86400000000, 1)
	ON CONFLICT (org, day) DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER uploads_usage_update AFTER UPDATE OF status ON uploads WHEN (OLD.status = 'PROCESSED') <> (NEW.status = 'PROCESSED')
BEGIN
	UPDATE org_usage SET processed_uploads = processed_uploads + (CASE WHEN NEW.status = 'PROCESSED' THEN 1 ELSE -1 END) WHERE org = NEW.org;
	INSERT INTO upload_days (org, day, n)
	VALUES (NEW.org, NEW.created - NEW.created % 86400000000, CASE WHEN NEW.status = 'PROCESSED' THEN 1 ELSE -1 END)
	ON CONFLICT (org, day) DO UPDATE SET n = n + excluded.n;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER uploads_usage_delete AFTER DELETE ON uploads WHEN OLD.status = 'PROCESSED'
BEGIN
	UPDATE org_usage SET processed_uploads = processed_uploads - 1 WHERE org = OLD.org;
	UPDATE upload_days SET n = n - 1 WHERE org = OLD.org AND day = OLD.created - OLD.created % 86400000000;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER receipts_usage_insert AFTER INSERT ON receipts
BEGIN
	UPDATE org_usage SET receipts = receipts + 1 WHERE org = NEW.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER receipts_usage_delete AFTER DELETE ON receipts
BEGIN
	UPDATE org_usage SET receipts = receipts - 1 WHERE org = OLD.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER memories_version_insert AFTER INSERT ON memories
BEGIN
	INSERT INTO memory_versions (org, import_identifier, version) VALUES (NEW.org, NEW.import_identifier, 1)
	ON CONFLICT (org, import_identifier) DO UPDATE SET version = version + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER memories_version_update AFTER UPDATE ON memories
BEGIN
	INSERT INTO memory_versions (org, import_identifier, version) VALUES (NEW.org, NEW.import_identifier, 1)
	ON CONFLICT (org, import_identifier) DO UPDATE SET version = version + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER memories_version_delete AFTER DELETE ON memories
BEGIN
	INSERT INTO memory_versions (org, import_identifier, version) VALUES (OLD.org, OLD.import_identifier, 1)
	ON CONFLICT (org, import_identifier) DO UPDATE SET version = version + 1;
END;
-- +goose StatementEnd
