-- +goose Up
-- ${ID} and ${BYTES} are replaced with types of the database. Times are in
-- microseconds since 1970 in UTC. 0 means no time. Long values are in the last
-- columns of a table, so that the other columns can be read without them.

-- Identifies the master key and the blobs that belong to this database.
CREATE TABLE marks (
	name ${ID} PRIMARY KEY,
	mark TEXT NOT NULL
);

CREATE TABLE orgs (
	id ${ID} PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	created BIGINT NOT NULL,
	served BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX orgs_served ON orgs (served, created, id);

CREATE TABLE licences (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	kind TEXT NOT NULL,
	hash ${BYTES} NOT NULL UNIQUE,
	hint TEXT NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL,
	revoked BIGINT NOT NULL
);

CREATE TABLE schemas (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	name TEXT NOT NULL,
	inline BOOLEAN NOT NULL,
	created BIGINT NOT NULL,
	modified BIGINT NOT NULL,
	fields TEXT NOT NULL,
	settings TEXT NOT NULL,
	hooks TEXT NOT NULL
);
CREATE UNIQUE INDEX schemas_name ON schemas (org, name) WHERE NOT inline;
CREATE INDEX schemas_listed ON schemas (org, created, id) WHERE NOT inline;

CREATE TABLE imports (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	schema_id ${ID} NOT NULL,
	upload_id ${ID} NOT NULL,
	person TEXT NOT NULL,
	inline BOOLEAN NOT NULL,
	created BIGINT NOT NULL,
	status ${ID} NOT NULL,
	run BIGINT NOT NULL,
	lost BIGINT NOT NULL,
	node ${ID} NOT NULL,
	filename TEXT NOT NULL,
	has_user BOOLEAN NOT NULL,
	raw_key TEXT NOT NULL,
	raw_size BIGINT NOT NULL,
	raw_sha256 TEXT NOT NULL,
	stage TEXT NOT NULL,
	result_key TEXT NOT NULL,
	result_size BIGINT NOT NULL,
	result_sha256 TEXT NOT NULL,
	modified BIGINT NOT NULL,
	queued BIGINT NOT NULL,
	fields TEXT NOT NULL,
	settings TEXT NOT NULL,
	hooks TEXT NOT NULL,
	outcome TEXT NOT NULL
);
CREATE INDEX imports_next ON imports (status, org, queued, id);
CREATE INDEX imports_status ON imports (status, created, id);
CREATE INDEX imports_listed ON imports (org, created, id);

CREATE TABLE uploads (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	import_id ${ID} NOT NULL,
	import_identifier TEXT NOT NULL,
	person TEXT NOT NULL,
	created BIGINT NOT NULL,
	filename TEXT NOT NULL,
	raw_key TEXT NOT NULL,
	raw_size BIGINT NOT NULL,
	raw_sha256 TEXT NOT NULL,
	result_key TEXT NOT NULL,
	result_size BIGINT NOT NULL,
	result_sha256 TEXT NOT NULL,
	status ${ID} NOT NULL,
	total_rows BIGINT NOT NULL,
	field_order TEXT NOT NULL,
	listed TEXT NOT NULL,
	account TEXT NOT NULL
);
CREATE INDEX uploads_listed ON uploads (org, status, created, id);

CREATE TABLE sessions (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	import_identifier TEXT NOT NULL,
	created BIGINT NOT NULL,
	tag TEXT NOT NULL,
	file_key TEXT NOT NULL,
	file_size BIGINT NOT NULL,
	file_sha256 TEXT NOT NULL,
	file_name TEXT NOT NULL,
	content_type TEXT NOT NULL,
	saved BIGINT NOT NULL,
	state ${BYTES}
);
CREATE INDEX sessions_saved ON sessions (saved);

CREATE TABLE credentials (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	created BIGINT NOT NULL,
	hostname TEXT NOT NULL,
	port BIGINT NOT NULL,
	login TEXT NOT NULL,
	auth_type TEXT NOT NULL,
	sealed ${BYTES},
	fingerprint TEXT NOT NULL,
	host_key TEXT NOT NULL,
	modified BIGINT NOT NULL
);
CREATE INDEX credentials_listed ON credentials (org, created, id);

CREATE TABLE replays (
	org ${ID} NOT NULL REFERENCES orgs (id),
	call_key ${ID} NOT NULL,
	fingerprint TEXT NOT NULL,
	node ${ID} NOT NULL,
	status BIGINT NOT NULL,
	created BIGINT NOT NULL,
	sealed ${BYTES},
	PRIMARY KEY (org, call_key)
);
CREATE INDEX replays_created ON replays (created);

CREATE TABLE trash (
	prefix ${ID} PRIMARY KEY,
	due BIGINT NOT NULL
);
CREATE INDEX trash_due ON trash (due, prefix);

CREATE TABLE nodes (
	id ${ID} PRIMARY KEY,
	beat BIGINT NOT NULL
);
