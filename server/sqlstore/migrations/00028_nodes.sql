-- +goose Up
-- What operators want to know about a process. started is 0, and host and version are '', as long as
-- only the previous version has recorded heartbeats of the process.
ALTER TABLE nodes ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN version TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN started BIGINT NOT NULL DEFAULT 0;
ALTER TABLE nodes ADD COLUMN clock_skew BIGINT NOT NULL DEFAULT 0;
