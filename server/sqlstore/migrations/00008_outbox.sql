-- +goose Up
-- Finds the receivers with due deliveries. This query runs often.
CREATE INDEX deliveries_targets ON deliveries (due, org, target) WHERE status = 'WAITING' AND node = '' AND url <> '';
