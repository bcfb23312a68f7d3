// Package engine runs the import pipeline: it reads a file, maps its columns to a
// schema, parses and validates every row, and passes the rows to a [Sink], in
// order and in bounded memory.
//
// [Engine.Run] returns an [Outcome] with a [Verdict]: the rows are done, a person
// has to answer questions, or the file cannot be imported. An error is never about
// the file, so the same run may be tried again.
//
// What the file leaves open is a [intray.Question]; a run takes answers.
// [Engine.MapColumns] stops where the columns have their fields. [Outcome.Explain] tells
// of a staged cell where it came from.
//
// A [HookLoader] loads the hooks of the schema; the package calls them, and puts what
// they change where it belongs. [Engine.Finish] asks the last of them, when the
// Rows are staged.
//
// The package keeps nothing beyond a run, and of a run only temporary files. It
// knows no database, HTTP or clock. The same file, schema, settings and answers
// give the same outcome and the same batches.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Config is what an engine works with. The zero value of everything but
// Formats works.
type Config struct {
	// Formats are the kinds of files that are read. Without any, none is.
	Formats []source.Format
	// Workers is how many batches are parsed at once. Default one for each
	// processor.
	Workers int
	// Options steer the reading of files. Their limit of cells also bounds
	// what the rows cost behind the reading, where each has as many cells as
	// the file has columns or the schema fields, whichever are more.
	Options source.Options
	// Problems is the most problems of an import; with more of them the file
	// is refused. Default 50,000,000.
	Problems int64
	// Temp is the folder of temporary files. Default os.TempDir.
	Temp string
	// LoadHooks runs hooks. Without one, imports whose schema has hooks fail.
	LoadHooks HookLoader
	// Progress is told, from one goroutine at a time, how many rows are done.
	// Default nobody.
	Progress func(rows int64)
}

// Engine runs imports. It may be used from several goroutines.
type Engine struct{ cfg Config }

// New makes an engine.
func New(cfg Config) *Engine {
	if cfg.Workers <= 0 {
		cfg.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.Problems <= 0 {
		cfg.Problems = 50_000_000
	}
	if cfg.Progress == nil {
		cfg.Progress = func(int64) {}
	}
	return &Engine{cfg}
}

// Sink takes the finished batches.
type Sink interface {
	// StageBatch brings a batch into its stored form. It is called from several
	// goroutines at once; the batch is used again when it has returned. The
	// engine calls commit for each batch in the order of the rows, from one
	// goroutine.
	StageBatch(b *intray.Batch) (commit func() error, err error)
}

// CrossRowSink is a Sink that also takes what shows only when all rows are known,
// such as values that are in several rows. The outcome counts and lists such
// Problems for every sink.
type CrossRowSink interface {
	Sink
	// AddProblem adds a problem to rows that were committed. It is called behind the
	// last commit.
	AddProblem(problem intray.Problem, rows *roaring.Bitmap) error
}

// OpenSink makes the sink once the mapping is frozen. The layout lists the
// Keys of the fields and the columns that are passed through.
type OpenSink func(fields []string, unmapped []int) (Sink, error)

// Import is a file, what is wanted of it, and what persons said about it.
type Import struct {
	Input  source.Input
	Schema *intray.Schema
	// Answers decide what would be asked.
	Answers intray.Answers
	// Memory is what was decided in earlier imports. Default nothing.
	Memory intray.LearnedMappings
	// HookEnv, ID and User are for the hooks: ID is that of the upload, User the user as
	// JSON. Both may be empty.
	HookEnv intray.HookEnv
	ID      string
	User    []byte
}

// Run runs the pipeline for an import. The sink is opened only where rows
// are to move. A panic on the way is an error.
func (e *Engine) Run(ctx context.Context, imp Import, open OpenSink) (out *Outcome, err error) {
	err = recoverPanic(func() (err error) {
		p := &importRun{Engine: e, imp: imp, open: open}
		out, err = p.run(ctx)
		return err
	})()
	if err != nil {
		return nil, err
	}
	return out, nil
}

// LoadHooks makes hooks ready with the loader of the Config. It returns nil where there
// is none.
func (e *Engine) LoadHooks(ctx context.Context, hooks intray.Hooks, env intray.HookEnv) (HookRunner, error) {
	if e.cfg.LoadHooks == nil {
		return nil, nil
	}
	return e.cfg.LoadHooks(ctx, hooks, env)
}

// MapColumns looks at the columns of a file and gives an outcome with their mapping and
// what would be asked about it. No rows move.
func (e *Engine) MapColumns(ctx context.Context, imp Import) (*Outcome, error) {
	only := *imp.Schema
	only.Hooks = intray.Hooks{}
	imp.Schema = &only
	return e.Run(ctx, imp, nil)
}

// unreadable turns what a reader says of a file into an outcome, and leaves
// every other error an error.
func (o *Outcome) unreadable(err error) (*Outcome, error) {
	var broken *source.UnreadableError
	var limit *source.LimitError
	switch {
	case o.failHook(err):
		return o, nil
	case errors.Is(err, source.ErrEmpty):
		return o.reject(intray.EmptyFile, intray.NewMessage("file.empty", nil)), nil
	case errors.As(err, &broken):
		return o.reject(intray.UnreadableFile, intray.NewMessage("file.unreadable", intray.Params{"reason": intray.MessageOf(broken)})), nil
	case errors.As(err, &limit):
		return o.reject(intray.TooLarge, intray.NewMessage("file.over_limit", intray.Params{"reason": intray.MessageOf(limit)})), nil
	}
	return nil, err
}

// EachSheet reads the sheets of a file, whose first row is the header, and hands over
// their records; the columns are those of the sheet. What cannot be read is a
// [source.UnreadableError], a [source.LimitError] or [source.ErrEmpty].
func (e *Engine) EachSheet(ctx context.Context, in source.Input, use func(columns []intray.Column, recs *intray.Records) error) error {
	opt := e.cfg.Options
	opt.HeaderRow = 1
	book, err := source.Open(ctx, in, e.cfg.Formats, opt)
	if err != nil {
		return err
	}
	defer book.Close()
	for i := range book.Sheets() {
		if err := eachRecord(ctx, book, i, use); err != nil {
			return fmt.Errorf("read sheet %d: %w", i+1, err)
		}
	}
	return nil
}

func eachRecord(ctx context.Context, book source.Book, sheet int, use func([]intray.Column, *intray.Records) error) error {
	reader, err := book.Open(ctx, sheet)
	if err != nil {
		return err
	}
	defer reader.Close()
	columns := reader.Columns()
	var recs intray.Records
	for {
		recs.Reset()
		if err := reader.Next(ctx, &recs); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := use(columns, &recs); err != nil {
			return err
		}
	}
}
