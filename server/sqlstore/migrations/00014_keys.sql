-- +goose Up
-- The scopes of a key, separated by commas. An empty list contains all scopes.
ALTER TABLE licences ADD COLUMN scopes TEXT NOT NULL DEFAULT '';
ALTER TABLE licences ADD COLUMN used BIGINT NOT NULL DEFAULT 0;
-- The current review link. Imports that already exist have no time of expiry; their link
-- expires when it would if it had been created with the import.
ALTER TABLE imports ADD COLUMN review_version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN review_expires BIGINT NOT NULL DEFAULT 0;
ALTER TABLE imports ADD COLUMN review_licence ${ID} NOT NULL DEFAULT '';
