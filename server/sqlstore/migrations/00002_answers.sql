-- +goose Up
ALTER TABLE imports ADD COLUMN answers TEXT NOT NULL DEFAULT 'null';
