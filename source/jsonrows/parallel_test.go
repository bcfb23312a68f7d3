package jsonrows

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ordered"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// outcome is the complete result of reading a file.
type outcome struct {
	Columns  []intray.Column
	Evidence []intray.Evidence
	Lines    []int64
	Records  [][]string
	Err      string
	Typed    bool
}

// readBy reads the first sheet sequentially if chunk is 0, and otherwise in chunks of that
// many bytes.
func readBy(t testing.TB, text string, opt source.Options, chunk int) (o outcome) {
	t.Helper()
	b, err := Format{}.Open(t.Context(), sourcetest.NewInput("", []byte(text)), opt)
	if err == nil {
		b.(*book).chunk = chunk
		err = o.read(t.Context(), b)
	}
	if err != nil {
		o.Err, o.Typed = err.Error(), isTyped(err)
	}
	return o
}

func (o *outcome) read(ctx context.Context, b source.Book) (err error) {
	r, err := b.Open(ctx, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	o.Columns, o.Evidence = r.Columns(), r.Evidence()
	var batch intray.Records
	for {
		if err := r.Next(ctx, &batch); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if batch.First != int64(len(o.Records)) {
			return fmt.Errorf("a batch starts with record %d after %d", batch.First, len(o.Records))
		}
		o.Lines = append(o.Lines, batch.Lines...)
		for i := range batch.Len() {
			cells := []string{}
			for c := range batch.NumCells(i) {
				cells = append(cells, string(batch.Cell(i, c)))
			}
			o.Records = append(o.Records, cells)
		}
	}
}

// requireSameByChunks checks that the outcome is the same for every chunk size.
func requireSameByChunks(t *testing.T, text string, opt source.Options) {
	t.Helper()
	want := readBy(t, text, opt, 0)
	for _, chunk := range []int{24, 100, 4 << 10, chunkBytes} {
		if diff := cmp.Diff(want, readBy(t, text, opt, chunk)); diff != "" {
			t.Fatalf("%.2000q by chunks of %d bytes (-sequential +parallel):\n%.3000s", text, chunk, diff)
		}
	}
}

// irregular holds unusual lines, including lines that workers cannot parse.
var irregular = []string{
	`{"id":7}`, `{}`, ``, "  \t", `{"name":"late","id":1}`, `{"id":1,"fresh":"new column"}`, `{"id":1,"o":{"p":{"q":"deep"}}}`,
	`{"id":1,"o":null}`, `{"id":1,"o":{}}`, `{"id":1,"note":"a \"quote\", \u00fc\ud83d\udc4d\n"}`, `{"id":1,"note":[ 1, "x y" , [true]]}`,
	`{"id":1,"note":[ "x  y" , "[ ]" ,"",  1 ]}`, `{"id":1,"note":[ 1,  2 ]}`, `{"id":1,"note":[ ]}`, `{"o":{"\\":1,"\"":2,"":3}}`,
	`{"id":1,"note":[{"a" : 1}]}`, `{"id":1,"note":["\u00e9"]}`, ` { "id" : 1 , "name" : "spaced" } `, "{\"id\":1,\r\n\"name\":\"two lines\"}",
	`{"\u0069d":3}`, `{"id":1}{"id":2}`, `{"name":null,"id":"` + strings.Repeat("long", 50) + `"}`, `{"i":-1.5e+7,"id":true}`, "{\"id\":1}\r",
}

// broken holds lines that make a file unreadable.
var broken = []string{
	`{"id":1,"id":2}`, `{"id":01}`, `{"id":"\ud800"}`, `{"id":"\u0000"}`, "{\"id\":\"\xff\"}", "{\"id\":\"a\tb\"}", `{"id":1`, `{"id":1}}`,
	`{"id":[{"a":1,"a":2}]}`, `[1]`, `{"id":1},`, `{"id":tru}`, `{"o":{"x":1},"o":{"y":1}}`, `{"id":[1,]}`,
	`{"p":{"\\":1}}` + strings.Repeat("\n{\"id\":1}", 30) + "\n" + `{"p":{"\":2}}`, "{\"id\":\"\x00\"}", `{"o.x":1}`, `nonsense`,
}

func lines(random *rand.Rand, n int, odd []string) string {
	var text strings.Builder
	for i := range n {
		if len(odd) > 0 && random.IntN(12) == 0 {
			text.WriteString(odd[random.IntN(len(odd))] + "\n")
			continue
		}
		fmt.Fprintf(&text, `{"id":%d,"name":"n%d","o":{"x":%t}}`+"\n", i, i%9, i%2 == 0)
	}
	return text.String()
}

func TestChunksChangeNothing(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, seed))
		text := lines(random, 120, irregular)
		if seed%2 == 1 {
			text += broken[random.IntN(len(broken))] + "\n" + lines(random, 20, nil)
		}
		limits := source.Limits{}
		if seed%4 == 2 {
			limits = source.Limits{CellBytes: 100, RecordBytes: 150, Columns: 7}
		}
		requireSameByChunks(t, text, source.Options{AsIs: seed%3 == 0, Limits: limits})
	}
}

