package validate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
)

// ruleField returns a field with validators.
func ruleField(key string, validators ...intray.Validator) intray.Field {
	return intray.Field{Key: key, Label: key, Validators: validators}
}

// filled returns a batch in which all cells have the same text.
func filled(fields, rows int, text string) *intray.Batch {
	b := &intray.Batch{Lines: make([]int64, rows), Fields: make([]intray.Cells, fields)}
	for f := range b.Fields {
		for range rows {
			b.Fields[f].AppendValue([]byte(text))
		}
	}
	return b
}

func mustCompile(t *testing.T, fields []intray.Field, columns [][]int) *Rules {
	t.Helper()
	r, err := CompileColumns(fields, columns)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestFindingS5StepsOfRules checks that rules that need too many steps for the rows of an import
// end it, however the steps are distributed.
func TestFindingS5StepsOfRules(t *testing.T) {
	var many []intray.Validator
	for i := range 1000 {
		many = append(many, intray.Validator{Rule: "length", Options: map[string]any{"max": 10 + i}})
	}
	keys := ruleField("a")
	for i := range 9 {
		keys.Validators = append(keys.Validators, intray.Validator{Rule: "unique_with", Options: map[string]any{"uniqueKey": fmt.Sprint(i)}})
	}
	for name, fields := range map[string][]intray.Field{
		"rules":       {ruleField("a", many...)},
		"expressions": {ruleField("a", intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": "x$"}})},
		"conditions":  {ruleField("a", intray.Validator{Rule: "require_with_all", Options: map[string]any{"fields": slicesOf("a", 500)}})},
		"keys":        {keys},
	} {
		rules := mustCompile(t, fields, nil)
		budget := NewBudget()
		budget.limits.steps = 1_000_000
		unique := rules.UniqueChecker(t.TempDir(), budget)
		var err error
		batches := 0
		for ; err == nil && batches < 1000; batches++ {
			b := filled(1, 100, strings.Repeat("x", 1000))
			if err = rules.Apply(b, budget); err == nil && unique != nil {
				err = unique.AddBatch(b)
			}
		}
		if !errors.Is(err, ErrTooMuchWork) || batches < 2 {
			t.Errorf("%s: error %v after %d batches", name, err, batches)
		}
	}
}

func slicesOf(key string, n int) (list []any) {
	for range n {
		list = append(list, key)
	}
	return list
}

// TestFindingS5StepsOfRow checks that the cells of a row are reported as too slow to check after
// its expressions took too many steps, that other rows are checked, and that each import has the
// same result.
func TestFindingS5StepsOfRow(t *testing.T) {
	var fields []intray.Field
	for i := range 10 {
		fields = append(fields, ruleField(fmt.Sprint(i), intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": fmt.Sprintf("^[a-z]*$|%d", i)}}))
	}
	rules := mustCompile(t, fields, nil)
	budget := NewBudget()
	budget.limits.rowSteps = 5000
	b := &intray.Batch{Lines: make([]int64, 2), Fields: make([]intray.Cells, 10)}
	for f := range b.Fields {
		b.Fields[f].AppendValue([]byte(strings.Repeat("x", 1000)))
		b.Fields[f].AppendValue([]byte("short"))
	}
	if err := rules.Apply(b, budget); err != nil {
		t.Fatal(err)
	}
	for i, p := range b.Problems {
		if p.Row != 0 || p.Field != 5+i || p.Text.Code != "regex.too_slow" || p.Level != intray.LevelError {
			t.Errorf("problem %d is %+v", i, p)
		}
	}
	if len(b.Problems) != 5 {
		t.Errorf("%d problems, want one for each of the last 5 cells of row 0", len(b.Problems))
	}
}

// TestFindingS5TimeOfExpressions checks the limits for expressions whose steps cannot be counted,
// with a clock that advances by a second with every look.
func TestFindingS5TimeOfExpressions(t *testing.T) {
	rules := mustCompile(t, []intray.Field{
		ruleField("a", intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": `^(x)\1$`}}),
		ruleField("b", intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": `^(x)\1$`}}),
	}, nil)
	clock := time.Unix(0, 0)
	budget := NewBudget()
	budget.limits.now = func() time.Time { clock = clock.Add(time.Second); return clock }
	budget.limits.rowTime, budget.limits.time = time.Second/2, 10*time.Second
	b := filled(2, 3, "xx")
	if err := rules.Apply(b, budget); err != nil {
		t.Fatal(err)
	}
	if len(b.Problems) != 3 || b.Problems[0].Field != 1 || b.Problems[0].Text.Code != "regex.too_slow" {
		t.Errorf("problems %+v, want one for the second field of each row", b.Problems)
	}
	if err := rules.Apply(filled(2, 7, "xx"), budget); err != nil {
		t.Errorf("ten matches of a second: %v", err)
	}
	if err := rules.Apply(filled(2, 1, "xx"), budget); !errors.Is(err, ErrTooMuchWork) {
		t.Errorf("eleven matches of a second: %v", err)
	}
}

// TestFindingS5RulesOfManyColumns checks that the rules of a many-to-one field are compiled once,
// not once for each of its columns, and that they check every column.
func TestFindingS5RulesOfManyColumns(t *testing.T) {
	const columns = 16_384
	f := ruleField("a", intray.Validator{Rule: "length", Options: map[string]any{"max": 1}},
		intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": "^y"}}, intray.Validator{Rule: "unique"},
		intray.Validator{Rule: "unique_with", Options: map[string]any{"uniqueKey": "k"}})
	own := make([]int, columns)
	for i := range own {
		own[i] = 1 + i
	}
	rules := mustCompile(t, []intray.Field{f}, [][]int{own})
	if len(rules.rules) != 2 || len(rules.unique) != columns+1 {
		t.Errorf("%d rules and %d keys", len(rules.rules), len(rules.unique))
	}
	b := filled(1+columns, 1, "xx")
	if err := rules.Apply(b, NewBudget()); err != nil {
		t.Fatal(err)
	}
	if len(b.Problems) != 2*columns || b.Problems[0].Field != 1 || b.Problems[2*columns-1].Field != columns {
		t.Errorf("%d problems, from %+v to %+v", len(b.Problems), b.Problems[0], b.Problems[len(b.Problems)-1])
	}
	if got, want := rules.MaxRowProblems(), 4*columns; got != want {
		t.Errorf("at most %d problems for a row, want %d", got, want)
	}
	set := newHashSet(&spillFile{}, len(rules.unique))
	if size := len(rules.unique) * len(set.partitions) * set.blockBytes; size > maxBufferedBytes {
		t.Errorf("the sets of all keys buffer %d bytes", size)
	}
}

// TestFindingS5SameKeyComparedOnce checks that validators that compare the same values share one
// comparison and report their own problems.
func TestFindingS5SameKeyComparedOnce(t *testing.T) {
	f := ruleField("a")
	for i := range 18_000 {
		f.Validators = append(f.Validators, intray.Validator{Rule: "unique", Message: fmt.Sprint("unique ", i)})
	}
	f.Validators = append(f.Validators, intray.Validator{Rule: "unique_with", Options: map[string]any{"uniqueKey": "k"}}, intray.Validator{Rule: "unique_case_insensitive"})
	rules := mustCompile(t, []intray.Field{f}, nil)
	if len(rules.unique) != 2 || len(rules.unique[0].problems) != 18_001 || rules.unique[0].problems[7].Text.String() != "unique 7" {
		t.Errorf("%d keys", len(rules.unique))
	}
}

// TestMaxRowProblems checks that a row cannot have more problems than MaxRowProblems returns:
// each field of a group with the same uniqueKey has a problem.
func TestMaxRowProblems(t *testing.T) {
	var fields []intray.Field
	with := intray.Validator{Rule: "unique_with", Options: map[string]any{"uniqueKey": "k"}}
	for i := range 50 {
		fields = append(fields, ruleField(fmt.Sprint(i), with, intray.Validator{Rule: "alphabetical"}))
	}
	rules := mustCompile(t, fields, nil)
	b := filled(50, 2, "1")
	unique := rules.UniqueChecker(t.TempDir(), NewBudget())
	if err := errors.Join(rules.Apply(b, NewBudget()), unique.AddBatch(b)); err != nil {
		t.Fatal(err)
	}
	found, err := unique.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if got := len(b.Problems)/2 + len(found); got != 100 || rules.MaxRowProblems() != got {
		t.Errorf("a row has %d problems, and at most %d", got, rules.MaxRowProblems())
	}
}

// TestFindingB4EmptyCellOfRequiredField checks that an empty cell of a required field violates
// only the rule that requires it, and that no stricter problem is dropped.
func TestFindingB4EmptyCellOfRequiredField(t *testing.T) {
	required := intray.Validator{Rule: "required"}
	match := intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": "^x$"}}
	exclude := intray.Validator{Rule: "regex_exclude", Options: map[string]any{"regex": "^$"}}
	with := intray.Validator{Rule: "require_with", Options: map[string]any{"fields": []any{"other"}}}
	without := intray.Validator{Rule: "require_without", Options: map[string]any{"fields": []any{"empty"}}}
	at := func(v intray.Validator, level intray.Level) intray.Validator { v.Level = level; return v }
	for _, c := range []struct {
		validators []intray.Validator
		want       string
	}{
		{[]intray.Validator{required, match}, "required"},
		{[]intray.Validator{match, exclude, required}, "required"},
		{[]intray.Validator{with, required, match}, "required"},
		{[]intray.Validator{match, with, without}, "require_with require_without"},
		{[]intray.Validator{match, exclude}, "regex_match regex_exclude"},
		{[]intray.Validator{at(required, intray.LevelWarning), match}, "required regex_match"},
		{[]intray.Validator{at(required, intray.LevelWarning), at(match, intray.LevelInfo)}, "required"},
		{[]intray.Validator{at(required, intray.LevelWarning), with, at(match, intray.LevelWarning)}, "required require_with"},
		{[]intray.Validator{required, at(required, intray.LevelInfo)}, "required required"},
	} {
		rules := mustCompile(t, []intray.Field{ruleField("a", c.validators...), ruleField("other", match), ruleField("empty")}, nil)
		b := &intray.Batch{Lines: make([]int64, 2), Fields: make([]intray.Cells, 3)}
		for range 2 {
			b.Fields[0].AppendNull([]byte(" "))
			b.Fields[1].AppendValue([]byte("y"))
			b.Fields[2].AppendNull(nil)
		}
		if err := rules.Apply(b, NewBudget()); err != nil {
			t.Fatal(err)
		}
		var got [2][]string
		for _, p := range b.Problems {
			if p.Field == 0 {
				got[p.Row] = append(got[p.Row], p.Code)
			} else if p.Field != 1 || p.Code != "regex_match" {
				t.Errorf("%v: problem %+v of another field", c.validators, p)
			}
		}
		for row, codes := range got {
			if strings.Join(codes, " ") != c.want {
				t.Errorf("%v: row %d has %v, want %s", c.validators, row, codes, c.want)
			}
		}
	}
}

// TestFindingS1StoppedBudget checks that a batch ends soon after its budget is stopped, although
// the budget would allow all of its matches.
func TestFindingS1StoppedBudget(t *testing.T) {
	const rows = 1000
	rules := mustCompile(t, []intray.Field{ruleField("a", intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": `^(x)\1$`}})}, nil)
	budget, clock, looks := NewBudget(), time.Unix(0, 0), 0
	budget.limits.now = func() time.Time {
		if looks++; looks == 20 {
			budget.Stop()
		}
		clock = clock.Add(maxUnspentTime / 4)
		return clock
	}
	if err := rules.Apply(filled(1, rows, "xx"), budget); !errors.Is(err, ErrTooMuchWork) {
		t.Errorf("error %v, want ErrTooMuchWork", err)
	}
	if looks > 40 {
		t.Errorf("the rules looked at the clock %d times, want at most 40", looks)
	}

	// Here, the steps are counted.
	rules = mustCompile(t, []intray.Field{ruleField("a", intray.Validator{Rule: "regex_match", Options: map[string]any{"regex": `y$`}})}, nil)
	budget = NewBudget()
	budget.Stop()
	b := filled(1, rows, strings.Repeat("x", 64<<10))
	if err := rules.Apply(b, budget); !errors.Is(err, ErrTooMuchWork) || len(b.Problems) > rows/2 {
		t.Errorf("error %v after %d rows, want ErrTooMuchWork after less than half of them", err, len(b.Problems))
	}
}

// TestFindingS1StoppedSearchForDuplicates checks that the search for equal values ends when the
// budget is stopped.
func TestFindingS1StoppedSearchForDuplicates(t *testing.T) {
	rules := mustCompile(t, []intray.Field{ruleField("a", intray.Validator{Rule: "unique"})}, nil)
	budget := NewBudget()
	unique := rules.UniqueChecker(t.TempDir(), budget)
	defer func() {
		if err := unique.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := unique.AddBatch(filled(1, 100, "x")); err != nil {
		t.Fatal(err)
	}
	budget.Stop()
	if found, err := unique.Finish(); !errors.Is(err, ErrTooMuchWork) {
		t.Errorf("found %v with error %v, want ErrTooMuchWork", found, err)
	}
}

// TestFindingS1StoppedRules checks that a full batch with thousands of rules, columns and keys ends
// after the first of them if the run was canceled.
func TestFindingS1StoppedRules(t *testing.T) {
	var lengths, keys []intray.Validator
	for i := range 2000 {
		lengths = append(lengths, intray.Validator{Rule: "length", Options: map[string]any{"min": 10 + i}})
		keys = append(keys, intray.Validator{Rule: "unique_with", Options: map[string]any{"uniqueKey": fmt.Sprint(i)}})
	}
	b := filled(300, intray.BatchRows, "x")
	var columns []int
	for i := range b.Fields {
		columns = append(columns, i)
	}
	for name, c := range map[string]struct {
		validators []intray.Validator
		columns    []int
	}{
		"rules": {lengths, []int{0}}, "columns": {lengths[:1], columns}, "keys": {keys, []int{0}}, "keys of columns": {[]intray.Validator{{Rule: "unique"}}, columns},
	} {
		rules := mustCompile(t, []intray.Field{ruleField("a", c.validators...)}, [][]int{c.columns})
		budget := NewBudget()
		budget.Stop()
		before := budget.steps.Load()
		b.Problems = nil
		err := rules.Apply(b, budget)
		if unique := rules.UniqueChecker(t.TempDir(), budget); unique != nil {
			err = unique.AddBatch(b)
			err = errors.Join(err, unique.Close())
		}
		if !errors.Is(err, ErrTooMuchWork) || len(b.Problems) > b.Rows() {
			t.Errorf("%s: error %v after %d problems, want ErrTooMuchWork after those of one rule", name, err, len(b.Problems))
		}
		if steps, most := budget.steps.Load()-before, int64(b.Rows()*(hashSteps+valueSteps)); steps > most {
			t.Errorf("%s: %d steps after the run was canceled, want at most %d", name, steps, most)
		}
	}
}
