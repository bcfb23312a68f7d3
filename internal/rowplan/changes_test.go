package rowplan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
)

// listSchema returns a schema with a number field, a select field and a many-to-one field
// with two columns.
func listSchema() *intray.Schema {
	colors := []intray.SelectOption{{Label: "Red", Value: "r"}, {Label: "Green", Value: "g"}}
	return &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "amount", Label: "Amount", Type: intray.FieldType{Name: intray.TypeNumber}, Validators: []intray.Validator{{Rule: "required"}}},
		{Key: "color", Label: "Color", Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: colors},
		{Key: "emails", Label: "Emails", Type: intray.FieldType{Name: intray.TypeEmail}, ManyToOne: true},
	}}
}

var listMapping = intray.Mapping{Fields: []intray.Match{{Column: 0}, {Column: 1}, {Column: 2, Columns: []int{2, 3}}}}

// listPlan returns the plan of listSchema and a parsed batch with the given rows. The batch
// starts at row 10 of the import.
func listPlan(t *testing.T, rows ...[]string) (*Plan, *intray.Batch) {
	t.Helper()
	p, err := Compile(listSchema(), listMapping, []string{"A", "C", "E1", "E2"})
	if err != nil {
		t.Fatal(err)
	}
	recs := intray.Records{First: 10}
	for i, row := range rows {
		appendRecord(&recs, row, int64(i+12))
	}
	b := &intray.Batch{}
	p.Parse(&recs, b, make([]byte, 0, ScratchBytes))
	return p, b
}

func textOf(s string) *string { return &s }

// formatCell returns the value and raw text of a cell, and the levels and codes of its problems.
func formatCell(b *intray.Batch, row, field int) string {
	text := "null"
	if v, ok := b.Fields[field].Value(row); ok {
		text = string(v)
	}
	text += fmt.Sprintf(" %q", b.Fields[field].Raw(row))
	for _, q := range b.Problems {
		if q.Row == row && q.Field == field {
			text += fmt.Sprintf(" %s %s", q.Level, q.Code)
		}
	}
	return text
}

