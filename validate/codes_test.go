package validate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/distinct/distincttest"
	"github.com/intraydata/intray/validate"
)

// TestColumnsWithCodes applies rules to columns that have codes, and to the same columns without codes. The
// problems must be equal.
func TestColumnsWithCodes(t *testing.T) {
	rules := [][]intray.Validator{
		{{Rule: "required"}},
		{{Rule: "length", Options: map[string]any{"min": 2, "max": 3}}},
		{{Rule: "alphabetical"}},
		{{Rule: "regex_match", Options: map[string]any{"regex": "^a+$"}}},
		{{Rule: "regex_exclude", Options: map[string]any{"regex": "b|^$"}}},
		{{Rule: "require_with", Options: map[string]any{"fields": []any{"1"}}}},
		{{Rule: "require_with_values", Options: map[string]any{"fieldValues": map[string]any{"2": "aa"}}}},
	}
	var fields []intray.Field
	for i, list := range rules {
		fields = append(fields, intray.Field{Key: string(rune('0' + i)), Type: intray.FieldType{Name: intray.TypeString}, Validators: list})
	}
	r := compiled(t, fields...)
	rapid.Check(t, func(rt *rapid.T) {
		rows := rapid.IntRange(1, 30).Draw(rt, "rows")
		plain, coded := batch(len(fields), rows), batch(len(fields), rows)
		for f := range fields {
			cells := &plain.Fields[f]
			for range rows {
				text := []byte(rapid.SampledFrom([]string{"", " ", "a", "aa", "aaa", "ab", "aaaa", "é"}).Draw(rt, "text"))
				switch rapid.IntRange(0, 5).Draw(rt, "cell") {
				case 0:
					cells.AppendNull(text) // could not be parsed, or is empty
				case 1:
					cells.AppendParsed(text, []byte("raw"))
				default:
					cells.AppendValue(text)
				}
			}
			coded.Fields[f] = *cells
			coded.Fields[f].Values = distincttest.WithCodes(&cells.Values)
		}
		for _, b := range []*intray.Batch{plain, coded} {
			if err := r.Apply(b, validate.NewBudget()); err != nil {
				rt.Fatal(err)
			}
		}
		if diff := cmp.Diff(plain.Problems, coded.Problems); diff != "" {
			rt.Fatalf("(-without +with codes):\n%s", diff)
		}
	})
}
