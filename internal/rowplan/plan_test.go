package rowplan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

func mailSchema() *intray.Schema {
	return &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "email", Label: "E-Mail", Type: intray.FieldType{Name: intray.TypeEmail}},
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
	}}
}

func compiled(t testing.TB, schema *intray.Schema, columns int, mapped ...int) *Plan {
	t.Helper()
	m := intray.Mapping{}
	for _, column := range mapped {
		m.Fields = append(m.Fields, intray.Match{Column: column})
	}
	p, err := Compile(schema, m, make([]string, columns))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRowsAreIndependent checks that the result for a row does not depend on the other rows
// or on the previous content of the batch. It parses rows one by one and together.
func TestRowsAreIndependent(t *testing.T) {
	schema := mailSchema()
	schema.Settings.PassThroughUnmappedColumns = true
	schema.Fields[0].Validators = []intray.Validator{{Rule: "required"}}
	m := intray.Mapping{Fields: []intray.Match{{Column: 1}, {Column: intray.NoColumn}}, Unmapped: []int{0, 2}}
	p, err := Compile(schema, m, make([]string, 3))
	if err != nil {
		t.Fatal(err)
	}
	cell := rapid.SampledFrom([]string{"", " ", "ada@example.org", " bob@example.org ", "nobody", "é"})
	var used intray.Batch
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(cell, 0, 5), 1, 8).Draw(t, "rows")
		var together intray.Records
		together.First = 100
		for i, row := range rows {
			appendRecord(&together, row, int64(i+2))
		}
		p.parseAndValidate(&together, &used)
		if used.First != 100 || used.Rows() != len(rows) {
			t.Fatalf("%d rows from %d on", used.Rows(), used.First)
		}
		for i, row := range rows {
			var alone intray.Records
			var one intray.Batch
			appendRecord(&alone, row, int64(i+2))
			p.parseAndValidate(&alone, &one)
			if diff := cmp.Diff(contentOf(&one, 0), contentOf(&used, i)); diff != "" {
				t.Fatalf("row %d, %q (-alone +together):\n%s", i, row, diff)
			}
		}
	})
}

func TestRaggedRowsAreReported(t *testing.T) {
	delimited := []intray.Evidence{{Choice: "encoding"}, {Choice: "delimiter", Value: ","}}
	for _, c := range []struct {
		columns int
		row     []string
		choices []intray.Evidence
		want    string
	}{
		{2, []string{"a"}, delimited, "This row has 1 cell, but the header row has 2 columns. Add or remove a separator."},
		{1, []string{"a", "b"}, delimited, "This row has 2 cells, but the header row has 1 column. Add or remove a separator."},
		{2, []string{"a"}, delimited[:1], "This row has 1 cell, but the header row has 2 columns."},
		{1, []string{"a", " "}, delimited, ""},
		{1, []string{"a"}, delimited, ""},
	} {
		p := compiled(t, mailSchema(), c.columns, intray.NoColumn, 0)
		p.Delimited = IsDelimited(c.choices)
		var recs intray.Records
		var b intray.Batch
		appendRecord(&recs, c.row, 2)
		p.parseAndValidate(&recs, &b)
		got := ""
		for _, problem := range b.Problems {
			got += problem.Text.String()
		}
		if got != c.want {
			t.Errorf("%q under %d columns: %s", c.row, c.columns, got)
		}
	}
}

func appendRecord(r *intray.Records, cells []string, line int64) {
	for _, cell := range cells {
		r.AppendCell([]byte(cell))
	}
	r.EndRecord(line)
}

// rowContent is everything that a batch contains about one row.
type rowContent struct {
	Line     int64
	Values   []string
	Null     []bool
	Raws     []string
	Unmapped map[int]string
	Problems []intray.Problem
}

