package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/stage"
	"github.com/intraydata/intray/output"
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
	l, err := openLocal(cfg.File, cfg.Hooks)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := errors.Join(cfg.apart(), cfg.judgeAnswers()); err != nil {
		return report, err
	}
	var staged *stage.Stage
	if report.Outcome, staged, err = l.run(ctx, "stage", cfg.Schema, cfg.Answers, cfg.Progress); err != nil {
		return report, err
	}
	if err := cfg.judgeAgain(report.Outcome); err != nil || staged == nil {
		return report, err
	}
	cfg.Schema = report.Outcome.Schema(cfg.Schema)
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
