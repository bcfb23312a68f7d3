-- +goose Up
-- The limits that apply to one organization instead of those of all, by quota, or null.
ALTER TABLE orgs ADD COLUMN limits TEXT NOT NULL DEFAULT 'null';
