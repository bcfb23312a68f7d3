package output_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

func of(batches ...*intray.Batch) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		for _, b := range batches {
			if !yield(b, nil) {
				return
			}
		}
	}
}

func people(behavior intray.InvalidDataBehavior) *intray.Schema {
	return &intray.Schema{
		Fields: []intray.Field{
			{Key: "name", Type: intray.FieldType{Name: intray.TypeString}},
			{Key: "age", Type: intray.FieldType{Name: intray.TypeNumber}},
			{Key: "ok", Type: intray.FieldType{Name: intray.TypeCheckbox}},
			{Key: "tags", Type: intray.FieldType{Name: intray.TypeMultiSelect}},
		},
		Settings: intray.Settings{InvalidDataBehavior: behavior},
	}
}

// peopleRows returns seven rows: a valid row, an empty required name, an age that is not a
// number, an age that is too high and differs from the raw text, a row with a warning, an
// empty required age, and a row that has an error as a whole and empty cells.
func peopleRows() *intray.Batch {
	b := &intray.Batch{First: 40, Lines: make([]int64, 7), Fields: make([]intray.Cells, 4)}
	name, age, ok, tags := &b.Fields[0], &b.Fields[1], &b.Fields[2], &b.Fields[3]
	for _, v := range []string{"Ada", "", `C, "x"`, "=Dan", "Eve", "F"} {
		name.AppendValue([]byte(v))
	}
	name.AppendNull(nil)
	age.AppendParsed([]byte("36"), []byte("36 "))
	age.AppendValue([]byte("1"))
	age.AppendNull([]byte("-old"))
	age.AppendParsed([]byte("999.5"), []byte("999,5"))
	age.AppendValue([]byte("-5"))
	age.AppendNull(nil)
	age.AppendNull(nil)
	for range 6 {
		ok.AppendParsed([]byte("true"), []byte("yes"))
	}
	ok.AppendNull(nil)
	for range 6 {
		tags.AppendParsed([]byte(`["a","b"]`), []byte("a;b"))
	}
	tags.AppendNull(nil)
	b.Problems = []intray.Problem{
		{Row: 1, Field: 0, Code: "required"},
		{Row: 2, Field: 1, Code: "number"},
		{Row: 2, Field: 2, Code: "odd", Level: intray.LevelInfo},
		{Row: 3, Field: 1, Code: "max"},
		{Row: 4, Field: 1, Code: "negative", Level: intray.LevelWarning},
		{Row: 5, Field: 1, Code: "required"},
		{Row: 6, Field: intray.NoField, Code: "row"},
	}
	return b
}

func lines(s ...string) string { return strings.Join(s, "\n") }

