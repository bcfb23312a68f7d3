-- +goose Up
-- The import that an embedded importer saves in a session, and the session of an import. Both are '' if
-- there is none.
ALTER TABLE sessions ADD COLUMN import_id TEXT NOT NULL DEFAULT '';
ALTER TABLE imports ADD COLUMN session_id TEXT NOT NULL DEFAULT '';