func contentOf(b *intray.Batch, row int) rowContent {
	s := rowContent{Line: b.Lines[row], Unmapped: map[int]string{}}
	for i := range b.Fields {
		v, there := b.Fields[i].Value(row)
		s.Values, s.Null, s.Raws = append(s.Values, string(v)), append(s.Null, !there), append(s.Raws, string(b.Fields[i].Raw(row)))
	}
	for i := range b.Unmapped {
		s.Unmapped[b.Unmapped[i].Column] = string(b.Unmapped[i].Cells.At(row))
	}
	for _, problem := range b.Problems {
		if problem.Row == row {
			problem.Row = 0
			s.Problems = append(s.Problems, problem)
		}
	}
	return s
}

func TestExcerpt(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", maxExcerpt), strings.Repeat("x", maxExcerpt+1), strings.Repeat("é", maxExcerpt), "x" + strings.Repeat("é", maxExcerpt), strings.Repeat("\x80", maxExcerpt+9)} {
		got := excerpt([]byte(text))
		whole := len(text) <= maxExcerpt
		if whole && got != text || !whole && (!strings.HasPrefix(text, strings.TrimSuffix(got, "…")) || !strings.HasSuffix(got, "…") || len(got) > maxExcerpt+len("…")) {
			t.Errorf("%d bytes become %d: %.20q", len(text), len(got), got)
		}
		if strings.ContainsRune(got, '\uFFFD') && !strings.Contains(text, "\x80") {
			t.Errorf("a character was cut: %.20q", got[len(got)-10:])
		}
	}
}

// BenchmarkParse measures parsing and validation of a batch.
func BenchmarkParse(b *testing.B) {
	p := compiled(b, mailSchema(), 2, 0, 1)
	var recs intray.Records
	for range 10000 {
		appendRecord(&recs, []string{"ada.lovelace@example.org", "Ada Lovelace"}, 1)
	}
	var batch intray.Batch
	b.SetBytes(int64(recs.Bytes()))
	b.ReportAllocs()
	for b.Loop() {
		p.parseAndValidate(&recs, &batch)
	}
	b.ReportMetric(float64(b.N)*10000/b.Elapsed().Seconds(), "rows/s")
}

// parseAndValidate parses and validates rows without hooks.
func (p *Plan) parseAndValidate(recs *intray.Records, b *intray.Batch) {
	p.Parse(recs, b, make([]byte, 0, ScratchBytes))
	if err := p.ApplyRules(b); err != nil {
		panic(err)
	}
}