// TestBrokenLines checks that a broken line after many regular lines makes a file unreadable
// before any record is returned.
func TestBrokenLines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, line := range broken {
		text := lines(random, 50, nil) + line + "\n" + lines(random, 50, nil)
		if o := readBy(t, text, source.Options{}, 100); o.Err == "" || !o.Typed || len(o.Records) > 0 {
			t.Errorf("%s: error %q after %d records", line, o.Err, len(o.Records))
		}
	}
}

// TestCrowdedChunks checks that no rows are lost if short rows follow long ones, so that a
// chunk contains more rows than a batch.
func TestCrowdedChunks(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 50_000) + `"}` + "\n"
	text := strings.Repeat(long, 200) + strings.Repeat("{\"a\":1}\n", 3*intray.BatchRows)
	o := readBy(t, text, source.Options{}, chunkBytes)
	if want := 200 + 3*intray.BatchRows; o.Err != "" || len(o.Records) != want || o.Lines[want-1] != int64(want) {
		t.Errorf("%d records, error %q", len(o.Records), o.Err)
	}
}

// TestFallBack checks how a pass continues after a chunk that a worker could not parse: with
// smaller chunks if it had too many rows, and one by one if chunks cannot become smaller.
func TestFallBack(t *testing.T) {
	const offset = 700
	for _, c := range []struct {
		size, smaller int
		tooManyRows   bool
		until         int64
	}{
		{4 * minChunkBytes, 2 * minChunkBytes, true, 0},
		{minChunkBytes + 1, minChunkBytes, true, 0},
		{minChunkBytes, minChunkBytes, true, offset + 1},
		{4 * minChunkBytes, 4 * minChunkBytes, false, offset + 1},
	} {
		p := &pass{size: c.size}
		p.fallBack(&chunk{tooManyRows: c.tooManyRows, badOffset: offset})
		if p.size != c.smaller || p.sequentialUntil != c.until {
			t.Errorf("chunks of %d bytes, too many rows %t: then of %d, one by one until %d", c.size, c.tooManyRows, p.size, p.sequentialUntil)
		}
	}
}

func TestCloseBeforeTheEnd(t *testing.T) {
	text := people(30_000, `"x"`)
	if len(text) < minParallelSize {
		t.Fatalf("%d bytes are too few to read ahead", len(text))
	}
	r, _ := sourcetest.Open(t, Format{}, string(text), source.Options{})
	var batch intray.Records
	if err := r.Next(t.Context(), &batch); err != nil || batch.Len() == 0 {
		t.Fatalf("%d records, error %v", batch.Len(), err)
	}
	if r.(*reader).pass.chunks == nil {
		t.Error("no worker reads ahead")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Next(ctx, &batch); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v with a canceled context", err)
	}
}

