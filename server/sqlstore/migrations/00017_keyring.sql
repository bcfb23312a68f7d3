-- +goose Up
-- The mark "internal keys" contains the keys from which all others are derived. Earlier versions
-- derive them from the master key. They must not open the database, because they cannot decrypt
-- what this version encrypts.
SELECT 1;
