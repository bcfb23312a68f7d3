package schema

import (
	"fmt"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
)

// HooksShape returns the shape of hooks.
func HooksShape() *jsonschema.Schema {
	return named("Hooks", objectShape("JavaScript functions that run during an import.",
		optional("rowHooks", functionListShape("Each is called with (record, mode) for every row and returns {row: {key: {value}}}.")),
		optional("bulkRowHooks", functionListShape("Each is called with (records, mode) for all rows and returns [{index, row}].")),
		optional("rowDeleteHooks", functionListShape("Each is called with (record) for every row that a person deletes.")),
		optional("beforeFinishCallback", functionShape("Called with (data, metadata, instance) at the end. Returning {cancel: true, message} stops the import.")),
		optional("columnHooks", hookListShape("Each is called once with all values of one field.", named("ColumnHook", objectShape("A function for the values of one field.",
			required("fieldName", newShape(jsonschema.String, "The key of the field.")),
			required("callback", functionShape("Called with ([{index, value, rowId}]). Returns [{index, value}].")))))),
		optional("stepHooks", hookListShape("Each is called at one step of an import.", named("StepHook", objectShape("A function for one step of an import.",
			required("type", enumShape("The step.", "UPLOAD_STEP", "REVIEW_STEP", "REVIEW_STEP_POST_HOOKS")),
			required("callback", functionShape("Called with (instance, step)."))))),
		)))
}

func functionListShape(doc string) *jsonschema.Schema { return hookListShape(doc, functionShape("")) }

func hookListShape(doc string, elem *jsonschema.Schema) *jsonschema.Schema {
	s := listShape(doc, elem)
	s.MaxItems = MaxHooks
	return s
}

func functionShape(doc string) *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, Description: doc, MinLength: 1, MaxLength: MaxHookBytes,
		Example: "(record, mode) => ({row: {}})"}
}

func readHooks(m map[string]any) intray.Hooks {
	h := intray.Hooks{
		Row:          stringListMember(m, "rowHooks"),
		BulkRow:      stringListMember(m, "bulkRowHooks"),
		RowDelete:    stringListMember(m, "rowDeleteHooks"),
		BeforeFinish: stringMember(m, "beforeFinishCallback"),
	}
	for _, e := range listMember(m, "columnHooks") {
		hook := e.(map[string]any)
		h.Column = append(h.Column, intray.ColumnHook{Field: stringMember(hook, "fieldName"), Source: stringMember(hook, "callback")})
	}
	for _, e := range listMember(m, "stepHooks") {
		hook := e.(map[string]any)
		h.Step = append(h.Step, intray.StepHook{Step: stringMember(hook, "type"), Source: stringMember(hook, "callback")})
	}
	return h
}

// hookSource is the source of a hook, with its path in the document.
type hookSource struct{ path, source string }

// hookSources returns all hooks in the order of the shape.
func hookSources(h intray.Hooks) []hookSource {
	var all []hookSource
	add := func(source, path string, args ...any) {
		all = append(all, hookSource{fmt.Sprintf("hooks."+path, args...), source})
	}
	for i, s := range h.Row {
		add(s, "rowHooks[%d]", i)
	}
	for i, s := range h.BulkRow {
		add(s, "bulkRowHooks[%d]", i)
	}
	for i, s := range h.RowDelete {
		add(s, "rowDeleteHooks[%d]", i)
	}
	if h.BeforeFinish != "" {
		add(h.BeforeFinish, "beforeFinishCallback")
	}
	for i, c := range h.Column {
		add(c.Source, "columnHooks[%d].callback", i)
	}
	for i, s := range h.Step {
		add(s.Source, "stepHooks[%d].callback", i)
	}
	return all
}

// checkHooks checks that each hook has a source and refers to a field that exists. Package
// hooks checks the syntax of the source.
func (p *parser) checkHooks(s *intray.Schema) {
	for i, c := range s.Hooks.Column {
		if _, ok := p.keys[c.Field]; !ok {
			p.addUnknownField(indexedPath("hooks.columnHooks", i)+".fieldName", c.Field)
		}
	}
	for _, hook := range hookSources(s.Hooks) {
		switch {
		case len(hook.source) > MaxHookBytes:
			p.addIssue(hook.path, intray.NewMessage("hook_source.too_long", intray.Params{"n": MaxHookBytes, "size": len(hook.source)}))
		case strings.TrimSpace(hook.source) == "":
			p.addIssue(hook.path, intray.NewMessage("hook_source.empty", nil))
		}
	}
}

// Warnings returns warnings about hooks that are allowed but will not work. Hooks have no
// network access, so a hook that contains the word fetch will fail where it calls fetch.
func Warnings(s *intray.Schema) []intray.Message {
	var warnings []intray.Message
	for _, hook := range hookSources(s.Hooks) {
		if containsWord(hook.source, "fetch") {
			warnings = append(warnings, intray.NewMessage("schema.hook_names_fetch", intray.Params{"path": hook.path}))
		}
	}
	return warnings
}

// containsWord reports whether a source contains a word anywhere.
func containsWord(source, word string) bool {
	for at := 0; at < len(source); {
		end := wordEnd(source, at)
		if source[at:end] == word {
			return true
		}
		at = max(end, at+1)
	}
	return false
}

func wordEnd(source string, at int) int {
	for at < len(source) && isWordByte(source[at]) {
		at++
	}
	return at
}

// isWordByte reports whether a byte may be part of a name. It returns true for non-ASCII bytes.
func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
