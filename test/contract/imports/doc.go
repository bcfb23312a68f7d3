// Package imports holds the contract tests of imports: how they are created, receive
// their file, run, end, are listed and deleted, and what the review page shows. It has
// tests only.
//
// A client calls one running program with one key and checks every response: an error is
// a JSON object of the documented form, and no request causes a server error. Each test
// runs once for each database: always SQLite, and PostgreSQL if
// INTRAY_TEST_POSTGRES_URL names a server.
//
// The tests send HTTP requests and do not import the program. Package resources tests
// keys, schemas, the list of uploads, sessions and credentials. docs/contract.md lists
// which test covers which sentence.
package imports
