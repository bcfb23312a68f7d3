// Package schema reads schemas from JSON.
//
//   - A [Doc] is a schema as it was sent: a name, and three decoded JSON documents for the
//     fields, the settings and the hooks. It is stored and returned unchanged.
//   - [Parse] returns the [intray.Schema] that a Doc describes, with defaults filled in, or
//     the issues in the Doc.
//   - The shapes ([FieldsShape], [SettingsShape], [HooksShape], [FileShape]) list
//     everything that a Doc may contain. Anything else is rejected.
//
// The package does not run hooks, check their syntax or store schemas, and does not know
// their owners.
package schema
