// Package imports holds the contract test of imports: how they are created,
// take their file, run, end, are listed and deleted, and what the review page
// shows of them. It has tests only.
//
// A client calls one running program with one key, and holds every answer
// against the rules that all answers keep: an error is a JSON object of the one
// documented shape, and no answer is a fault of the server. Each test runs once
// for each database: SQLite always, PostgreSQL where INTRAY_TEST_POSTGRES_URL
// names a server.
//
// The package calls nothing of the program: it speaks HTTP to it. It does not
// look at keys, schemas, the list of uploads, sessions and credentials; the
// package resources beside it does. docs/contract.md says which test shows
// which sentence.
package imports
