// Package resources contains the contract tests of keys, errors, uploads, schemas, sessions
// and SFTP credentials. It contains only tests.
//
// A site is a running program on one database. A client calls a site with one key and
// checks every response against the site's document at /openapi.json and against the rules
// for all responses. Each test runs once per database: always on SQLite, and on PostgreSQL
// if INTRAY_TEST_POSTGRES_URL is the URL of a server.
//
// The tests send HTTP requests and run commands. They do not import the program and do not run
// hooks. docs/contract.md lists the tests that cover each sentence of the contract.
package resources
