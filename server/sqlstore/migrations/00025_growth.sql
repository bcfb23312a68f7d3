-- +goose Up
${LOCK_TABLES}
-- The lengths of lists, because counting the rows would take longer the more there are. Imports that
-- are embedded are not listed.
ALTER TABLE org_usage ADD COLUMN listed_imports BIGINT NOT NULL DEFAULT 0;
ALTER TABLE org_usage ADD COLUMN processed_uploads BIGINT NOT NULL DEFAULT 0;
ALTER TABLE org_usage ADD COLUMN receipts BIGINT NOT NULL DEFAULT 0;
UPDATE org_usage SET listed_imports = (SELECT count(*) FROM imports i WHERE i.org = org_usage.org AND i.sync_mode = ''),
	processed_uploads = (SELECT count(*) FROM uploads u WHERE u.org = org_usage.org AND u.status = 'PROCESSED'),
	receipts = (SELECT count(*) FROM receipts d WHERE d.org = org_usage.org);

-- The number of uploads that were created on each day and are PROCESSED. A day is the time when it
-- begins in UTC. Only transactions that have locked the usage of the organization change it.
CREATE TABLE upload_days (
	org ${ID} NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	day BIGINT NOT NULL,
	n BIGINT NOT NULL,
	PRIMARY KEY (org, day)
);
INSERT INTO upload_days (org, day, n)
SELECT org, created - created % 86400000000, count(*) FROM uploads WHERE status = 'PROCESSED' GROUP BY 1, 2;

-- Lists in the order of their pages.
DROP INDEX imports_listed;
CREATE INDEX imports_listed ON imports (org, created, id) WHERE sync_mode = '';
CREATE INDEX memories_listed ON memories (org, import_identifier, remembered);
CREATE INDEX pulled_uploads ON pulled (connector_id, since, path, size, changed) WHERE put <> '';

-- Claims read only the imports that wait or run.
DROP INDEX imports_next;
CREATE INDEX imports_pending ON imports (org, queued, id) WHERE status = 'PENDING';
CREATE INDEX imports_running ON imports (org, node) WHERE status = 'RUNNING';

-- Deliveries that are being sent, for the limits of receivers and organizations.
CREATE INDEX deliveries_claimed ON deliveries (org, target) WHERE node <> '';

-- A number that changes with the learned mappings of an import identifier, so that processes notice
-- that a copy in memory is outdated.
CREATE TABLE memory_versions (
	org ${ID} NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
	import_identifier ${ID} NOT NULL,
	version BIGINT NOT NULL,
	PRIMARY KEY (org, import_identifier)
);
INSERT INTO memory_versions (org, import_identifier, version) SELECT DISTINCT org, import_identifier, 1 FROM memories;
${GROWTH_TRIGGERS}
