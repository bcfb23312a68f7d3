package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/intraydata/intray/internal/jsonschema"
)

func decode(t testing.TB, document string) any {
	t.Helper()
	v, err := jsonschema.Decode(strings.NewReader(document), jsonschema.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", document, err)
	}
	return v
}

func join(issues []Issue) string {
	lines := make([]string, len(issues))
	for i, issue := range issues {
		lines[i] = issue.String()
	}
	return strings.Join(lines, "\n")
}

// row is a property with a valid value, an invalid value and the message for the invalid value.
type row struct{ name, right, wrong, message string }

func settingsRows() []row {
	return []row{
		{"importIdentifier", `"crm"`, `1`, "must be a string"},
		{"importIdentifier", `""`, `"a\r\nX-Evil: 1"`, "must not contain control characters"},
		{"title", `"Add"`, `null`, "must be a string, not null"},
		{"allowInvalidSubmit", `true`, `"true"`, "must be a boolean"},
		{"invalidDataBehavior", `"BLOCK_SUBMIT"`, `"BLOK"`, `must be one of BLOCK_SUBMIT, INCLUDE_INVALID_ROWS, REMOVE_INVALID_ROWS, INCLUDE_INVALID_ROWS_AND_VALUES, not "BLOK"`},
		{"invalidDataBehavior", `"INCLUDE_INVALID_ROWS_AND_VALUES"`, `null`, "not null"},
		{"backendSync", `false`, `0`, "must be a boolean"},
		{"backendSyncMode", `"MAPPINGS_ONLY"`, `"full_data"`, "must be one of DISABLED, FULL_DATA, MAPPINGS_ONLY"},
		{"manualInputDisabled", `true`, `[]`, "must be a boolean"},
		{"manualInputOnly", `true`, `{}`, "must be a boolean"},
		{"allowCustomFields", `true`, `null`, "must be a boolean"},
		{"passThroughUnmappedColumns", `true`, `1`, "must be a boolean"},
		{"maxRecords", `null`, `"5"`, "must be an integer or null, not a string"},
		{"maxRecords", `5.0`, `0`, "must be at least 1"},
		{"maxRecords", `1e3`, `1.5`, "must be an integer or null"},
		{"developmentMode", `true`, `"x"`, "must be a boolean"},
		{"displayEncoding", `true`, `"x"`, "must be a boolean"},
		{"styleOverrides", `{"global":{"x":1}}`, `[]`, "must be an object"},
		{"maxFileSize", `1073741824`, `1073741825`, "must be at most 1,073,741,824"},
		{"maxFileSize", `1`, `null`, "must be an integer, not null"},
		{"webhookUrl", `"https://example.com/x"`, `7`, "must be a string or null"},
		{"webhookUrl", `null`, `""`, "must not be empty"},
		{"needsReviewWebhookUrl", `null`, `"http://a\nb"`, "must not contain control characters"},
		{"initialData", `[{"a":1},["b"]]`, `{}`, "must be an array or null"},
		{"initialData", `null`, `[1]`, "must be an object or an array"},
	}
}

func TestSettingsTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range settingsRows() {
		seen[r.name] = true
		checkRow(t, SettingsShape(), r)
	}
	if len(seen) != 18 || len(SettingsShape().Properties) != 18 {
		t.Errorf("%d settings are tested, %d are there", len(seen), len(SettingsShape().Properties))
	}
}

func hooksRows() []row {
	rows := []row{
		{"beforeFinishCallback", `"()=>1"`, `[]`, "must be a string"},
		{"columnHooks", `[{"fieldName":"a","callback":"x=>x"}]`, `[{"fieldName":"a"}]`, "[0].callback: is required"},
		{"columnHooks", `[]`, `[{"fieldName":"a","callback":"x","fieldKey":"b"}]`, `[0].fieldKey: is an unknown property; known properties are fieldName, callback`},
		{"stepHooks", `[{"type":"UPLOAD_STEP","callback":"x=>x"}]`, `[{"type":"UPLOAD","callback":"x"}]`, "[0].type: must be one of UPLOAD_STEP, REVIEW_STEP, REVIEW_STEP_POST_HOOKS"},
		{"stepHooks", `[]`, `[{"callback":"x"}]`, "[0].type: is required"},
	}
	for _, name := range []string{"rowHooks", "bulkRowHooks", "rowDeleteHooks"} {
		rows = append(rows, row{name, `["r=>r"]`, `"r=>r"`, "must be an array"}, row{name, `[]`, `[1]`, "must be a string"})
	}
	return rows
}

