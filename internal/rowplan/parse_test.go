package rowplan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
)

func mailSchema() *intray.Schema {
	return &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "email", Label: "E-Mail", Type: intray.FieldType{Name: intray.TypeEmail}},
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
	}}
}

func compiled(t testing.TB, schema *intray.Schema, columns int, fed ...int) *Plan {
	t.Helper()
	m := intray.Mapping{}
	for _, column := range fed {
		m.Fields = append(m.Fields, intray.Match{Column: column})
	}
	p, err := Compile(schema, m, make([]string, columns))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestEachRowIsParsedByItself parses rows one by one and together: a row must
// not depend on those around it, nor on what the batch held before.
func TestEachRowIsParsedByItself(t *testing.T) {
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
			add(&together, row, int64(i+2))
		}
		p.checked(&together, &used)
		if used.First != 100 || used.Rows() != len(rows) {
			t.Fatalf("%d rows from %d on", used.Rows(), used.First)
		}
		for i, row := range rows {
			var alone intray.Records
			var one intray.Batch
			add(&alone, row, int64(i+2))
			p.checked(&alone, &one)
			if diff := cmp.Diff(picked(&one, 0), picked(&used, i)); diff != "" {
				t.Fatalf("row %d, %q (-alone +among others):\n%s", i, row, diff)
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
		add(&recs, c.row, 2)
		p.checked(&recs, &b)
		got := ""
		for _, problem := range b.Problems {
			got += problem.Text.String()
		}
		if got != c.want {
			t.Errorf("%q under %d columns: %s", c.row, c.columns, got)
		}
	}
}

func add(r *intray.Records, cells []string, line int64) {
	for _, cell := range cells {
		r.AppendCell([]byte(cell))
	}
	r.EndRecord(line)
}

// seen is all that a batch holds of one row.
type seen struct {
	Line     int64
	Values   []string
	Null     []bool
	Raws     []string
	Unmapped map[int]string
	Problems []intray.Problem
}

func picked(b *intray.Batch, row int) seen {
	s := seen{Line: b.Lines[row], Unmapped: map[int]string{}}
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

func TestExcerptsEndBetweenLetters(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("x", maxExcerpt), strings.Repeat("x", maxExcerpt+1), strings.Repeat("é", maxExcerpt), "x" + strings.Repeat("é", maxExcerpt), strings.Repeat("\x80", maxExcerpt+9)} {
		got := excerpt([]byte(text))
		whole := len(text) <= maxExcerpt
		if whole && got != text || !whole && (!strings.HasPrefix(text, strings.TrimSuffix(got, "…")) || !strings.HasSuffix(got, "…") || len(got) > maxExcerpt+len("…")) {
			t.Errorf("%d bytes become %d: %.20q", len(text), len(got), got)
		}
		if strings.ContainsRune(got, '\uFFFD') && !strings.Contains(text, "\x80") {
			t.Errorf("a letter was cut: %.20q", got[len(got)-10:])
		}
	}
}

// BenchmarkParse measures the parsing of a batch without any reading or
// writing.
func BenchmarkParse(b *testing.B) {
	p := compiled(b, mailSchema(), 2, 0, 1)
	var recs intray.Records
	for range 10000 {
		add(&recs, []string{"ada.lovelace@example.org", "Ada Lovelace"}, 1)
	}
	var batch intray.Batch
	b.SetBytes(int64(recs.Bytes()))
	b.ReportAllocs()
	for b.Loop() {
		p.checked(&recs, &batch)
	}
	b.ReportMetric(float64(b.N)*10000/b.Elapsed().Seconds(), "rows/s")
}

// checked parses rows and applies the rules, as a worker does without hooks.
func (p *Plan) checked(recs *intray.Records, b *intray.Batch) {
	p.Parse(recs, b, make([]byte, 0, ScratchBytes))
	p.Rules.Apply(b)
}

// TestLongNumbersKeepTheirDigits reads numbers of a workbook as texts: what the
// application shows of them is not all that they are.
func TestLongNumbersKeepTheirDigits(t *testing.T) {
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
	p.checked(&recs, &b)
	got := []string{string(b.Fields[0].Values.At(0)), string(b.Fields[1].Values.At(0)), string(b.Unmapped[0].Cells.At(0))}
	if diff := cmp.Diff([]string{"4006381333931", "1.50", "123456789012"}, got); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
}
