// Package lint looks a schema through for what cannot be meant.
//
// The nouns:
//
//   - A [Finding] is one such place: a path as the issues of package schemajson
//     write it, a level, a code, and a sentence that says what is wrong and
//     what to do.
//   - A warning is about what will go wrong: a rule that no value keeps, two
//     options or two fields that no file can tell apart, a setting that another
//     one overrules. An info is about what changes nothing or may surprise.
//
// The package says only what follows from the schema itself, and keeps silent
// where an import could still make sense of it. It refuses nothing: that is
// done by package schemajson, and only schemas that it accepts are looked at.
// It does not run hooks, and does not know what files will bring.
package lint
