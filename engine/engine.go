// Package engine runs the import pipeline: it reads a file, maps its columns to a
// schema, parses and validates every row, and passes the rows to a [Sink], in
// order and in bounded memory. To import a file in one call, use package importer.
//
// [Engine.Run] returns an [Outcome] with a [Verdict]: all rows are staged, a person must
// decide something, or the file cannot be imported. An error never concerns the file, so
// you can retry a failed run.
//
// Anything ambiguous becomes an [intray.Question]. To continue, run the import again with
// the answers. [Engine.MapColumns] maps columns without reading rows. [Outcome.Explain]
// traces a staged cell.
//
// A [HookLoader] loads the hooks of the schema. The engine calls them and applies their changes.
// [Engine.Finish] calls beforeFinishCallback once all rows are staged.
//
// The engine stores only temporary files, and only during a run. It does not depend on a
// database or HTTP. The same file, schema, settings and answers always yield the same outcome and
// batches, apart from [Outcome.Timings], for which alone the engine reads the clock.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/validate"
)

// Config configures an [Engine]. All fields except Formats are optional.
type Config struct {
	// Formats are the supported file formats.
	Formats []source.Format
	// Workers is the number of batches that the engine parses in parallel. The default is
	// GOMAXPROCS.
	Workers int
	// Options are the options for reading files. The cell limit also applies after reading. In
	// that check, the number of cells in a row is the number of columns in the file or of
	// fields in the schema, whichever is greater.
	Options source.Options
	// Problems is the maximum number of problems in an import. A file with more is
	// rejected. The default is 50,000,000.
	Problems int64
	// RowProblems is the maximum number of problems of a row. An import with a row that has more
	// is rejected, because a batch holds at least one row. The default is 100,000.
	RowProblems int
	// RuleSteps is the maximum number of steps of the validators in an import. An import that
	// needs more is rejected. The default is [validate.MaxSteps].
	RuleSteps int64
	// Temp is the folder for temporary files. The default is os.TempDir.
	Temp string
	// LoadHooks loads hooks. If it is nil, imports whose schema has hooks are rejected.
	LoadHooks HookLoader
	// Progress, unless nil, is called after each batch with the number of rows processed so
	// far. Calls for one import are sequential.
	Progress func(rows int64)
}

// Engine runs imports. It is safe for concurrent use.
type Engine struct{ cfg Config }

// New returns an engine.
func New(cfg Config) *Engine {
	cfg.Workers = cmp.Or(max(cfg.Workers, 0), runtime.GOMAXPROCS(0))
	cfg.Problems = cmp.Or(max(cfg.Problems, 0), 50_000_000)
	cfg.RowProblems = cmp.Or(max(cfg.RowProblems, 0), 100_000)
	cfg.RuleSteps = cmp.Or(max(cfg.RuleSteps, 0), validate.MaxSteps)
	if cfg.Progress == nil {
		cfg.Progress = func(int64) {}
	}
	return &Engine{cfg}
}

// Sink receives the finished batches.
type Sink interface {
	// StageBatch encodes a batch. Several goroutines call it concurrently. The engine reuses the
	// batch after StageBatch returns. It calls commit for one batch at a time, in row order.
	StageBatch(b *intray.Batch) (commit func() error, err error)
}

// CrossRowSink is a Sink that also receives problems of cross-row validators, such as
// unique. The outcome counts and lists these problems for every sink.
type CrossRowSink interface {
	Sink
	// AddProblem adds a problem to committed rows. The engine calls it after the last commit.
	AddProblem(problem intray.Problem, rows *roaring.Bitmap) error
}

// OpenSink opens the sink after the mapping is frozen. It receives the keys of the fields
// and the indexes of the unmapped columns that are passed through.
type OpenSink func(fields []string, unmapped []int) (Sink, error)

// Import is the input of a run: a file, its schema and people's decisions.
type Import struct {
	Input  source.Input
	Schema *intray.Schema
	// Answers are the answers to questions from earlier runs.
	Answers intray.Answers
	// Memory holds decisions from earlier imports. It may be empty.
	Memory intray.LearnedMappings
	// HookEnv, ID and User are passed to hooks. ID is the ID of the upload, and User is the
	// user as JSON. Both may be empty.
	HookEnv intray.HookEnv
	ID      string
	User    []byte
	// Progress, unless nil, is called whenever rows were read or processed, and when a hook has
	// returned. Several goroutines may call it concurrently.
	Progress func()
}

// Run runs an import. It opens the sink only if no question about the file is open, and
// never if open is nil. It returns a panic during the run as an error.
func (e *Engine) Run(ctx context.Context, imp Import, open OpenSink) (out *Outcome, err error) {
	err = recoverPanic(func() (err error) {
		if imp.Progress == nil {
			imp.Progress = func() {}
		}
		imp.Input.ReaderAt = cancelableReader{imp.Input.ReaderAt, ctx.Err}
		p := &importRun{Engine: e, imp: imp, open: open, started: time.Now()}
		out, err = p.run(ctx)
		return err
	})()
	if err != nil {
		return nil, err
	}
	return out, nil
}

// cancelableReader reads a file until the run is canceled. Most formats check their context only
// between batches, and read the file more often.
type cancelableReader struct {
	io.ReaderAt
	// canceled returns the error of the context of the run.
	canceled func() error
}

// ReadAt reads unless the run is canceled.
func (r cancelableReader) ReadAt(b []byte, offset int64) (int, error) {
	if err := r.canceled(); err != nil {
		return 0, err
	}
	return r.ReaderAt.ReadAt(b, offset)
}

// LoadHooks calls Config.LoadHooks. If Config.LoadHooks is nil, it returns nil.
func (e *Engine) LoadHooks(ctx context.Context, hooks intray.Hooks, env intray.HookEnv) (HookRunner, error) {
	if e.cfg.LoadHooks == nil {
		return nil, nil
	}
	return e.cfg.LoadHooks(ctx, hooks, env)
}

// MapColumns returns an outcome with the mapping of a file's columns and the
// questions about it. It runs no hooks and processes no rows.
func (e *Engine) MapColumns(ctx context.Context, imp Import) (*Outcome, error) {
	only := *imp.Schema
	only.Hooks = intray.Hooks{}
	imp.Schema = &only
	return e.Run(ctx, imp, nil)
}

// unreadable turns an error that concerns the file or a hook into an outcome. It
// returns all other errors unchanged.
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

// EachSheet calls the function use with the columns and records of each sheet in a file. The
// first row of a sheet is its header. If the file is unreadable, the error is a
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
