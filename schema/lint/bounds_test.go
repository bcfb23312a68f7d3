package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/schema"
	"github.com/intraydata/intray/schema/lint"
	"github.com/intraydata/intray/validate/jsregexp"
)

// large returns a schema that has 2,000 fields with 100 validators each, and 10,000 options
// in one field. Most validators have findings.
func large() *intray.Schema {
	s := &intray.Schema{Settings: intray.DefaultSettings()}
	for i := range 2000 {
		f := intray.Field{Key: fmt.Sprintf("field_%d", i), Label: fmt.Sprintf("Field %d", i), Type: intray.FieldType{Name: intray.TypeString}}
		for n := range 25 {
			other := fmt.Sprintf("field_%d", (i+n)%2000)
			f.Validators = append(f.Validators,
				intray.Validator{Rule: "length", Options: map[string]any{"min": int64(n), "max": int64(n + 3)}},
				intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": fmt.Sprintf(`^[A-Z]{%d}-(?:\d{%d}|x)+$`, n, i)}},
				intray.Validator{Rule: "require_with", Options: map[string]any{"fields": []any{other}}},
				intray.Validator{Rule: "require_with_values", Options: map[string]any{"fieldValues": map[string]any{"field_7": fmt.Sprint(n), other: "x"}}})
		}
		s.Fields = append(s.Fields, f)
	}
	f := &s.Fields[7]
	f.Type.Name = intray.TypeSelect
	for i := range 10_000 {
		name := fmt.Sprintf("Departement %c%c%c of %d", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, i%7)
		f.SelectOptions = append(f.SelectOptions, intray.SelectOption{Label: name, Value: fmt.Sprint(i)})
	}
	return s
}

// TestLargeSchemaIsQuick checks that the work of Check is proportional to the size of the schema.
func TestLargeSchemaIsQuick(t *testing.T) {
	s := large()
	parts := 0
	for _, f := range s.Fields {
		parts += len(f.Validators) + len(f.SelectOptions)
	}
	var found []lint.Finding
	if allocations := testing.AllocsPerRun(1, func() { found = lint.Check(s) }); allocations > float64(20*parts) {
		t.Errorf("%.0f allocations for %d validators and options", allocations, parts)
	}
	if len(found) != lint.MaxFindings {
		t.Fatalf("%d findings, want %d", len(found), lint.MaxFindings)
	}
	last := found[len(found)-1]
	if last.Code != "more_findings" || !strings.Contains(last.Text.String(), " findings are not listed.") {
		t.Errorf("the last finding is %v", last)
	}
	for _, f := range found[:lint.MaxFindings-1] {
		if f.Level != intray.LevelWarning {
			t.Errorf("%v is reported, and warnings are skipped", f)
		}
	}
	if diff := cmp.Diff(found, lint.Check(s)); diff != "" {
		t.Errorf("a second look finds something else:\n%s", diff)
	}
}

// TestHostileExpressionsAreQuick checks that Check does not compile expressions, even if a
// schema has the maximum number of small, slow ones: for each of them, Check needs far fewer
// allocations than Compile.
func TestHostileExpressionsAreQuick(t *testing.T) {
	s := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{{Key: "a", Type: intray.FieldType{Name: intray.TypeSelect},
		SelectOptions: []intray.SelectOption{{Label: "x", Value: "x"}}}}}
	for n := range schema.MaxExpressions {
		s.Fields[0].Validators = append(s.Fields[0].Validators, intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": fmt.Sprintf(`(?:a|b)*a(?:a|b){25}%d$`, n)}})
	}
	var found []lint.Finding
	checked := testing.AllocsPerRun(1, func() { found = lint.Check(s) }) / schema.MaxExpressions
	compiled := testing.AllocsPerRun(1, func() {
		if _, err := jsregexp.Compile(`(?:a|b)*a(?:a|b){25}0$`, jsregexp.Flags{}); err != nil {
			t.Fatal(err)
		}
	})
	if checked > compiled/20 {
		t.Errorf("%.0f allocations to check one expression, %.0f to compile it", checked, compiled)
	}
	if !slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Code == "not_all_checked" && strings.HasSuffix(f.Path, ".regex") }) {
		t.Errorf("nothing is reported as skipped: %v", found)
	}
}

// TestSkippedChecksAreReported checks that Check reports every kind of check that it skips.
func TestSkippedChecksAreReported(t *testing.T) {
	f := intray.Field{Key: "a", Type: intray.FieldType{Name: intray.TypeString}, Validators: []intray.Validator{{Rule: "required", Level: intray.LevelWarning}}}
	for n := range 600 {
		f.Validators = append(f.Validators, intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": fmt.Sprintf("x%d", n)}})
	}
	names := make([]any, 1000)
	for n := range names {
		names[n] = fmt.Sprint(n)
	}
	for n := range 502 {
		names[0] = fmt.Sprint("first ", n)
		f.Validators = append(f.Validators, intray.Validator{Rule: "require_with", Options: map[string]any{"fields": slices.Clone(names)}})
	}
	many := intray.Field{Key: "b", Type: intray.FieldType{Name: intray.TypeSelect}, Validators: []intray.Validator{{Rule: "unique"}}}
	for n := range 40_000 {
		many.SelectOptions = append(many.SelectOptions, intray.SelectOption{Label: fmt.Sprintf("option number %d", n), Value: fmt.Sprint(n)})
	}
	var reported []string
	for _, found := range lint.Check(&intray.Schema{Fields: []intray.Field{f, many}}) {
		reported = append(reported, found.String())
	}
	want := []string{
		"400 regular expressions were not checked because the schema has too many.",
		"The schema has too many select options to check all of them; 1 comparison was skipped.",
		"2 rules were not checked because the schema's rules refer to too many fields.",
	}
	if diff := cmp.Diff(want, reported); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// FuzzCheck checks that Check does not panic on a valid schema and that every finding can
// be rendered.
func FuzzCheck(f *testing.F) {
	for _, file := range badFiles(f) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for i := 0; i < len(archive.Files); i += 2 {
			f.Add(document(string(archive.Files[i].Data)))
		}
	}
	f.Add(contents(f, "../../examples/contacts.schema.json"))
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonschema.Decode(strings.NewReader(text), jsonschema.Limits{MaxBytes: 1 << 16})
		whole, isObject := v.(map[string]any)
		if err != nil || !isObject {
			return
		}
		doc := schema.Doc{Fields: whole["fields"], Settings: whole["settings"], Hooks: whole["hooks"]}
		s, issues := schema.Parse(doc)
		if len(issues) > 0 {
			return
		}
		for _, found := range lint.CheckWritten(s, doc.Settings) {
			if found.Code == "" || !strings.HasSuffix(found.Text.String(), ".") || found.Level == intray.LevelError || len(found.Text.String()) > 2000 {
				t.Errorf("%+v", found)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for _, bench := range []struct {
		name string
		s    *intray.Schema
	}{{"large", large()}, {"contacts", contacts(b)}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lint.Check(bench.s)
			}
		})
	}
}

func contacts(b *testing.B) *intray.Schema {
	s, _ := read(b, contents(b, "../../examples/contacts.schema.json"))
	return s
}
