// Package importer imports a file in one call: it reads the file in whatever format it
// has, maps its columns to a schema, parses and validates every cell, and returns the
// clean rows and the problems.
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
// An [Import] keeps the rows in a temporary folder until it is closed, so that files of
// any size take little memory, and rules about all rows, such as unique, are settled
// before the first row is returned.
//
// What the file leaves open is never guessed: [Import.Rows] then returns a
// [VerdictError], and the questions are in the [engine.Outcome]. Open the file again
// with answers to them.
//
// The package puts together what the other packages offer. For a pipeline of your own,
// with other formats, storage or hooks, use [engine] directly.
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

// Config holds the choices of an import. The zero Config works.
type Config struct {
	// Answers answer the questions of an earlier run, by their ids. Default: none.
	Answers intray.Answers
	// Learned is what was decided about earlier files of the same kind. Default: nothing.
	Learned intray.LearnedMappings
	// TempDir is where rows are kept until Close. Default: os.TempDir.
	TempDir string
	// LoadHooks runs the hooks of the schema. Without it, a schema with hooks is an
	// error.
	LoadHooks engine.HookLoader
	// Now is the time that hooks and relative dates see. Default: time.Now.
	Now time.Time
	// Progress is called with the number of rows done, from one goroutine at a time.
	Progress func(rows int64)
}

// Import is a file that was read against a schema. Its methods may be called from
// several goroutines; close it when none of them runs.
type Import struct {
	// Outcome holds the verdict, the mapping with its reasons, the questions, and the
	// counts of rows and problems.
	Outcome *engine.Outcome
	// Schema is the schema of the rows: hooks may have added or removed fields.
	Schema *intray.Schema

	// staged is nil where no row was read to the end of the pipeline.
	staged *staging.Stage
	close  func() error
}

// Open imports the file with a name. The error is about reading the file from the disk,
// temporary files or the context; what is wrong with the file itself is in the Outcome,
// and [Import.Rows] returns it. The caller closes the Import.
func Open(ctx context.Context, name string, schema *intray.Schema, cfg Config) (*Import, error) {
	file, err := source.OpenFile(name)
	if err != nil {
		return nil, err
	}
	imp, err := OpenInput(ctx, file.Input, schema, cfg)
	return imp, errors.Join(err, file.Close())
}

// OpenInput is [Open] for a file that is not on this machine's disk. The input is no
// longer needed once OpenInput has returned.
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

// stageName is the prefix of the staged rows in their folder.
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

// VerdictError reports that an import has no result: questions are open, rows with
// errors block it, or the file cannot be imported.
type VerdictError struct{ Outcome *engine.Outcome }

// Error names the first reason.
func (e *VerdictError) Error() string {
	o := e.Outcome
	switch {
	case len(o.Questions) > 0:
		return fmt.Sprintf("%d questions about the file are open, the first: %s", len(o.Questions), o.Questions[0].Text)
	case o.Verdict == engine.Open && o.ErrorRows > 0:
		return fmt.Sprintf("%d rows have errors, and invalidDataBehavior is BLOCK_SUBMIT", o.ErrorRows)
	}
	for _, n := range o.Notices {
		if n.Level == intray.LevelError {
			return n.Text.String()
		}
	}
	return "the file cannot be imported"
}

// Err returns a *VerdictError unless the import has a result.
func (i *Import) Err() error {
	if i.Outcome.Verdict == engine.Done {
		return nil
	}
	return &VerdictError{i.Outcome}
}
