package schemajson

import (
	"strings"

	"github.com/intraydata/intray"
)

// Accepted gives the schema that a document means which Parse has accepted
// before. Nothing is checked again; any other document may make it panic.
func Accepted(doc Doc) *intray.Schema {
	whole := doc.object()
	p := &parser{}
	settings, _ := whole["settings"].(map[string]any)
	hooks, _ := whole["hooks"].(map[string]any)
	return &intray.Schema{
		Name: doc.Name, Fields: p.fields(elements(whole, "fields")),
		Settings: p.settings(settings), Hooks: readHooks(hooks),
	}
}

// CheckOverlay gives what is wrong with settings and hooks that are to be laid
// over a saved schema, whatever that schema is. The fields that hooks name are
// for Parse to look for, once the two are merged.
func CheckOverlay(over Doc) []Issue {
	stand := []any{map[string]any{"key": "field", "label": "Field"}}
	_, all := Parse(Doc{Fields: stand, Settings: over.Settings, Hooks: over.Hooks})
	var issues []Issue
	for _, issue := range all {
		if !strings.HasPrefix(issue.Path, "hooks.columnHooks") || !strings.HasSuffix(issue.Path, ".fieldName") {
			issues = append(issues, issue)
		}
	}
	return issues
}
