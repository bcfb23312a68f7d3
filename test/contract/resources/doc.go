// Package resources holds the contract test of keys, errors, uploads, schemas,
// sessions and SFTP credentials. It has tests only.
//
// A site is one running program on one kind of database. A client calls a site
// with one key, and holds every answer against the document that the site
// gives at /openapi.json and against the rules that all answers keep. Each test
// runs once for each database: SQLite always, PostgreSQL where
// INTRAY_TEST_POSTGRES_URL names a server.
//
// The package calls nothing of the program: it speaks HTTP to it, and runs its
// commands. It does not run hooks. docs/contract.md says
// which test shows which sentence.
package resources