// withSlack returns a text with the capacity that a lineScanner needs.
func withSlack(text string) []byte { return append(make([]byte, 0, len(text)+textSlack), text...) }

// TestWorkersParseChunks checks which chunks the workers of both passes parse. Some chunks
// contain a line that only the sequential reader can parse.
func TestWorkersParseChunks(t *testing.T) {
	const regular = `{"id":1,"name":"Ada"}` + "\n"
	limits := source.Limits{CellBytes: 20}.WithDefaults()
	b := &book{in: sourcetest.NewInput("", []byte(regular)), opt: source.Options{Limits: limits}}
	shape, err := surveySheet(t.Context(), b, tableLocation{})
	if err != nil {
		t.Fatal(err)
	}
	tooLong := `{"id":"` + strings.Repeat("x", 21) + `"}` + "\n"
	for _, c := range []struct {
		text string
		// count is the number of elements. bad is the offset of the first element that is not
		// parsed, or -1 if all are parsed.
		count int64
		bad   int64
	}{
		{"", 0, -1},
		{"\n \n", 0, -1},
		{regular, 1, -1},
		{strings.Repeat(regular, 5), 5, -1},
		{strings.Repeat(regular, 5) + "{}\n", 6, -1},
		{`{"id":"` + strings.Repeat("x", 20) + `"}` + "\n", 1, -1},
		{tooLong, 0, 0},
		{regular + tooLong + regular, 0, int64(len(regular))},
		{regular + regular + `{"other":1}` + "\n", 0, int64(2 * len(regular))},
		{regular + "[1]\n", 0, int64(len(regular))},
		{regular + regular + "\xff\n", 0, 0},
	} {
		const from = 1000
		for name, parse := range map[string]func(*chunk){
			"first pass": newSurveyWorker(b, shape).read, "second pass": newFillWorker(b, shape, 10).read,
		} {
			// The sequential reader may read irregular lines again from the file.
			b.in = sourcetest.NewInput("", []byte(strings.Repeat(" ", from)+c.text))
			job := &chunk{from: from, to: from + int64(len(c.text)), text: withSlack(c.text)}
			parse(job)
			if job.complete != (c.bad < 0) || job.complete && job.count != c.count || !job.complete && job.badOffset != from+c.bad || job.tooManyRows {
				t.Errorf("%s, %q: complete %v, %d elements, bad offset %d, too many rows %v", name, c.text, job.complete, job.count, job.badOffset, job.tooManyRows)
			}
		}
	}
	for rows, tooMany := range map[int]bool{9: false, 10: false, 11: true} {
		job := &chunk{text: withSlack(strings.Repeat(regular, rows))}
		newFillWorker(b, shape, 10).read(job)
		if job.complete == tooMany || job.tooManyRows != tooMany {
			t.Errorf("%d rows of at most 10: complete %v, too many %v", rows, job.complete, job.tooManyRows)
		}
	}
}

// TestNameWithoutColumn checks that the first pass finds a value whose name was always an object before, when
// all columns have their samples and workers record no leaves.
func TestNameWithoutColumn(t *testing.T) {
	const regular, late = `{"id":1,"place":{"city":"Graz"}}` + "\n", `{"id":2,"place":"Linz"}` + "\n"
	text := strings.Repeat(regular, 1000) + late + strings.Repeat(regular, 1000)
	r, err := openChunks(t, sourcetest.NewInput("", []byte(text)), minChunkBytes)
	if err != nil {
		t.Fatal(err)
	}
	var headers, places []string
	for _, c := range r.columns {
		headers = append(headers, c.Header)
	}
	if want := []string{"id", "place.city", "place"}; !slices.Equal(headers, want) {
		t.Fatalf("columns %q, want %q", headers, want)
	}
	var batch intray.Records
	for err = r.Next(t.Context(), &batch); err == nil; err = r.Next(t.Context(), &batch) {
		for i := range batch.Len() {
			if place := string(batch.Cell(i, 2)); place != "" {
				places = append(places, place)
			}
		}
	}
	if !errors.Is(err, io.EOF) || !slices.Equal(places, []string{"Linz"}) {
		t.Errorf("places %q, error %v", places, err)
	}
}

