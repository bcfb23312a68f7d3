-- +goose Up
-- For the receivers that something is due for, which are looked up often.
CREATE INDEX deliveries_targets ON deliveries (due, org, target) WHERE status = 'WAITING' AND node = '' AND url <> '';
