-- +goose Up
-- Metrics count what fails and find what waits longest. Without these indexes, each measurement would
-- read all webhooks and connectors, and might read all deliveries.
CREATE INDEX deliveries_waiting ON deliveries (created) WHERE status = 'WAITING';
CREATE INDEX webhooks_failing ON webhooks (id) WHERE enabled AND failures > 0;
CREATE INDEX connectors_failing ON connectors (id) WHERE failures > 0;
