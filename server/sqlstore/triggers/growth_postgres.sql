-- Triggers that maintain the lengths of lists and the versions of learned mappings, for PostgreSQL.
-- Those for lists lock the usage of the organization first, so that they cannot cause a deadlock.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION imports_usage_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE org_usage SET
		awaiting_upload = awaiting_upload + (CASE WHEN NEW.status = 'AWAITING_UPLOAD' THEN 1 ELSE 0 END),
		in_progress = in_progress + (CASE WHEN NEW.status IN ('PENDING', 'RUNNING') THEN 1 ELSE 0 END),
		needs_review = needs_review + (CASE WHEN NEW.status = 'NEEDS_REVIEW' THEN 1 ELSE 0 END),
		successful = successful + (CASE WHEN NEW.status = 'SUCCESSFUL' THEN 1 ELSE 0 END),
		failed = failed + (CASE WHEN NEW.status = 'FAILED' THEN 1 ELSE 0 END),
		file_bytes = file_bytes + (CASE WHEN NEW.raw_key <> '' THEN NEW.raw_size ELSE 0 END) + (CASE WHEN NEW.result_key <> '' THEN NEW.result_size ELSE 0 END),
		listed_imports = listed_imports + (CASE WHEN NEW.sync_mode = '' THEN 1 ELSE 0 END)
	WHERE org = NEW.org;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION imports_usage_delete() RETURNS trigger LANGUAGE plpgsql AS $$
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
	RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION uploads_usage_add() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	change BIGINT := CASE WHEN NEW.status = 'PROCESSED' THEN 1 ELSE -1 END;
BEGIN
	UPDATE org_usage SET processed_uploads = processed_uploads + change WHERE org = NEW.org;
	INSERT INTO upload_days (org, day, n) VALUES (NEW.org, NEW.created - NEW.created % 86400000000, change)
	ON CONFLICT (org, day) DO UPDATE SET n = upload_days.n + excluded.n;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER uploads_usage_insert AFTER INSERT ON uploads
FOR EACH ROW WHEN (NEW.status = 'PROCESSED') EXECUTE FUNCTION uploads_usage_add();
CREATE TRIGGER uploads_usage_update AFTER UPDATE OF status ON uploads
FOR EACH ROW WHEN ((OLD.status = 'PROCESSED') <> (NEW.status = 'PROCESSED')) EXECUTE FUNCTION uploads_usage_add();
-- +goose StatementBegin
CREATE FUNCTION uploads_usage_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE org_usage SET processed_uploads = processed_uploads - 1 WHERE org = OLD.org;
	UPDATE upload_days SET n = n - 1 WHERE org = OLD.org AND day = OLD.created - OLD.created % 86400000000;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER uploads_usage_delete AFTER DELETE ON uploads
FOR EACH ROW WHEN (OLD.status = 'PROCESSED') EXECUTE FUNCTION uploads_usage_delete();
-- +goose StatementBegin
CREATE FUNCTION receipts_usage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		UPDATE org_usage SET receipts = receipts + 1 WHERE org = NEW.org;
	ELSE
		UPDATE org_usage SET receipts = receipts - 1 WHERE org = OLD.org;
	END IF;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER receipts_usage AFTER INSERT OR DELETE ON receipts
FOR EACH ROW EXECUTE FUNCTION receipts_usage();
-- +goose StatementBegin
CREATE FUNCTION memories_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO memory_versions (org, import_identifier, version)
	SELECT DISTINCT org, import_identifier, 1 FROM changed ORDER BY 1, 2
	ON CONFLICT (org, import_identifier) DO UPDATE SET version = memory_versions.version + 1;
	RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER memories_version_insert AFTER INSERT ON memories
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memories_version();
CREATE TRIGGER memories_version_update AFTER UPDATE ON memories
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memories_version();
CREATE TRIGGER memories_version_delete AFTER DELETE ON memories
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION memories_version();
