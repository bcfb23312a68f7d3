-- +goose Up
-- Whether an organization is in use (''), DISABLED or DELETING. Processes of the previous version treat
-- all of them as in use.
ALTER TABLE orgs ADD COLUMN state TEXT NOT NULL DEFAULT '';
