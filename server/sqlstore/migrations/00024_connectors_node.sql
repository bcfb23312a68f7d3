-- +goose Up
-- Connectors that a process runs. Every process searches for those of removed processes every 2 s.
CREATE INDEX connectors_node ON connectors (node) WHERE node <> '';