func TestApplyChanges(t *testing.T) {
	blue := []intray.SelectOption{{Label: "Blue", Value: "b"}}
	info := func(level intray.Level, texts ...string) intray.Change {
		c := intray.Change{HasInfos: true}
		for _, text := range texts {
			c.Infos = append(c.Infos, intray.Info{Level: level, Text: text})
		}
		return c
	}
	value := func(field, part int, text string) intray.Change {
		return intray.Change{Field: field, Part: part, HasValue: true, Value: &text}
	}
	for name, c := range map[string]struct {
		row     []string
		changes []intray.Change
		field   int
		want    string
	}{
		"a value":                          {[]string{"1", "", "", ""}, []intray.Change{value(0, 0, "2")}, 0, `2 "1"`},
		"the same value":                   {[]string{"1", "", "", ""}, []intray.Change{value(0, 0, "1")}, 0, `1 "1"`},
		"null":                             {[]string{"1", "", "", ""}, []intray.Change{{HasValue: true}}, 0, `null ""`},
		"a blank value":                    {[]string{"1", "", "", ""}, []intray.Change{value(0, 0, " ")}, 0, `null " "`},
		"an invalid value":                 {[]string{"1", "", "", ""}, []intray.Change{value(0, 0, "x")}, 0, `null "x" error number`},
		"a valid value for an invalid one": {[]string{"x", "", "", ""}, []intray.Change{value(0, 0, "3")}, 0, `3 "x"`},
		"an ambiguous number":              {[]string{"x", "", "", ""}, []intray.Change{value(0, 0, "1.234")}, 0, `1.234 "x"`},
		"a later value":                    {[]string{"1", "", "", ""}, []intray.Change{value(0, 0, "2"), value(0, 0, "4")}, 0, `4 "1"`},
		"a message":                        {[]string{"1", "", "", ""}, []intray.Change{info(intray.LevelWarning, "m")}, 0, `1 "1" warning hook`},
		"a message on an invalid cell":     {[]string{"x", "", "", ""}, []intray.Change{info(intray.LevelInfo, "m")}, 0, `null "x" error number info hook`},
		"later messages replace":           {[]string{"1", "", "", ""}, []intray.Change{info(intray.LevelWarning, "m", "n"), info(intray.LevelInfo, "o")}, 0, `1 "1" info hook`},
		"no messages":                      {[]string{"1", "", "", ""}, []intray.Change{info(intray.LevelWarning, "m"), info(intray.LevelInfo)}, 0, `1 "1"`},
		"options":                          {[]string{"", "Blue", "", ""}, []intray.Change{{Field: 1, Options: blue}}, 1, `b "Blue"`},
		"options without the old value":    {[]string{"", "Red", "", ""}, []intray.Change{{Field: 1, Options: blue}}, 1, `null "Red" error select`},
		"options and a value":              {[]string{"", "Red", "", ""}, []intray.Change{{Field: 1, Options: blue, HasValue: true, Value: textOf("b")}}, 1, `b "Red"`},
		"options of a number":              {[]string{"1", "", "", ""}, []intray.Change{{Options: blue}}, 0, `1 "1"`},
		"the first column":                 {[]string{"", "", "a@b.cd", ""}, []intray.Change{value(2, 0, "x@y.zz")}, 2, `["x@y.zz",null] "[\"a@b.cd\",\"\"]"`},
		"the second column":                {[]string{"", "", "a@b.cd", ""}, []intray.Change{value(2, 1, "x@y.zz")}, 2, `["a@b.cd","x@y.zz"] "[\"a@b.cd\",\"\"]"`},
		"all columns emptied":              {[]string{"", "", "a@b.cd", ""}, []intray.Change{{Field: 2, HasValue: true}}, 2, `null ""`},
	} {
		t.Run(name, func(t *testing.T) {
			// The changed row is between two rows that must stay the same.
			p, b := listPlan(t, []string{"7", "Red", "q@q.qq", ""}, c.row, []string{"x", "Blue", "", "q"})
			var before [2]string
			for i, row := range []int{0, 2} {
				before[i] = fmt.Sprint(formatCell(b, row, 0), formatCell(b, row, 1), formatCell(b, row, 2), formatCell(b, row, 3), formatCell(b, row, 4))
			}
			for _, change := range c.changes {
				change.Row = 1
				if err := p.ApplyChanges(b, []intray.Change{change}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if got := formatCell(b, 1, c.field); got != c.want {
				t.Errorf("one by one: got %s, want %s", got, c.want)
			}
			for i, row := range []int{0, 2} {
				after := fmt.Sprint(formatCell(b, row, 0), formatCell(b, row, 1), formatCell(b, row, 2), formatCell(b, row, 3), formatCell(b, row, 4))
				if after != before[i] {
					t.Errorf("row %d became %s, want %s", row, after, before[i])
				}
			}
			p, b = listPlan(t, nil, c.row)
			together := slices.Clone(c.changes)
			for i := range together {
				together[i].Row = 1
			}
			if err := p.ApplyChanges(b, together, nil); err != nil {
				t.Fatal(err)
			}
			if got := formatCell(b, 1, c.field); got != c.want {
				t.Errorf("together: got %s, want %s", got, c.want)
			}
		})
	}
}

// TestChangeOutOfRange checks which changes and edits fail if they refer to cells at and
// beyond the bounds of a batch with two rows.
func TestChangeOutOfRange(t *testing.T) {
	for c, fits := range map[[3]int]bool{
		{0, 0, 0}: true, {1, 2, 1}: true, {-1, 0, 0}: false, {2, 0, 0}: false, {0, -1, 0}: false, {0, 3, 0}: false,
		{0, 0, 1}: false, {0, 0, -1}: false, {0, 2, 2}: false, {0, 2, -1}: false,
	} {
		p, b := listPlan(t, []string{"1", "", "", ""}, []string{"1", "", "", ""})
		err := p.ApplyChanges(b, []intray.Change{{Row: c[0], Field: c[1], Part: c[2], HasValue: true}}, nil)
		if (err == nil) != fits {
			t.Errorf("change of row %d, field %d, part %d: error %v", c[0], c[1], c[2], err)
		}
		p, b = listPlan(t, []string{"1", "", "", ""}, []string{"1", "", "", ""})
		if err := p.ApplyEdits(b, []Edit{{Row: c[0], Field: c[1], Part: c[2], Text: "a"}}); (err == nil) != fits {
			t.Errorf("edit of row %d, field %d, part %d: error %v", c[0], c[1], c[2], err)
		}
	}
}

func TestChangesIn(t *testing.T) {
	var changes []intray.Change
	for _, row := range []int{7, 3, 4, 5, 6, 4} {
		changes = append(changes, intray.Change{Row: row, Field: len(changes)})
	}
	got := ChangesIn(SortByRow(changes), &intray.Batch{First: 4, Lines: make([]int64, 3)})
	want := []intray.Change{{Row: 0, Field: 2}, {Row: 0, Field: 5}, {Row: 1, Field: 3}, {Row: 2, Field: 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if changes[0].Row != 7 {
		t.Error("SortByRow changed its argument")
	}
}

// rowHooksFunc is a function that runs in place of every row hook.
type rowHooksFunc func(hook int, rows intray.HookRows) ([]intray.Change, error)

func (f rowHooksFunc) RunRows(_ context.Context, hook int, rows intray.HookRows) ([]intray.Change, error) {
	return f(hook, rows)
}

// TestRunHooks checks that changes apply in order: column and bulk hooks, two row hooks,
// and the messages of the last step.
func TestRunHooks(t *testing.T) {
	p, b := listPlan(t, []string{"1", "", "", ""})
	p.HookChanges = []intray.Change{{Row: 9, HasValue: true}, {Row: 10, HasValue: true, Value: textOf("2")}, {Row: 11, HasValue: true}}
	p.FinalInfos = []intray.Change{{Row: 10, HasInfos: true, Infos: []intray.Info{{Level: intray.LevelInfo, Text: "last"}}}}
	var seen []string
	p.RowHooks, p.Hooks = 2, rowHooksFunc(func(hook int, rows intray.HookRows) ([]intray.Change, error) {
		v, _ := rows.Batches[0].Fields[0].Value(0)
		seen = append(seen, fmt.Sprintf("hook %d: %s, %v, %d fields", hook, v, rows.Parts, len(rows.Batches[0].Fields)))
		return []intray.Change{{HasValue: true, Value: textOf(string(v) + "0"), HasInfos: true, Infos: []intray.Info{{Text: "hook"}}}}, nil
	})
	if err := p.RunHooks(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"hook 0: 2, [0 0 2], 3 fields", "hook 1: 20, [0 0 2], 3 fields"}, seen); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if got, want := formatCell(b, 0, 0), `200 "1" info hook`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRunHooksFails checks that RunHooks returns an error if one of its steps fails.
func TestRunHooksFails(t *testing.T) {
	fault := errors.New("fault")
	unknown := []intray.Change{{Row: 10, Field: 9}}
	for name, prepare := range map[string]func(p *Plan){
		"column and bulk hooks": func(p *Plan) { p.HookChanges = unknown },
		"last step":             func(p *Plan) { p.FinalInfos = unknown },
		"first row hook": func(p *Plan) {
			p.Hooks = rowHooksFunc(func(int, intray.HookRows) ([]intray.Change, error) { return nil, fault })
		},
		"second row hook": func(p *Plan) {
			p.Hooks = rowHooksFunc(func(hook int, _ intray.HookRows) ([]intray.Change, error) {
				if hook == 1 {
					return nil, fault
				}
				return nil, nil
			})
		},
		"changes of a row hook": func(p *Plan) {
			p.Hooks = rowHooksFunc(func(int, intray.HookRows) ([]intray.Change, error) { return []intray.Change{{Row: 1}}, nil })
		},
	} {
		p, b := listPlan(t, []string{"1", "", "", ""})
		p.RowHooks, p.Hooks = 2, rowHooksFunc(func(int, intray.HookRows) ([]intray.Change, error) { return nil, nil })
		prepare(p)
		err := p.RunHooks(t.Context(), b, nil)
		if err == nil || isHookError(err) || strings.HasSuffix(name, "row hook") && !strings.HasPrefix(name, "changes") && !errors.Is(err, fault) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if !isHookError(fmt.Errorf("run: %w", &intray.HookError{})) {
		t.Error("a wrapped HookError is not recognized")
	}
}

// TestHookView checks that the problems and options that hooks receive are in order and refer to
// many-to-one fields instead of their columns, and that the batch itself does not change.
func TestHookView(t *testing.T) {
	p, b := listPlan(t, []string{"x", "no", "", "bad"}, []string{"y", "", "bad", ""})
	blue := []intray.SelectOption{{Label: "Blue", Value: "b"}}
	b.Options = []intray.CellOptions{{Row: 1, Field: 1, Options: blue}, {Row: 0, Field: 4, Options: blue}}
	problems, fields := slices.Clone(b.Problems), len(b.Fields)
	view := p.HookView(b)
	var got []string
	for _, q := range view.Problems {
		got = append(got, fmt.Sprint(q.Row, q.Field, q.Part, q.Code))
	}
	want := []string{"0 0 0number", "0 1 0select", "0 2 1email", "1 0 0number", "1 2 0email"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	wantOptions := []intray.CellOptions{{Row: 0, Field: 2, Part: 1, Options: blue}, {Row: 1, Field: 1, Options: blue}}
	if diff := cmp.Diff(wantOptions, view.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(problems, b.Problems); diff != "" || len(b.Fields) != fields || b.Options[1].Field != 4 {
		t.Errorf("the batch changed: %d fields, options %v, problems (-want +got):\n%s", len(b.Fields), b.Options, diff)
	}
}

func TestFillAdded(t *testing.T) {
	p, b := listPlan(t, []string{"", "", "", ""}, []string{"", "", "", ""})
	added := []intray.AddedRow{{Cells: map[string]string{"amount": "5", "unknown": "x"}}, {Cells: map[string]string{"color": "Red", "amount": "many"}}}
	if err := p.FillAdded(b, added, nil); err != nil {
		t.Fatal(err)
	}
	got := []string{formatCell(b, 0, 0), formatCell(b, 0, 1), formatCell(b, 1, 0), formatCell(b, 1, 1)}
	if diff := cmp.Diff([]string{`5 ""`, `null ""`, `null "many" error number`, `r ""`}, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
	if err := p.FillAdded(b, make([]intray.AddedRow, 3), nil); err != nil {
		t.Errorf("rows without cells: %v", err)
	}
	if err := p.FillAdded(b, append(make([]intray.AddedRow, 2), added[0]), nil); err == nil {
		t.Error("a row beyond the batch is accepted")
	}
}

// TestColumnHooksOfUnknownFields checks that ColumnFields skips a hook for an unknown field that
// precedes other hooks, and that KeepFields then keeps the columns for the other hooks.
func TestColumnHooksOfUnknownFields(t *testing.T) {
	p, b := listPlan(t, []string{"x", "no", "a@b.cd", "bad"})
	schema := listSchema()
	schema.Hooks.Column = []intray.ColumnHook{{Field: "gone"}, {Field: "amount"}, {Field: "emails"}}
	keep := p.ColumnFields(schema)
	if diff := cmp.Diff(map[int]bool{0: true, 2: true, 3: true, 4: true}, keep); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
	b.Unmapped = make([]intray.UnmappedCells, 1)
	p.KeepFields(b, keep)
	got := []string{formatCell(b, 0, 0), formatCell(b, 0, 1), formatCell(b, 0, 3), formatCell(b, 0, 4)}
	if diff := cmp.Diff([]string{`null "x" error number`, `null ""`, `a@b.cd "a@b.cd"`, `null "bad" error email`}, got); diff != "" || b.Unmapped != nil {
		t.Errorf("unmapped %v, cells (-want +got):\n%s", b.Unmapped, diff)
	}
}

func TestApplyEdits(t *testing.T) {
	p, b := listPlan(t, []string{"x", "Red", "a@b.cd", "bad"}, []string{"2", "", "", ""})
	edits := []Edit{
		{Row: 0, Field: 0, Text: "first"}, {Row: 0, Field: 0, Text: "3"}, {Row: 1, Field: 0, Text: "1,234.5"}, {Row: 0, Field: 1, Text: " "},
		{Row: 0, Field: 2, Part: 1, Text: "x@y.zz"}, {Row: 1, Field: 2, Text: "q"},
	}
	if err := p.ApplyEdits(b, edits); err != nil {
		t.Fatal(err)
	}
	got := []string{formatCell(b, 0, 0), formatCell(b, 1, 0), formatCell(b, 0, 1), formatCell(b, 0, 2), formatCell(b, 1, 2), formatCell(b, 1, 3)}
	want := []string{`3 "3"`, `1234.5 "1,234.5"`, `null " "`, `["a@b.cd","x@y.zz"] "[\"a@b.cd\",\"x@y.zz\"]"`, `[null,null] "[\"q\",\"\"]"`, `null "q" error email`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

// TestEditWithoutColumn checks that an ordinary field without a column can be edited, but a
// many-to-one field without a column cannot.
func TestEditWithoutColumn(t *testing.T) {
	p, err := Compile(listSchema(), intray.Mapping{Fields: []intray.Match{{Column: 0}, {Column: intray.NoColumn}, {Column: intray.NoColumn}}}, []string{"A"})
	if err != nil {
		t.Fatal(err)
	}
	var recs intray.Records
	appendRecord(&recs, []string{"1"}, 2)
	var b intray.Batch
	p.Parse(&recs, &b, nil)
	if len(b.Fields) != 3 || formatCell(&b, 0, 2) != `null ""` {
		t.Errorf("%d fields, the field without a column is %s", len(b.Fields), formatCell(&b, 0, 2))
	}
	if err := p.ApplyEdits(&b, []Edit{{Field: 2, Text: "a@b.cd"}}); err == nil {
		t.Error("an edit of a many-to-one field without a column is accepted")
	}
	if err := p.ApplyEdits(&b, []Edit{{Field: 1, Text: "Red"}}); err != nil || formatCell(&b, 0, 1) != `r "Red"` {
		t.Errorf("an edit of a field without a column: %v, %s", err, formatCell(&b, 0, 1))
	}
}

// TestUnfoldColumns checks that UnfoldColumns reverses FoldColumns.
func TestUnfoldColumns(t *testing.T) {
	p, b := listPlan(t, []string{"1", "Red", "a@b.cd", "bad"}, []string{"x", "", "", ""}, []string{"1", "", "\"\n", "c@d.ef"})
	var want []string
	format := func() (list []string) {
		for row := range b.Rows() {
			for f := range p.Fields {
				list = append(list, formatCell(b, row, f))
			}
			list = append(list, formatCell(b, row, 3), formatCell(b, row, 4))
		}
		return list
	}
	want = format()
	p.FoldColumns(b)
	if len(b.Fields) != 3 || !slices.IsSortedFunc(b.Problems, CompareProblems) {
		t.Errorf("%d fields, problems %v", len(b.Fields), b.Problems)
	}
	if err := p.UnfoldColumns(b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, format()); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

// TestUnfoldInvalidValues checks that UnfoldColumns rejects values that FoldColumns cannot
// have written.
func TestUnfoldInvalidValues(t *testing.T) {
	for _, c := range []struct{ value, raw string }{
		{`["a"]`, `["a","b"]`}, {`["a","b"]`, `["a"]`}, {`["a","b"`, `["a","b"]`}, {`["a","b"]`, `x`}, {`["a",2]`, `["a","b"]`}, {`["a","b","c"]`, `["a","b","c"]`},
	} {
		p, b := listPlan(t, []string{"", "", "", ""})
		p.FoldColumns(b)
		b.Fields[2] = intray.Cells{}
		b.Fields[2].AppendParsed([]byte(c.value), []byte(c.raw))
		if err := p.UnfoldColumns(b); err == nil || !strings.Contains(err.Error(), "row 10") {
			t.Errorf("value %s, raw text %s: error %v", c.value, c.raw, err)
		}
	}
}

func TestSplitProblems(t *testing.T) {
	p, b := listPlan(t, []string{"", "", "", ""})
	for _, q := range []struct {
		code  string
		field int
	}{{"required", 0}, {"unique", 4}, {"hook", 0}, {"number", 1}, {"unique_with", 0}} {
		b.Problems = append(b.Problems, intray.Problem{Code: q.code, Field: q.field})
	}
	crossRow := p.SplitProblems(b)
	format := func(list []intray.Problem) (texts []string) {
		for _, q := range list {
			texts = append(texts, fmt.Sprint(q.Code, q.Field, q.Part))
		}
		return texts
	}
	if diff := cmp.Diff([]string{"hook0 0", "number1 0"}, format(b.Problems)); diff != "" {
		t.Errorf("remaining problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"unique2 1", "unique_with0 0"}, format(crossRow)); diff != "" {
		t.Errorf("problems of cross-row validators (-want +got):\n%s", diff)
	}
}

// isHookError reports whether err is an *intray.HookError.
func isHookError(err error) bool {
	var failed *intray.HookError
	return errors.As(err, &failed)
}

// BenchmarkApplyChanges measures how long the changes of a hook to every row of a batch take.
func BenchmarkApplyChanges(b *testing.B) {
	p := compiled(b, mailSchema(), 2, 0, 1)
	var recs intray.Records
	var changes []intray.Change
	text := "ada@example.org"
	for row := range 5000 {
		appendRecord(&recs, []string{"Ada@Example.org", "Ada Lovelace"}, 1)
		changes = append(changes, intray.Change{Row: row, HasValue: true, Value: &text})
	}
	var batch intray.Batch
	scratch := make([]byte, 0, ScratchBytes)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		p.Parse(&recs, &batch, scratch)
		b.StartTimer()
		if err := p.ApplyChanges(&batch, changes, scratch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*5000/b.Elapsed().Seconds(), "rows/s")
}
