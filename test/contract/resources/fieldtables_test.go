package resources_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

var fieldTypes = []string{
	"string", "number", "date", "datetime", "time", "checkbox", "select", "multi-select", "email", "phone-number", "url", "domain",
	"us-zip-code", "us-state-territory", "ssn", "country", "uuid",
}

// supportedTypes are the types that every version must accept. A version may reject any other
// type, but must report it as unsupported.
var supportedTypes = []string{"string", "email"}

// field returns a field with additional properties.
func field(more m) m {
	f := m{"key": "k", "label": "L"}
	for name, value := range more {
		f[name] = value
	}
	return f
}

// TestFieldTypes checks the 17 types. Each type must be accepted or reported as unsupported, and
// unknown types must be rejected.
func TestFieldTypes(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, name := range fieldTypes {
			f := field(m{"type": name})
			if strings.HasSuffix(name, "select") {
				f["selectOptions"] = []any{m{"label": "A", "value": "a"}}
			}
			status, answer := trySchema(backend(t, s), "fields", []any{f})
			supported := slices.Contains(supportedTypes, name)
			switch {
			case supported && status != http.StatusCreated:
				t.Errorf("%s: %d %v", name, status, answer)
			case !supported && status != http.StatusCreated && !strings.Contains(messages(answer, "fields"), "not supported by this version"):
				t.Errorf("%s is neither saved nor called unsupported: %d %v", name, status, answer)
			}
		}
		for _, name := range []any{"text", "String", "", "credit-card", "us-phone-number", 1, nil, []any{"string"}, []any{"string", m{}, m{}}, []any{"string", m{"x": 1}}, m{}} {
			if status, answer := trySchema(backend(t, s), "fields", []any{field(m{"type": name})}); status != http.StatusBadRequest {
				t.Errorf("the type %v: %d %v", name, status, answer)
			}
		}
	})
}

func messages(answer m, name string) string {
	list, _ := answer[name].([]any)
	text := ""
	for _, message := range list {
		text += message.(string) + "\n"
	}
	return text
}

// TestFieldKeys checks the valid and invalid values of each property of a field, and that
// undocumented properties are rejected.
func TestFieldKeys(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for name, v := range map[string]values{
			"label": {[]any{"L", "ü"}, []any{nil, 1}}, "key": {[]any{"k", "K 1", "ü", "a.b"}, []any{nil, 1, "", "$unmapped", "a\nb", strings.Repeat("x", 256)}},
			"type":                {[]any{"string", "email", []any{"string", m{}}}, []any{[]any{}}},
			"description":         words,
			"alternateMatches":    {[]any{[]any{}, []any{"E-Mail", "Mail"}}, []any{"x", nil, []any{1}}},
			"validators":          {[]any{[]any{}, []any{m{"validate": "required"}}}, []any{nil, m{}, []any{"required"}, []any{m{}}, []any{m{"validate": "exists"}}}},
			"invalidValueMessage": words, "readOnly": flags, "hidden": flags, "requireMapping": flags,
			"manyToOne":     flags,
			"selectOptions": {[]any{[]any{}, []any{m{"label": "A", "value": "a", "alternateMatches": []any{"x"}}}}, []any{nil, m{}, []any{"a"}, []any{m{"label": "A"}}}},
		} {
			checkFieldValues(t, backend(t, s), name, v)
		}
		for _, name := range []string{"required", "name", "Key", "options", "id", "validator"} {
			if status, answer := trySchema(backend(t, s), "fields", []any{field(m{name: "x"})}); status != http.StatusBadRequest || !strings.Contains(messages(answer, "fields"), name) {
				t.Errorf("the field property %s: %d %v", name, status, answer)
			}
		}
	})
}

func checkFieldValues(t *testing.T, c client, name string, v values) {
	t.Helper()
	for _, good := range v.good {
		status, saved := trySchema(c, "fields", []any{field(m{name: good})})
		if status != http.StatusCreated {
			t.Errorf("the field property %s = %v is rejected: %v", name, good, saved)
			continue
		}
		kept := saved["fields"].([]any)[0].(map[string]any)[name]
		if diff := cmp.Diff(plain(good), kept); diff != "" {
			t.Errorf("the field property %s changed: %s", name, diff)
		}
	}
	for _, bad := range v.bad {
		if status, answer := trySchema(c, "fields", []any{field(m{name: bad})}); status != http.StatusBadRequest || answer["fields"] == nil {
			t.Errorf("the field property %s = %v: %d %v", name, bad, status, answer)
		}
	}
}

