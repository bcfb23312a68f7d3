// Package jsonschema says what a JSON document may look like, checks documents
// against it and writes the same rules down as JSON Schema.
//
// The nouns:
//
//   - A document is a JSON value as [Decode] gives it: nil, bool, string,
//     json.Number, []any or map[string]any. Decode is strict, so that what is
//     checked is what was sent.
//   - A [Scanner] passes over a document by the same rules, without keeping it.
//   - A [Schema] is a plain value that says which documents are allowed. Objects
//     are closed: a property that is not listed is refused.
//   - An [Issue] is one thing wrong with a document: where, and a sentence that
//     names the rule and the cure.
//
// The package does not know what a document means, fills in no defaults and
// changes nothing. Rules between properties belong to its callers.
package jsonschema
