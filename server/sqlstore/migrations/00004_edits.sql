-- +goose Up
-- The changes that reviewers made to the rows of an import, in order. Rows are
-- only added: undoing a change adds a row as well.
CREATE TABLE edits (
	import_id ${ID} NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
	org ${ID} NOT NULL REFERENCES orgs (id),
	run BIGINT NOT NULL,
	seq BIGINT NOT NULL,
	op ${ID} NOT NULL,
	kind ${ID} NOT NULL,
	change BIGINT NOT NULL,
	request TEXT NOT NULL,
	told TEXT NOT NULL,
	layer ${BYTES},
	made BIGINT NOT NULL,
	PRIMARY KEY (import_id, run, seq),
	UNIQUE (import_id, op)
);
