-- +goose Up
-- Imports that a person began on a page, but whose file never arrived.
CREATE INDEX imports_abandoned ON imports (created) WHERE status = 'AWAITING_UPLOAD' AND (link_id <> '' OR sync_mode = 'FULL_DATA');