func TestBehaviorsAndFormats(t *testing.T) {
	const rest = `"ok":true,"tags":["a","b"]}`
	const ada, eve = `{"name":"Ada","age":36,` + rest, `{"name":"Eve","age":-5,` + rest
	const last = `{"name":null,"age":null,"ok":null,"tags":null}`
	const csvRest = `,true,"[""a"",""b""]"`
	cases := []struct {
		behavior intray.InvalidDataBehavior
		format   output.Format
		want     string
		rows     int64
	}{
		{intray.RemoveInvalidRows, output.JSON, "[" + ada + ",\n" + eve + "]", 2},
		{intray.RemoveInvalidRows, output.NDJSON, lines(ada, eve, ""), 2},
		{intray.RemoveInvalidRows, output.CSV, lines("name,age,ok,tags", "Ada,36"+csvRest, "Eve,-5"+csvRest, ""), 2},
		{intray.IncludeInvalidRows, output.NDJSON, lines(ada,
			`{"name":null,"age":1,`+rest,
			`{"name":"C, \"x\"","age":null,`+rest,
			`{"name":"=Dan","age":null,`+rest,
			eve,
			`{"name":"F","age":null,`+rest,
			last, ""), 7},
		{intray.IncludeInvalidRows, output.CSV, lines("name,age,ok,tags",
			"Ada,36"+csvRest, ",1"+csvRest, `"C, ""x""",`+csvRest, "'=Dan,"+csvRest, "Eve,-5"+csvRest, "F,"+csvRest, ",,,", ""), 7},
		{intray.IncludeInvalidValues, output.JSON, "[" + strings.Join([]string{ada,
			`{"name":"","age":1,` + rest,
			`{"name":"C, \"x\"","age":"-old",` + rest,
			`{"name":"=Dan","age":"999,5",` + rest,
			eve,
			`{"name":"F","age":null,` + rest,
			last}, ",\n") + "]", 7},
		{intray.IncludeInvalidValues, output.CSV, lines("name,age,ok,tags",
			"Ada,36"+csvRest, ",1"+csvRest, `"C, ""x""",'-old`+csvRest, `'=Dan,"999,5"`+csvRest, "Eve,-5"+csvRest, "F,"+csvRest, ",,,", ""), 7},
	}
	for _, c := range cases {
		t.Run(string(c.behavior)+"/"+string(c.format), func(t *testing.T) {
			var got bytes.Buffer
			rows, err := output.Write(context.Background(), &got, c.format, people(c.behavior), of(peopleRows()))
			if err != nil || rows != c.rows {
				t.Errorf("%d rows, error %v; want %d rows", rows, err, c.rows)
			}
			if diff := cmp.Diff(c.want, got.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEmptyRawTextOfAnInvalidCell(t *testing.T) {
	b := &intray.Batch{Lines: make([]int64, 1), Fields: make([]intray.Cells, 4)}
	b.Fields[0].AppendParsed([]byte("filled in"), nil)
	b.Fields[1].AppendParsed([]byte("5"), nil)
	b.Fields[2].AppendValue(nil)
	b.Fields[3].AppendNull(nil)
	b.Problems = []intray.Problem{{Field: 0}, {Field: 1}, {Field: 2}, {Field: 3}}
	var got bytes.Buffer
	if _, err := output.Write(context.Background(), &got, output.NDJSON, people(intray.IncludeInvalidValues), of(b)); err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"","age":null,"ok":null,"tags":null}` + "\n"; got.String() != want {
		t.Errorf("got %swant %s", got.String(), want)
	}
}

func TestBlockSubmitRejectsInvalidRows(t *testing.T) {
	var got bytes.Buffer
	_, err := output.Write(context.Background(), &got, output.JSON, people(intray.BlockSubmit), of(peopleRows()))
	if !errors.Is(err, output.ErrInvalidRow) || !strings.Contains(err.Error(), "row 41") {
		t.Errorf("got %v, want ErrInvalidRow that names row 41", err)
	}
	many := &intray.Batch{First: 1000, Lines: make([]int64, 4000), Fields: make([]intray.Cells, 4)}
	for range many.Lines {
		for f := range many.Fields {
			many.Fields[f].AppendNull(nil)
		}
	}
	many.Problems = []intray.Problem{{Row: 3500}} // in the half that is written concurrently
	if _, err := output.Write(context.Background(), &got, output.JSON, people(intray.BlockSubmit), of(many)); !errors.Is(err, output.ErrInvalidRow) || !strings.Contains(err.Error(), "row 4500:") {
		t.Errorf("got %v, want ErrInvalidRow that names row 4500", err)
	}
	b := peopleRows()
	b.Problems = b.Problems[4:5]
	if rows, err := output.Write(context.Background(), &got, output.JSON, people(intray.BlockSubmit), of(b)); err != nil || rows != 7 {
		t.Errorf("%d rows, error %v; want 7 rows: a warning blocks nothing", rows, err)
	}
}

func TestNoRows(t *testing.T) {
	for format, want := range map[output.Format]string{
		output.JSON: "[]", output.NDJSON: "", output.CSV: "name,age,ok,tags\n",
	} {
		var got bytes.Buffer
		rows, err := output.Write(context.Background(), &got, format, people(intray.RemoveInvalidRows), of())
		if err != nil || rows != 0 || got.String() != want {
			t.Errorf("%s: %q, %d rows, error %v; want %q", format, got.String(), rows, err, want)
		}
	}
}

func TestUnmappedColumns(t *testing.T) {
	schema := &intray.Schema{
		Fields:   []intray.Field{{Key: "a"}},
		Settings: intray.Settings{InvalidDataBehavior: intray.RemoveInvalidRows, PassThroughUnmappedColumns: true},
	}
	b := &intray.Batch{Lines: []int64{1}, Fields: make([]intray.Cells, 1)}
	b.Fields[0].AppendValue([]byte("x"))
	for _, column := range []int{2, 11} {
		u := intray.UnmappedCells{Column: column}
		u.Cells.AppendString("+\"")
		b.Unmapped = append(b.Unmapped, u)
	}
	cases := []struct {
		pass   bool
		format output.Format
		want   string
	}{
		{true, output.NDJSON, `{"a":"x","$unmapped":{"2":"+\"","11":"+\""}}` + "\n"},
		{true, output.CSV, "a,$unmapped.2,$unmapped.11\nx,\"'+\"\"\",\"'+\"\"\"\n"},
		{false, output.NDJSON, `{"a":"x"}` + "\n"},
		{false, output.CSV, "a\nx\n"},
	}
	for _, c := range cases {
		schema.Settings.PassThroughUnmappedColumns = c.pass
		var got bytes.Buffer
		if _, err := output.Write(context.Background(), &got, c.format, schema, of(b)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got.String()); diff != "" {
			t.Errorf("%s, passed %v: %s", c.format, c.pass, diff)
		}
	}
	schema.Settings.PassThroughUnmappedColumns = true
	none := &intray.Batch{First: 1, Lines: []int64{2}, Fields: b.Fields}
	if _, err := output.Write(context.Background(), io.Discard, output.CSV, schema, of(b, none)); err == nil {
		t.Error("accepted a batch without the unmapped columns of the first batch")
	}
	var got bytes.Buffer
	if _, err := output.Write(context.Background(), &got, output.NDJSON, schema, of(none)); err != nil {
		t.Fatal(err)
	}
	if want := `{"a":"x","$unmapped":{}}` + "\n"; got.String() != want {
		t.Errorf("a file all of whose columns are mapped gives %s", got.String())
	}
}

func TestRejectedInput(t *testing.T) {
	spoiled := func(spoil func(b *intray.Batch)) *intray.Batch {
		b := peopleRows()
		b.Problems = nil
		spoil(b)
		return b
	}
	all := people(intray.IncludeInvalidRows)
	reservedKey := people(intray.IncludeInvalidRows)
	reservedKey.Fields[0].Key, reservedKey.Settings.PassThroughUnmappedColumns = "$unmapped", true
	cases := map[string]struct {
		format output.Format
		schema *intray.Schema
		batch  *intray.Batch
		want   string
	}{
		"format":      {"xls", all, peopleRows(), "unknown format"},
		"no behavior": {output.JSON, people(""), peopleRows(), "invalidDataBehavior"},
		"key":         {output.JSON, reservedKey, peopleRows(), "$unmapped"},
		"fields":      {output.JSON, all, spoiled(func(b *intray.Batch) { b.Fields = b.Fields[1:] }), "3 fields"},
		"forged number": {output.JSON, all, spoiled(func(b *intray.Batch) {
			b.Fields[1].Values.Reset()
			for range 7 {
				b.Fields[1].Values.Texts.AppendString(`1,"admin":true`)
			}
		}), `row 40: the value of field "age"`},
		"forged list": {output.NDJSON, all, spoiled(func(b *intray.Batch) {
			b.Fields[3].Values.Reset()
			for range 7 {
				b.Fields[3].Values.Texts.AppendString(`[],"x":[]`)
			}
		}), `field "tags"`},
		"forged checkbox": {output.CSV, all, spoiled(func(b *intray.Batch) {
			b.Fields[2].Values.Reset()
			for range 7 {
				b.Fields[2].Values.Texts.AppendString(`=1`)
			}
		}), `field "ok"`},
		"problem order":  {output.CSV, all, spoiled(func(b *intray.Batch) { b.Problems = []intray.Problem{{Row: 1}, {Row: 0}} }), "out of order"},
		"problem beyond": {output.CSV, all, spoiled(func(b *intray.Batch) { b.Problems = []intray.Problem{{Row: 7}} }), "names row 7"},
		"problem field":  {output.CSV, all, spoiled(func(b *intray.Batch) { b.Problems = []intray.Problem{{Field: 4}} }), "names field 4"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := output.Write(context.Background(), io.Discard, c.format, c.schema, of(c.batch))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

var errBroken = errors.New("broken")

// brokenPipe is a writer that fails after a number of bytes.
type brokenPipe struct{ left int }

func (p *brokenPipe) Write(b []byte) (int, error) {
	if p.left -= len(b); p.left < 0 {
		return 0, errBroken
	}
	return len(b), nil
}

func endless(ctx context.Context, stop func(n int)) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		for n := 0; ctx.Err() == nil || n < 1000; n++ {
			stop(n)
			b := peopleRows()
			if !yield(b, nil) {
				return
			}
		}
	}
}

func TestErrorsOfTheCaller(t *testing.T) {
	schema := people(intray.IncludeInvalidRows)
	nothing := func(int) {}
	for _, room := range []int{0, 100_000} {
		_, err := output.Write(context.Background(), &brokenPipe{room}, output.JSON, schema, endless(context.Background(), nothing))
		if !errors.Is(err, errBroken) {
			t.Errorf("after %d bytes: got %v, want the writer's error", room, err)
		}
	}
	if _, err := output.Write(context.Background(), &brokenPipe{0}, output.JSON, schema, of()); !errors.Is(err, errBroken) {
		t.Errorf("at the end: got %v, want the writer's error", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rows, err := output.Write(ctx, io.Discard, output.CSV, schema, endless(ctx, func(n int) {
		if n == 3 {
			cancel()
		}
	}))
	if !errors.Is(err, context.Canceled) || rows != 21 {
		t.Errorf("%d rows, error %v; want 21 and the error of the context", rows, err)
	}
	failing := func(yield func(*intray.Batch, error) bool) { yield(nil, errBroken) }
	if _, err := output.Write(context.Background(), io.Discard, output.CSV, schema, failing); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want the error of the batches", err)
	}
}

// writeSizes is a writer that records the largest write and the total size, in bytes.
type writeSizes struct{ largest, total int }

func (g *writeSizes) Write(b []byte) (int, error) {
	g.largest, g.total = max(g.largest, len(b)), g.total+len(b)
	return len(b), nil
}

func TestWritesAreBounded(t *testing.T) {
	var g writeSizes
	list := make([]*intray.Batch, 2000)
	for i := range list {
		list[i] = peopleRows()
	}
	if _, err := output.Write(context.Background(), &g, output.JSON, people(intray.IncludeInvalidRows), of(list...)); err != nil {
		t.Fatal(err)
	}
	if g.largest > 257<<10 || g.total < 512<<10 {
		t.Errorf("%d bytes in writes of up to %d", g.total, g.largest)
	}
}

func TestParseFormat(t *testing.T) {
	for _, name := range []string{"json", "ndjson", "csv", "xlsx", "parquet"} {
		f, err := output.ParseFormat(name)
		if err != nil || string(f) != name || f.Extension() != "."+name || f.ContentType() == "application/octet-stream" {
			t.Errorf("%s: %q, %q, %q, %v", name, f, f.Extension(), f.ContentType(), err)
		}
	}
	for name, want := range map[string]string{"xls": "unknown", "Parquet": "unknown", "JSON": "unknown", "": "unknown"} {
		if _, err := output.ParseFormat(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", name, err, want)
		}
	}
}
