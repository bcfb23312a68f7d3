package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rowsPerBatch is the number of rows of each batch of a countingFile.
const rowsPerBatch = 3

// countingFile is a format that ignores its input and yields batches of numbered rows.
type countingFile struct {
	batches int
	// next, unless nil, is called before each batch is read.
	next func(ctx context.Context, batch int) error
	// open, unless nil, is called when the file is opened.
	open func()

	mu sync.Mutex
	// seen holds the Records that were passed to Next. reads is the number of batches read.
	seen  map[*intray.Records]bool
	reads int
}

func (c *countingFile) Name() string { return "counting" }

func (c *countingFile) Detect(source.Input, []byte) (float64, intray.Message) {
	return 1, intray.Literal("it is a test")
}

func (c *countingFile) Open(context.Context, source.Input, source.Options) (source.Book, error) {
	c.seen = map[*intray.Records]bool{}
	if c.open != nil {
		c.open()
	}
	return &countingBook{c}, nil
}

type countingBook struct{ *countingFile }

func (b *countingBook) Evidence() []intray.Evidence { return nil }
func (b *countingBook) Sheets() []source.Sheet      { return []source.Sheet{{}} }
func (b *countingBook) Close() error                { return nil }
func (b *countingBook) Open(context.Context, int) (source.Reader, error) {
	return &countingReader{countingFile: b.countingFile}, nil
}

type countingReader struct {
	*countingFile
	batch int
}

func (r *countingReader) Columns() []intray.Column    { return []intray.Column{{Header: "n"}} }
func (r *countingReader) Evidence() []intray.Evidence { return nil }
func (r *countingReader) Close() error                { return nil }

func (r *countingReader) Next(ctx context.Context, batch *intray.Records) error {
	batch.Reset()
	if r.next != nil {
		if err := r.next(ctx, r.batch); err != nil {
			return err
		}
	}
	if r.batch == r.batches {
		return io.EOF
	}
	batch.First = int64(r.batch * rowsPerBatch)
	for i := range rowsPerBatch {
		batch.AppendCell(fmt.Append(nil, batch.First+int64(i)))
		batch.EndRecord(batch.First + int64(i) + 2)
	}
	r.batch++
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[batch] = true
	r.reads++
	return nil
}

// sink is a Sink that calls functions. Both may be nil.
type sink struct {
	stage  func(b *intray.Batch) error
	commit func(first int64) error
}

func (s sink) StageBatch(b *intray.Batch) (func() error, error) {
	first := b.First
	if s.stage != nil {
		if err := s.stage(b); err != nil {
			return nil, err
		}
	}
	return func() error {
		if s.commit == nil {
			return nil
		}
		return s.commit(first)
	}, nil
}

// openSink returns an OpenSink that returns the given sink.
func openSink(to engine.Sink) engine.OpenSink {
	return func([]string, []int) (engine.Sink, error) { return to, nil }
}

// inputOf returns a file with the given name and content.
func inputOf(name, text string) source.Input {
	return source.Input{Name: name, ReaderAt: strings.NewReader(text), Size: int64(len(text))}
}

// importCounting imports a file with 8 workers. It reports a test error and cancels the
// run if it hangs. It must be called in a synctest bubble.
func importCounting(ctx context.Context, t *testing.T, file *countingFile, to engine.Sink) (*engine.Outcome, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	schema := &intray.Schema{Fields: []intray.Field{{Key: "n", Type: intray.FieldType{Name: intray.TypeString}}}, Settings: intray.DefaultSettings()}
	e := engine.New(engine.Config{Formats: []source.Format{file}, Workers: 8})
	var out *engine.Outcome
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		out, err = e.Run(ctx, engine.Import{Input: inputOf("", "x"), Schema: schema}, openSink(to))
	}()
	select {
	case <-done:
	case <-time.After(time.Hour): // in the bubble, this means that all goroutines are blocked
		t.Error("the run hangs")
		cancel()
		<-done
	}
	return out, err
}

func firsts(batches int) []int64 {
	list := make([]int64, batches)
	for i := range list {
		list[i] = int64(i * rowsPerBatch)
	}
	return list
}

