// Package apiclients replays the requests of two public programs that call the API of Dromo, and
// checks that they work if only the host changes. It contains only tests.
//
//   - dromoio/embeddable-headless-poc, the demo application of the vendor: its routes that create,
//     upload, poll, list, rehydrate and read an import.
//   - The component dromo of PipedreamHQ/pipedream: the action that creates an import, the action
//     that lists schemas, and the two sources that poll imports.
//
// The tests send the same methods, paths, query parameters, headers and bodies as the programs, in
// the same order, and use only the properties of the responses that the programs use. They are
// written from the source code of the programs and contain none of it. They wait less between two
// polls. What a person does between two requests of a program, such as fixing rows in the embedded
// importer, is also replayed as requests: those of the importer of Intray.
//
// Each test runs once per database: always on SQLite, and on PostgreSQL if
// INTRAY_TEST_POSTGRES_URL is the URL of a server. Every response is checked against the OpenAPI
// document too.
package apiclients
