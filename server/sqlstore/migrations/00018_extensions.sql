-- +goose Up
-- What goes beyond the fields, settings and hooks of a schema.
ALTER TABLE schemas ADD COLUMN extensions TEXT NOT NULL DEFAULT '{}';
ALTER TABLE imports ADD COLUMN extensions TEXT NOT NULL DEFAULT '{}';
