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

// HookTestConfig says which hooks are tried on which file.
type HookTestConfig struct {
	File   string
	Schema *intray.Schema
	// Answers decide what would be asked.
	Answers intray.Answers
	// Rows is how many rows are shown.
	Rows  int
	Hooks HookConfig
}

// HookTest is what the hooks of a schema make of a file.
type HookTest struct {
	Outcome *engine.Outcome
	// Schema is that of the rows.
	Schema *intray.Schema
	// Rows are the first ones: nil where no row was read to the end.
	Rows []HookTestRow
	// Times are those of the hooks, in their order. Hooks run side by side, so
	// that together they may be more than passed on a clock.
	Times []HookTime
	// Console are the last lines that hooks printed.
	Console []string
}

// HookTestRow is a row without hooks and with them.
type HookTestRow struct {
	// Line is where the row begins in the file, counted from 1; 0 where a hook
	// added it.
	Line int64
	// Removed says that a hook removed it.
	Removed bool
	// Cells are those that differ or that hooks say something about.
	Cells []HookTestCell
	// Problems are those of the row as a whole.
	Problems []intray.Problem
}

// HookTestCell is what hooks made of a cell.
type HookTestCell struct {
	Field string
	// Before is what the cell holds without hooks, After with them; nil for no
	// value.
	Before, After *string
	// Problems are those with the hooks.
	Problems []intray.Problem
}

// Changed says that the value is another one.
func (c HookTestCell) Changed() bool {
	if c.Before == nil || c.After == nil {
		return c.Before != c.After
	}
	return *c.Before != *c.After
}

// HookTime is how long the calls of a hook took.
type HookTime struct {
	Hook string
	Took time.Duration
}

// TestHooks imports a file without the hooks of its schema and with them, and compares
// the first rows. Nothing is written.
func TestHooks(ctx context.Context, cfg HookTestConfig) (trial HookTest, err error) {
	if err := cfg.Hooks.validate(); err != nil {
		return trial, err
	}
	hooks := &hookRunner{cfg: cfg.Hooks, loadFirst: true, keep: true}
	defer hooks.close()
	after, err := openImport(ctx, cfg.File, cfg.Schema, importer.Config{Answers: cfg.Answers, LoadHooks: hooks.open})
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
	before, err := openImport(ctx, cfg.File, &without, importer.Config{Answers: cfg.Answers})
	if err != nil {
		return trial, err
	}
	defer func() { err = errors.Join(err, before.Close()) }()
	trial.Rows, err = compareRows(ctx, cfg, trial.Schema, before, after)
	return trial, err
}

// compareRows shows the first rows without hooks and with them. What belongs together
// has the same line.
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

// oldRow is a row without hooks.
type oldRow struct {
	line   int64
	values map[string]*string
}

// firstRows are those up to a line.
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

// displayValue is what a cell holds: its value, else the text that is none.
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
