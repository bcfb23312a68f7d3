package jsonschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

func decode(t testing.TB, text string) any {
	t.Helper()
	v, err := Decode(strings.NewReader(text), Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func text(kind Kind) *Schema { return &Schema{Kind: kind} }

// pair returns the schema of a tuple [name, options] whose options depend on the name.
func pair(name string, options *Schema) *Schema {
	return &Schema{Kind: Tuple, Items: []*Schema{{Kind: String, Enum: []string{name}}, options}}
}

func sample() *Schema {
	rule := func(name string, props ...Property) *Schema {
		return &Schema{Kind: Object, Properties: append([]Property{
			{Name: "rule", Required: true, Schema: &Schema{Kind: String, Enum: []string{name}}},
		}, props...)}
	}
	return &Schema{Kind: Object, Properties: []Property{
		{"name", true, &Schema{Kind: String, MinLength: 1, MaxLength: 5, NoControl: true}},
		{"mode", false, &Schema{Kind: String, Enum: []string{"FAST", "SAFE"}}},
		{"maxRecords", false, &Schema{Kind: Integer, Nullable: true, Min: Bound(1), Max: Bound(1000)}},
		{"ratio", false, &Schema{Kind: Number, Min: Bound(0), Max: Bound(1)}},
		{"on", false, text(Bool)},
		{"id", false, &Schema{Kind: String, Format: "uuid"}},
		{"code", false, &Schema{Kind: String, MinLength: 2}},
		{"free", false, text(Map)},
		{"counts", false, &Schema{Kind: Map, Elem: text(Integer)}},
		{"tags", false, &Schema{Kind: Array, Elem: text(String), MinItems: 1, MaxItems: 2}},
		{"any", false, text(Any)},
		{"type", false, &Schema{Kind: OneOf, Choices: []*Schema{
			{Kind: String, Enum: []string{"a", "b"}},
			pair("a", &Schema{Kind: Object}),
			pair("b", &Schema{Kind: Object, Properties: []Property{{"size", true, text(Integer)}}}),
		}}},
		{"rules", false, &Schema{Kind: Array, Elem: &Schema{Kind: OneOf, Nullable: true, Choices: []*Schema{
			rule("required"), rule("length", Property{"min", false, text(Integer)}),
		}}}},
	}}
}

// checkCases returns documents for the sample schema and the expected issues.
func checkCases() []struct{ document, want string } {
	return []struct{ document, want string }{
		{`{"name":"x"}`, ""},
		{`{"name":"x","maxRecords":null,"ratio":0.5,"on":false,"any":null,"rules":[null]}`, ""},
		{`{"name":"x","maxRecords":1e3,"ratio":1.0}`, ""},
		{`{"name":"x","type":"a"}`, ""},
		{`{"name":"x","type":["b",{"size":1}],"rules":[{"rule":"length","min":2}],"free":{"x y":[]}}`, ""},
		{`{"name":"x","id":"0f8fad5b-D9CB-469f-a165-70867728950e"}`, ""},
		{`[]`, `must be an object, not an array`},
		{`null`, `must be an object, not null`},
		{`{}`, `name: is required`},
		{`{"name":null}`, `name: must be a string, not null`},
		{`{"name":""}`, `name: must not be empty`},
		{`{"name":"x","code":"y"}`, `code: must be at least 2 characters long`},
		{`{"name":"äöüäöü"}`, `name: must be at most 5 characters long, not 6`},
		{`{"name":"a\nb"}`, `name: must not contain control characters such as tabs or line breaks`},
		{`{"name":"x","mode":"FSAT"}`, `mode: must be one of FAST, SAFE, not "FSAT"`},
		{`{"name":"x","maxRecords":"5"}`, `maxRecords: must be an integer or null, not a string`},
		{`{"name":"x","maxRecords":5.5}`, `maxRecords: must be an integer or null, not 5.5; integers can have at most 64 bits`},
		{`{"name":"x","maxRecords":1e999999999}`, `maxRecords: must be an integer or null, not 1e999999999; integers can have at most 64 bits`},
		{`{"name":"x","maxRecords":0}`, `maxRecords: must be at least 1`},
		{`{"name":"x","maxRecords":1001}`, `maxRecords: must be at most 1,000`},
		{`{"name":"x","ratio":1.5}`, `ratio: must be at most 1`},
		{`{"name":"x","ratio":-0.5}`, `ratio: must be at least 0`},
		{`{"name":"x","ratio":1e999}`, `ratio: must be a number in the double-precision range`},
		{`{"name":"x","on":"yes"}`, `on: must be a boolean, not a string`},
		{`{"name":"x","id":"1"}`, `id: must be a UUID such as 0f8fad5b-d9cb-469f-a165-70867728950e, not "1"`},
		{`{"name":"x","counts":{"a":1,"b c":"2"}}`, `counts["b c"]: must be an integer, not a string`},
		{`{"name":"x","counts":{"a":true}}`, `counts.a: must be an integer, not a boolean`},
		{`{"name":"x","tags":[]}`, `tags: must have at least 1 element`},
		{`{"name":"x","tags":["a","b","c"]}`, `tags: must have at most 2 elements, not 3`},
		{`{"name":"x","tags":["a",2]}`, `tags[1]: must be a string, not a number`},
		{`{"name":"x","type":1}`, `type: must be a string or an array, not a number`},
		{`{"name":"x","type":"c"}`, `type: must be one of a, b, not "c"`},
		{`{"name":"x","type":["c",{}]}`, `type[0]: must be one of a, b, not "c"`},
		{`{"name":"x","type":["b",{}]}`, `type[1].size: is required`},
		{`{"name":"x","type":["a",{"size":1}]}`, `type[1].size: is an unknown property; none are allowed here`},
		{`{"name":"x","type":["a"]}`, `type: must have exactly 2 elements, not 1`},
		{`{"name":"x","type":[]}`, `type[0]: is required`},
		{`{"name":"x","rules":[{}]}`, `rules[0].rule: is required`},
		{`{"name":"x","rules":[{"rule":7}]}`, `rules[0].rule: must be a string, not a number`},
		{`{"name":"x","rules":[{"rule":"required","min":1}]}`, `rules[0].min: is an unknown property; known properties are rule`},
		{`{"name":"x","rules":["required"]}`, `rules[0]: must be an object or null, not a string`},
		{`{"name":"x","maxRecord":5}`, `maxRecord: is an unknown property; perhaps you mean "maxRecords"`},
		{`{"name":"x","MAXRECORDS":5}`, `MAXRECORDS: is an unknown property; perhaps you mean "maxRecords"`},
		{`{"name":"x","a.b":5}`, `has the unknown property "a.b"`},
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range checkCases() {
		t.Run(tt.document, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, lines(sample().Validate(decode(t, tt.document)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func lines(issues []Issue) string {
	text := make([]string, len(issues))
	for i, issue := range issues {
		text[i] = issue.String()
	}
	return strings.Join(text, "\n")
}

func TestValidateReportsAllInOrder(t *testing.T) {
	got := lines(sample().Validate(decode(t, `{"zzzzzz":1,"on":1,"mode":2,"yyyyyy":3}`)))
	want := []string{"name: is required", "mode: must be", "on: must be", "yyyyyy: is an unknown", "zzzzzz: is an unknown"}
	for i, line := range strings.Split(got, "\n") {
		if i >= len(want) || !strings.HasPrefix(line, want[i]) {
			t.Errorf("line %d is %q", i, line)
		}
	}
	many := (&Schema{Kind: Array, Elem: text(String)}).Validate(decode(t, "["+strings.Repeat("1,", 99)+"1]"))
	if len(many) != MaxIssues {
		t.Errorf("%d issues", len(many))
	}
}

func TestLongNamesAreCut(t *testing.T) {
	name := strings.Repeat("ab ", 5000)
	issues := sample().Validate(map[string]any{"name": name, name: 1, "mode": name})
	for _, i := range issues {
		if len(i.String()) > 200 {
			t.Errorf("an issue of %d bytes", len(i.String()))
		}
	}
	if len(issues) != 3 {
		t.Errorf("%d issues", len(issues))
	}
}

func TestByField(t *testing.T) {
	issues := []Issue{
		{"settings.maxRecords", intray.Literal("must be an integer")}, {"fields[1].label", intray.Literal("is required")},
		{"fields", intray.Literal("is required")}, {"", intray.Literal("must be an object")},
	}
	want := map[string][]string{
		"settings": {"maxRecords: must be an integer"},
		"fields":   {"[1].label: is required", "is required"},
		"":         {"must be an object"},
	}
	got := map[string][]string{}
	for field, messages := range ByField(issues) {
		got[field] = intray.RenderAll(messages)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// anyJSON draws documents whose names include those of the sample schema.
func anyJSON(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 7
		if depth == 0 {
			kinds = 5
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			// In JSON Schema, an integer beyond 64 bits is valid, because int64 is only a format.
			return rapid.Float64Range(-(1<<62), 1<<62).Draw(t, "number")
		case 3:
			return rapid.String().Draw(t, "text")
		case 4:
			return rapid.SampledFrom([]string{"a", "b", "FAST", "required", "length"}).Draw(t, "word")
		case 5:
			return rapid.SliceOfN(anyJSON(depth-1), 0, 3).Draw(t, "array")
		}
		name := rapid.SampledFrom([]string{"name", "mode", "type", "rules", "rule", "size", "min", "counts", "tags", "", "a.b"})
		return rapid.MapOfN(name, anyJSON(depth-1), 0, 6).Draw(t, "object")
	})
}

func TestCheckNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anyJSON(4).Draw(t, "document")
		for _, i := range sample().Validate(v) {
			if i.Message.IsZero() {
				t.Fatalf("no message: %+v", i)
			}
		}
	})
}

func FuzzDecodeAndCheck(f *testing.F) {
	f.Add(`{"name":"x","type":["b",{"size":1e2}]}`)
	f.Add(`[1,"\ud800"]`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Decode(strings.NewReader(text), Limits{})
		if err == nil {
			_ = fmt.Sprint(sample().Validate(v))
		}
	})
}

func TestDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "bc", 1}, {"abcd", "badc", 3}, {"a", "abcdef", 3}}
	for _, tt := range tests {
		if got := min(Distance(tt.a, tt.b, 3), 3); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
