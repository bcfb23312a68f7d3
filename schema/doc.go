// Package schema reads schemas from JSON.
//
//   - A [Doc] is a schema as it was sent: a name, and three decoded JSON documents for the
//     fields, the settings and the hooks. It is stored and returned unchanged.
//   - [Parse] returns the [intray.Schema] that a Doc means, with defaults filled in, or
//     everything that is wrong with it.
//   - The shapes ([FieldsShape], [SettingsShape], [HooksShape], [FileShape]) list
//     everything that a Doc may have. Anything else is refused.
//
// The package neither runs hooks nor checks their syntax. It does not store schemas and
// does not know who owns them.
package schema
