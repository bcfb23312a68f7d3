package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/source"
)

// importRun is the state of one run.
type importRun struct {
	*Engine
	imp  Import
	open OpenSink
	out  *Outcome
	// started is the time at which the run started.
	started time.Time
	// hooks runs the hooks of the schema. It is nil if the schema has no hooks.
	hooks HookRunner
	// uploaded is set once the hooks of UPLOAD_STEP have been called.
	uploaded bool
	// headerChange is the last hook call that set the header row, or nil.
	headerChange *intray.StepChange
	// added holds the rows that hooks added. addedIDs maps the ID of each added row to true, or
	// to false if a hook later removed the row. removed holds the indexes of the removed rows of
	// the file.
	added    []intray.AddedRow
	addedIDs map[string]bool
	removed  map[int64]bool
	// infos are the messages from step hooks about cells.
	infos []intray.Change
	book  source.Book
	table tableChoice
}

// run loads the hooks and runs the import.
func (p *importRun) run(ctx context.Context) (out *Outcome, err error) {
	p.out = &Outcome{}
	if hooks := p.imp.Schema.Hooks; hooks.Count() > 0 {
		if p.cfg.LoadHooks == nil {
			return p.out.reject(intray.HookFailed,
				intray.NewMessage("hook.no_runtime", nil)), nil
		}
		if p.hooks, err = p.cfg.LoadHooks(ctx, hooks, p.imp.HookEnv); err != nil {
			return p.out.unreadable(err)
		}
		defer func() { err = errors.Join(err, p.hooks.Close()) }()
		p.hooks = trackedHooks{p.hooks, p.imp.Progress}
	}
	return p.read(ctx)
}

// read opens the file, finds its table and imports it.
func (p *importRun) read(ctx context.Context) (out *Outcome, err error) {
	opt := p.tableOptions(p.imp)
	p.book, err = source.Open(ctx, p.imp.Input, p.cfg.Formats, opt)
	if err != nil {
		return p.unopened(err)
	}
	defer p.book.Close()
	p.out.Evidence = p.book.Evidence()
	table, question, err := chooseSheet(ctx, p.book, opt.Work, p.imp.Answers, p.out)
	if err != nil {
		return p.unopened(err)
	}
	if question != nil {
		return p.out.addQuestion(*question), nil
	}
	p.table = table
	if again, err := p.uploadStep(ctx); err != nil {
		return p.out.unreadable(err)
	} else if again {
		return p.read(ctx)
	}
	reader, err := p.openTable(ctx)
	if err != nil {
		return p.unopened(err)
	}
	defer reader.Close()
	p.reportNotAdded()
	p.out.Evidence = append(p.out.Evidence, reader.Evidence()...)
	return p.mapAndImport(ctx, reader)
}

// tableOptions returns the options with which the tables of a file are found.
func (e *Engine) tableOptions(imp Import) source.Options {
	opt := applyAnswers(e.cfg.Options, imp.Answers)
	opt.HeaderScore = mapping.NewHeaderRow(imp.Schema.Fields).Score
	opt.Work = &source.Work{}
	return opt
}

// unopened returns the outcome for a file that cannot be opened. If a hook set the header row,
// it blames the hook, because the file could be opened before the hook changed the header row.
func (p *importRun) unopened(err error) (*Outcome, error) {
	var cannot *source.UnreadableError
	if p.headerChange != nil && errors.As(err, &cannot) {
		err = failedMethod(*p.headerChange, "setHeaderRowOverride", cannot.Reason)
	}
	return p.out.unreadable(err)
}

