-- +goose Up
-- The origins of the pages that may use a frontend key, separated by spaces.
ALTER TABLE licences ADD COLUMN origins TEXT NOT NULL DEFAULT '';
-- What an embedded import leaves on the server, or '' if the import is not embedded, and when its page
-- was last seen.
ALTER TABLE imports ADD COLUMN sync_mode TEXT NOT NULL DEFAULT '';
-- The kinds of hooks of the page that embeds the importer.
ALTER TABLE imports ADD COLUMN page_hooks TEXT NOT NULL DEFAULT '{}';
ALTER TABLE imports ADD COLUMN seen BIGINT NOT NULL DEFAULT 0;
CREATE INDEX imports_unseen ON imports (seen) WHERE sync_mode IN ('DISABLED', 'MAPPINGS_ONLY');
