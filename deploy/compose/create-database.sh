#!/bin/sh
# Creates the database of Intray and its owner. PostgreSQL runs this script when its data folder
# is empty. The owner is not a superuser, so row-level security applies to Intray.
set -eu
psql -v ON_ERROR_STOP=1 -v password="$DATABASE_PASSWORD" --username postgres --dbname postgres <<'END'
CREATE ROLE intray LOGIN PASSWORD :'password';
CREATE DATABASE intray OWNER intray;
REVOKE CONNECT ON DATABASE intray FROM PUBLIC;
END
