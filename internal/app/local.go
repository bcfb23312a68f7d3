package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/blob/disk"
	"github.com/intraydata/intray/internal/stage"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/all"
)

// local imports a file without a server. What it stages is kept in a folder that
// goes with it.
type local struct {
	input      source.Input
	closeInput func() error
	folder     string
	blobs      *disk.Store
	hooks      *hookRunner
	stages     []*stage.Stage
}

// openLocal opens the file and makes the folder.
func openLocal(file string, cfg HookConfig) (l *local, err error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	l = &local{hooks: &hookRunner{cfg: cfg}}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
			l = nil
		}
	}()
	if l.input, l.closeInput, err = OpenInput(file); err != nil {
		return l, err
	}
	if l.folder, err = os.MkdirTemp("", "intray-run-*"); err != nil {
		return l, fmt.Errorf("make a folder for the staged rows: %w", err)
	}
	l.blobs, err = disk.Open(l.folder, disk.Config{Fleeting: true})
	return l, err
}

// close lets go of all that was opened and removes the folder.
func (l *local) close() (err error) {
	l.hooks.close()
	for _, staged := range l.stages {
		err = errors.Join(err, staged.Close())
	}
	if l.blobs != nil {
		err = errors.Join(err, l.blobs.Close())
	}
	if l.folder != "" {
		err = errors.Join(err, os.RemoveAll(l.folder))
	}
	if l.closeInput != nil {
		err = errors.Join(err, l.closeInput())
	}
	return err
}

// run imports the file, up to what beforeFinishCallback says, and gives the rows
// staged under name: nil where none was read to the end of the conveyor.
func (l *local) run(ctx context.Context, name string, schema *intray.Schema, answers intray.Answers, progress func(int64)) (*engine.Outcome, *stage.Stage, error) {
	var writer *stage.Writer
	defer func() {
		if writer != nil {
			writer.Abort()
		}
	}()
	open := func(fields []string, unmapped []int) (engine.Sink, error) {
		writer = stage.NewWriter(ctx, l.blobs, name, stage.Layout{Fields: fields, Unmapped: unmapped}, stage.Config{Codec: stage.Snappy})
		return writer, nil
	}
	moved := engine.New(engine.Config{Formats: all.Formats(l.folder), Temp: l.folder, Progress: progress, Script: l.hooks.open})
	imp := engine.Import{Input: l.input, Schema: schema, Answers: answers, Pins: intray.Pins{Now: time.Now()}}
	out, err := moved.Run(ctx, imp, open)
	if err != nil || writer == nil || out.Verdict == engine.Broken {
		return out, nil, err
	}
	if _, err := writer.Close(ctx); err != nil {
		return nil, nil, err
	}
	staged, err := stage.Open(ctx, l.blobs, name)
	if err != nil {
		return nil, nil, err
	}
	l.stages = append(l.stages, staged)
	if err := out.FillValues(ctx, out.Schema(schema).Fields, staged.Window); err != nil {
		return nil, nil, err
	}
	imp.Schema = out.Schema(schema)
	return out, staged, moved.Finish(ctx, imp, out, staged.Batches(ctx))
}
