-- +goose Up
-- The import from which a mapping was learned, so that deleting the import deletes the mapping. It is
-- empty for mappings from a lexicon file or an earlier version.
ALTER TABLE memories ADD COLUMN import_id ${ID} NOT NULL DEFAULT '';
CREATE INDEX memories_of_import ON memories (org, import_id) WHERE import_id <> '';
CREATE INDEX memories_by_age ON memories (org, remembered);
-- How many days an organization keeps learned mappings. 0 means forever.
ALTER TABLE retention ADD COLUMN learned BIGINT NOT NULL DEFAULT 0;
