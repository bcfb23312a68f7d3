// Package schema reads schemas as they are written in JSON.
//
// The nouns:
//
//   - A [Doc] is a schema as somebody sent it: a name, and three decoded JSON
//     documents for the fields, the settings and the hooks. It is what is
//     stored and what is shown again.
//   - A schema is what a Doc means: an [intray.Schema] with its defaults filled
//     in. [Parse] gives it, or everything that is wrong.
//   - The shapes ([FieldsShape], [SettingsShape], [HooksShape], [FileShape])
//     are the closed tables of what may be written: what is not in them is
//     refused.
//
// The package neither runs hooks nor checks their syntax. It does not store schemas
// and does not know who owns one.
package schema