// TestCommitsAreInOrder checks that batches are committed in order even if StageBatch
// returns in random order.
func TestCommitsAreInOrder(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			const batches = 60
			held := make(chan chan struct{}, batches)
			stopped := make(chan struct{})
			go releaseInRandomOrder(held, stopped, rand.New(rand.NewPCG(seed, 0)))
			var committed, staged []int64
			var mu sync.Mutex
			out, err := importCounting(t.Context(), t, &countingFile{batches: batches}, sink{
				stage: func(b *intray.Batch) error {
					release := make(chan struct{})
					held <- release
					<-release
					mu.Lock()
					defer mu.Unlock()
					staged = append(staged, b.First)
					return nil
				},
				commit: func(first int64) error { committed = append(committed, first); return nil },
			})
			close(stopped)
			if err != nil || out.DataRows != batches*rowsPerBatch {
				t.Fatalf("outcome %+v, error %v", out, err)
			}
			if diff := cmp.Diff(firsts(batches), committed); diff != "" {
				t.Errorf("order of commits (-want +got):\n%s", diff)
			}
			if slices.IsSorted(staged) {
				t.Error("the batches were staged in order, so the test proves nothing")
			}
		})
	}
}

func releaseInRandomOrder(held chan chan struct{}, stopped chan struct{}, random *rand.Rand) {
	var waiting []chan struct{}
	for {
		select {
		case release := <-held:
			waiting = append(waiting, release)
			synctest.Wait()
			for len(held) > 0 {
				waiting = append(waiting, <-held)
			}
			for len(waiting) > 0 && len(held) == 0 {
				i := random.IntN(len(waiting))
				close(waiting[i])
				waiting = slices.Delete(waiting, i, i+1)
				synctest.Wait()
			}
		case <-stopped:
			return
		}
	}
}

// TestMemoryIsBounded checks that the number of batches in use is bounded even if the first
// batch is delayed until all other goroutines are blocked.
func TestMemoryIsBounded(t *testing.T) {
	const workers, extra = 8, 2
	synctest.Test(t, func(t *testing.T) {
		file := &countingFile{batches: 500}
		out, err := importCounting(t.Context(), t, file, sink{stage: func(b *intray.Batch) error {
			if b.First > 0 {
				return nil
			}
			synctest.Wait()
			file.mu.Lock()
			defer file.mu.Unlock()
			if file.reads < 2 || file.reads > workers+extra {
				t.Errorf("%d batches were read before the first one was staged, want 2 to %d", file.reads, workers+extra)
			}
			return nil
		}})
		if err != nil || out.DataRows != 500*rowsPerBatch {
			t.Fatalf("outcome %+v, error %v", out, err)
		}
		if n := len(file.seen); n > workers+extra {
			t.Errorf("%d Records were in use, want at most %d", n, workers+extra)
		}
	})
}

func TestCancelledRun(t *testing.T) {
	ways := map[string]func(cancel func()) (*countingFile, sink){
		"while it reads": func(cancel func()) (*countingFile, sink) {
			return &countingFile{batches: 50, next: func(ctx context.Context, batch int) error {
				if batch == 5 {
					cancel()
					<-ctx.Done()
				}
				return ctx.Err()
			}}, sink{}
		},
		"while it stages": func(cancel func()) (*countingFile, sink) {
			return &countingFile{batches: 1 << 20}, sink{stage: func(b *intray.Batch) error {
				if b.First == 9*rowsPerBatch {
					cancel()
				}
				return nil
			}}
		},
		"while it commits": func(cancel func()) (*countingFile, sink) {
			return &countingFile{batches: 1 << 20}, sink{commit: func(first int64) error {
				if first == 9*rowsPerBatch {
					cancel()
				}
				return nil
			}}
		},
		"before it begins": func(cancel func()) (*countingFile, sink) {
			cancel()
			return &countingFile{batches: 1 << 20}, sink{}
		},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				file, to := way(cancel)
				out, err := importCounting(ctx, t, file, to)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("outcome %+v, error %v, want context.Canceled", out, err)
				}
				if file.reads > 1000 {
					t.Errorf("%d batches were read after the cancellation", file.reads)
				}
			})
		})
	}
}

var errFault = errors.New("the disk is full")

