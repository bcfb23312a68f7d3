package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// unreadable reports why a file is unreadable and returns the exit status. It
// returns other errors unchanged.
func unreadable(s streams, name string, err error) error {
	var broken *source.UnreadableError
	var limit *source.LimitError
	var wide *wideRowError
	if !errors.As(err, &broken) && !errors.As(err, &limit) && !errors.As(err, &wide) {
		return err
	}
	fmt.Fprintf(s.err, "intray: %s: %v\n", inputName(name), err)
	return exit(exitFailed)
}

// readFlags are the flags that override what Intray detects about a file.
type readFlags struct {
	Sheet           string `help:"Read the sheet with this name." placeholder:"NAME" xor:"sheet"`
	SheetNumber     int    `help:"Read the sheet with this number, counted from 1 in the order of the workbook." placeholder:"N" xor:"sheet"`
	Encoding        string `help:"Read text in this encoding, such as windows-1252." placeholder:"NAME"`
	Delimiter       string `help:"Split lines of text into cells at this separator." placeholder:"TEXT"`
	ColumnStarts    string `help:"Split lines of text into columns that start at these characters, counted from 1, such as 1,11,25." placeholder:"LIST"`
	MisplacedQuotes string `help:"Read quotation marks around lines that look like rows as quotes, which keeps the lines in one cell, or as text." enum:"quotes,text," default:"" placeholder:"HOW"`
	HeaderRow       int    `help:"Use this row as the header, counted from 1." placeholder:"N"`
	FillMerged      bool   `help:"Write the value of merged cells into each of them, instead of only the first."`
}

func (f readFlags) options() source.Options {
	delimiter := f.Delimiter
	if delimiter == "\\t" || delimiter == "tab" {
		delimiter = "\t"
	}
	return source.Options{Encoding: f.Encoding, Delimiter: delimiter, ColumnStarts: f.ColumnStarts, HeaderRow: f.HeaderRow, MisplacedQuotes: f.MisplacedQuotes, FillMerged: f.FillMerged}
}

// formatOf returns the format of a file. If the file is an archive with one member,
// it returns the format of the member.
func formatOf(book source.Book) (format string) {
	for _, e := range book.Evidence() {
		if e.Choice == "format" {
			format = e.Value
		}
	}
	return format
}

// checkFormat rejects flags that have no effect on files of the given format, and invalid column
// starts. It accepts all flags for an archive, whose members can have any format.
func (f readFlags) checkFormat(format string) error {
	if _, ok := intray.ParseColumnStarts(f.ColumnStarts); !ok && f.ColumnStarts != "" && f.ColumnStarts != source.NoColumnStarts {
		return usageError{fmt.Errorf("--column-starts %s: enter at least two positions in ascending order, such as 1,11,25, or none", plainOrQuoted(f.ColumnStarts))}
	}
	switch {
	case format == "archive":
		return nil
	case f.Encoding != "" && !slices.Contains([]string{"csv", "html", "xmlss"}, format):
		return usageError{fmt.Errorf("--encoding applies to text, but the format of the file is %s", format)}
	case f.FillMerged && !slices.Contains([]string{"xlsx", "xlsb", "xls", "ods", "html", "xmlss"}, format):
		return usageError{fmt.Errorf("--fill-merged applies to tables with merged cells, but the format of the file is %s", format)}
	case format != "csv" && f.Delimiter != "":
		return usageError{fmt.Errorf("--delimiter applies to delimited text, but the format of the file is %s", format)}
	case format != "csv" && f.MisplacedQuotes != "":
		return usageError{fmt.Errorf("--misplaced-quotes applies to delimited text, but the format of the file is %s", format)}
	case format != "csv" && f.ColumnStarts != "":
		return usageError{fmt.Errorf("--column-starts applies to text, but the format of the file is %s", format)}
	case (format == "json" || format == "parquet") && f.HeaderRow != 0:
		return usageError{fmt.Errorf("--header-row does not apply: the header of a %s file is its field names", format)}
	}
	return nil
}

// sheetIndex returns the index of the sheet selected by the flags.
func (f readFlags) sheetIndex(sheets []source.Sheet) (int, error) {
	if f.SheetNumber != 0 {
		if f.SheetNumber < 0 || f.SheetNumber > len(sheets) {
			return 0, &source.UnreadableError{Reason: intray.NewMessage("sheet.number_not_found", intray.Params{"number": f.SheetNumber, "n": len(sheets)})}
		}
		return f.SheetNumber - 1, nil
	}
	if f.Sheet == "" {
		return 0, nil
	}
	names := make([]intray.Message, 0, len(sheets))
	for i, s := range sheets {
		if strings.EqualFold(s.Name, f.Sheet) {
			return i, nil
		}
		names = append(names, intray.NewMessage("text.quoted", intray.Params{"text": s.Name}))
	}
	return 0, &source.UnreadableError{Reason: intray.NewMessage("sheet.name_not_found", intray.Params{"sheet": f.Sheet, "sheets": names})}
}

// openBook opens the tables of a file. The returned function closes them and the file.
func openBook(ctx context.Context, in source.Input, closeFile func() error, opt source.Options, flags readFlags) (source.Book, func() error, error) {
	book, err := source.Open(ctx, in, formats.Formats(""), opt)
	if err != nil {
		return nil, nil, errors.Join(err, closeFile())
	}
	closeAll := func() error { return errors.Join(book.Close(), closeFile()) }
	if err := flags.checkFormat(formatOf(book)); err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	return book, closeAll, nil
}

