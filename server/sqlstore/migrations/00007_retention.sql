-- +goose Up
-- How many days an organization keeps each part of an import. 0 means forever.
-- A row applies to the imports with one saved schema or to all other imports.
CREATE TABLE retention (
	org ${ID} NOT NULL REFERENCES orgs (id),
	schema_id ${ID} NOT NULL,
	originals BIGINT NOT NULL,
	results BIGINT NOT NULL,
	problems BIGINT NOT NULL,
	PRIMARY KEY (org, schema_id)
);

-- Receipts that identify deleted files by their hashes.
CREATE TABLE receipts (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	import_id ${ID} NOT NULL,
	made BIGINT NOT NULL,
	reason TEXT NOT NULL,
	parts TEXT NOT NULL
);
CREATE INDEX receipts_listed ON receipts (org, made, id);

ALTER TABLE imports ADD COLUMN problems_kept BOOLEAN NOT NULL DEFAULT TRUE;