func TestHooksTable(t *testing.T) {
	for _, r := range hooksRows() {
		checkRow(t, HooksShape(), r)
	}
	if n := len(HooksShape().Properties); n != 6 {
		t.Errorf("%d hooks", n)
	}
}

func checkRow(t *testing.T, s *jsonschema.Schema, r row) {
	t.Helper()
	if issues := s.Validate(map[string]any{r.name: decode(t, r.right)}); len(issues) > 0 {
		t.Errorf("%s: %s is refused: %s", r.name, r.right, join(issues))
	}
	got := join(s.Validate(map[string]any{r.name: decode(t, r.wrong)}))
	if !strings.HasPrefix(got, r.name) || !strings.Contains(got, r.message) {
		t.Errorf("%s: %s: got %q, want %q", r.name, r.wrong, got, r.message)
	}
}

func fieldRows() []row {
	return []row{
		{"type", `"email"`, `"mail"`, "must be one of string, number"},
		{"description", `"x"`, `null`, "must be a string"},
		{"alternateMatches", `["x"]`, `"x"`, "must be an array"},
		{"validators", `[]`, `[{}]`, "[0].validate: is required"},
		{"invalidValueMessage", `"x"`, `1`, "must be a string"},
		{"readOnly", `true`, `1`, "must be a boolean"},
		{"hidden", `true`, `1`, "must be a boolean"},
		{"requireMapping", `true`, `1`, "must be a boolean"},
		{"manyToOne", `true`, `1`, "must be a boolean"},
		{"selectOptions", `[{"label":"a","value":"b","alternateMatches":["c"]}]`, `[{"label":"a"}]`, "[0].value: is required"},
		{"label", `""`, `null`, "must be a string"},
	}
}

func TestFieldTable(t *testing.T) {
	for _, r := range fieldRows() {
		checkField(t, r, FieldsShape())
	}
	if got := join(FieldsShape().Validate(decode(t, `[{"label":"a","key":""},{}]`))); got != "[0].key: must not be empty\n[1].key: is required\n[1].label: is required" {
		t.Error(got)
	}
}

func checkField(t *testing.T, r row, s *jsonschema.Schema) {
	t.Helper()
	field := func(value string) any {
		return []any{map[string]any{"key": "a", "label": "A", r.name: decode(t, value)}}
	}
	if issues := s.Validate(field(r.right)); len(issues) > 0 {
		t.Errorf("%s: %s is refused: %s", r.name, r.right, join(issues))
	}
	if got := join(s.Validate(field(r.wrong))); !strings.HasPrefix(got, "[0]."+r.name) || !strings.Contains(got, r.message) {
		t.Errorf("%s: %s: got %q, want %q", r.name, r.wrong, got, r.message)
	}
}

// TestTypeTable checks each type with valid and invalid options.
func TestTypeTable(t *testing.T) {
	date := `"locale":"de","displayFormat":"D","outputFormat":"[ISO]","withSeconds":true`
	right := map[string]string{
		"string": `{}`, "checkbox": `{}`, "email": `{}`, "us-state-territory": `{}`,
		"number": `{"preset":"usd_accounting","round":-2,"displayFormat":{"mantissa":2,"negative":"parenthesis"},"outputFormat":{"average":true},"min":-1.5,"max":3}`,
		"date":   `{` + date + `,"autofix":false}`, "datetime": `{` + date + `}`, "time": `{` + date + `}`,
		"select":       `{"allowCustom":true,"exactMatchOnly":true}`,
		"multi-select": `{"delimiter":";","trimValues":false}`,
		"phone-number": `{"country":"FR","format":"both","outputFormatted":true}`,
		"url":          `{"acceptedProtocols":["https"],"acceptedDomains":["a.b"]}`,
		"domain":       `{"allowSubdomains":false}`,
		"us-zip-code":  `{"format":"9-digit","outputDash":true}`, "ssn": `{"outputDash":true}`,
		"country": `{"format":"3-letter"}`, "uuid": `{"version":4}`,
	}
	if len(TypeShapes()) != 17 || len(right) != 17 {
		t.Fatalf("%d types, %d of them tested", len(TypeShapes()), len(right))
	}
	for _, ft := range TypeShapes() {
		name := fmt.Sprintf("%q", ft.Name)
		checkField(t, row{"type", name, `[` + name + `]`, "must have exactly 2 elements"}, FieldsShape())
		checkField(t, row{"type", `[` + name + `,` + right[string(ft.Name)] + `]`, `[` + name + `,{"zzz":1}]`, "type[1].zzz: is an unknown property"}, FieldsShape())
	}
	for _, r := range []row{
		{"type", `["number","percent_2"]`, `["number","percent_9"]`, "type[1]: must be one of default"},
		{"type", `["number",{}]`, `["number",7]`, "type[1]: must be a string or an object, not a number"},
		{"type", `["date",{}]`, `["datetime",{"autofix":true}]`, "type[1].autofix: is an unknown"},
		{"type", `["uuid",{}]`, `["uuid",{"version":"4"}]`, "type[1].version: must be an integer"},
		{"type", `["select",{}]`, `["one_of",{}]`, "type[0]: must be one of"},
	} {
		checkField(t, r, FieldsShape())
	}
}

