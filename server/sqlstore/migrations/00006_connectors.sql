-- +goose Up
-- Connectors fetch files from SFTP servers, and may upload results.
CREATE TABLE connectors (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	created BIGINT NOT NULL,
	modified BIGINT NOT NULL,
	credential_id ${ID} NOT NULL,
	schema_id ${ID} NOT NULL,
	minutes BIGINT NOT NULL,
	daily TEXT NOT NULL,
	directory TEXT NOT NULL,
	pattern TEXT NOT NULL,
	put_directory TEXT NOT NULL,
	put_format TEXT NOT NULL,
	last BIGINT NOT NULL,
	next BIGINT NOT NULL,
	failures BIGINT NOT NULL,
	node ${ID} NOT NULL
);
CREATE INDEX connectors_listed ON connectors (org, created, id);
CREATE INDEX connectors_next ON connectors (next) WHERE node = '';

-- The file versions that a connector remembers, and the import created from each.
-- A result that is waiting to be uploaded has the time at which it is due.
CREATE TABLE pulled (
	org ${ID} NOT NULL REFERENCES orgs (id),
	connector_id ${ID} NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
	path TEXT NOT NULL,
	size BIGINT NOT NULL,
	changed BIGINT NOT NULL,
	since BIGINT NOT NULL,
	taken BOOLEAN NOT NULL,
	gone BIGINT NOT NULL,
	import_id ${ID} NOT NULL,
	put ${ID} NOT NULL,
	put_due BIGINT NOT NULL,
	put_tries BIGINT NOT NULL,
	put_told TEXT NOT NULL,
	PRIMARY KEY (connector_id, path, size, changed)
);
CREATE INDEX pulled_import ON pulled (import_id) WHERE import_id <> '';
CREATE INDEX pulled_put ON pulled (put_due) WHERE put = 'WAITING';

CREATE TABLE pulls (
	id ${ID} PRIMARY KEY,
	connector_id ${ID} NOT NULL REFERENCES connectors (id) ON DELETE CASCADE,
	began BIGINT NOT NULL,
	ended BIGINT NOT NULL,
	succeeded BOOLEAN NOT NULL,
	kind TEXT NOT NULL,
	told TEXT NOT NULL,
	listed BIGINT NOT NULL,
	fetched BIGINT NOT NULL,
	waiting BIGINT NOT NULL,
	skipped TEXT NOT NULL
);
CREATE INDEX pulls_listed ON pulls (connector_id, began, id);
