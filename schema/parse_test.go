package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/validate/jsregexp"
)

// doc decodes a schema document without checking it.
func doc(t testing.TB, text string) Doc {
	t.Helper()
	m, _ := decode(t, text).(map[string]any)
	name, _ := m["name"].(string)
	return Doc{Name: name, Fields: m["fields"], Settings: m["settings"], Hooks: m["hooks"]}
}

func TestParse(t *testing.T) {
	got, issues := Parse(doc(t, `{"name":"People","fields":[
		{"key":"name","label":"Name","description":"d","alternateMatches":["Full name"],"readOnly":true,"requireMapping":true,
		 "invalidValueMessage":"m","manyToOne":true,"validators":[{"validate":"required","errorMessage":"e","level":"warning"}]},
		{"key":"mail","label":"Mail","type":["email",{}],"hidden":true,"selectOptions":[{"label":"a","value":"a","alternateMatches":["b"]}]}],
		"settings":{"importIdentifier":"crm","title":"t","invalidDataBehavior":"BLOCK_SUBMIT","passThroughUnmappedColumns":true,"maxRecords":1e1,
		 "maxFileSize":7,"developmentMode":true,"webhookUrl":"https://example.com/a","needsReviewWebhookUrl":null,"allowInvalidSubmit":true},
		"hooks":{"rowHooks":["r=>r"],"bulkRowHooks":["b=>b"],"rowDeleteHooks":["d=>d"],"beforeFinishCallback":"f=>f",
		 "columnHooks":[{"fieldName":"mail","callback":"c=>c"}],"stepHooks":[{"type":"UPLOAD_STEP","callback":"s=>s"}]}}`))
	want := &intray.Schema{
		Name: "People",
		Fields: []intray.Field{
			{Key: "name", Label: "Name", Type: intray.FieldType{Name: "string"}, Description: "d", AlternateMatches: []string{"Full name"},
				ReadOnly: true, RequireMapping: true, InvalidValueMessage: "m", ManyToOne: true,
				Validators: []intray.Validator{{Rule: "required", Message: "e", Level: intray.LevelWarning}}},
			{Key: "mail", Label: "Mail", Type: intray.FieldType{Name: "email", Options: map[string]any{}}, Hidden: true,
				SelectOptions: []intray.SelectOption{{Label: "a", Value: "a", AlternateMatches: []string{"b"}}}},
		},
		Settings: intray.Settings{ImportIdentifier: "crm", Title: "t", InvalidDataBehavior: intray.BlockSubmit, PassThroughUnmappedColumns: true,
			MaxRecords: 10, MaxFileSize: 7, DevelopmentMode: true, WebhookURL: "https://example.com/a"},
		Hooks: intray.Hooks{Row: []string{"r=>r"}, BulkRow: []string{"b=>b"}, RowDelete: []string{"d=>d"}, BeforeFinish: "f=>f",
			Column: []intray.ColumnHook{{Field: "mail", Source: "c=>c"}}, Step: []intray.StepHook{{Step: "UPLOAD_STEP", Source: "s=>s"}}},
	}
	if len(issues) > 0 {
		t.Fatal(join(issues))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDefaults(t *testing.T) {
	s, issues := Parse(doc(t, `{"fields":[{"key":"a","label":"A"}]}`))
	if len(issues) > 0 {
		t.Fatal(join(issues))
	}
	if diff := cmp.Diff(intray.DefaultSettings(), s.Settings); diff != "" {
		t.Error(diff)
	}
	for settings, want := range map[string]intray.InvalidDataBehavior{
		`{"allowInvalidSubmit":true}`:                                      intray.IncludeInvalidRows,
		`{"allowInvalidSubmit":false}`:                                     intray.RemoveInvalidRows,
		`{"allowInvalidSubmit":true,"invalidDataBehavior":"BLOCK_SUBMIT"}`: intray.BlockSubmit,
		`{"maxRecords":null,"webhookUrl":null,"initialData":null}`:         intray.RemoveInvalidRows,
	} {
		s, issues := Parse(doc(t, `{"fields":[{"key":"a","label":"A"}],"settings":`+settings+`}`))
		if len(issues) > 0 || s.Settings.InvalidDataBehavior != want {
			t.Errorf("%s: %v %s", settings, s, join(issues))
		}
	}
}

// field returns a schema document with one field that has additional properties.
func field(more string) string {
	return `{"fields":[{"key":"a","label":"A"` + more + `}]}`
}

func with(part string) string {
	return `{"fields":[{"key":"a","label":"A"}],` + part + `}`
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ document, want string }{
		{`{}`, "fields: is required"},
		{`{"fields":[]}`, "fields: must have at least 1 element"},
		{with(`"name":"a\tb"`), "name: must not contain control characters"},
		{`{"fields":[{"key":"a","label":"A"},{"key":"a","label":"B"}]}`, `fields[1].key: is a duplicate of fields[0].key, "a"`},
		{`{"fields":[{"key":"$unmapped","label":"A"}]}`, `fields[0].key: must not be "$unmapped"`},
		{`{"fields":[{"key":"a\u001fb","label":"A"}]}`, `fields[0].key: must not contain control characters`},
		{`{"fields":[{"key":"` + strings.Repeat("é", 128) + `","label":"A"}]}`, `fields[0].key: must be at most 255 bytes long in UTF-8, not 256`},
		{`{"fields":[{"key":"a","label":"` + strings.Repeat("x", 4_097) + `"}]}`, "fields[0].label: must be at most 4,096"},
		{field(`,"invalidValueMessage":"` + strings.Repeat("x", 4_097) + `"`), "fields[0].invalidValueMessage: must be at most 4,096"},
		{field(`,"validators":[{"validate":"required","errorMessage":"` + strings.Repeat("x", 4_097) + `"}]`), "fields[0].validators[0].errorMessage: must be at most 4,096"},
		{field(`,"type":"select","selectOptions":[{"label":"a","value":"` + strings.Repeat("x", 4_097) + `"}]`), "fields[0].selectOptions[0].value: must be at most 4,096"},
		{field(`,"type":"select","selectOptions":[{"label":"` + strings.Repeat("x", 4_097) + `","value":"a"}]`), "fields[0].selectOptions[0].label: must be at most 4,096"},
		{field(`,"hidden":true,"validators":[{"validate":"required"}]`), "fields[0].validators: must be empty"},
		{field(`,"validators":[{"validate":"require_with","fields":["a","b"]}]`), `fields[0].validators[0].fields[1]: refers to the unknown field "b"`},
		{field(`,"validators":[{"validate":"require_with_values","fieldValues":{"a":1,"c":2}}]`), `fields[0].validators[0].fieldValues: refers to the unknown field "c"`},
		{field(`,"validators":[{"validate":"length"}]`), "fields[0].validators[0]: needs min, max or both"},
		{field(`,"validators":[{"validate":"length","min":5,"max":4}]`), "fields[0].validators[0].min: must not be greater than max (4)"},
		{field(`,"type":"select"`), "fields[0].selectOptions: must have at least 1 element"},
		{field(`,"selectOptions":[{"label":"a","value":"b"},{"label":"c","value":"a"}]`), `fields[0].selectOptions[1]: duplicates selectOptions[0], because both have "a"`},
		{field(`,"selectOptions":[{"label":"a","value":"b"},{"label":"c","value":"d","alternateMatches":["b"]}]`), `both have "b"`},
		{field(`,"type":["date",{"locale":"xx"}]`), "fields[0].type: is invalid: "},
		{field(`,"validators":[{"validate":"required"},{"validate":"regex_match","regex":"("}]`), "fields[0].validators[1].regex: is invalid: "},
		{with(`"settings":{"maxRecord":1}`), `settings.maxRecord: is an unknown property; perhaps you mean "maxRecords"`},
		{with(`"settings":{"manualInputDisabled":true,"manualInputOnly":true}`), "settings.manualInputOnly: cannot be true together with manualInputDisabled"},
		{with(`"settings":{"webhookUrl":"ftp://example.com"}`), "settings.webhookUrl: must be an absolute URL"},
		{with(`"settings":{"webhookUrl":"/hook"}`), "settings.webhookUrl: must be an absolute URL"},
		{with(`"settings":{"needsReviewWebhookUrl":"https://"}`), "settings.needsReviewWebhookUrl: must be an absolute URL"},
		{with(`"settings":{"webhookUrl":"https://u:p@example.com"}`), "settings.webhookUrl: must not contain a user name or password"},
		{with(`"hooks":{"columnHooks":[{"fieldName":"b","callback":"x=>x"}]}`), `hooks.columnHooks[0].fieldName: refers to the unknown field "b"`},
		{with(`"hooks":{"rowHooks":["r=>r"," "]}`), "hooks.rowHooks[1]: must be a function, not an empty string"},
		{with(`"hooks":{"stepHooks":[{"type":"REVIEW_STEP","callback":"\t"}]}`), "hooks.stepHooks[0].callback: must be a function"},
		{with(`"hooks":{"beforeFinishCallback":""}`), "hooks.beforeFinishCallback: must not be empty"},
		{with(`"hooks":[]`), "hooks: must be an object, not an array"},
	}
	for _, tt := range tests {
		s, issues := Parse(doc(t, tt.document))
		if s != nil || !strings.Contains(join(issues), tt.want) {
			t.Errorf("%s: %q, want %q", tt.document, join(issues), tt.want)
		}
	}
}

// TestManyExpressions checks that the same expression may be used any number of times and
// that the number of distinct expressions is limited.
func TestManyExpressions(t *testing.T) {
	fields := func(expression func(i int) string) string {
		all := make([]string, MaxExpressions+1)
		for i := range all {
			all[i] = fmt.Sprintf(`{"key":"%d","label":"A","validators":[{"validate":"regex_match","regex":"%s"}]}`, i, expression(i))
		}
		return `{"fields":[` + strings.Join(all, ",") + `]}`
	}
	if _, issues := Parse(doc(t, fields(func(int) string { return "^a" }))); len(issues) > 0 {
		t.Errorf("one expression: %v", issues)
	}
	_, issues := Parse(doc(t, fields(func(i int) string { return fmt.Sprint("^a", i) })))
	if len(issues) != 1 || !strings.Contains(issues[0].Message.String(), "limit of 200 different") {
		t.Errorf("too many: %v", issues)
	}
}

// TestExpressionsAreNotMade checks that Parse does not compile slow expressions: for each
// of them, it needs far fewer allocations than Compile.
func TestExpressionsAreNotMade(t *testing.T) {
	rules := make([]string, MaxExpressions)
	for i := range rules {
		rules[i] = fmt.Sprintf(`{"validate":"regex_match","regex":"(?:[a-z]|\\w{9}){200}%d","regexOptions":{"ignoreCase":true}}`, i)
	}
	given := doc(t, field(`,"validators":[`+strings.Join(rules, ",")+`]`))
	parsed := testing.AllocsPerRun(1, func() {
		if _, issues := Parse(given); len(issues) > 0 {
			t.Fatal(join(issues))
		}
	}) / MaxExpressions
	compiled := testing.AllocsPerRun(1, func() {
		if _, err := jsregexp.Compile(`(?:[a-z]|\w{9}){200}0`, jsregexp.Flags{IgnoreCase: true}); err != nil {
			t.Fatal(err)
		}
	})
	if parsed > compiled/20 {
		t.Errorf("%.0f allocations to parse one expression, %.0f to compile it", parsed, compiled)
	}
}

func TestManyFieldsAndIssues(t *testing.T) {
	fields := func(n int, more string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`{"key":"k%d","label":"L"%s}`, i, more)
		}
		return `{"fields":[` + strings.Join(list, ",") + `]}`
	}
	if _, issues := Parse(doc(t, fields(2000, ""))); len(issues) > 0 {
		t.Error(join(issues))
	}
	if _, issues := Parse(doc(t, fields(2001, ""))); join(issues) != "fields: must have at most 2,000 elements, not 2,001" {
		t.Error(join(issues))
	}
	if _, issues := Parse(doc(t, fields(100, `,"type":"select"`))); len(issues) != jsonschema.MaxIssues {
		t.Errorf("%d issues", len(issues))
	}
}