// openTable opens one table of a file. The returned function closes the file.
func openTable(ctx context.Context, in source.Input, closeFile func() error, opt source.Options, flags readFlags, warnings io.Writer) (source.Reader, func() error, error) {
	book, closeBook, err := openBook(ctx, in, closeFile, opt, flags)
	if err != nil {
		return nil, nil, err
	}
	sheet, err := flags.sheetIndex(book.Sheets())
	var reader source.Reader
	if err == nil {
		reader, err = book.Open(ctx, sheet)
	}
	if err != nil {
		return nil, nil, errors.Join(err, closeBook())
	}
	if sheets := book.Sheets(); len(sheets) > 1 && flags.Sheet == "" && flags.SheetNumber == 0 {
		fmt.Fprintf(warnings, "%s: the file has %d sheets; using the first, %s (use --sheet or --sheet-number to choose another)\n", colorsOf(warnings).level(intray.LevelWarning), len(sheets), visible(sheets[0].Name))
	}
	printAmbiguities(warnings, append(book.Evidence(), reader.Evidence()...))
	return reader, func() error { return errors.Join(reader.Close(), closeBook()) }, nil
}

// printAmbiguities warns about choices that had equally good alternatives.
func printAmbiguities(w io.Writer, evidence []intray.Evidence) {
	for _, e := range evidence {
		if !e.Tie {
			continue
		}
		fmt.Fprintf(w, "%s: the %s is uncertain: using %s (%s)", colorsOf(w).level(intray.LevelWarning), e.Choice, plainOrQuoted(e.Value), visibleLong(e.Reason.String()))
		for _, r := range e.Alternatives {
			if r.Value == e.Value {
				continue
			}
			fmt.Fprintf(w, "; or %s (%s)", plainOrQuoted(r.Value), visibleLong(r.Reason.String()))
		}
		fmt.Fprintln(w)
	}
}

type convertCommand struct {
	File string `arg:"" help:"File to read, or - for standard input."`
	Out  string `arg:"" help:"File to write, or - for standard output."`
	readFlags
	Format  string `help:"Format of the output: csv, json, ndjson, xlsx or parquet. Default: the extension of the output file, or csv." env:"INTRAY_CONVERT_FORMAT" placeholder:"FORMAT"`
	Display bool   `help:"Write the cells of a workbook as the application displays them, instead of their values."`
	AsIs    bool   `help:"Write every row as found, without looking for a header."`
}

// Help returns the text that --help prints after the flags.
func (convertCommand) Help() string {
	return `Values remain text in every format. CSV has a header line only if the table has one.
The other formats need a name for each column: a column without a name is called
column_N, and a repeated name gets a number.

Exit status: 0 the output was written, 4 the file cannot be converted, 2 invalid
arguments.`
}

// Run converts the file.
func (c *convertCommand) Run(ctx context.Context, s streams) (err error) {
	format, err := formatFor(c.Format, c.Out, output.CSV)
	if err != nil {
		return usageError{err}
	}
	if c.AsIs && format != output.CSV {
		return usageError{fmt.Errorf("--as-is cannot be used with the format %s, which needs a header; use csv", format)}
	}
	opt := c.options()
	opt.AsIs, opt.Typed = c.AsIs, !c.Display
	in, closeFile, err := s.openInput(ctx, c.File)
	if err != nil {
		return err
	}
	tracked, fraction := server.TrackReads(in)
	reader, closeAll, err := openTable(ctx, tracked, closeFile, opt, c.readFlags, s.err)
	if errors.Is(err, source.ErrEmpty) {
		return server.WriteFile(c.Out, s.out, func(w io.Writer) error { return writeEmptyTable(ctx, w, format) })
	}
	if err != nil {
		return unreadable(s, c.File, err)
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	if show := progress(s.err); show != nil {
		reader = &progressReader{Reader: reader, w: s.err, fraction: fraction, show: show}
	}
	err = server.WriteFile(c.Out, s.out, func(w io.Writer) error {
		if format == output.CSV {
			return convertToCSV(ctx, reader, w, s.err)
		}
		return convertTo(ctx, format, reader, w, s.err)
	})
	return unreadable(s, c.File, err)
}

// convertToCSV writes all records as CSV. A record without any characters becomes one
// empty cell, which is written as an empty line.
func convertToCSV(ctx context.Context, reader source.Reader, to, warnings io.Writer) error {
	w := csv.NewWriter(to)
	names := make([]string, 0, len(reader.Columns()))
	for _, column := range reader.Columns() {
		names = append(names, column.Header)
	}
	if strings.Join(names, "") != "" { // do not invent a header
		if err := w.Write(names); err != nil {
			return err
		}
	}
	var batch intray.Records
	for {
		err := reader.Next(ctx, &batch)
		printNotices(warnings, batch.Notices)
		if errors.Is(err, io.EOF) {
			w.Flush()
			return w.Error()
		}
		if err != nil {
			return err
		}
		for row := range batch.Len() {
			if err := w.Write(rowCells(&batch, row)); err != nil {
				return err
			}
		}
	}
}

func printNotices(w io.Writer, notices []intray.Notice) {
	for _, n := range notices {
		fmt.Fprintf(w, "%s: %s\n", colorsOf(w).level(n.Level), visibleLong(n.Text.String()))
	}
}

func rowCells(batch *intray.Records, row int) []string {
	list := make([]string, batch.NumCells(row))
	for i := range list {
		list[i] = string(batch.Cell(row, i))
	}
	return list
}
