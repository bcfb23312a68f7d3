-- +goose Up
-- The mappings learned from answers, for later imports with the same identifier.
-- place is a hash of kind, field and text, because these may be too long for an
-- index. text and value are JSON, because a header may contain characters that a
-- TEXT column cannot store.
CREATE TABLE memories (
	org ${ID} NOT NULL REFERENCES orgs (id),
	import_identifier ${ID} NOT NULL,
	place ${ID} NOT NULL,
	kind ${ID} NOT NULL,
	field ${ID} NOT NULL,
	remembered BIGINT NOT NULL,
	size BIGINT NOT NULL,
	text ${ID} NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (org, import_identifier, place)
);

-- The learned mappings at the time when the import first ran.
ALTER TABLE imports ADD COLUMN memory TEXT NOT NULL DEFAULT 'null';
