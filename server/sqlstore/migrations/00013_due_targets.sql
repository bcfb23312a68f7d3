-- +goose Up
-- Finds the receivers with due deliveries by stepping from target to target, and the due
-- deliveries of one target in the order in which they are sent. These queries run often.
DROP INDEX deliveries_targets;
DROP INDEX deliveries_due;
CREATE INDEX deliveries_targets ON deliveries (target, due) WHERE status = 'WAITING' AND node = '' AND url <> '';
CREATE INDEX deliveries_due ON deliveries (target, due, created, id) WHERE status = 'WAITING' AND node = '';
