// Package imports contains the contract tests of imports: how they are created, receive their
// file, run and end, how they are listed and deleted, and what the review page shows. It
// contains only tests.
//
// A client calls one running program with one key and checks every response: an error must
// be a JSON object in the documented format, and no request may cause a server error. Each
// test runs once per database: always on SQLite, and on PostgreSQL if
// INTRAY_TEST_POSTGRES_URL is the URL of a server.
//
// The tests send HTTP requests and do not import the program. Package resources tests keys,
// schemas, the list of uploads, sessions and credentials. docs/contract.md lists the tests that
// cover each sentence of the contract.
package imports
