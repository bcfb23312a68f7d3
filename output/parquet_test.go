package output

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	source_parquet "github.com/intraydata/intray/source/parquet"
)

// failer is implemented by *testing.T and *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func parquetOf(t failer, schema *intray.Schema, batches ...*intray.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := Write(context.Background(), &out, Parquet, schema, func(yield func(*intray.Batch, error) bool) {
		for _, b := range batches {
			if !yield(b, nil) {
				return
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// parquetRows reads a file with parquet-go. It returns the names of the columns, followed
// by the values of each row. The elements of a list are in braces, and null is "null".
func parquetRows(t failer, file []byte) (rows [][]string) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, path := range f.Schema().Columns() {
		names = append(names, path[0])
	}
	rows = append(rows, names)
	for _, g := range f.RowGroups() {
		reader := g.Rows()
		buf := make([]parquet.Row, 7)
		for err = nil; err == nil; {
			var n int
			n, err = reader.ReadRows(buf)
			for _, row := range buf[:n] {
				rows = append(rows, rowTexts(row, len(names)))
			}
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if err := reader.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

func rowTexts(row parquet.Row, columns int) []string {
	texts := make([]string, columns)
	for _, v := range row {
		text := "null"
		if !v.IsNull() {
			text = v.String()
		}
		switch level, at := v.DefinitionLevel(), v.Column(); {
		case v.RepetitionLevel() > 0:
			texts[at] = strings.TrimSuffix(texts[at], "}") + "|" + text + "}"
		case level == 1 && v.IsNull():
			texts[at] = "{}"
		case level >= 2:
			texts[at] = "{" + text + "}"
		default:
			texts[at] = text
		}
	}
	return texts
}

// typedFields returns a schema with one field for each kind of column.
func typedFields(behavior intray.InvalidDataBehavior) *intray.Schema {
	s := typed(intray.TypeString, intray.TypeNumber, intray.TypeNumber, intray.TypeNumber, intray.TypeCheckbox, intray.TypeDate,
		intray.TypeDatetime, intray.TypeTime, intray.TypeMultiSelect, intray.TypeNumber, intray.TypeDate)
	s.Settings.InvalidDataBehavior = behavior
	s.Fields[2].Type.Options = map[string]any{"preset": "usd"}
	s.Fields[3].Type.Options = map[string]any{"round": 0}
	s.Fields[9].ManyToOne = true
	s.Fields[10].Type.Options = map[string]any{"outputFormat": "dd.MM.yyyy"}
	return s
}

// typedRows returns four rows: one with values, one with nulls, one with values at or
// beyond the limits of their columns, and one with an error in each cell.
func typedRows() *intray.Batch {
	b := &intray.Batch{Lines: make([]int64, 4), Fields: make([]intray.Cells, 11)}
	edges := []string{"", "12345678901234567890", "9999999999999999.99", "1234567890123456789", "false", "0001-01-01", "9999-12-31T23:59:59",
		"00:00", `["x\u0041,]\"", null]`, `[12345678901234567890,null]`, "2024-02-29"}
	for i, v := range []string{"Zoë", "0.1", "-12.5", "7", "true", "1969-12-31", "2024-02-29T12:30", "23:59:59", `["a","b"]`, `[1.50,2]`, "2024-03-01"} {
		c := &b.Fields[i]
		c.AppendValue([]byte(v))
		c.AppendNull(nil)
		c.AppendValue([]byte(edges[i]))
		if i == 9 {
			c.AppendParsed([]byte(`[null,3]`), []byte(`["none","3"]`))
		} else {
			c.AppendNull([]byte("=wrong\xff"))
		}
		b.Problems = append(b.Problems, intray.Problem{Row: 3, Field: i})
	}
	return b
}

func TestTypedColumns(t *testing.T) {
	head := []string{"f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "$text"}
	values := []string{"Zoë", "0.1", "-1250", "7", "true", "-1", "1709209800000000", "86399000000", "{a|b}", "{1.50|2}", "01.03.2024", "null"}
	nulls := slices.Repeat([]string{"null"}, len(head))
	edges := []string{"", "null", "999999999999999999", "null", "false", "-719162", "253402300799000000", "0", `{xA,]"|null}`,
		"{12345678901234567890|null}", "29.02.2024", `{"f1":"12345678901234567890","f3":"1234567890123456789"}`}
	blanked := slices.Clone(nulls)
	blanked[9] = "{null|3}"
	const wrong = "=wrong\ufffd"
	received := slices.Clone(nulls)
	received[0], received[9], received[10] = wrong, "{none|3}", wrong
	var untyped []string
	for i := 1; i <= 8; i++ {
		untyped = append(untyped, fmt.Sprintf(`"f%d":"=wrong\ufffd"`, i))
	}
	received[11] = "{" + strings.Join(untyped, ",") + "}"
	for behavior, last := range map[intray.InvalidDataBehavior][][]string{
		intray.RemoveInvalidRows: nil, intray.IncludeInvalidRows: {blanked}, intray.IncludeInvalidValues: {received},
	} {
		want := append([][]string{head, values, nulls, edges}, last...)
		got := parquetRows(t, parquetOf(t, typedFields(behavior), typedRows()))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", behavior, diff)
		}
	}
}

// TestColumnTypes checks the column types in the Parquet schema.
func TestColumnTypes(t *testing.T) {
	file := parquetOf(t, typedFields(intray.IncludeInvalidRows))
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	const want = `message rows {
	optional binary f0 (STRING);
	optional double f1;
	optional int64 f2 (DECIMAL(18,2));
	optional int64 f3 (INT(64,true));
	optional boolean f4;
	optional int32 f5 (DATE);
	optional int64 f6 (TIMESTAMP(isAdjustedToUTC=false,unit=MICROS));
	optional int64 f7 (TIME(isAdjustedToUTC=false,unit=MICROS));
	optional group f8 (LIST) {
		repeated group list {
			optional binary element (STRING);
		}
	}
	optional group f9 (LIST) {
		repeated group list {
			optional binary element (STRING);
		}
	}
	optional binary f10 (STRING);
	optional binary $text (STRING);
}`
	if diff := cmp.Diff(want, f.Schema().String()); diff != "" {
		t.Error(diff)
	}
	if f.NumRows() != 0 || f.Metadata().CreatedBy != "intray" {
		t.Errorf("%d rows, made by %q", f.NumRows(), f.Metadata().CreatedBy)
	}
}

// TestParquetColumnNames checks that column names are unique and that keys are unchanged
// unless they collide.
func TestParquetColumnNames(t *testing.T) {
	schema := typed(intray.TypeNumber, intray.TypeString, intray.TypeString, intray.TypeString, intray.TypeString)
	for i, key := range []string{"a.b", "", "$text", "$unmapped.2", "A.b"} {
		schema.Fields[i].Key = key
	}
	schema.Settings.PassThroughUnmappedColumns = true
	b := &intray.Batch{Lines: make([]int64, 1), Fields: make([]intray.Cells, 5), Unmapped: []intray.UnmappedCells{{Column: 2}, {Column: 11}}}
	for i := range b.Fields {
		b.Fields[i].AppendValue([]byte("1"))
	}
	b.Unmapped[0].Cells.AppendString("u")
	b.Unmapped[1].Cells.AppendString("")
	want := [][]string{
		{"a.b", "", "$text", "$unmapped.2", "A.b", "$unmapped.2_2", "$unmapped.11", "$text_2"},
		{"1", "1", "1", "1", "1", "u", "", "null"},
	}
	if diff := cmp.Diff(want, parquetRows(t, parquetOf(t, schema, b))); diff != "" {
		t.Error(diff)
	}
	if text := typed(intray.TypeString, intray.TypeEmail); len(parquetRows(t, parquetOf(t, text))[0]) != 2 {
		t.Error("a table of texts has a column for what they cannot hold")
	}
}

// smallParquet returns a Parquet file written with narrow bounds, so that it has many pages
// and row groups.
func smallParquet(t failer, schema *intray.Schema, b *intray.Batch, narrow parquetBounds) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := writeBounded(t, &out, schema, b, narrow); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// newBounded returns a Parquet writer with narrow bounds that emits to out.
func newBounded(t failer, out io.Writer, schema *intray.Schema, narrow parquetBounds) *parquetWriter {
	t.Helper()
	fields, err := compileFields(schema)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newParquetWriter(schema, fields)
	if err != nil {
		t.Fatal(err)
	}
	w.parquetBounds = narrow
	w.emit = func(b []byte) ([]byte, error) { return b[:0], writeAll(out, b) }
	return w
}

func writeBounded(t failer, out io.Writer, schema *intray.Schema, b *intray.Batch, narrow parquetBounds) error {
	t.Helper()
	w := newBounded(t, out, schema, narrow)
	defer w.pool.running.Wait()
	text := w.appendStart(nil, nil)
	text, _, err := w.appendBatch(text, b, keepReceived)
	if err != nil {
		return err
	}
	text, err = w.appendEnd(text, int64(b.Rows()))
	if err != nil {
		return err
	}
	return writeAll(out, text)
}

// TestParquetReadsBack checks that parquet-go and source/parquet read the rows that were
// written in pages and row groups of all sizes.
func TestParquetReadsBack(t *testing.T) {
	// source/parquet rejects NUL.
	texts := rapid.Map(rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "", "\xff", "null "}), rapid.StringN(0, 30, -1)),
		func(s string) string { return strings.ReplaceAll(s, "\x00", "") })
	rapid.Check(t, func(t *rapid.T) {
		schema := typed(intray.TypeString, intray.TypeNumber, intray.TypeCheckbox)
		rows := rapid.IntRange(0, 400).Draw(t, "rows")
		narrow := parquetBounds{
			pageRows: rapid.IntRange(1, 300).Draw(t, "pageRows"), pageBytes: rapid.IntRange(1, 20_000).Draw(t, "pageBytes"),
			groupRows: rapid.IntRange(1, 500).Draw(t, "groupRows"), groupBytes: rapid.IntRange(1, 5000).Draw(t, "groupBytes"),
			pieceBytes: rapid.IntRange(1, 5000).Draw(t, "pieceBytes"),
		}
		some := rapid.SliceOfN(texts, 1, 20).Draw(t, "texts")
		spread := rapid.IntRange(1, 400).Draw(t, "spread")
		b := &intray.Batch{Lines: make([]int64, rows), Fields: make([]intray.Cells, 3)}
		want := [][]string{{"f0", "f1", "f2", "$text"}}
		for i := range rows {
			text := some[i%len(some)] + strings.Repeat("x", i%3)
			n := fmt.Sprint(i * 7 % spread)
			b.Fields[0].AppendValue([]byte(text))
			truth := "null"
			if b.Fields[1].AppendValue([]byte(n)); i%5 == 0 {
				b.Fields[2].AppendNull(nil)
			} else {
				truth = fmt.Sprint(i%2 == 0)
				b.Fields[2].AppendValue([]byte(truth))
			}
			want = append(want, []string{validText(text), n, truth, "null"})
		}
		file := smallParquet(t, schema, b, narrow)
		if diff := cmp.Diff(want, parquetRows(t, file)); diff != "" {
			t.Fatalf("parquet-go reads something else: %s", diff)
		}
		for i := range want[1:] {
			want[i+1] = slices.Clone(want[i+1])
			for c, text := range want[i+1] {
				if text == "null" {
					want[i+1][c] = "" // as source/parquet returns it
				}
			}
		}
		if diff := cmp.Diff(want[1:], ownRows(t, file, 4)); rows > 0 && diff != "" {
			t.Fatalf("source/parquet reads something else: %s", diff)
		}
	})
}

// validText replaces each byte of invalid UTF-8 with U+FFFD.
func validText(s string) string { return string([]rune(s)) }

func ownRows(t failer, file []byte, columns int) (rows [][]string) {
	t.Helper()
	in := source.Input{Name: "b.parquet", ReaderAt: bytes.NewReader(file), Size: int64(len(file))}
	book, err := source_parquet.Format{}.Open(context.Background(), in, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	reader, err := book.Open(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	var recs intray.Records
	for err = reader.Next(context.Background(), &recs); err == nil; err = reader.Next(context.Background(), &recs) {
		for i := range recs.Len() {
			row := make([]string, columns)
			for c := range min(columns, recs.NumCells(i)) {
				row[c] = string(recs.Cell(i, c))
			}
			rows = append(rows, row)
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return rows
}

// TestRowGroupsAreBounded checks that the sizes of row groups and of writes are bounded.
func TestRowGroupsAreBounded(t *testing.T) {
	many := &intray.Batch{Lines: make([]int64, 500_000), Fields: make([]intray.Cells, 1)}
	for i := range many.Rows() {
		many.Fields[0].AppendValue(fmt.Append(nil, i%100))
	}
	large := &intray.Batch{Lines: make([]int64, 200), Fields: make([]intray.Cells, 1)}
	random := rand.NewChaCha8([32]byte{})
	text := make([]byte, 100_000)
	for range large.Rows() {
		_, _ = random.Read(text)
		for i := range text {
			text[i] = ' ' + text[i]%96
		}
		large.Fields[0].AppendValue(text)
	}
	for want, batch := range map[int]*intray.Batch{3: many, 2: large} {
		file := smallParquet(t, typed(intray.TypeString), batch, defaultBounds)
		f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		groups := f.Metadata().RowGroups
		for _, g := range groups {
			if g.NumRows > 240_000 || g.TotalCompressedSize > 21<<20 {
				t.Errorf("a row group has %d rows and %d bytes", g.NumRows, g.TotalCompressedSize)
			}
		}
		if len(groups) != want {
			t.Errorf("%d row groups, want %d", len(groups), want)
		}
	}
	var g writeSizes
	if _, err := Write(context.Background(), &g, Parquet, typed(intray.TypeString), single(large)); err != nil || g.largest > 2*flushBytes || g.total < 16<<20 {
		t.Errorf("%d bytes in writes of up to %d: %v", g.total, g.largest, err)
	}
}

// writeSizes is a writer that records the largest write and the total size, in bytes.
type writeSizes struct{ largest, total int }

func (g *writeSizes) Write(b []byte) (int, error) {
	g.largest, g.total = max(g.largest, len(b)), g.total+len(b)
	return len(b), nil
}

// TestParquetRejects checks that Write rejects values that do not fit their type and tables
// that the format cannot represent.
func TestParquetRejects(t *testing.T) {
	for kind, v := range map[intray.TypeName]string{
		intray.TypeNumber: "1,5", intray.TypeCheckbox: "yes", intray.TypeDate: "2024-02-30", intray.TypeDatetime: "2024-02-28",
		intray.TypeTime: "25:00", intray.TypeMultiSelect: `["a"`,
	} {
		b := &intray.Batch{Lines: make([]int64, 1), Fields: make([]intray.Cells, 1)}
		b.Fields[0].AppendValue([]byte(v))
		if _, err := Write(context.Background(), io.Discard, Parquet, typed(kind), single(b)); err == nil || !strings.Contains(err.Error(), `field "f0"`) {
			t.Errorf("%s %q: %v", kind, v, err)
		}
	}
	if _, err := Write(context.Background(), io.Discard, Parquet, typed(), single(&intray.Batch{})); err == nil || !strings.Contains(err.Error(), "at least one column") {
		t.Errorf("a table of no columns: %v", err)
	}
}

// TestParquetEndsEarly checks that no goroutine remains if the writer, the batches or the
// context end early.
func TestParquetEndsEarly(t *testing.T) {
	defer goleak.VerifyNone(t)
	schema := typed(intray.TypeString, intray.TypeNumber)
	schema.Settings.PassThroughUnmappedColumns = true
	b := wide(6000, func(int) bool { return false })
	for _, room := range []int{0, 1000} {
		if _, err := Write(context.Background(), &limitedWriter{room: room}, Parquet, schema, single(b)); !errors.Is(err, errFull) {
			t.Errorf("room for %d: %v", room, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err := Write(ctx, io.Discard, Parquet, schema, func(yield func(*intray.Batch, error) bool) {
		for yield(b, nil) {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
	}()
	_, _ = Write(context.Background(), io.Discard, Parquet, schema, func(yield func(*intray.Batch, error) bool) {
		for range 10 {
			yield(b, nil)
		}
		panic("boom")
	})
}

// TestPanicOfAnEncoder checks that a panic in an encoder reaches the caller of wait.
func TestPanicOfAnEncoder(t *testing.T) {
	p, err := newEncoderPool()
	if err != nil {
		t.Fatal(err)
	}
	broken := &columnWriter{kind: textColumn}
	broken.filling = page{rows: 1, values: 1, count: 1}
	p.start([]*columnWriter{broken})
	defer func() {
		if recover() == nil {
			t.Error("the panic was swallowed")
		}
	}()
	_, _ = p.wait()
}
