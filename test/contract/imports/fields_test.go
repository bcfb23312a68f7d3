package imports_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// with returns a field with some properties changed. nil removes a property.
func with(base m, changes m) m {
	changed := m{}
	for name, value := range base {
		changed[name] = value
	}
	for name, value := range changes {
		if changed[name] = value; value == nil {
			delete(changed, name)
		}
	}
	return changed
}

// TestFieldDefinitionIsTaken sends every property of a field definition and checks that it
// is returned unchanged.
func TestFieldDefinitionIsTaken(t *testing.T) {
	each(t, func(c client) {
		base := field("email", "email")
		taken := []m{
			base,
			with(base, m{"type": []any{"email", m{}}}),
			with(base, m{"type": []any{"string", m{}}}),
			with(base, m{"description": "Where to write to", "alternateMatches": []any{"E-mail", "Mail"}}),
			with(base, m{"invalidValueMessage": "No address", "readOnly": true, "requireMapping": true}),
			with(base, m{"hidden": true}),
			with(base, m{"manyToOne": false, "selectOptions": []any{}}),
			with(base, m{"manyToOne": true}),
			with(base, m{"label": "E-mail \"of\" <b>you</b> 電子"}),
			with(base, m{"key": "電子.メール [0] \"x\""}),
			with(base, m{"validators": []any{m{"validate": "required", "errorMessage": "Fill in", "level": "warning"}}}),
			with(base, m{"validators": []any{m{"validate": "required", "level": "info"}, m{"validate": "required", "level": "error"}}}),
		}
		for _, given := range taken {
			id := c.create(inline([]any{given})).String("schema_id")
			got := c.Call("GET", schemasPath+id+"/", nil).Object()["fields"]
			if diff := cmp.Diff([]any{given}, got); diff != "" {
				c.T.Error(diff)
			}
		}
	})
}

// TestFieldTypeAndValidatorsAreAlwaysShown checks that a field has a type and validators
// even if the request omits them.
func TestFieldTypeAndValidatorsAreAlwaysShown(t *testing.T) {
	each(t, func(c client) {
		id := c.create(inline([]any{m{"key": "name", "label": "Name"}})).String("schema_id")
		got := c.Call("GET", schemasPath+id+"/", nil).Object()["fields"]
		want := []any{m{"key": "name", "label": "Name", "type": "string", "validators": []any{}}}
		if diff := cmp.Diff(want, got); diff != "" {
			c.T.Error(diff)
		}
	})
}

// TestFieldDefinitionIsClosed checks that invalid properties and values are rejected.
func TestFieldDefinitionIsClosed(t *testing.T) {
	each(t, func(c client) {
		base := field("email", "email")
		rule := func(v any) m { return with(base, m{"validators": []any{v}}) }
		for _, given := range []any{
			with(base, m{"key": nil}), with(base, m{"label": nil}),
			with(base, m{"key": 7}), with(base, m{"key": ""}), with(base, m{"key": "a\nb"}), with(base, m{"key": strings.Repeat("k", 256)}),
			with(base, m{"key": "$unmapped"}), with(base, m{"label": m{}}),
			with(base, m{"type": "e-mail"}), with(base, m{"type": "credit-card"}), with(base, m{"type": 7}),
			with(base, m{"type": []any{"email"}}), with(base, m{"type": []any{"email", m{"tld": true}}}),
			with(base, m{"type": []any{"email", m{}, m{}}}), with(base, m{"type": m{"name": "email"}}),
			with(base, m{"Type": "email"}), with(base, m{"required": true}), with(base, m{"validator": []any{}}),
			with(base, m{"description": 7}), with(base, m{"alternateMatches": "E-mail"}), with(base, m{"alternateMatches": []any{7}}),
			with(base, m{"readOnly": "yes"}), with(base, m{"hidden": 1}), with(base, m{"manyToOne": "yes"}), with(base, m{"requireMapping": []any{}}),
			with(base, m{"invalidValueMessage": false}), with(base, m{"hidden": true, "validators": []any{m{"validate": "required"}}}),
			with(base, m{"validators": m{}}),
			rule("required"), rule(m{}), rule(m{"validate": "mandatory"}), rule(m{"validate": 7}),
			rule(m{"validate": "required", "level": "fatal"}), rule(m{"validate": "required", "errorMessage": 7}),
			rule(m{"validate": "required", "min": 3}), rule(m{"validate": "required", "message": "x"}),
			7, "email", []any{},
		} {
			c.refused(inline([]any{given}), 400, "fields")
		}
		c.refused(inline([]any{base, field("name", "string"), base}), 400, "fields")
	})
}
