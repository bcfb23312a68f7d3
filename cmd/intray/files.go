package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/app"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/all"
)

// unreadable tells what is wrong with a file and gives the status for it.
func unreadable(s streams, name string, err error) error {
	var broken *source.UnreadableError
	var limit *source.LimitError
	if !errors.As(err, &broken) && !errors.As(err, &limit) {
		return err
	}
	fmt.Fprintf(s.err, "intray: %s: %v\n", name, err)
	return exit(exitFailed)
}

// readFlags say how a file is to be read, where that should not be found out.
type readFlags struct {
	Sheet       string `help:"Read the sheet with this name." placeholder:"NAME" xor:"sheet"`
	SheetNumber int    `help:"Read this sheet, counted from 1 in the order of the workbook." placeholder:"N" xor:"sheet"`
	Encoding    string `help:"Read text in this encoding, such as windows-1252." placeholder:"NAME"`
	Delimiter   string `help:"Cells of text are separated by this." placeholder:"TEXT"`
	HeaderRow   int    `help:"The row of the header, counted from 1." placeholder:"N"`
}

func (f readFlags) options() source.Options {
	delimiter := f.Delimiter
	if delimiter == "\\t" || delimiter == "tab" {
		delimiter = "\t"
	}
	return source.Options{Encoding: f.Encoding, Delimiter: delimiter, HeaderRow: f.HeaderRow}
}

// fit refuses what would have no effect on a file of this format.
func (f readFlags) fit(format string) error {
	switch {
	case format != "csv" && f.Encoding != "":
		return usageError{fmt.Errorf("--encoding is for delimited text, and the file is read as %s", format)}
	case format != "csv" && f.Delimiter != "":
		return usageError{fmt.Errorf("--delimiter is for delimited text, and the file is read as %s", format)}
	case format == "json" && f.HeaderRow != 0:
		return usageError{errors.New("--header-row is for tables with rows, and the file is read as json, whose names are its header")}
	}
	return nil
}

// sheet gives the place of the sheet that is asked for.
func (f readFlags) sheet(sheets []source.Sheet) (int, error) {
	if f.SheetNumber != 0 {
		if f.SheetNumber < 0 || f.SheetNumber > len(sheets) {
			return 0, &source.UnreadableError{Reason: fmt.Sprintf("there is no sheet %d: the file has %d", f.SheetNumber, len(sheets))}
		}
		return f.SheetNumber - 1, nil
	}
	if f.Sheet == "" {
		return 0, nil
	}
	var names []string
	for i, s := range sheets {
		if strings.EqualFold(s.Name, f.Sheet) {
			return i, nil
		}
		names = append(names, strconv.Quote(s.Name))
	}
	return 0, &source.UnreadableError{Reason: fmt.Sprintf("there is no sheet %q: the file has %s", f.Sheet, strings.Join(names, ", "))}
}

// openTable opens one table of a file.
func openTable(ctx context.Context, name string, opt source.Options, flags readFlags) (source.Book, source.Reader, func() error, error) {
	in, closeFile, err := app.OpenInput(name)
	if err != nil {
		return nil, nil, nil, err
	}
	book, err := source.Open(ctx, in, all.Formats(), opt)
	if err != nil {
		return nil, nil, nil, errors.Join(err, closeFile())
	}
	err = flags.fit(book.Evidence()[0].Value)
	sheet := 0
	if err == nil {
		sheet, err = flags.sheet(book.Sheets())
	}
	var reader source.Reader
	if err == nil {
		reader, err = book.Open(ctx, sheet)
	}
	if err != nil {
		return nil, nil, nil, errors.Join(err, book.Close(), closeFile())
	}
	return book, reader, func() error { return errors.Join(reader.Close(), book.Close(), closeFile()) }, nil
}

type inspectCommand struct {
	File string `arg:"" help:"The file to look at."`
	readFlags
	JSON bool `name:"json" help:"Write JSON, as is done when the output is no terminal."`
}

// inspected is what inspect says of a file.
type inspected struct {
	File     string            `json:"file"`
	Evidence []inspectedChoice `json:"evidence"`
	Sheets   []string          `json:"sheets"`
	Columns  []inspectedColumn `json:"columns"`
}