// TestFieldDefaults checks the defaults of optional properties.
func TestFieldDefaults(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		status, saved := trySchema(backend(t, s), "fields", []any{m{"key": "a", "label": "A"}})
		want := []any{m{"key": "a", "label": "A", "type": "string", "validators": []any{}}}
		if diff := cmp.Diff(plain(want), saved["fields"]); status != http.StatusCreated || diff != "" {
			t.Errorf("%d: %s", status, diff)
		}
		for _, fields := range []any{[]any{}, nil, m{}, "x", []any{nil}, []any{m{"key": "a"}}, []any{m{"label": "A"}}} {
			if status, answer := trySchema(backend(t, s), "fields", fields); status != http.StatusBadRequest || answer["fields"] == nil {
				t.Errorf("fields = %v: %d %v", fields, status, answer)
			}
		}
	})
}

// TestSchemasThatContradictThemselves checks that schemas with contradictory or invalid
// definitions are rejected.
func TestSchemasThatContradictThemselves(t *testing.T) {
	option := func(label, value string, more ...any) m {
		return m{"label": label, "value": value, "alternateMatches": more}
	}
	rule := func(more m) []any { return []any{field(m{"validators": []any{more}})} }
	cases := map[string][]any{
		"two fields with one key":         {field(nil), field(m{"label": "M"})},
		"a validator of an unknown field": rule(m{"validate": "require_with", "fields": []any{"absent"}}),
		"values of an unknown field":      rule(m{"validate": "require_with_values", "fieldValues": m{"absent": 1}}),
		"an invalid regular expression":   rule(m{"validate": "regex_match", "regex": "(a"}),
		"an invalid exclusion":            rule(m{"validate": "regex_exclude", "regex": "[z-a]"}),
		"a select without options":        {field(m{"type": "select"})},
		"a multi-select with no options":  {field(m{"type": "multi-select", "selectOptions": []any{}})},
		"two options of one value":        {field(m{"type": "select", "selectOptions": []any{option("A", "a"), option("B", "a")}})},
		"two options of one label":        {field(m{"type": "select", "selectOptions": []any{option("A", "a"), option("A", "b")}})},
		"an alternate of two options":     {field(m{"type": "select", "selectOptions": []any{option("A", "a", "x"), option("B", "b", "x")}})},
	}
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for name, fields := range cases {
			if status, answer := trySchema(backend(t, s), "fields", fields); status != http.StatusBadRequest || messages(answer, "fields") == "" {
				t.Errorf("%s: %d %v", name, status, answer)
			}
		}
	})
}

// TestHookSyntax checks that the location of a syntax error is reported.
func TestHookSyntax(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		for source, place := range map[string]string{
			"(record) => {\n  let a = ;\n}": "line 2, column 11", "function ( { }": "line 1", "(record) => { return": "line 1", "(a) => {\n@ }": "line 2", "not a function": "line 1",
		} {
			status, answer := trySchema(c, "hooks", m{"rowHooks": []any{hook, source}})
			if got := messages(answer, "hooks"); status != http.StatusBadRequest || !strings.Contains(got, "rowHooks[1]") || !strings.Contains(got, place) || !strings.Contains(got, "column") && strings.Contains(place, "column") {
				t.Errorf("%q: %d %v, want %s", source, status, answer, place)
			}
		}
		for _, source := range []string{"1 + 1", "'text'", "fetch('x')", "{}", "a => a, b => b"} {
			if status, answer := trySchema(c, "hooks", m{"beforeFinishCallback": source}); status != http.StatusBadRequest {
				t.Errorf("%q is not a function: %d %v", source, status, answer)
			}
		}
	})
}

// TestFetchWarning checks that saving a hook that calls fetch returns a warning, because
// hooks have no fetch.
func TestFetchWarning(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := backend(t, s)
		body := schemaNamed(unique("schema"))
		body["hooks"] = m{"rowHooks": []any{hook, "async (r) => { await fetch('https://example.org'); return {row: {}} }"}}
		saved := c.Call("POST", schemasPath, body).WantStatus(http.StatusCreated).Object()
		if !warnsOfFetch(saved, "rowHooks[1]") {
			t.Errorf("the warnings are %v", saved["warnings"])
		}
		path := schemasPath + saved["id"].(string) + "/"
		if again := c.Call("PUT", path, body).WantStatus(http.StatusOK).Object(); !warnsOfFetch(again, "rowHooks[1]") {
			t.Errorf("replacing gives %v", again["warnings"])
		}
		body["hooks"] = m{"rowHooks": []any{"(r) => { const prefetched = 1; return {row: {}} }"}}
		if quiet := c.Call("PUT", path, body).WantStatus(http.StatusOK).Object(); warnsOfFetch(quiet, "") {
			t.Errorf("a hook without fetch gives %v", quiet["warnings"])
		}
	})
}

// warnsOfFetch reports whether a warning of a schema names fetch and the location.
func warnsOfFetch(schema m, place string) bool {
	warnings, _ := schema["warnings"].([]any)
	return slices.ContainsFunc(warnings, func(w any) bool {
		text, _ := w.(string)
		return strings.Contains(text, "fetch") && strings.Contains(text, place)
	})
}
