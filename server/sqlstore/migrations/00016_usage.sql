-- +goose Up
-- What each organization uses, for quotas and metrics. Counting the rows would take longer the more
-- there are. The triggers change the numbers in the transaction that changes the rows, so the
-- numbers are right even after a crash. PENDING and RUNNING imports count together, so that claiming
-- an import does not wait for the other transactions of its organization.
CREATE TABLE org_usage (
	org ${ID} PRIMARY KEY REFERENCES orgs (id) ON DELETE CASCADE,
	awaiting_upload BIGINT NOT NULL DEFAULT 0,
	in_progress BIGINT NOT NULL DEFAULT 0,
	needs_review BIGINT NOT NULL DEFAULT 0,
	successful BIGINT NOT NULL DEFAULT 0,
	failed BIGINT NOT NULL DEFAULT 0,
	file_bytes BIGINT NOT NULL DEFAULT 0,
	schemas BIGINT NOT NULL DEFAULT 0,
	sessions BIGINT NOT NULL DEFAULT 0,
	session_file_bytes BIGINT NOT NULL DEFAULT 0,
	session_state_bytes BIGINT NOT NULL DEFAULT 0,
	credentials BIGINT NOT NULL DEFAULT 0
);
INSERT INTO org_usage (org) SELECT id FROM orgs;
UPDATE org_usage SET (awaiting_upload, in_progress, needs_review, successful, failed, file_bytes) = (
	SELECT CAST(COALESCE(sum((CASE WHEN r.status = 'AWAITING_UPLOAD' THEN 1 ELSE 0 END)), 0) AS BIGINT),
		CAST(COALESCE(sum((CASE WHEN r.status IN ('PENDING', 'RUNNING') THEN 1 ELSE 0 END)), 0) AS BIGINT),
		CAST(COALESCE(sum((CASE WHEN r.status = 'NEEDS_REVIEW' THEN 1 ELSE 0 END)), 0) AS BIGINT),
		CAST(COALESCE(sum((CASE WHEN r.status = 'SUCCESSFUL' THEN 1 ELSE 0 END)), 0) AS BIGINT),
		CAST(COALESCE(sum((CASE WHEN r.status = 'FAILED' THEN 1 ELSE 0 END)), 0) AS BIGINT),
		CAST(COALESCE(sum((CASE WHEN r.raw_key <> '' THEN r.raw_size ELSE 0 END) + (CASE WHEN r.result_key <> '' THEN r.result_size ELSE 0 END)), 0) AS BIGINT)
	FROM imports r WHERE r.org = org_usage.org);
UPDATE org_usage SET (schemas) = (
	SELECT CAST(COALESCE(sum(1), 0) AS BIGINT)
	FROM schemas r WHERE r.org = org_usage.org AND NOT r.inline);
UPDATE org_usage SET (sessions, session_file_bytes, session_state_bytes) = (
	SELECT CAST(COALESCE(sum(1), 0) AS BIGINT),
		CAST(COALESCE(sum((CASE WHEN r.file_key <> '' THEN r.file_size ELSE 0 END)), 0) AS BIGINT),
		CAST(COALESCE(sum(COALESCE(length(r.state), 0)), 0) AS BIGINT)
	FROM sessions r WHERE r.org = org_usage.org);
UPDATE org_usage SET (credentials) = (
	SELECT CAST(COALESCE(sum(1), 0) AS BIGINT)
	FROM credentials r WHERE r.org = org_usage.org);
${USAGE_TRIGGERS}
