package server

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/importer"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/review"
)

// RunConfig configures an import without a server.
type RunConfig struct {
	File   string
	Schema *intray.Schema
	// SchemaFile is the path of the schema file, or "".
	SchemaFile string
	// Answers are the answers to questions about the file. Run returns a UsageError for an
	// answer to a question that cannot occur, and for an answer that is not valid for the file.
	Answers intray.Answers
	// Learned are the decisions of people about earlier files. Answers take precedence.
	Learned intray.LearnedMappings
	// Out is the path of the result file, or "-" for Stdout.
	Out    string
	Stdout io.Writer
	Format output.Format
	// Problems is the path of a CSV file with all problems. Default: no file.
	Problems string
	// Explain lists the indexes of the data rows to trace in the report, counted
	// from 0. Default: none.
	Explain []int64
	// Hooks configures the runtime and the sandbox of hooks.
	Hooks HookConfig
	// Progress is called after each batch of rows. Calls are sequential. Default: nothing is
	// called.
	Progress func(RunProgress)
}

const (
	// groupsWithExamples is the number of groups in a report that have examples.
	groupsWithExamples = 10
	// examplesOfGroup is the maximum number of examples of a group in a report.
	examplesOfGroup = 3
)

// These are the stages of writing the result, in the order of the data.
const (
	// StageLoad reads the staged rows.
	StageLoad engine.Stage = "load"
	// StageProblems writes the file of problems.
	StageProblems engine.Stage = "problems"
	// StageFormat formats the rows of the result, and StageWrite writes them in order.
	StageFormat engine.Stage = "format"
	StageWrite  engine.Stage = "write"
)

// RunReport is the outcome of an import.
type RunReport struct {
	Outcome *engine.Outcome
	// Groups are the groups of problems. The first ones have examples. Groups is empty if
	// the rows were not processed to the end.
	Groups []importer.ProblemGroup
	// Timings are the times of the stages, including those of writing the problems and the result.
	Timings []engine.Timing
	// OutputRows is the number of rows in the result.
	OutputRows int64
	// Traces contains the traces of each row in Explain, one per field, or nil for a row that
	// does not exist. It is nil if no row reached the end of the pipeline.
	Traces [][]intray.Trace
}

// checkOutputs returns an error if an output would overwrite an input or another output.
func (c *RunConfig) checkOutputs() error {
	for _, to := range []string{c.Out, c.Problems} {
		if to == "" || to == "-" {
			continue
		}
		if sameFile(to, c.File) || sameFile(to, c.SchemaFile) {
			return UsageError{fmt.Errorf("%s would be overwritten, but is an input; choose another name", to)}
		}
	}
	if c.Out != "" && c.Out != "-" && (c.Out == c.Problems || sameFile(c.Out, c.Problems)) {
		return UsageError{fmt.Errorf("%s cannot contain both the rows and the problems; choose two names", c.Out)}
	}
	return nil
}

// sameFile reports whether two names refer to the same existing file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// Run imports a file without a server. It writes the result only if the verdict is Done.
func Run(ctx context.Context, cfg RunConfig) (report RunReport, err error) {
	if err := errors.Join(cfg.Hooks.validate(), cfg.checkOutputs(), cfg.checkAnswers()); err != nil {
		return report, err
	}
	hooks := &hookRunner{cfg: cfg.Hooks, loadFirst: true}
	defer hooks.close()
	imp, err := openImport(ctx, cfg.File, cfg.Schema, importer.Config{Answers: cfg.Answers, Learned: cfg.Learned, LoadHooks: hooks.open}, cfg.Progress)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, imp.Close()) }()
	report.Outcome, report.Timings = imp.Outcome, slices.Clone(imp.Outcome.Timings)
	if err := cfg.recheckAnswers(report.Outcome); err != nil || !imp.HasRows() {
		return report, err
	}
	cfg.Schema = imp.Schema
	if err := deliver(ctx, cfg, imp, &report); err != nil {
		return report, err
	}
	if report.Groups, err = imp.ProblemGroups(ctx, groupsWithExamples, examplesOfGroup); err != nil {
		return report, err
	}
	return report, report.addTraces(ctx, cfg, imp)
}

