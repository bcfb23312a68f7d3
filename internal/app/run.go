package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/blob/disk"
	"github.com/intraydata/intray/internal/stage"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/source/all"
)

// RunConfig says which file is imported, and where to.
type RunConfig struct {
	File   string
	Schema *intray.Schema
	// SchemaFile is where the schema was read from; "" where from no file.
	SchemaFile string
	// Answers decide what would be asked. Those that no question could take, or
	// that name what the file does not have, are a UsageError.
	Answers intray.Answers
	// Out is the file of the result, or - for Stdout.
	Out    string
	Stdout io.Writer
	Format output.Format
	// Problems is the CSV file of all problems; "" means none.
	Problems string
	// Explain are rows, by their index among all data rows, of which the report
	// tells how they came about. Default none.
	Explain []int64
	// Hooks says how hooks are run.
	Hooks HookConfig
	// Progress is told how many rows are done. Default nobody.
	Progress func(rows int64)
}

// RunReport is what came of it.
type RunReport struct {
	Outcome *engine.Outcome
	// OutputRows counts the rows of the result.
	OutputRows int64
	// Traces tell of each row of the configuration's Explain, field by field; nil
	// of a row that the file does not have. Nothing is told where no row was read
	// to the end of the conveyor: Traces itself is nil then.
	Traces [][]intray.Trace
}

// apart refuses to write over what is read, or two things to one file.
func (c *RunConfig) apart() error {
	for _, to := range []string{c.Out, c.Problems} {
		if to == "" || to == "-" {
			continue
		}
		if same(to, c.File) || same(to, c.SchemaFile) {
			return UsageError{fmt.Errorf("%s would be overwritten by what is made from it: give another name", to)}
		}
	}
	if c.Out != "" && c.Out != "-" && (c.Out == c.Problems || same(c.Out, c.Problems)) {
		return UsageError{fmt.Errorf("%s cannot hold both the rows and the problems: give two names", c.Out)}
	}
	return nil
}

// same says whether two names are those of one file that is there.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Run imports one file without a server. The result is written only where the
// verdict is Done.
func Run(ctx context.Context, cfg RunConfig) (report RunReport, err error) {
	in, closeIn, err := OpenInput(cfg.File)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, closeIn()) }()
	if err := errors.Join(cfg.apart(), cfg.judgeAnswers()); err != nil {
		return report, err
	}
	folder, err := os.MkdirTemp("", "intray-run-*")
	if err != nil {
		return report, fmt.Errorf("make a folder for the staged rows: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	blobs, err := disk.Open(folder, disk.Config{Fleeting: true})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	var writer *stage.Writer
	defer func() {
		if writer != nil {
			writer.Abort()
		}
	}()
	open := func(fields []string, unmapped []int) (engine.Sink, error) {
		writer = stage.NewWriter(ctx, blobs, "stage", stage.Layout{Fields: fields, Unmapped: unmapped}, stage.Config{Codec: stage.Snappy})
		return writer, nil
	}
	if err := cfg.Hooks.check(); err != nil {
		return report, err
	}
	hooks := &hookRunner{cfg: cfg.Hooks}
	defer hooks.close()
	moved := engine.New(engine.Config{Formats: all.Formats(folder), Temp: folder, Progress: cfg.Progress, Script: hooks.open})
	imp := engine.Import{Input: in, Schema: cfg.Schema, Answers: cfg.Answers, Pins: intray.Pins{Now: time.Now()}}
	if report.Outcome, err = moved.Run(ctx, imp, open); err != nil {
		return report, err
	}
	if err := cfg.judgeAgain(report.Outcome); err != nil || writer == nil {
		return report, err
	}
	cfg.Schema = report.Outcome.Schema(cfg.Schema)
	if report.Outcome.Verdict == engine.Broken {
		return report, nil
	}
	if _, err := writer.Close(ctx); err != nil {
		return report, err
	}
	staged, err := stage.Open(ctx, blobs, "stage")
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, staged.Close()) }()
	if err := report.Outcome.FillValues(ctx, cfg.Schema.Fields, staged.Window); err != nil {
		return report, err
	}
	if err := moved.Finish(ctx, imp, report.Outcome, staged.Batches(ctx)); err != nil {
		return report, err
	}
	if err := deliver(ctx, cfg, staged, &report); err != nil {
		return report, err
	}
	return report, report.explain(ctx, cfg, staged)
}

// deliver writes the problems and, where nothing is open, the result.
func deliver(ctx context.Context, cfg RunConfig, staged *stage.Stage, report *RunReport) error {
	rows := func(w io.Writer, batches iter.Seq2[*intray.Batch, error]) (err error) {
		report.OutputRows, err = output.Write(ctx, w, cfg.Format, cfg.Schema, batches)
		return err
	}
	done := report.Outcome.Verdict == engine.Done
	if done && cfg.bothToFiles() { // the staged rows are read once for both
		return WriteFile(cfg.Out, cfg.Stdout, func(w io.Writer) error {
			return cfg.writeProblems(func(l *problemList) error { return rows(w, l.along(staged.Batches(ctx))) })
		})
	}
	if cfg.Problems != "" {
		if err := cfg.writeProblems(func(l *problemList) error { return drain(l.along(staged.Batches(ctx))) }); err != nil {
			return err
		}
	}
	if !done {
		return nil
	}
	return WriteFile(cfg.Out, cfg.Stdout, func(w io.Writer) error { return rows(w, staged.Batches(ctx)) })
}

// bothToFiles says that problems and result are written, and neither to the
// stream, where the one must not stand amid the other.
func (c *RunConfig) bothToFiles() bool {
	return c.Problems != "" && c.Problems != "-" && c.Out != "-"
}

func drain(batches iter.Seq2[*intray.Batch, error]) error {
	for _, err := range batches {
		if err != nil {
			return err
		}
	}
	return nil
}
