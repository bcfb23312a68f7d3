package shape

import (
	"slices"
	"strings"

	"github.com/intraydata/intray"
)

// MaxIssues is the most issues that one check tells.
const MaxIssues = 50

// Issue is one thing wrong with a document.
type Issue struct {
	// Path leads to the value: settings.maxRecords, fields[1].type. It is ""
	// for the document itself.
	Path string
	// Message is a sentence without subject and full stop, to be read after
	// the path: must be an integer.
	Message intray.Message
}

// Describe returns the message with the path in front of it.
func (i Issue) Describe() intray.Message {
	if i.Path == "" {
		return i.Message
	}
	return intray.NewMessage("property.problem", intray.Params{"path": i.Path, "problem": i.Message})
}

// String joins path and message: "fields[1].type: is required".
func (i Issue) String() string { return i.Describe().String() }

// ByField sorts issues under the top-level property they concern. The rest of
// the path goes in front of the message, so that settings.maxRecords becomes
// "maxRecords: must be an integer" under settings, and fields[1].label becomes
// "[1].label: is required" under fields. Issues of the document itself stand
// under "".
func ByField(issues []Issue) map[string][]intray.Message {
	groups := map[string][]intray.Message{}
	for _, i := range issues {
		field, rest := cut(i.Path)
		groups[field] = append(groups[field], Issue{Path: rest, Message: i.Message}.Describe())
	}
	return groups
}

// Fields gives the top-level properties concerned, sorted.
func Fields(issues []Issue) []string {
	var names []string
	for _, i := range issues {
		field, _ := cut(i.Path)
		names = append(names, field)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Under gives the issues with path in front of each place, as for a document
// that is a part of another.
func Under(path string, issues []Issue) []Issue {
	moved := make([]Issue, len(issues))
	for n, i := range issues {
		moved[n] = Issue{Path: join(path, i.Path), Message: i.Message}
	}
	return moved
}

func join(path, rest string) string {
	if path == "" || rest == "" || rest[0] == '[' {
		return path + rest
	}
	return path + "." + rest
}

func cut(path string) (field, rest string) {
	at := strings.IndexAny(path, ".[")
	if at < 0 {
		return path, ""
	}
	return path[:at], strings.TrimPrefix(path[at:], ".")
}
