-- +goose Up
-- The receivers of an organization's events.
CREATE TABLE webhooks (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	created BIGINT NOT NULL,
	modified BIGINT NOT NULL,
	url TEXT NOT NULL,
	enabled BOOLEAN NOT NULL,
	development TEXT NOT NULL,
	rotated BIGINT NOT NULL,
	failing BIGINT NOT NULL,
	failed BIGINT NOT NULL,
	failures BIGINT NOT NULL,
	events TEXT NOT NULL,
	identifiers TEXT NOT NULL,
	schema_ids TEXT NOT NULL,
	sealed ${BYTES},
	before ${BYTES}
);
CREATE INDEX webhooks_listed ON webhooks (org, created, id);

-- Messages to receivers. The messages of one lane are sent in order. A lane is
-- an import and a target, which is a webhook or a URL in a schema.
CREATE TABLE deliveries (
	id ${ID} PRIMARY KEY,
	org ${ID} NOT NULL REFERENCES orgs (id),
	webhook_id ${ID} NOT NULL,
	import_id ${ID} NOT NULL,
	target ${ID} NOT NULL,
	created BIGINT NOT NULL,
	event TEXT NOT NULL,
	url TEXT NOT NULL,
	status ${ID} NOT NULL,
	tries BIGINT NOT NULL,
	due BIGINT NOT NULL,
	node ${ID} NOT NULL,
	media TEXT NOT NULL,
	body ${BYTES}
);
CREATE INDEX deliveries_due ON deliveries (target, due) WHERE status = 'WAITING';
CREATE INDEX deliveries_lane ON deliveries (target, import_id, created, id) WHERE status = 'WAITING';
CREATE INDEX deliveries_listed ON deliveries (org, webhook_id, created, id);
CREATE INDEX deliveries_import ON deliveries (import_id);
CREATE INDEX deliveries_node ON deliveries (node) WHERE node <> '';
CREATE INDEX deliveries_created ON deliveries (created);

-- The result of each attempt to deliver a message.
CREATE TABLE attempts (
	delivery_id ${ID} NOT NULL REFERENCES deliveries (id) ON DELETE CASCADE,
	number BIGINT NOT NULL,
	at BIGINT NOT NULL,
	took BIGINT NOT NULL,
	answered BIGINT NOT NULL,
	delivered BOOLEAN NOT NULL,
	status BIGINT NOT NULL,
	told TEXT NOT NULL,
	head TEXT NOT NULL,
	body ${BYTES},
	PRIMARY KEY (delivery_id, number)
);
