package validate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

// TestConditionsOfManyRows compares the rules that depend on other fields with their definition,
// in batches of random cells that do not end at a word of a set.
func TestConditionsOfManyRows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	budget := NewBudget()
	for _, name := range rowRules {
		if !strings.HasPrefix(name, "require_") {
			continue
		}
		options := map[string]any{"fields": []any{"b", "c", "d"}}
		if strings.HasSuffix(name, "_values") {
			options = map[string]any{"fieldValues": map[string]any{"b": "x", "c": "", "d": "y"}}
		}
		rules := mustCompile(t, []intray.Field{ruleField("a", intray.Validator{Rule: name, Options: options}), ruleField("b"), ruleField("c"), ruleField("d")}, nil)
		for _, rows := range []int{0, 1, 63, 64, 65, 300} {
			b := &intray.Batch{Lines: make([]int64, rows), Fields: make([]intray.Cells, 4)}
			var want []int
			for row := range rows {
				cells := make([]string, 4)
				for f := range cells {
					cells[f] = []string{"", "x", "y"}[random.IntN(3)]
					if cells[f] == "" {
						b.Fields[f].AppendNull(nil)
					} else {
						b.Fields[f].AppendValue([]byte(cells[f]))
					}
				}
				if cells[0] == "" && isRequired(name, cells[1:]) {
					want = append(want, row)
				}
			}
			if err := rules.Apply(b, budget); err != nil {
				t.Fatal(err)
			}
			var got []int
			for _, p := range b.Problems {
				got = append(got, p.Row)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %d rows (-want +got):\n%s", name, rows, diff)
			}
		}
	}
}

// isRequired reports whether a rule requires a value, given the cells of the fields b, c and d.
func isRequired(rule string, cells []string) bool {
	var holds []bool
	for i, cell := range cells {
		test := cell != ""
		if strings.HasSuffix(rule, "_values") {
			test = cell == []string{"x", "", "y"}[i]
		}
		holds = append(holds, test != strings.Contains(rule, "without"))
	}
	if strings.Contains(rule, "_all") {
		return !slices.Contains(holds, false)
	}
	return slices.Contains(holds, true)
}

// TestMessagesOfManyFields checks that the message of a rule has a limited size, however many
// fields with whatever labels and values it refers to.
func TestMessagesOfManyFields(t *testing.T) {
	long := strings.Repeat("<", 4096)
	for _, n := range []int{20, 21, 900} {
		fields, keys, values := []intray.Field{{}}, []any{}, map[string]any{}
		for i := range n {
			key := fmt.Sprint(i)
			fields = append(fields, intray.Field{Key: key, Label: long})
			keys, values[key] = append(keys, key), long
		}
		for _, v := range []intray.Validator{
			{Rule: "require_without", Options: map[string]any{"fields": keys}}, {Rule: "require_with_all", Options: map[string]any{"fields": keys}},
			{Rule: "require_with_values", Options: map[string]any{"fieldValues": values}}, {Rule: "require_without_values", Options: map[string]any{"fieldValues": values}},
			{Rule: "unique_with", Options: map[string]any{"uniqueKey": "k"}},
		} {
			fields[0] = ruleField("own", v)
			for i := range fields[1:] {
				fields[1+i].Validators = nil
				if v.Rule == "unique_with" {
					fields[1+i].Validators = []intray.Validator{v}
				}
			}
			rules := mustCompile(t, fields, nil)
			b := filled(n+1, 1, "")
			if strings.HasPrefix(v.Rule, "require_with_") {
				b = filled(n+1, 1, long)
				b.Fields[0] = intray.Cells{}
				b.Fields[0].AppendNull(nil)
			}
			if err := rules.Apply(b, NewBudget()); err != nil {
				t.Fatal(err)
			}
			problems := b.Problems
			for _, k := range rules.unique {
				problems = append(problems, k.problems...)
			}
			if len(problems) == 0 {
				t.Fatalf("%s has no problems", v.Rule)
			}
			more := n - 20
			for _, p := range problems {
				if v.Rule != "unique_with" && strings.Contains(p.Text.String(), fmt.Sprint(more, " more")) != (more > 0) {
					t.Errorf("%s of %d fields: %.300s", v.Rule, n, p.Text)
				}
				if size := p.Text.Size(); size > 40_000 {
					t.Errorf("%s of %d fields: the message has %d bytes", v.Rule, n, size)
				}
			}
		}
	}
}

// TestConditionsOfCanceledRun checks that a rule with many conditions ends within a limited number
// of steps after its run is canceled.
func TestConditionsOfCanceledRun(t *testing.T) {
	const rows = intray.BatchRows
	values := map[string]any{}
	fields := []intray.Field{{}}
	for i := range 500 {
		key := fmt.Sprint(i)
		fields, values[key] = append(fields, intray.Field{Key: key, Label: key}), "x"
	}
	fields[0] = ruleField("own", intray.Validator{Rule: "require_with_values", Options: map[string]any{"fieldValues": values}})
	rules := mustCompile(t, fields, nil)
	b := filled(len(fields), rows, "")
	b.Fields[0] = intray.Cells{}
	for range rows {
		b.Fields[0].AppendNull(nil)
	}
	budget := NewBudget()
	budget.Stop()
	before := budget.steps.Load()
	if err := rules.Apply(b, budget); err == nil {
		t.Error("the rules of a canceled run were applied")
	}
	if steps := budget.steps.Load() - before; steps > maxUnspentSteps+compareSteps*rows+1<<20 {
		t.Errorf("%d steps after the run was canceled", steps)
	}
}