// TestValidatorTable checks each validator with and without its required properties.
func TestValidatorTable(t *testing.T) {
	own := map[string]string{
		"unique_with": `,"uniqueKey":"k"`,
		"regex_match": `,"regex":"a","regexOptions":{"ignoreCase":true,"dotAll":true,"multiline":true,"unicode":true}`, "regex_exclude": `,"regex":"a"`,
		"require_with": `,"fields":["a"]`, "require_without": `,"fields":["a"]`, "require_with_all": `,"fields":["a"]`, "require_without_all": `,"fields":["a"]`,
		"require_with_values": `,"fieldValues":{"a":"x"}`, "require_without_values": `,"fieldValues":{"a":"x"}`,
		"require_with_all_values": `,"fieldValues":{"a":"x"}`, "require_without_all_values": `,"fieldValues":{"a":"x"}`,
		"length": `,"min":1,"max":5`,
	}
	if len(RuleShapes()) != 16 {
		t.Errorf("%d rules", len(RuleShapes()))
	}
	for _, r := range RuleShapes() {
		right := fmt.Sprintf(`[{"validate":%q,"errorMessage":"x","level":"warning"%s}]`, r.Name, own[r.Name])
		checkField(t, row{"validators", right, fmt.Sprintf(`[{"validate":%q,"level":"bad"}]`, r.Name), "[0].level: must be one of info, warning, error"}, FieldsShape())
		checkField(t, row{"validators", right, strings.Replace(right, "errorMessage", "errorMesage", 1), `perhaps you mean "errorMessage"`}, FieldsShape())
		if len(r.Props) > 0 && r.Props[0].Required {
			checkField(t, row{"validators", right, fmt.Sprintf(`[{"validate":%q}]`, r.Name), r.Props[0].Name + ": is required"}, FieldsShape())
		}
	}
	checkField(t, row{"validators", `[]`, `[{"validate":"requierd"}]`, "[0].validate: must be one of required"}, FieldsShape())
}

func TestFileShape(t *testing.T) {
	const fields = `"fields":[{"key":"a","label":"A"}]`
	tests := []struct {
		s              *jsonschema.Schema
		document, want string
	}{
		{FileShape(), `{` + fields + `}`, ""},
		{FileShape(), `{"id":"1",` + fields + `}`, ""},
		{FileShape(), `{"name":"x",` + fields + `,"settings":{},"hooks":{}}`, ""},
		{FileShape(), `{}`, "fields: is required"},
		{FileShape(), `{"owner":"1",` + fields + `}`, "owner: is an unknown property; known properties are name, fields, settings, hooks, extensions, id"},
		{FileShape(), `{"fields":[]}`, "fields: must have at least 1 element"},
	}
	for _, tt := range tests {
		if got := join(tt.s.Validate(decode(t, tt.document))); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.document, got, tt.want)
		}
	}
}

// TestJSONSchemaAgrees checks that an independent JSON Schema validator agrees with the shapes.
func TestJSONSchemaAgrees(t *testing.T) {
	agree(t, SettingsShape(), settingsRows(), `{%q:%s}`)
	agree(t, HooksShape(), hooksRows(), `{%q:%s}`)
	agree(t, FieldsShape(), fieldRows(), `[{"key":"a","label":"A",%q:%s}]`)
}

func agree(t *testing.T, s *jsonschema.Schema, rows []row, format string) {
	t.Helper()
	text, err := json.Marshal(s.JSONSchema())
	if err != nil {
		t.Fatal(err)
	}
	document, err := validator.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	if err := compiler.AddResource("shape.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("shape.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		for value, right := range map[string]bool{r.right: true, r.wrong: false} {
			var v any
			if err := json.Unmarshal([]byte(fmt.Sprintf(format, r.name, value)), &v); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); (err == nil) != right {
				t.Errorf("%s: %s: JSON Schema says %v", r.name, value, err)
			}
		}
	}
}
