package importer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// Row is a clean row. It is valid until the iterator that returned it goes on.
type Row struct {
	fields []intray.Field
	batch  *intray.Batch
	at     int
}

// Index returns the index of the row among all data rows of the file, from 0.
func (r Row) Index() int64 {
	if r.batch.Numbers != nil {
		return r.batch.Numbers[r.at]
	}
	return r.batch.First + int64(r.at)
}

// Line returns the line of the file on which the row begins, from 1.
func (r Row) Line() int64 { return r.batch.Lines[r.at] }

// Text returns the value of a field in its canonical form: numbers with a decimal point,
// dates as in ISO 8601, several values as a JSON array. It returns "" for an empty cell
// and for a key that no field has.
func (r Row) Text(key string) string {
	value, _ := r.Value(key)
	return value
}

// Value returns what Text returns, and whether the cell has a value.
func (r Row) Value(key string) (string, bool) {
	for f := range r.fields {
		if r.fields[f].Key == key {
			value, ok := r.batch.Fields[f].Value(r.at)
			return string(value), ok
		}
	}
	return "", false
}

// Values returns the values of all fields that have one, by their keys, as Text returns
// them.
func (r Row) Values() map[string]string {
	values := make(map[string]string, len(r.fields))
	for f := range r.fields {
		if value, ok := r.batch.Fields[f].Value(r.at); ok {
			values[r.fields[f].Key] = string(value)
		}
	}
	return values
}

// Rows returns the rows without errors, in the order of the file. Where the import has no
// result, it returns the error of [Import.Err] and no row.
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

// Problem is something wrong with a cell or a row.
type Problem struct {
	// Row is the index of the row among all data rows, from 0. Line is the line of the
	// file on which it begins, from 1.
	Row, Line int64
	// Field is the key of the field; "" for a problem of the row as a whole.
	Field string
	// Value is the raw text of the cell.
	Value string
	Level intray.Level
	// Code names the broken rule, such as "required" or "email".
	Code string
	// Message says what is wrong and what to do.
	Message intray.Message
}

// String returns the problem in one line of English. The row counts from 1.
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

// Problems returns all problems in the order of the rows. An import whose columns are
// still open, or whose file cannot be read, has none: see [Import.Err].
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

// ProblemsOf returns the problems of a batch of a schema's rows.
func ProblemsOf(schema *intray.Schema, b *intray.Batch) iter.Seq[Problem] {
	return func(yield func(Problem) bool) {
		for _, p := range b.Problems {
			found := Problem{Row: Row{batch: b, at: p.Row}.Index(), Line: b.Lines[p.Row], Level: p.Level, Code: p.Code, Message: p.Text}
			if p.Field != intray.NoField {
				f := &schema.Fields[p.Field]
				found.Field, found.Value = f.Key, rawText(f, b.Fields[p.Field].Raw(p.Row), p.Part)
			}
			if !yield(found) {
				return
			}
		}
	}
}

// rawText returns the text of the cell that a problem is about. A field that several
// columns feed has a JSON array of texts, or nothing where all are empty.
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

// HasRows reports whether rows were read to the end of the pipeline: the columns were
// mapped without a question, and the file could be imported.
func (i *Import) HasRows() bool { return i.staged != nil }

// Batches returns all rows, those with errors too, in batches of the pipeline's own
// form, which is the fastest way to read them. A batch is valid until the iterator goes
// on. There are none where Outcome has open questions about columns or the file cannot
// be read.
func (i *Import) Batches(ctx context.Context) iter.Seq2[*intray.Batch, error] {
	if i.staged == nil {
		return func(func(*intray.Batch, error) bool) {}
	}
	return i.staged.Batches(ctx)
}

// Write writes the result in a format, with the rows that the setting
// invalidDataBehavior keeps, and returns the number of rows written. Where the import
// has no result, it writes nothing and returns the error of [Import.Err].
func (i *Import) Write(ctx context.Context, w io.Writer, format output.Format) (rows int64, err error) {
	if err := i.Err(); err != nil {
		return 0, err
	}
	return output.Write(ctx, w, format, i.Schema, i.Batches(ctx))
}

// Window returns up to n rows from index first on, those with errors too. It returns
// fewer only at the end, and none where there are no rows.
func (i *Import) Window(ctx context.Context, first int64, n int) (*intray.Batch, error) {
	if i.staged == nil {
		return &intray.Batch{First: first}, nil
	}
	return i.staged.Window(ctx, first, n)
}
