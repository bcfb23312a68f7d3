// Package resources holds the contract tests of keys, errors, uploads, schemas, sessions
// and SFTP credentials. It has tests only.
//
// A site is a running program on one database. A client calls a site with one key and
// checks every response against the site's document at /openapi.json and against the rules
// that all responses follow. Each test runs once for each database: always SQLite, and
// PostgreSQL if INTRAY_TEST_POSTGRES_URL names a server.
//
// The tests send HTTP requests and run commands; they do not import the program and do not
// run hooks. docs/contract.md lists which test covers which sentence.
package resources
