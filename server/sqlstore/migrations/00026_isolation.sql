-- +goose Up
-- PostgreSQL hides the rows of other organizations. SQLite has no such policies.
${ISOLATION}
SELECT 1;