func TestWarnings(t *testing.T) {
	s, issues := Parse(doc(t, with(`"hooks":{"rowHooks":["r=>r","async r => { await fetch('x') }"],"beforeFinishCallback":"()=>prefetch()"}`)))
	if len(issues) > 0 {
		t.Fatal(join(issues))
	}
	want := []string{"hooks.rowHooks[1] uses fetch, but hooks have no network access, so the call will fail"}
	if diff := cmp.Diff(want, intray.RenderAll(Warnings(s))); diff != "" {
		t.Error(diff)
	}
}

func TestRead(t *testing.T) {
	s, err := Read(strings.NewReader(`{"id":"0","name":"x","fields":[{"key":"a","label":"A"}]}`))
	if err != nil || s.Name != "x" || s.Fields[0].Key != "a" {
		t.Errorf("%v, %v", s, err)
	}
	for document, want := range map[string]string{
		`{"fields":[{"key":"a"}],"x":1}`:                   "fields[0].label: is required\nx: is an unknown property; known properties are name, fields, settings, hooks, extensions, id",
		field(`,"type":["phone-number",{"country":"XX"}]`): "fields[0].type: is invalid: no phone numbers are known for the country \"XX\"; use a two-letter ISO 3166-1 code",
		with(`"name":""`):                                  "name: must not be empty",
		with(`"settings":null`):                            "settings: must be an object, not null",
		`[]`:                                               "must be an object, not an array",
	} {
		_, err := Read(strings.NewReader(document))
		var invalid *InvalidError
		if !errors.As(err, &invalid) || err.Error() != want {
			t.Errorf("%s: %v", document, err)
		}
	}
	var syntax *jsonschema.SyntaxError
	if _, err := Read(strings.NewReader(`{"fields":[}`)); !errors.As(err, &syntax) {
		t.Error(err)
	}
}

