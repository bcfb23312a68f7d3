// Package importer imports a file in one call: it detects the format, maps the columns to a
// schema, parses and validates every cell, and returns the clean rows and the problems.
//
//	imp, err := importer.Open(ctx, "contacts.csv", schema, importer.Config{})
//	if err != nil {
//		return err
//	}
//	defer imp.Close()
//	for row, err := range imp.Rows(ctx) {
//		// …
//	}
//
// An [Import] stores the rows in a temporary folder until you close it. Files of any size
// need little memory. Cross-row validators such as unique have processed all rows before
// you read the first one.
//
// The package never guesses. If something about the file is ambiguous, [Import.Rows]
// returns a [VerdictError] whose [engine.Outcome] contains the questions. Open the file
// again with the answers.
//
// To build a pipeline with other formats or storage, use package [engine] directly.
package importer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/staging"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// Config configures an import. All fields are optional.
type Config struct {
	// Answers are the answers to questions from an earlier run, keyed by question ID.
	Answers intray.Answers
	// Learned holds decisions that people made about earlier files of the same kind.
	Learned intray.LearnedMappings
	// TempDir is the parent of the folder that stores the rows until Close. The default
	// is os.TempDir.
	TempDir string
	// LoadHooks loads the hooks of the schema. If it is nil, schemas with hooks are rejected.
	LoadHooks engine.HookLoader
	// Now is the current time as hooks see it. The default is time.Now.
	Now time.Time
	// Progress, unless nil, is called after each batch with the number of rows processed so
	// far. Calls are sequential.
	Progress func(rows int64)
}

// Import is an imported file. All its methods except Close are safe for concurrent use.
type Import struct {
	// Outcome holds the verdict, the mapping with its reasons, the questions, and the
	// counts of rows and problems.
	Outcome *engine.Outcome
	// Schema is the schema of the rows. It differs from the given schema if hooks added or
	// removed fields.
	Schema *intray.Schema

	// staged is nil if the rows were not processed to the end.
	staged *staging.Stage
	close  func() error
}

// Open imports the named file. It returns an error only for problems with disk access, temporary
// files, the schema or the context. If the content of the file cannot be imported, Open succeeds,
// Outcome contains the reason, and [Import.Rows] returns it. The caller must close the Import.
func Open(ctx context.Context, name string, schema *intray.Schema, cfg Config) (*Import, error) {
	file, err := source.OpenFile(name)
	if err != nil {
		return nil, err
	}
	imp, err := OpenInput(ctx, file.Input, schema, cfg)
	return imp, errors.Join(err, file.Close())
}

// OpenInput is like [Open] for any input, such as a file in memory. It does not use the
// input after it returns.
func OpenInput(ctx context.Context, in source.Input, schema *intray.Schema, cfg Config) (imp *Import, err error) {
	folder, err := os.MkdirTemp(cfg.TempDir, "intray-import-*")
	if err != nil {
		return nil, fmt.Errorf("create a folder for the rows: %w", err)
	}
	blobs, err := disk.Open(folder, disk.Config{NoSync: true})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	imp = &Import{close: func() error { return errors.Join(blobs.Close(), os.RemoveAll(folder)) }}
	defer func() {
		if err != nil {
			err = errors.Join(err, imp.Close())
			imp = nil
		}
	}()
	if cfg.Now.IsZero() {
		cfg.Now = time.Now()
	}
	return imp, imp.run(ctx, in, schema, cfg, folder, blobs)
}

// stageName is the file name prefix of the staged rows.
const stageName = "stage"

// run runs the pipeline and stages the rows.
func (i *Import) run(ctx context.Context, in source.Input, schema *intray.Schema, cfg Config, folder string, blobs *disk.Store) error {
	var writer *staging.Writer
	defer func() {
		if writer != nil {
			writer.Abort()
		}
	}()
	sink := func(fields []string, unmapped []int) (engine.Sink, error) {
		writer = staging.NewWriter(ctx, blobs, stageName, staging.Layout{Fields: fields, Unmapped: unmapped}, staging.Config{Codec: staging.Snappy})
		return writer, nil
	}
	pipeline := engine.New(engine.Config{Formats: formats.Formats(folder), Temp: folder, Progress: cfg.Progress, LoadHooks: cfg.LoadHooks})
	job := engine.Import{Input: in, Schema: schema, Answers: cfg.Answers, Memory: cfg.Learned, HookEnv: intray.HookEnv{Now: cfg.Now}}
	out, err := pipeline.Run(ctx, job, sink)
	if err != nil {
		return err
	}
	i.Outcome, i.Schema = out, out.Schema(schema)
	if writer == nil || out.Verdict == engine.Broken {
		return nil
	}
	if _, err := writer.Close(ctx); err != nil {
		return err
	}
	if i.staged, err = staging.Open(ctx, blobs, stageName); err != nil {
		return err
	}
	if err := out.FillValues(ctx, i.Schema.Fields, i.staged.Window); err != nil {
		return err
	}
	job.Schema = i.Schema
	return pipeline.Finish(ctx, job, out, i.staged.Batches(ctx))
}

// Close removes the temporary files. The Import cannot be used afterwards.
func (i *Import) Close() error {
	var err error
	if i.staged != nil {
		err = i.staged.Close()
	}
	return errors.Join(err, i.close())
}

// VerdictError reports that an import has no result because questions are open, rows with
// errors block it, or the file cannot be imported.
type VerdictError struct{ Outcome *engine.Outcome }

// Error returns the first reason.
func (e *VerdictError) Error() string {
	o := e.Outcome
	switch {
	case len(o.Questions) > 0:
		return fmt.Sprintf("open questions about the file: %d; the first: %s", len(o.Questions), o.Questions[0].Text)
	case o.Verdict == engine.Open && o.ErrorRows > 0:
		return fmt.Sprintf("invalidDataBehavior is BLOCK_SUBMIT, and rows with errors: %d", o.ErrorRows)
	}
	for _, n := range o.Notices {
		if n.Level == intray.LevelError {
			return n.Text.String()
		}
	}
	return "the file cannot be imported"
}

// Err returns a *VerdictError if the import has no result, and nil otherwise.
func (i *Import) Err() error {
	if i.Outcome.Verdict == engine.Done {
		return nil
	}
	return &VerdictError{i.Outcome}
}
