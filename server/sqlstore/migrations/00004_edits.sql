-- +goose Up
-- What people changed in the rows of an import under review, in the order in
-- which they did. Entries are only added: to undo is an entry, too.
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
