-- +goose Up
-- PostgreSQL hides the rows of other organizations. SQLite has no such policies.
${LOCK_TABLES}
${ISOLATION}
SELECT 1;