type inspectedChoice struct {
	Choice string `json:"choice"`
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

type inspectedColumn struct {
	Index   int      `json:"index"`
	Header  string   `json:"header"`
	Samples []string `json:"samples"`
}

// Run looks at the file.
func (c *inspectCommand) Run(ctx context.Context, s streams) error {
	book, reader, closeAll, err := openTable(ctx, c.File, c.options(), c.readFlags)
	if err != nil {
		return unreadable(s, c.File, err)
	}
	defer func() { _ = closeAll() }() // read only
	found := inspected{File: c.File, Evidence: []inspectedChoice{}, Columns: []inspectedColumn{}}
	for _, e := range append(book.Evidence(), reader.Evidence()...) {
		found.Evidence = append(found.Evidence, inspectedChoice{e.Choice, e.Value, e.Reason})
	}
	for _, sheet := range book.Sheets() {
		found.Sheets = append(found.Sheets, sheet.Name)
	}
	for _, column := range reader.Columns() {
		found.Columns = append(found.Columns, inspectedColumn{column.Index, column.Header, append([]string{}, column.Samples...)})
	}
	if file, ok := s.out.(*os.File); !c.JSON && ok && term.IsTerminal(int(file.Fd())) {
		return found.table(s.out)
	}
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(found)
}

// table writes for a person. What comes from the file is quoted where it has
// characters that would steer a terminal.
func (f inspected) table(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range f.Evidence {
		fmt.Fprintf(table, "%s\t%s\t%s\n", e.Choice, visible(e.Value), visible(e.Reason))
	}
	fmt.Fprintf(table, "\nCOLUMN\tHEADER\tSAMPLES\n")
	for _, column := range f.Columns {
		samples := make([]string, 0, 3)
		for _, sample := range column.Samples[:min(3, len(column.Samples))] {
			samples = append(samples, visible(sample))
		}
		fmt.Fprintf(table, "%d\t%s\t%s\n", column.Index+1, visible(column.Header), strings.Join(samples, " · "))
	}
	return table.Flush()
}

// visible shortens text from a file and quotes it where it is not plain.
func visible(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	quoted := strconv.QuoteToGraphic(text)
	if quoted == `"`+text+`"` {
		return text
	}
	return quoted
}

type convertCommand struct {
	File string `arg:"" help:"The file to read."`
	Out  string `arg:"" help:"The CSV file to write, or - for standard output."`
	readFlags
	Display bool `help:"Write the cells of a workbook as the application shows them, not their values."`
	AsIs    bool `help:"Write every row as found, without looking for a header."`
}

// Run converts the file.
func (c *convertCommand) Run(ctx context.Context, s streams) error {
	opt := c.options()
	opt.AsIs, opt.Typed = c.AsIs, !c.Display
	_, reader, closeAll, err := openTable(ctx, c.File, opt, c.readFlags)
	if errors.Is(err, source.ErrEmpty) {
		return app.WriteFile(c.Out, s.out, func(io.Writer) error { return nil })
	}
	if err != nil {
		return unreadable(s, c.File, err)
	}
	defer func() { _ = closeAll() }() // read only
	err = app.WriteFile(c.Out, s.out, func(w io.Writer) error { return convert(ctx, reader, w, s.err) })
	return unreadable(s, c.File, err)
}

// convert writes all records. A record without a single character is one empty
// cell, which CSV writes as an empty line.
func convert(ctx context.Context, reader source.Reader, to, told io.Writer) error {
	w := csv.NewWriter(to)
	var names []string
	for _, column := range reader.Columns() {
		names = append(names, column.Header)
	}
	if strings.Join(names, "") != "" { // none is invented
		if err := w.Write(names); err != nil {
			return err
		}
	}
	var batch intray.Records
	for {
		err := reader.Next(ctx, &batch)
		for _, n := range batch.Notices {
			fmt.Fprintf(told, "%s: %s\n", n.Level, visibleLong(n.Text))
		}
		if errors.Is(err, io.EOF) {
			w.Flush()
			return w.Error()
		}
		if err != nil {
			return err
		}
		for row := range batch.Len() {
			if err := w.Write(cells(&batch, row)); err != nil {
				return err
			}
		}
	}
}

func cells(batch *intray.Records, row int) []string {
	list := make([]string, batch.NumCells(row))
	for i := range list {
		list[i] = string(batch.Cell(row, i))
	}
	return list
}