// openImport imports a file. If the file cannot be opened, the error is a UsageError. progress
// may be nil.
func openImport(ctx context.Context, name string, schema *intray.Schema, cfg importer.Config, progress func(RunProgress)) (*importer.Import, error) {
	in, closeFile, err := OpenInput(name)
	if err != nil {
		return nil, err
	}
	if progress != nil {
		tracked, fraction := TrackReads(in)
		in = tracked
		cfg.Progress = func(rows int64) { progress(RunProgress{Rows: rows, Fraction: fraction()}) }
	}
	imp, err := importer.OpenInput(ctx, in, schema, cfg)
	return imp, errors.Join(err, closeFile())
}

// deliver writes the problems and, if the verdict is Done, the result.
func deliver(ctx context.Context, cfg RunConfig, imp *importer.Import, report *RunReport) error {
	var times output.Times
	problems := engine.Timing{Stage: StageProblems, Serial: true}
	defer func() {
		for _, t := range []engine.Timing{
			{Stage: StageLoad, Busy: imp.ReadTime()}, problems,
			{Stage: StageFormat, Busy: times.Format, Serial: times.SerialFormat}, {Stage: StageWrite, Busy: times.Write, Serial: true},
		} {
			if t.Busy > 0 {
				report.Timings = append(report.Timings, t)
			}
		}
	}()
	rows := func(w io.Writer, batches iter.Seq2[*intray.Batch, error]) (err error) {
		report.OutputRows, err = writeRows(ctx, w, cfg.Format, cfg.Schema, batches, &times)
		return err
	}
	batches := func() iter.Seq2[*intray.Batch, error] {
		return countRows(imp.Batches(ctx), report.Outcome.DataRows, cfg.Progress)
	}
	done := report.Outcome.Verdict == engine.Done
	if done && cfg.Problems != "" && cfg.Problems != "-" && cfg.Out != "-" { // one pass over the staged rows writes both files
		return WriteFile(cfg.Out, cfg.Stdout, func(w io.Writer) error {
			return cfg.writeProblems(&problems.Busy, func(l *problemList) error { return rows(w, l.teeBatches(batches())) })
		})
	}
	if cfg.Problems != "" {
		if err := cfg.writeProblems(&problems.Busy, func(l *problemList) error { return drain(l.teeBatches(batches())) }); err != nil {
			return err
		}
	}
	if !done {
		return nil
	}
	return WriteFile(cfg.Out, cfg.Stdout, func(w io.Writer) error { return rows(w, batches()) })
}

// WriteRows is like output.Write, but ends JSON with a newline, like every other text file. Stored
// results have no newline: they are rebuilt byte by byte, and their checksums are known.
func WriteRows(ctx context.Context, w io.Writer, format output.Format, schema *intray.Schema, batches iter.Seq2[*intray.Batch, error]) (int64, error) {
	return writeRows(ctx, w, format, schema, batches, &output.Times{})
}

// writeRows is like WriteRows, and adds the times of its parts to times.
func writeRows(ctx context.Context, w io.Writer, format output.Format, schema *intray.Schema, batches iter.Seq2[*intray.Batch, error], times *output.Times) (int64, error) {
	rows, err := output.WriteTimed(ctx, w, format, schema, batches, times)
	if err == nil && format == output.JSON {
		_, err = io.WriteString(w, "\n")
	}
	return rows, err
}

