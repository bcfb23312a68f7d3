-- +goose Up
-- The public links through which people send files for a schema, and their logos.
CREATE TABLE import_links (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	created BIGINT NOT NULL,
	modified BIGINT NOT NULL,
	schema_id ${ID} NOT NULL,
	name TEXT NOT NULL,
	page TEXT NOT NULL,
	expires BIGINT NOT NULL,
	max_uses BIGINT NOT NULL,
	uses BIGINT NOT NULL,
	max_bytes BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	password ${BYTES},
	version BIGINT NOT NULL,
	has_user BOOLEAN NOT NULL,
	person TEXT NOT NULL,
	logo_sha256 TEXT NOT NULL
);
CREATE INDEX import_links_listed ON import_links (org, created, id);
CREATE TABLE import_link_logos (
	link_id ${ID} PRIMARY KEY REFERENCES import_links (id) ON DELETE CASCADE,
	org ${ID} NOT NULL,
	media TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	content ${BYTES} NOT NULL
);
-- The link through which an import was created.
ALTER TABLE imports ADD COLUMN link_id ${ID} NOT NULL DEFAULT '';
-- Whether a person must submit an import.
ALTER TABLE imports ADD COLUMN confirm BOOLEAN NOT NULL DEFAULT FALSE;