// TestLongNumbersAsText checks that text fields contain all digits of integers that a
// workbook displays in scientific notation.
func TestLongNumbersAsText(t *testing.T) {
	schema := mailSchema()
	schema.Fields[0].Type.Name = intray.TypeString
	schema.Settings.PassThroughUnmappedColumns = true
	m := intray.Mapping{Fields: []intray.Match{{Column: 0}, {Column: 1}}, Unmapped: []int{2}}
	p, err := Compile(schema, m, make([]string, 3))
	if err != nil {
		t.Fatal(err)
	}
	var recs intray.Records
	recs.AppendTyped([]byte("4.00638E+12"), intray.CellNumber, []byte("4006381333931"))
	recs.AppendTyped([]byte("1.50"), intray.CellNumber, []byte("1.5"))
	recs.AppendTyped([]byte("1.23457E+11"), intray.CellNumber, []byte("123456789012"))
	recs.EndRecord(2)
	var b intray.Batch
	p.parseAndValidate(&recs, &b)
	got := []string{string(b.Fields[0].Values.At(0)), string(b.Fields[1].Values.At(0)), string(b.Unmapped[0].Cells.At(0))}
	if diff := cmp.Diff([]string{"4006381333931", "1.50", "123456789012"}, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}

// TestFullText checks for which workbook numbers fullText returns all digits.
func TestFullText(t *testing.T) {
	for _, c := range []struct {
		kind               intray.CellKind
		shown, typed, want string
	}{
		{intray.CellNumber, "4E+12", "4000000000000", "4000000000000"},
		{intray.CellNumber, "-4E+12", "-4000000000000", "-4000000000000"},
		{intray.CellNumber, "4E-12", "0.000000000004", "4E-12"},
		{intray.CellNumber, "4E+12", "4.5", "4E+12"},
		{intray.CellNumber, "E+12", "4", "E+12"},
		{intray.CellNumber, "4E", "4", "4E"},
		{intray.CellNumber, "xE+1", "4", "xE+1"},
		{intray.CellNumber, "0E+1", "0", "0"},
		{intray.CellNumber, "9E+1", "90", "90"},
		{intray.CellNumber, "4E+12", "-", "4E+12"},
		{intray.CellText, "4E+12", "40", "4E+12"},
	} {
		got := fullText(celltype.Cell{Kind: c.kind, Raw: []byte(c.shown), Typed: []byte(c.typed)})
		if string(got) != c.want {
			t.Errorf("%s shown as %s: got %s, want %s", c.typed, c.shown, got, c.want)
		}
	}
}

// TestRowSizes checks the number of cells and the weight of a row, which limit the size of
// batches.
func TestRowSizes(t *testing.T) {
	p, err := Compile(listSchema(), listMapping, make([]string, 9))
	if err != nil {
		t.Fatal(err)
	}
	// A row has at most 6 problems: one for each of 4 columns, one from the validator and
	// one for the row.
	if p.CellsPerRow() != 9 || p.RowWeight() != 6*problemWeight {
		t.Errorf("%d cells, weight %d", p.CellsPerRow(), p.RowWeight())
	}
	if p, err = Compile(listSchema(), listMapping, make([]string, 4)); err != nil || p.CellsPerRow() != 5 {
		t.Errorf("%d cells, %v", p.CellsPerRow(), err)
	}
	if p, err = Compile(listSchema(), listMapping, make([]string, 100)); err != nil || p.RowWeight() != 100 {
		t.Errorf("weight %d, %v", p.RowWeight(), err)
	}
}

// TestWeightOfOptionValues checks that the values of a full batch have a limited size, even if they
// are much longer than the cells that mean them.
func TestWeightOfOptionValues(t *testing.T) {
	var options []intray.SelectOption
	for i := range 2000 {
		options = append(options, intray.SelectOption{Label: fmt.Sprint(i), Value: strings.Repeat("x", 2*i)})
	}
	for _, c := range []struct {
		kind  intray.TypeName
		match intray.Match
		many  bool
		want  int
	}{
		{intray.TypeSelect, intray.Match{Column: 0}, false, 3998 / cellBytes},
		{intray.TypeMultiSelect, intray.Match{Column: 0}, false, 1000 * (2000 + 3998) / 2 / cellBytes},
		{intray.TypeSelect, intray.Match{Column: 0, Columns: []int{0, 1}}, true, 2 * 3998 / cellBytes},
		{intray.TypeSelect, intray.Match{Column: intray.NoColumn}, false, 2 * problemWeight},
		{intray.TypeNumber, intray.Match{Column: 0}, false, 2 * problemWeight},
	} {
		field := intray.Field{Key: "a", Type: intray.FieldType{Name: c.kind}, SelectOptions: options, ManyToOne: c.many}
		p, err := Compile(&intray.Schema{Fields: []intray.Field{field}}, intray.Mapping{Fields: []intray.Match{c.match}}, make([]string, 2))
		if err != nil || p.RowWeight() != c.want {
			t.Errorf("%s: weight %d, want %d, error %v", c.kind, p.RowWeight(), c.want, err)
		}
	}
}

func TestCompileFails(t *testing.T) {
	for name, invalidate := range map[string]func(f *intray.Field){
		"type":      func(f *intray.Field) { f.Type.Name = "odd" },
		"validator": func(f *intray.Field) { f.Validators = []intray.Validator{{Rule: "odd"}} },
	} {
		schema := listSchema()
		invalidate(&schema.Fields[1])
		if _, err := Compile(schema, listMapping, make([]string, 4)); err == nil || !strings.Contains(err.Error(), "color") {
			t.Errorf("%s: error %v, want one that names the field", name, err)
		}
	}
}

// TestSummarize checks the rows with errors and the notices in the summary of a batch, even if
// there are more than MaxNotices problems.
func TestSummarize(t *testing.T) {
	p, b := listPlan(t, []string{"x", "no", "", "bad"}, []string{"1", "", "", ""}, []string{"y", "", "", ""})
	p.FoldColumns(b)
	b.Problems = append(b.Problems[:3:3], intray.Problem{Row: 1, Level: intray.LevelWarning, Code: celltype.CodeMapped}, intray.Problem{Row: 1, Field: intray.NoField, Level: intray.LevelInfo}, b.Problems[3])
	s := p.Summarize(b)
	if s.Rows != 3 || s.Problems != 6 || s.Unmatched != 1 {
		t.Errorf("%d rows, %d problems, %d cells without an option", s.Rows, s.Problems, s.Unmatched)
	}
	if diff := cmp.Diff([]uint32{10, 12}, s.ErrorRowNumbers()); diff != "" {
		t.Errorf("rows with errors (-want +got):\n%s", diff)
	}
	var got []string
	for _, n := range s.Notices {
		text := fmt.Sprintf("%s %s row %d %s %q", n.Type, n.Level, *n.Row, n.Field, n.Header)
		if n.Part != nil {
			text += fmt.Sprint(" part ", *n.Part)
		}
		if n.Value != nil {
			text += " " + *n.Value
		}
		got = append(got, text)
	}
	want := []string{
		`VALIDATION error row 10 amount "A" x`, `VALIDATION error row 10 color "C" no`, `VALIDATION error row 10 emails "E2" part 1 bad`,
		`VALUE_MAPPED warning row 11 amount "A" 1`, `VALIDATION info row 11  ""`, `VALIDATION error row 12 amount "A" y`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notices (-want +got):\n%s", diff)
	}
	for n, want := range map[int]int{MaxNotices - 1: MaxNotices - 1, MaxNotices: MaxNotices, MaxNotices + 1: MaxNotices} {
		b.Problems = make([]intray.Problem, n)
		if s := p.Summarize(b); len(s.Notices) != want || s.Problems != int64(n) {
			t.Errorf("%d problems: %d counted, %d notices", n, s.Problems, len(s.Notices))
		}
	}
}

func TestExcerpts(t *testing.T) {
	first, second := 0, 1
	var e Excerpts
	for text, want := range map[string]string{`["a","b"]`: "b", `["a"]`: "", "": "", `["a","b"`: ""} {
		if got := *e.Raw([]byte(text), &second); got != want {
			t.Errorf("second column of %s: got %q, want %q", text, got, want)
		}
	}
	if got := *e.Raw([]byte(`["a","b"]`), nil); got != `["a","b"]` {
		t.Errorf("whole cell: got %s", got)
	}
	// The text is decoded once for all columns, and again for another cell with an equal text.
	text := []byte(`["a","b"]`)
	a := *e.Raw(text, &first)
	decoded := &e.columns[0]
	if b := *e.Raw(text, &second); a != "a" || b != "b" || &e.columns[0] != decoded {
		t.Errorf("the columns are %q and %q; decoded again: %v", a, b, &e.columns[0] != decoded)
	}
	if c := *e.Raw([]byte(`["c","b"]`), &first); c != "c" {
		t.Errorf("another cell: got %q", c)
	}
}

// TestNoticeWithoutColumn checks the location of a notice about a field without a column, and
// that a many-to-one field with one column holds arrays.
func TestNoticeWithoutColumn(t *testing.T) {
	m := intray.Mapping{Fields: []intray.Match{{Column: intray.NoColumn}, {Column: intray.NoColumn}, {Column: 0, Columns: []int{0}}}}
	p, err := Compile(listSchema(), m, []string{"E"})
	if err != nil {
		t.Fatal(err)
	}
	var recs intray.Records
	appendRecord(&recs, []string{"a@b.cd"}, 2)
	var b intray.Batch
	p.parseAndValidate(&recs, &b)
	p.FoldColumns(&b)
	s := p.Summarize(&b)
	if len(s.Notices) != 1 || s.Notices[0].Field != "amount" || s.Notices[0].Header != "" {
		t.Errorf("notices %+v", s.Notices)
	}
	if got, want := formatCell(&b, 0, 2), `["a@b.cd"] "[\"a@b.cd\"]"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
