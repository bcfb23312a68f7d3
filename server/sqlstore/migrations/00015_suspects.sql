-- +goose Up
-- Whether an import may have exhausted the memory of its process. It then runs alone.
ALTER TABLE imports ADD COLUMN alone BOOLEAN NOT NULL DEFAULT FALSE;
-- The machine of a process, and how many processes its kernel had killed for lack of memory at
-- the last heartbeat.
ALTER TABLE nodes ADD COLUMN machine TEXT NOT NULL DEFAULT '';
ALTER TABLE nodes ADD COLUMN oom_kills BIGINT NOT NULL DEFAULT 0;
