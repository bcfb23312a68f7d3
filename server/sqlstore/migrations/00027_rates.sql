-- +goose Up
-- Counts of events per minute, for limits that apply to all processes together. They concern the
-- current minute, so PostgreSQL need not log them.
CREATE ${UNLOGGED} TABLE rates (
	name TEXT NOT NULL,
	minute BIGINT NOT NULL,
	events BIGINT NOT NULL,
	PRIMARY KEY (name, minute)
);
CREATE INDEX rates_minute ON rates (minute);
