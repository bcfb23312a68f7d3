package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// Row is a clean row. It is valid until the next iteration.
type Row struct {
	fields []intray.Field
	batch  *intray.Batch
	at     int
}

// Index returns the index of the row among all data rows of the file, counted from 0.
func (r Row) Index() int64 {
	if r.batch.Numbers != nil {
		return r.batch.Numbers[r.at]
	}
	return r.batch.First + int64(r.at)
}

// Line returns the line of the file on which the row begins, counted from 1.
func (r Row) Line() int64 { return r.batch.Lines[r.at] }

// Text returns the value of a field as canonical text: a number with a decimal point, a
// date in ISO 8601 or a list as a JSON array. It returns "" for null and for unknown keys.
func (r Row) Text(key string) string {
	value, _ := r.Value(key)
	return value
}

// Value is like Text, but also reports whether the cell has a value.
func (r Row) Value(key string) (string, bool) {
	for f := range r.fields {
		if r.fields[f].Key == key {
			value, ok := r.batch.Fields[f].Value(r.at)
			return string(value), ok
		}
	}
	return "", false
}

// Values returns the values that are not null, keyed by field key.
func (r Row) Values() map[string]string {
	values := make(map[string]string, len(r.fields))
	for f := range r.fields {
		if value, ok := r.batch.Fields[f].Value(r.at); ok {
			values[r.fields[f].Key] = string(value)
		}
	}
	return values
}

// Rows iterates over the rows without errors, in file order. If the import has no result,
// the only element is the error of [Import.Err].
func (i *Import) Rows(ctx context.Context) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if err := i.Err(); err != nil {
			yield(Row{}, err)
			return
		}
		for b, err := range i.Batches(ctx) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			invalid := map[int]bool{}
			for _, p := range b.Problems {
				if p.Level == intray.LevelError {
					invalid[p.Row] = true
				}
			}
			for at := range b.Rows() {
				if !invalid[at] && !yield(Row{i.Schema.Fields, b, at}, nil) {
					return
				}
			}
		}
	}
}

// Problem is one fault in a cell or a row.
type Problem struct {
	// Row is the index of the row among all data rows, counted from 0. Line is the line of
	// the file on which the row begins, counted from 1.
	Row, Line int64
	// Field is the key of the field, or "" if the problem concerns the whole row.
	Field string
	// Part is the index of the column within a many-to-one field, or 0 for any other field.
	Part int
	// Value is the raw text of the cell.
	Value string
	Level intray.Level
	// Code identifies the violated rule, such as "required" or "email".
	Code string
	// Message explains the problem and how to fix it.
	Message intray.Message
}

// String returns the problem as one line of English. It counts rows from 1.
func (p Problem) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "row %d", p.Row+1)
	if p.Field != "" {
		fmt.Fprintf(&text, ", %s", p.Field)
	}
	if p.Value != "" {
		fmt.Fprintf(&text, " %q", p.Value)
	}
	return text.String() + ": " + p.Message.String()
}

// Problems iterates over all problems in row order. If HasRows returns false, there are
// none, and [Import.Err] returns the reason.
func (i *Import) Problems(ctx context.Context) iter.Seq2[Problem, error] {
	return func(yield func(Problem, error) bool) {
		for b, err := range i.Batches(ctx) {
			if err != nil {
				yield(Problem{}, err)
				return
			}
			for p := range ProblemsOf(i.Schema, b) {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

// ProblemsOf iterates over the problems of a batch.
func ProblemsOf(schema *intray.Schema, b *intray.Batch) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		for _, p := range b.Problems {
			found := Problem{Row: Row{batch: b, at: p.Row}.Index(), Line: b.Lines[p.Row], Level: p.Level, Code: p.Code, Message: p.Text}
			if p.Field != intray.NoField {
				f := &schema.Fields[p.Field]
				found.Field, found.Part, found.Value = f.Key, p.Part, rawText(f, b.Fields[p.Field].Raw(p.Row), p.Part)
			}
			if !yield(found) {
				return
			}
		}
	}
}

// rawText returns the raw text of a cell, given the raw text of its field. For a many-to-one
// field, the raw text of the field is a JSON array, or empty if all columns are empty.
func rawText(f *intray.Field, text []byte, part int) string {
	if !f.ManyToOne {
		return string(text)
	}
	var all []string
	if json.Unmarshal(text, &all) == nil && part < len(all) {
		return all[part]
	}
	return ""
}

// HasRows reports whether all rows were processed. It returns false if a question is open
// or the file cannot be imported.
func (i *Import) HasRows() bool { return i.staged != nil }

// Batches iterates over all rows, including those with errors, as batches. This is the
// fastest way to read them. A batch is valid until the next iteration, unless it is kept
// with [intray.Batch.Keep]. There are no batches if HasRows returns false.
func (i *Import) Batches(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	if i.staged == nil {
		return func(func(*intray.Batch, error) bool) {}
	}
	return i.staged.Batches(ctx)
}

// ReadTime returns the total time in which goroutines read batches for Batches and the methods that use it.
func (i *Import) ReadTime() time.Duration {
	if i.staged == nil {
		return 0
	}
	return i.staged.ReadTime()
}

// Write writes the result in the given format and returns the number of rows written. The
// setting invalidDataBehavior selects the rows. If the import has no result, Write
// returns the error of [Import.Err].
func (i *Import) Write(ctx context.Context, w io.Writer, format output.Format) (rows int64, err error) {
	if err := i.Err(); err != nil {
		return 0, err
	}
	return output.Write(ctx, w, format, i.Schema, i.Batches(ctx))
}

// Window returns up to n rows, including those with errors. The parameter first is the index of
// the first row. It returns fewer than n only at the end of the import.
func (i *Import) Window(ctx context.Context, first int64, n int) (*intray.Batch, error) {
	if i.staged == nil {
		return &intray.Batch{First: first}, nil
	}
	return i.staged.Window(ctx, first, n)
}
