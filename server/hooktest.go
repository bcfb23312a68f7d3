package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/importer"
)

// HookTestConfig configures TestHooks.
type HookTestConfig struct {
	File   string
	Schema *intray.Schema
	// Answers are the answers to questions about the file.
	Answers intray.Answers
	// Rows is the maximum number of rows to compare.
	Rows  int
	Hooks HookConfig
}

// HookTest is the result of TestHooks.
type HookTest struct {
	Outcome *engine.Outcome
	// Schema is the schema of the rows.
	Schema *intray.Schema
	// Rows are the first rows, or nil if the import failed.
	Rows []HookTestRow
	// Times contains how long each hook took, in the order of the hooks. Hooks run
	// in parallel, so the sum may exceed the duration of the import.
	Times []HookTime
	// Console contains the last lines that hooks printed.
	Console []string
}

// HookTestRow describes how hooks changed a row.
type HookTestRow struct {
	// Line is the line of the file on which the row begins, counted from 1. It is 0
	// if a hook added the row.
	Line int64
	// Removed is true if a hook removed the row.
	Removed bool
	// Cells are the cells that differ or that have a message from a hook.
	Cells []HookTestCell
	// Problems are the problems of the row as a whole.
	Problems []intray.Problem
}

// HookTestCell describes how hooks changed a cell.
type HookTestCell struct {
	Field string
	// Before is the value without hooks. After is the value with hooks. Nil means no value.
	Before, After *string
	// Problems are the problems of the cell with hooks.
	Problems []intray.Problem
}

// Changed reports whether Before and After differ.
func (c HookTestCell) Changed() bool {
	if c.Before == nil || c.After == nil {
		return c.Before != c.After
	}
	return *c.Before != *c.After
}

// HookTime is the total duration of the calls to a hook.
type HookTime struct {
	Hook string
	Took time.Duration
}

// TestHooks imports a file with and without the hooks of its schema, and compares the
// first rows. It writes no result.
func TestHooks(ctx context.Context, cfg HookTestConfig) (trial HookTest, err error) {
	if err := cfg.Hooks.validate(); err != nil {
		return trial, err
	}
	hooks := &hookRunner{cfg: cfg.Hooks, loadFirst: true, keep: true}
	defer hooks.close()
	after, err := openImport(ctx, cfg.File, cfg.Schema, importer.Config{Answers: cfg.Answers, LoadHooks: hooks.open}, nil)
	if err != nil {
		return trial, err
	}
	defer func() { err = errors.Join(err, after.Close()) }()
	trial.Outcome, trial.Schema = after.Outcome, after.Schema
	trial.Times, trial.Console = hooks.report(cfg.Schema.Hooks)
	if !after.HasRows() {
		return trial, nil
	}
	without := *cfg.Schema
	without.Hooks = intray.Hooks{}
	before, err := openImport(ctx, cfg.File, &without, importer.Config{Answers: cfg.Answers}, nil)
	if err != nil {
		return trial, err
	}
	defer func() { err = errors.Join(err, before.Close()) }()
	trial.Rows, err = compareRows(ctx, cfg, trial.Schema, before, after)
	return trial, err
}

// compareRows compares the first rows of the imports without and with hooks. It matches rows by
// their lines in the file.
func compareRows(ctx context.Context, cfg HookTestConfig, schema *intray.Schema, before, after *importer.Import) ([]HookTestRow, error) {
	b, err := after.Window(ctx, 0, cfg.Rows)
	if err != nil {
		return nil, fmt.Errorf("read the rows that the hooks made: %w", err)
	}
	old, err := firstRows(ctx, cfg.Schema, before, slices.Max(append(b.Lines, 0)))
	if err != nil {
		return nil, err
	}
	rows := make([]HookTestRow, 0, b.Rows())
	for i, line := range b.Lines {
		for len(old) > 0 && line > 0 && old[0].line < line {
			rows = append(rows, HookTestRow{Line: old[0].line, Removed: true})
			old = old[1:]
		}
		var was map[string]*string
		if len(old) > 0 && old[0].line == line {
			was, old = old[0].values, old[1:]
		}
		rows = append(rows, compareRow(schema, b, i, was))
	}
	return rows[:min(len(rows), cfg.Rows)], nil
}

// oldRow is a row of the import without hooks.
type oldRow struct {
	line   int64
	values map[string]*string
}

// firstRows returns the rows of the import without hooks, up to and including a line of the file.
func firstRows(ctx context.Context, schema *intray.Schema, before *importer.Import, to int64) (rows []oldRow, err error) {
	for b, err := range before.Batches(ctx) {
		if err != nil {
			return nil, fmt.Errorf("read the rows without hooks: %w", err)
		}
		for i, line := range b.Lines {
			if line > to {
				return rows, nil
			}
			one := oldRow{line, map[string]*string{}}
			for f, field := range schema.Fields {
				one.values[field.Key] = displayValue(&b.Fields[f], i)
			}
			rows = append(rows, one)
		}
	}
	return rows, nil
}

// displayValue returns the value of a cell, or its raw text if it has no value. It
// returns nil for an empty cell.
func displayValue(c *intray.Cells, i int) *string {
	value, there := c.Value(i)
	if !there {
		value = c.Raw(i)
		there = len(value) > 0
	}
	if !there {
		return nil
	}
	text := strings.Clone(string(value))
	return &text
}

func compareRow(schema *intray.Schema, b *intray.Batch, i int, was map[string]*string) HookTestRow {
	row := HookTestRow{Line: b.Lines[i]}
	problems := map[int][]intray.Problem{}
	for _, p := range b.Problems {
		if p.Row == i {
			problems[p.Field] = append(problems[p.Field], p)
		}
	}
	row.Problems = problems[intray.NoField]
	for f, field := range schema.Fields {
		cell := HookTestCell{Field: field.Key, Before: was[field.Key], After: displayValue(&b.Fields[f], i), Problems: problems[f]}
		said := slices.ContainsFunc(cell.Problems, func(p intray.Problem) bool { return p.Code == intray.HookCode })
		if cell.Changed() || said {
			row.Cells = append(row.Cells, cell)
		}
	}
	return row
}