// mapAndImport maps the columns and, unless a question is open, processes the rows.
func (p *importRun) mapAndImport(ctx context.Context, reader source.Reader) (*Outcome, error) {
	columns := reader.Columns()
	for _, c := range columns {
		p.out.Headers = append(p.out.Headers, c.Header)
		p.out.Examples = append(p.out.Examples, examples(c.Samples))
	}
	if len(columns) == 0 {
		return p.out.stop(intray.NoRows, intray.NewMessage("file.no_rows", nil)), nil
	}
	if p.out.askTies(); len(p.out.Questions) > 0 {
		return p.out, nil // the answers may change the headers
	}
	if err := p.out.match(ctx, p.imp, p.out.repairNames(columns)); err != nil {
		return nil, err
	}
	p.createFields(columns)
	if len(p.out.Questions) > 0 || p.open == nil {
		return p.out, nil
	}
	if err := p.reviewStep(ctx); err != nil {
		return p.out.unreadable(err)
	}
	plan, err := p.prepare(ctx)
	if err != nil {
		return p.out.unreadable(err)
	}
	if len(p.out.Questions) > 0 {
		return p.out, nil
	}
	stop := context.AfterFunc(ctx, plan.StopSearches)
	defer stop()
	if err := p.runPreHooks(ctx, plan); err != nil {
		return p.out.unreadable(err)
	}
	if err := p.postStep(ctx, plan); err != nil {
		return p.out.unreadable(err)
	}
	sink, err := p.open(plan.Keys, plan.Unmapped)
	if err != nil {
		return nil, fmt.Errorf("open the sink: %w", err)
	}
	rows := p.limitRecords(reader)
	progress := func(rows int64) {
		p.cfg.Progress(rows)
		p.imp.Progress()
	}
	opened := Timing{Stage: StageOpen, Busy: time.Since(p.started), Serial: true}
	err = p.runPipeline(ctx, p.mergeRows(rows), plan, sink, p.out, progress)
	p.out.Timings = slices.Insert(p.out.Timings, 0, opened)
	if err != nil {
		return p.out.unreadable(err)
	}
	if rows.dropped {
		p.out.addNotice(intray.Notice{
			Type: intray.MaxRecords, Level: intray.LevelWarning,
			Text: intray.NewMessage("file.more_rows_than_limit", intray.Params{"limit": rows.limit}),
		})
	}
	p.out.reportMissing(plan)
	p.out.reportRemarks(plan)
	p.out.reportRepairs(plan)
	p.out.reportTwins(plan)
	p.out.askAboutLateTies(reader.Evidence())
	return p.out.decideVerdict(p.imp.Schema.Settings, len(p.removed)), nil
}

// prepare compiles the schema and decides the formats of the columns.
func (p *importRun) prepare(ctx context.Context) (*rowplan.Plan, error) {
	plan, err := rowplan.Compile(p.imp.Schema, p.out.Mapping, p.out.Headers)
	if err != nil {
		return nil, err
	}
	plan.Derived = p.out.Derived
	plan.Hooks, plan.RowHooks = p.hooks, len(p.imp.Schema.Hooks.Row)
	plan.Delimited = rowplan.IsDelimited(p.out.Evidence)
	if err := p.sniffColumns(ctx, plan); err != nil {
		return nil, err
	}
	plan.ReadListedMarkers()
	plan.ApplyLearnedValues(p.imp.Answers, p.imp.Memory.Values)
	return plan, nil
}

// setHeader sets the header row and discards everything that was read with the previous one.
func (p *importRun) setHeader(row string) {
	answers := intray.Answers{intray.AnswerHeaderRow: row}
	for id, answer := range p.imp.Answers {
		if id != intray.AnswerHeaderRow {
			answers[id] = answer
		}
	}
	p.imp.Answers = answers
	p.out = &Outcome{Fields: p.out.Fields, User: p.out.User, DevelopmentMode: p.out.DevelopmentMode}
}

// reopenSheet opens the table again.
func (p *importRun) reopenSheet(ctx context.Context) (*limitedReader, error) {
	reader, err := p.openTable(ctx)
	if err != nil {
		return nil, err
	}
	return p.limitRecords(reader), nil
}

// limitRecords returns a reader that applies the record limit of the schema.
func (p *importRun) limitRecords(reader source.Reader) *limitedReader {
	return &limitedReader{Reader: reader, limit: p.imp.Schema.Settings.MaxRecords, progress: p.imp.Progress}
}
