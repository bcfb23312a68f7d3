package validate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

// threeFields returns three fields. The first field has one rule.
func threeFields(rule string, options map[string]any) []intray.Field {
	return []intray.Field{
		{Key: "a", Label: "A", Validators: []intray.Validator{{Rule: rule, Options: options}}},
		{Key: "b", Label: "B"}, {Key: "c", Label: "C"},
	}
}

func TestRules(t *testing.T) {
	both := []any{"b", "c"}
	values := map[string]any{"fieldValues": map[string]any{"b": "x", "c": true}}
	for name, c := range map[string]struct {
		rule    string
		options map[string]any
		// rows contains the rows, separated by "|", with cells separated by spaces. "-" is an
		// empty cell, and "?" is a cell that could not be parsed.
		rows string
		// bad holds the rows that violate the rule.
		bad  string
		text string
	}{
		"length":            {"length", map[string]any{"min": 2.0, "max": 4.0}, "a|ab|abcd|abcde|-|?|äöüß|äöüßx|😀😀", "0 3 7", "Enter 2 to 4 characters."},
		"at least":          {"length", map[string]any{"min": 3}, "ab|abc|-|" + strings.Repeat("x", 99), "0", "Enter at least 3 characters."},
		"at most":           {"length", map[string]any{"max": 1}, "a|ab|-|ä", "1", "Enter at most 1 character."},
		"exactly":           {"length", map[string]any{"min": 2, "max": 2}, "a|ab|abc", "0 2", "Enter exactly 2 characters."},
		"none at all":       {"length", map[string]any{"max": 0}, "a|-", "0", "Enter at most 0 characters."},
		"alphabetical":      {"alphabetical", nil, "abc|ABC|a1|ä|a-b|-|?", "2 3 4", "Use only the letters A to Z."},
		"regex":             {"regex_match", map[string]any{"regex": "^[A-Z]{2}\\d+$"}, "AB12|ab12|AB|-|?", "1 2 3", "This value isn't in the expected format."},
		"regex, any case":   {"regex_match", map[string]any{"regex": "^[A-Z]{2}\\d+$", "regexOptions": map[string]any{"ignoreCase": true}}, "AB12|ab12|AB", "2", "This value isn't in the expected format."},
		"regex with empty":  {"regex_match", map[string]any{"regex": "^$|^x"}, "-|x|y", "2", "This value isn't in the expected format."},
		"regex to exclude":  {"regex_exclude", map[string]any{"regex": "[<>]"}, "a|a<b|-|>", "1 3", "This format isn't allowed. Enter a different value."},
		"regex with a look": {"regex_match", map[string]any{"regex": "^(a)(?!b)\\1*$"}, "aa|ab", "1", "This value isn't in the expected format."},
		"with any":          {"require_with", map[string]any{"fields": both}, "x x x|- x -|- - x|- - -|? x x|- ? -", "1 2 5", `Required if "B" or "C" has a value. Enter a value.`},
		"with all":          {"require_with_all", map[string]any{"fields": both}, "x x x|- x -|- - x|- x x|- - -", "3", `Required if "B" and "C" have values. Enter a value.`},
		"without any":       {"require_without", map[string]any{"fields": both}, "x - -|- x -|- - x|- x x|- - -", "1 2 4", `Required if "B" or "C" is empty. Enter a value.`},
		"without all":       {"require_without_all", map[string]any{"fields": both}, "x - -|- x -|- - x|- x x|- - -", "4", `Required if "B" and "C" are empty. Enter a value.`},
		"with a value":      {"require_with_values", values, "- x -|- y true|- y y|z x true|- - -", "0 1", `Required if "B" is "x" or "C" is "true". Enter a value.`},
		"with all values":   {"require_with_all_values", values, "- x -|- x true|- y true|z x true", "1", `Required if "B" is "x" and "C" is "true". Enter a value.`},
		"another value":     {"require_without_values", values, "- x true|- x -|- y y|z y y", "1 2", `Required unless "B" is "x" and "C" is "true". Enter a value.`},
		"all other values":  {"require_without_all_values", values, "- x true|- x -|- y y|- - -", "2 3", `Required unless "B" is "x" or "C" is "true". Enter a value.`},
		"an empty value":    {"require_with_values", map[string]any{"fieldValues": map[string]any{"b": ""}}, "- - x|- x -", "0", `Required if "B" is "". Enter a value.`},
		"a number, written": {"require_with_values", map[string]any{"fieldValues": map[string]any{"b": json.Number("5.0")}}, "- 5 x|- 6 -", "0", `Required if "B" is "5". Enter a value.`},
		"a number as value": {"require_with_values", map[string]any{"fieldValues": map[string]any{"b": 5.0}}, "- 5 x|- 6 -", "0", `Required if "B" is "5". Enter a value.`},
	} {
		t.Run(name, func(t *testing.T) {
			rows := strings.Split(c.rows, "|")
			b := batch(3, len(rows))
			for _, row := range rows {
				cells := append(strings.Fields(row), "-", "-")
				for f := range b.Fields {
					switch cells[f] {
					case "-":
						b.Fields[f].AppendNull(nil)
					case "?":
						b.Fields[f].AppendNull([]byte("what"))
					default:
						b.Fields[f].AppendValue([]byte(cells[f]))
					}
				}
			}
			apply(t, compiled(t, threeFields(c.rule, c.options)...), b)
			var bad []string
			for _, p := range b.Problems {
				bad = append(bad, fmt.Sprint(p.Row))
				if p.Text.String() != c.text || p.Code != c.rule || p.Field != 0 {
					t.Errorf("the problem is %+v, want the text %s", p, c.text)
				}
			}
			if diff := cmp.Diff(c.bad, strings.Join(bad, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSlowExpression checks that every cell is reported if an expression is too slow for many
// cells.
func TestSlowExpression(t *testing.T) {
	b := batch(3, 1000)
	for range 1000 {
		b.Fields[0].AppendValue([]byte(strings.Repeat("a", 40) + "!"))
		b.Fields[1].AppendNull(nil)
		b.Fields[2].AppendNull(nil)
	}
	apply(t, compiled(t, threeFields("regex_match", map[string]any{"regex": `^(?=(a))(\1|a)*(a|\1)*$`})...), b)
	if len(b.Problems) != 1000 || !strings.Contains(b.Problems[999].Text.String(), "took too long") {
		t.Errorf("%d problems, the last %+v", len(b.Problems), b.Problems[len(b.Problems)-1])
	}
}