// TestFaultEndsTheRun checks that a fault in any stage of the pipeline, early or late, ends
// the run. The file has far more batches than may be in use at once.
func TestFaultEndsTheRun(t *testing.T) {
	parts := map[string]func(at int64, file *countingFile) sink{
		"stage": func(at int64, _ *countingFile) sink {
			return sink{stage: func(b *intray.Batch) error { return faultAt(b.First, at) }}
		},
		"commit": func(at int64, _ *countingFile) sink {
			return sink{commit: func(first int64) error { return faultAt(first, at) }}
		},
		"read": func(at int64, file *countingFile) sink {
			file.next = func(_ context.Context, batch int) error { return faultAt(int64(batch*rowsPerBatch), at) }
			return sink{}
		},
	}
	for part, broken := range parts {
		for _, batch := range []int64{0, 1, 100} {
			t.Run(fmt.Sprintf("%s of batch %d", part, batch), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					file := &countingFile{batches: 300}
					out, err := importCounting(t.Context(), t, file, broken(batch*rowsPerBatch, file))
					if !errors.Is(err, errFault) || out != nil {
						t.Errorf("outcome %+v, error %v; want the fault", out, err)
					}
				})
			})
		}
	}
}

func faultAt(first, at int64) error {
	if first == at {
		return errFault
	}
	return nil
}

// TestPanicEndsTheRun checks that a panic in any stage of the pipeline ends the run with an
// error.
func TestPanicEndsTheRun(t *testing.T) {
	boom := func(first int64) error {
		if first == 3*rowsPerBatch {
			panic("boom")
		}
		return nil
	}
	parts := map[string]func(*countingFile) sink{
		"open": func(file *countingFile) sink {
			file.open = func() { panic("boom") }
			return sink{}
		},
		"stage":  func(*countingFile) sink { return sink{stage: func(b *intray.Batch) error { return boom(b.First) }} },
		"commit": func(*countingFile) sink { return sink{commit: boom} },
		"read": func(file *countingFile) sink {
			file.next = func(_ context.Context, batch int) error { return boom(int64(batch * rowsPerBatch)) }
			return sink{}
		},
	}
	for part, broken := range parts {
		t.Run(part, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := &countingFile{batches: 300}
				out, err := importCounting(t.Context(), t, file, broken(file))
				if out != nil || err == nil || !strings.Contains(err.Error(), "boom") || !strings.Contains(err.Error(), "pipeline_test.go") {
					t.Errorf("outcome %v, error %v, want the panic and its stack", out, err)
				}
			})
		})
	}
}

// asText makes cmp compare messages by their English text.
var asText = cmp.Transformer("text", intray.Message.String)

func TestUnreadableRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := &countingFile{batches: 300, next: func(_ context.Context, batch int) error {
			if batch == 200 {
				return &source.UnreadableError{Line: 602, Reason: intray.Literal("a quote is never closed")}
			}
			return nil
		}}
		out, err := importCounting(t.Context(), t, file, sink{})
		if err != nil {
			t.Fatal(err)
		}
		want := []intray.Notice{{
			Type: intray.UnreadableFile, Level: intray.LevelError,
			Text: intray.Literal("We can't read this file because on line 602, a quote is never closed."),
		}}
		if diff := cmp.Diff(want, out.Notices, asText); out.Verdict != engine.Broken || diff != "" {
			t.Errorf("verdict %d, notices (-want +got):\n%s", out.Verdict, diff)
		}
		if out.DataRows != 200*rowsPerBatch {
			t.Errorf("%d rows are counted, want all %d before the unreadable record", out.DataRows, 200*rowsPerBatch)
		}
	})
}

func TestProgressReportsEveryCommit(t *testing.T) {
	var reported []int64
	e := engine.New(engine.Config{
		Formats: []source.Format{&countingFile{batches: 20}}, Workers: 8,
		Progress: func(rows int64) { reported = append(reported, rows) },
	})
	schema := &intray.Schema{Fields: []intray.Field{{Key: "n", Type: intray.FieldType{Name: intray.TypeString}}}, Settings: intray.DefaultSettings()}
	_, err := e.Run(t.Context(), engine.Import{Input: inputOf("", "x"), Schema: schema}, openSink(sink{}))
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, 20)
	for i := range want {
		want[i] = int64((i + 1) * rowsPerBatch)
	}
	if diff := cmp.Diff(want, reported); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}
