package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/source"
)

// formatFor returns the format of an output file: the value of --format, or the extension of the
// file, or the given format if the file has no extension.
func formatFor(flag, out string, byDefault output.Format) (output.Format, error) {
	name := flag
	if name == "" && out != "-" {
		name = strings.ToLower(strings.TrimPrefix(filepath.Ext(out), "."))
	}
	format, err := output.ParseFormat(cmp.Or(name, string(byDefault)))
	switch {
	case err != nil && flag != "":
		return "", flagError("--format", err)
	case err != nil:
		return "", fmt.Errorf("%s: %w, or select a format with --format", out, err)
	}
	return format, nil
}

// wideRowError reports a row with more cells than the table has columns. The formats with named
// columns have no place for its last cells.
type wideRowError struct {
	line           int64
	cells, columns int
}

func (e *wideRowError) Error() string {
	return fmt.Sprintf("line %d has %d cells, but the table has only %s; convert it to csv, which can contain such rows", e.line, e.cells, pluralize(int64(e.columns), "column"))
}

// convertTo writes all records in a format with named columns. Every value is text.
func convertTo(ctx context.Context, format output.Format, reader source.Reader, to, warnings io.Writer) error {
	_, err := server.WriteRows(ctx, to, format, textSchema(reader.Columns()), textBatches(ctx, reader, warnings))
	return err
}

// writeEmptyTable writes a file without rows and columns. In CSV, it is an empty file.
func writeEmptyTable(ctx context.Context, to io.Writer, format output.Format) error {
	if format == output.CSV {
		return nil
	}
	_, err := server.WriteRows(ctx, to, format, textSchema(nil), func(func(*intray.Batch, error) bool) {})
	return err
}

// textSchema returns a schema with one text field for each column.
func textSchema(columns []intray.Column) *intray.Schema {
	schema := &intray.Schema{Settings: intray.Settings{InvalidDataBehavior: intray.IncludeInvalidValues}}
	used := map[string]bool{}
	for _, column := range columns {
		used[column.Header] = true
	}
	named := map[string]bool{}
	for i, column := range columns {
		key := cmp.Or(column.Header, fmt.Sprintf("column_%d", i+1))
		for n := 2; named[key] || key != column.Header && used[key]; n++ {
			key = fmt.Sprintf("%s_%d", cmp.Or(column.Header, fmt.Sprintf("column_%d", i+1)), n)
		}
		named[key] = true
		schema.Fields = append(schema.Fields, intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: intray.TypeString}})
	}
	return schema
}

// textBatches yields the records of a table as batches with one text field for each column. It
// prints the notices of the reader.
func textBatches(ctx context.Context, reader source.Reader, warnings io.Writer) iter.Seq2[*intray.Batch, error] {
	columns := len(reader.Columns())
	return func(yield func(*intray.Batch, error) bool) {
		var records intray.Records
		var batch intray.Batch
		for {
			err := reader.Next(ctx, &records)
			printNotices(warnings, records.Notices)
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil {
				err = checkWidth(&records, columns)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			batch.Reset(columns)
			batch.First = records.First
			batch.Lines = append(batch.Lines, records.Lines...)
			for column := range columns {
				records.AppendColumn(column, &batch.Fields[column].Values.Texts)
			}
			if !yield(&batch, nil) {
				return
			}
		}
	}
}

// checkWidth returns a wideRowError if a record has text beyond the last column.
func checkWidth(records *intray.Records, columns int) error {
	for row := range records.Len() {
		cells := records.NumCells(row)
		for cells > columns && len(bytes.TrimSpace(records.Cell(row, cells-1))) == 0 {
			cells--
		}
		if cells > columns {
			return &wideRowError{records.Lines[row], cells, columns}
		}
	}
	return nil
}
