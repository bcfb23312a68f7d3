-- +goose Up
-- The error of the last attempt to upload a result, for programs. Before this
-- version, only put_told recorded that an attempt had failed.
ALTER TABLE pulled ADD COLUMN put_kind TEXT NOT NULL DEFAULT '';
UPDATE pulled SET put_kind = 'unknown' WHERE put_told <> '';
CREATE INDEX pulled_failing ON pulled (org, connector_id) WHERE put_kind <> '';
