-- Triggers that maintain the table org_usage, for SQLite. importRows.Insert counts new imports, because
-- SQLite compiles a trigger with each statement, which would make creating an import 40 % slower.
-- +goose StatementBegin
CREATE TRIGGER orgs_usage AFTER INSERT ON orgs
BEGIN
	INSERT INTO org_usage (org) VALUES (NEW.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER imports_usage_delete AFTER DELETE ON imports
BEGIN
	UPDATE org_usage SET
		awaiting_upload = awaiting_upload - (CASE WHEN OLD.status = 'AWAITING_UPLOAD' THEN 1 ELSE 0 END),
		in_progress = in_progress - (CASE WHEN OLD.status IN ('PENDING', 'RUNNING') THEN 1 ELSE 0 END),
		needs_review = needs_review - (CASE WHEN OLD.status = 'NEEDS_REVIEW' THEN 1 ELSE 0 END),
		successful = successful - (CASE WHEN OLD.status = 'SUCCESSFUL' THEN 1 ELSE 0 END),
		failed = failed - (CASE WHEN OLD.status = 'FAILED' THEN 1 ELSE 0 END),
		file_bytes = file_bytes - ((CASE WHEN OLD.raw_key <> '' THEN OLD.raw_size ELSE 0 END) + (CASE WHEN OLD.result_key <> '' THEN OLD.result_size ELSE 0 END))
	WHERE org = OLD.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER imports_usage_update AFTER UPDATE OF status, raw_key, raw_size, result_key, result_size ON imports
WHEN OLD.status <> NEW.status AND NOT (OLD.status IN ('PENDING', 'RUNNING') AND NEW.status IN ('PENDING', 'RUNNING'))
	OR OLD.raw_key <> NEW.raw_key OR OLD.raw_size <> NEW.raw_size OR OLD.result_key <> NEW.result_key OR OLD.result_size <> NEW.result_size
BEGIN
	UPDATE org_usage SET
		awaiting_upload = awaiting_upload + (CASE WHEN NEW.status = 'AWAITING_UPLOAD' THEN 1 ELSE 0 END) - (CASE WHEN OLD.status = 'AWAITING_UPLOAD' THEN 1 ELSE 0 END),
		in_progress = in_progress + (CASE WHEN NEW.status IN ('PENDING', 'RUNNING') THEN 1 ELSE 0 END) - (CASE WHEN OLD.status IN ('PENDING', 'RUNNING') THEN 1 ELSE 0 END),
		needs_review = needs_review + (CASE WHEN NEW.status = 'NEEDS_REVIEW' THEN 1 ELSE 0 END) - (CASE WHEN OLD.status = 'NEEDS_REVIEW' THEN 1 ELSE 0 END),
		successful = successful + (CASE WHEN NEW.status = 'SUCCESSFUL' THEN 1 ELSE 0 END) - (CASE WHEN OLD.status = 'SUCCESSFUL' THEN 1 ELSE 0 END),
		failed = failed + (CASE WHEN NEW.status = 'FAILED' THEN 1 ELSE 0 END) - (CASE WHEN OLD.status = 'FAILED' THEN 1 ELSE 0 END),
		file_bytes = file_bytes + (CASE WHEN NEW.raw_key <> '' THEN NEW.raw_size ELSE 0 END) + (CASE WHEN NEW.result_key <> '' THEN NEW.result_size ELSE 0 END) - ((CASE WHEN OLD.raw_key <> '' THEN OLD.raw_size ELSE 0 END) + (CASE WHEN OLD.result_key <> '' THEN OLD.result_size ELSE 0 END))
	WHERE org = NEW.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER schemas_usage_insert AFTER INSERT ON schemas
WHEN NOT NEW.inline
BEGIN
	UPDATE org_usage SET
		schemas = schemas + 1
	WHERE org = NEW.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER schemas_usage_delete AFTER DELETE ON schemas
WHEN NOT OLD.inline
BEGIN
	UPDATE org_usage SET
		schemas = schemas - 1
	WHERE org = OLD.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER sessions_usage_insert AFTER INSERT ON sessions
BEGIN
	UPDATE org_usage SET
		sessions = sessions + 1,
		session_file_bytes = session_file_bytes + (CASE WHEN NEW.file_key <> '' THEN NEW.file_size ELSE 0 END),
		session_state_bytes = session_state_bytes + COALESCE(length(NEW.state), 0)
	WHERE org = NEW.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER sessions_usage_delete AFTER DELETE ON sessions
BEGIN
	UPDATE org_usage SET
		sessions = sessions - 1,
		session_file_bytes = session_file_bytes - (CASE WHEN OLD.file_key <> '' THEN OLD.file_size ELSE 0 END),
		session_state_bytes = session_state_bytes - COALESCE(length(OLD.state), 0)
	WHERE org = OLD.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER sessions_usage_file AFTER UPDATE OF file_key, file_size ON sessions
WHEN OLD.file_key <> NEW.file_key OR OLD.file_size <> NEW.file_size
BEGIN
	UPDATE org_usage SET
		session_file_bytes = session_file_bytes + (CASE WHEN NEW.file_key <> '' THEN NEW.file_size ELSE 0 END) - (CASE WHEN OLD.file_key <> '' THEN OLD.file_size ELSE 0 END)
	WHERE org = NEW.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER sessions_usage_state AFTER UPDATE OF state ON sessions
BEGIN
	UPDATE org_usage SET
		session_state_bytes = session_state_bytes + COALESCE(length(NEW.state), 0) - COALESCE(length(OLD.state), 0)
	WHERE org = NEW.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER credentials_usage_insert AFTER INSERT ON credentials
BEGIN
	UPDATE org_usage SET
		credentials = credentials + 1
	WHERE org = NEW.org;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER credentials_usage_delete AFTER DELETE ON credentials
BEGIN
	UPDATE org_usage SET
		credentials = credentials - 1
	WHERE org = OLD.org;
END;
-- +goose StatementEnd