func drain(batches iter.Seq2[*intray.Batch, error]) error {
	for _, err := range batches {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkAnswers rejects answers that are invalid for every file, and normalizes all
// other answers in the same way as the service. Step hooks may add fields, so
// answers for unknown fields are rejected only after the run.
func (c *RunConfig) checkAnswers() error {
	kept, err := review.CheckAnswers(c.Schema.Fields, -1, c.Answers)
	c.Answers = kept
	if len(c.Schema.Hooks.Step) > 0 {
		return nil
	}
	return wrongAnswer(err)
}

// recheckAnswers rejects answers that are invalid for the file, because they refer
// to a missing column or are not a choice of an open question.
func (c *RunConfig) recheckAnswers(o *engine.Outcome) error {
	columns := -1
	if o.Headers != nil {
		columns = len(o.Headers) - o.Derived
	}
	if _, err := review.CheckAnswers(c.allFields(o), columns, c.Answers); err != nil {
		return wrongAnswer(err)
	}
	for _, q := range o.Questions {
		if value, given := c.Answers[q.ID]; given && !q.Accepts(value, len(o.Headers)) {
			return wrongAnswer(review.InvalidChoiceError(q.ID, value))
		}
	}
	return nil
}

// allFields returns the fields after the hooks have run, and the fields that the hooks removed.
func (c *RunConfig) allFields(o *engine.Outcome) []intray.Field {
	fields := slices.Clip(o.Schema(c.Schema).Fields)
	for _, f := range c.Schema.Fields {
		if !slices.ContainsFunc(fields, func(other intray.Field) bool { return other.Key == f.Key }) {
			fields = append(fields, f)
		}
	}
	return fields
}

func wrongAnswer(err error) error {
	if err == nil {
		return nil
	}
	return UsageError{fmt.Errorf("the answers cannot be used: %w", err)}
}

// addTraces adds the traces of the rows in Explain to the report.
func (r *RunReport) addTraces(ctx context.Context, cfg RunConfig, imp *importer.Import) error {
	for _, row := range cfg.Explain {
		b, err := imp.Window(ctx, row, 1)
		if err != nil {
			return fmt.Errorf("explain row %d: %w", row, err)
		}
		traces, err := r.traceRow(cfg.Schema, b)
		if err != nil {
			return fmt.Errorf("explain row %d: %w", row, err)
		}
		r.Traces = append(r.Traces, traces)
	}
	return nil
}

// traceRow returns one trace per field for a batch of one row. For an empty batch
// it returns none.
func (r *RunReport) traceRow(schema *intray.Schema, b *intray.Batch) ([]intray.Trace, error) {
	if b.Rows() == 0 {
		return nil, nil
	}
	traces := make([]intray.Trace, len(schema.Fields))
	for field := range traces {
		step, err := r.outputStep(schema, b, field)
		if err != nil {
			return nil, err
		}
		traces[field] = r.Outcome.Explain(schema, b, 0, field)
		traces[field].Steps = append(traces[field].Steps, step)
	}
	return traces, nil
}

// outputStep returns a step with the value in the result. If there is no result,
// the step contains the reason, which is the same for every row.
func (r *RunReport) outputStep(schema *intray.Schema, b *intray.Batch, field int) (intray.TraceStep, error) {
	if r.Outcome.Verdict == engine.Done {
		return output.Explain(schema, b, 0, field)
	}
	return intray.TraceStep{Step: "output", Reasons: []intray.Message{
		intray.NewMessage("output.no_result", intray.Params{"behavior": schema.Settings.InvalidDataBehavior}),
	}}, nil
}

// problemList writes a CSV file with one line per problem.
type problemList struct {
	schema *intray.Schema
	w      *csv.Writer
	// texts caches escaped messages by message, because few of them are distinct.
	texts map[intray.Message]string
	// busy receives the time of writing problems.
	busy *time.Duration
}

// maxTexts is the maximum number of cached messages.
const maxTexts = 10_000

// text returns a rendered message without formulas, from the cache if possible.
func (l *problemList) text(m intray.Message) string {
	text, known := l.texts[m]
	if !known {
		text = output.EscapeFormula(m.String())
		if len(l.texts) < maxTexts {
			l.texts[m] = text
		}
	}
	return text
}

// writeProblems writes the file of problems. write must add the problems of all
// batches to the list. writeProblems adds the time that this takes to busy.
func (c *RunConfig) writeProblems(busy *time.Duration, write func(*problemList) error) error {
	return WriteFile(c.Problems, c.Stdout, func(to io.Writer) error {
		l := &problemList{c.Schema, csv.NewWriter(to), map[intray.Message]string{}, busy}
		if err := l.w.Write([]string{"line", "row", "field", "level", "code", "message", "value"}); err != nil {
			return err
		}
		if err := write(l); err != nil {
			return err
		}
		l.w.Flush()
		return l.w.Error()
	})
}

// teeBatches yields each batch after writing its problems.
func (l *problemList) teeBatches(batches iter.Seq2[*intray.Batch, error]) iter.Seq2[*intray.Batch, error] {
	return func(yield func(*intray.Batch, error) bool) {
		for b, err := range batches {
			if err == nil {
				err = l.writeBatch(b)
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}

// writeBatch writes the problems of a batch. Row numbers start at 1.
func (l *problemList) writeBatch(b *intray.Batch) error {
	start := time.Now()
	defer func() { *l.busy += time.Since(start) }()
	for p := range importer.ProblemsOf(l.schema, b) {
		err := l.w.Write([]string{
			strconv.FormatInt(p.Line, 10), strconv.FormatInt(p.Row+1, 10),
			output.EscapeFormula(p.Field), p.Level.String(), output.EscapeFormula(p.Code), l.text(p.Message), output.EscapeFormula(p.Value),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
