-- +goose Up
-- What people decided, for later imports of the same identifier. place is a
-- hash of kind, field and text, which may be too long for an index; text and
-- value are JSON, since a header may hold what a TEXT does not take.
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

-- What was remembered when the import first ran.
ALTER TABLE imports ADD COLUMN memory TEXT NOT NULL DEFAULT 'null';