// TestReadDoc checks that ReadDoc returns the document unchanged and the schema that it
// describes.
func TestReadDoc(t *testing.T) {
	const text = `{"id":"0","name":"x","fields":[{"key":"a","label":"A"}],"settings":{"displayEncoding":false},"hooks":{"rowHooks":["r=>r"]}}`
	got, s, err := ReadDoc(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(doc(t, text), got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(ParseUnchecked(got), s); diff != "" {
		t.Error(diff)
	}
	for _, wrong := range []string{`{`, `[]`, field(`,"type":["date",{"locale":"xx"}]`)} {
		if got, s, err := ReadDoc(strings.NewReader(wrong)); err == nil || s != nil || got.Fields != nil {
			t.Errorf("%s: %v, %v, %v", wrong, got, s, err)
		}
	}
}

func TestParseNeverPanics(t *testing.T) {
	values := rapid.SampledFrom([]any{nil, "a", "number", true, 1.0, 1e300, []any{}, map[string]any{}, []any{"number", map[string]any{}},
		[]any{map[string]any{"validate": "length"}}, []any{map[string]any{"validate": "require_with", "fields": []any{"a"}}},
		[]any{map[string]any{"label": "a", "value": "b"}}, []any{"r=>r"}})
	names := rapid.SampledFrom([]string{"type", "validators", "selectOptions", "manyToOne", "hidden", "alternateMatches", "key",
		"maxRecords", "webhookUrl", "rowHooks", "columnHooks", "beforeFinishCallback"})
	part := rapid.MapOfN(names, values, 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		f := part.Draw(t, "field")
		f["key"], f["label"] = "a", "A"
		d := Doc{Fields: []any{f}, Settings: part.Draw(t, "settings"), Hooks: part.Draw(t, "hooks")}
		if s, issues := Parse(d); (s == nil) == (len(issues) == 0) {
			t.Fatalf("%v, %v", s, issues)
		}
		if s, issues := Parse(Doc{Fields: values.Draw(t, "fields"), Settings: values.Draw(t, "s"), Hooks: values.Draw(t, "h")}); (s == nil) == (len(issues) == 0) {
			t.Fatalf("%v, %v", s, issues)
		}
	})
}
