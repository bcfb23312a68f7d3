-- +goose Up
${LOCK_TABLES}
-- The number of learned mappings of each import identifier, because counting up to 10,000 rows for each
-- page of a list takes longer than reading the page.
ALTER TABLE memory_versions ADD COLUMN mappings BIGINT NOT NULL DEFAULT 0;
UPDATE memory_versions SET mappings = (SELECT count(*) FROM memories m
	WHERE m.org = memory_versions.org AND m.import_identifier = memory_versions.import_identifier);
${MAPPING_TRIGGERS}