// openChunks opens the sheet of a file in chunks of the given size in bytes.
func openChunks(t testing.TB, in source.Input, size int) (*reader, error) {
	t.Helper()
	b, err := Format{}.Open(t.Context(), in, source.Options{})
	if err != nil {
		return nil, err
	}
	b.(*book).chunk = size
	r, err := b.Open(t.Context(), 0)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = r.Close() })
	return r.(*reader), nil
}

// TestParallelStoreFails checks, for a failure at each read in both passes, that records are
// returned in order until the error.
func TestParallelStoreFails(t *testing.T) {
	text := people(4_000, `"x"`)
	sourcetest.FailEachRead(t, sourcetest.NewInput("", text), func(in source.Input) error {
		r, err := openChunks(t, in, 100_000)
		if err != nil {
			return err
		}
		var batch intray.Records
		for read := 0; ; read += batch.Len() {
			if err := r.Next(t.Context(), &batch); errors.Is(err, io.EOF) {
				if read != 4_000 {
					t.Errorf("%d records, want 4,000", read)
				}
				return nil
			} else if err != nil {
				return err
			}
			if id := string(batch.Cell(0, 0)); id != fmt.Sprint(read) || batch.First != int64(read) || batch.Lines[0] != int64(read)+1 {
				t.Errorf("record %d of element %d is %q after %d records", batch.First, batch.Lines[0], id, read)
			}
		}
	})
}

// TestParallelPanic checks that the caller can recover a panic on a goroutine of the reader.
func TestParallelPanic(t *testing.T) {
	in := sourcetest.NewInput("", people(4_000, `"x"`))
	opened := false
	in.ReaderAt = sourcetest.StoreFunc{ReaderAt: in.ReaderAt, BeforeRead: func() {
		if opened {
			panic("boom")
		}
	}}
	r, err := openChunks(t, in, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	opened = true
	defer func() {
		if p, ok := recover().(*ordered.PanicError); !ok || p.Value != "boom" {
			t.Errorf("recovered %v, want the panic of the store", p)
		}
	}()
	var batch intray.Records
	err = r.Next(t.Context(), &batch)
	t.Errorf("%d records, error %v, want a panic", batch.Len(), err)
}

// TestCanceledChunk checks that later calls return all records if Next is canceled while the
// store blocks.
func TestCanceledChunk(t *testing.T) {
	in := sourcetest.NewInput("", people(4_000, `"x"`))
	opened, release := false, make(chan struct{})
	in.ReaderAt = sourcetest.StoreFunc{ReaderAt: in.ReaderAt, BeforeRead: func() {
		if opened {
			<-release
		}
	}}
	r, err := openChunks(t, in, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	opened = true
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	var batch intray.Records
	if err := r.Next(ctx, &batch); !errors.Is(err, context.Canceled) || batch.Len() != 0 {
		t.Fatalf("%d records, error %v, want context.Canceled", batch.Len(), err)
	}
	close(release)
	read := 0
	for {
		if err := r.Next(t.Context(), &batch); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		read += batch.Len()
	}
	if read != 4_000 {
		t.Errorf("%d records, want 4,000", read)
	}
}

// FuzzChunks compares the results of parallel and sequential reading.
func FuzzChunks(f *testing.F) {
	random := rand.New(rand.NewPCG(2, 2))
	for _, odd := range append(irregular, broken...) {
		f.Add(lines(random, 4, nil)+odd+"\n"+lines(random, 4, nil), false)
	}
	f.Fuzz(func(t *testing.T, text string, asIs bool) {
		requireSameByChunks(t, text, source.Options{AsIs: asIs})
	})
}
