package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype/number"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

type inspectCommand struct {
	File string `arg:"" help:"File to inspect, or - for standard input."`
	readFlags
	reportFlags
}

// inspectResult describes a file and its sheets, or only the selected sheet.
type inspectResult struct {
	File     string            `json:"file"`
	Evidence []inspectedChoice `json:"evidence"`
	Sheets   []inspectedSheet  `json:"sheets"`
}

// inspectedChoice is a choice that Intray made when it read a file. Its reasons are
// English text without message codes.
type inspectedChoice struct {
	Choice string `json:"choice"`
	wire.Evidence
	Tie          bool                   `json:"tie,omitempty"`
	Alternatives []inspectedAlternative `json:"rivals,omitempty"`
}

type inspectedAlternative struct {
	wire.Evidence
	Examples []string `json:"examples,omitempty"`
}

type inspectedSheet struct {
	// Number is the number of the sheet, counted from 1.
	Number   int               `json:"number"`
	Name     string            `json:"name"`
	Hidden   bool              `json:"hidden"`
	Evidence []inspectedChoice `json:"evidence"`
	Columns  []inspectedColumn `json:"columns"`
}

type inspectedColumn struct {
	Index   int      `json:"index"`
	Header  string   `json:"header"`
	Type    string   `json:"type"`
	Reason  string   `json:"reason"`
	Samples []string `json:"samples"`
}

// Run describes the file.
func (c *inspectCommand) Run(ctx context.Context, s streams) (err error) {
	in, closeFile, err := s.openInput(ctx, c.File)
	if err != nil {
		return err
	}
	book, closeAll, err := openBook(ctx, in, closeFile, c.options(), c.readFlags)
	if err != nil {
		return unreadable(s, c.File, err)
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	found := inspectResult{File: c.File, Evidence: wireChoices(book.Evidence())}
	if found.Sheets, err = c.sheets(ctx, book); err != nil {
		return unreadable(s, c.File, err)
	}
	return c.write(s.out, found, found.writeTables)
}

// sheets returns a description of the selected sheet, or of all sheets if none is selected.
func (c *inspectCommand) sheets(ctx context.Context, book source.Book) ([]inspectedSheet, error) {
	sheets := book.Sheets()
	from, to := 0, len(sheets)
	if c.Sheet != "" || c.SheetNumber != 0 {
		one, err := c.sheetIndex(sheets)
		if err != nil {
			return nil, err
		}
		from, to = one, one+1
	}
	var found []inspectedSheet
	for i := from; i < to; i++ {
		reader, err := book.Open(ctx, i)
		if err != nil {
			return nil, err
		}
		sheet := inspectedSheet{
			Number: i + 1, Name: sheets[i].Name, Hidden: sheets[i].Hidden,
			Evidence: wireChoices(reader.Evidence()), Columns: inspectColumns(reader.Columns()),
		}
		if err := reader.Close(); err != nil {
			return nil, err
		}
		found = append(found, sheet)
	}
	return found, nil
}

func wireChoices(choices []intray.Evidence) []inspectedChoice {
	list := []inspectedChoice{}
	evidence := func(value string, reason intray.Message) wire.Evidence {
		return wire.Evidence{Value: value, Reason: wire.Reason{Text: reason.String()}}
	}
	for _, e := range choices {
		c := inspectedChoice{Choice: e.Choice, Evidence: evidence(e.Value, e.Reason), Tie: e.Tie}
		for _, a := range e.Alternatives {
			c.Alternatives = append(c.Alternatives, inspectedAlternative{evidence(a.Value, a.Reason), a.Examples})
		}
		list = append(list, c)
	}
	return list
}

func inspectColumns(columns []intray.Column) []inspectedColumn {
	list := []inspectedColumn{}
	for _, c := range columns {
		kind, reason := columnType(c.Samples)
		list = append(list, inspectedColumn{c.Index, c.Header, kind, reason, append([]string{}, c.Samples...)})
	}
	return list
}

// kindNames maps each kind of cell to the name of a column type.
var kindNames = [headerdetect.Kinds]string{
	headerdetect.Empty: "empty", headerdetect.Integer: "integer", headerdetect.Number: "number", headerdetect.Date: "date", headerdetect.Time: "time",
	headerdetect.Flag: "boolean", headerdetect.Email: "email", headerdetect.Link: "url", headerdetect.Code: "code", headerdetect.Text: "text",
}

// columnType returns the type of a column and the reason for that type. If no kind accounts for
// at least 90% of the nonblank cells, the type is text. Integers count as numbers if the column
// also contains other numbers.
func columnType(samples []string) (name, reason string) {
	var counts [headerdetect.Kinds]int
	filled := 0
	for _, s := range samples {
		if kind := kindOf(s); kind != headerdetect.Empty {
			counts[kind]++
			filled++
		}
	}
	if counts[headerdetect.Number] > 0 {
		counts[headerdetect.Number] += counts[headerdetect.Integer]
	}
	best := headerdetect.Empty
	for kind, n := range counts {
		if n > counts[best] {
			best = headerdetect.Kind(kind)
		}
	}
	switch {
	case filled == 0:
		return kindNames[headerdetect.Empty], "no cell of the sample has a value"
	case best != headerdetect.Text && 10*counts[best] < 9*filled:
		return kindNames[headerdetect.Text], fmt.Sprintf("the %d cells of the sample are of several kinds", filled)
	}
	return kindNames[best], fmt.Sprintf("%d of %d cells of the sample", counts[best], filled)
}

// kindOf is headerdetect.KindOf, but also recognizes the numbers that only package number reads,
// such as 3.824,73- with the sign at the end or 12.– without cents. Header detection does not
// count these, because a heading can look like one.
func kindOf(cell string) headerdetect.Kind {
	kind := headerdetect.KindOf(cell)
	if kind != headerdetect.Text && kind != headerdetect.Code {
		return kind
	}
	for _, decimal := range []number.Sign{number.Point, number.Comma} {
		if _, reading := (number.Style{Decimal: decimal}).Append(nil, []byte(cell)); reading.Reason == number.Read {
			return headerdetect.Number
		}
	}
	return kind
}

// writeTables prints the result for people. Text from the file is quoted if it contains
// characters that would control a terminal.
func (f inspectResult) writeTables(w io.Writer) error {
	limit, colors := terminalWidth(w), colorsOf(w)
	named := len(f.Sheets) > 1 || len(f.Sheets) == 1 && f.Sheets[0].Name != ""
	if named {
		if err := choiceTable(f.Evidence).write(w, limit, colors); err != nil {
			return err
		}
	}
	for _, sheet := range f.Sheets {
		choices := sheet.Evidence
		if !named {
			choices = slices.Concat(f.Evidence, choices)
		} else {
			hidden := ""
			if sheet.Hidden {
				hidden = " (hidden)"
			}
			fmt.Fprintln(w, colors.bold(fmt.Sprintf("\nSHEET %d  %s%s", sheet.Number, visible(sheet.Name), hidden)))
		}
		if err := choiceTable(choices).write(w, limit, colors); err != nil {
			return err
		}
		fmt.Fprintln(w)
		columns := table{header: true}
		columns.append("COLUMN", "HEADER", "TYPE", "SAMPLES")
		for _, column := range sheet.Columns {
			samples := make([]string, 0, 3)
			for _, sample := range column.Samples[:min(3, len(column.Samples))] {
				samples = append(samples, visible(sample))
			}
			columns.append(strconv.Itoa(column.Index+1), visible(column.Header), column.Type, strings.Join(samples, " · "))
		}
		if err := columns.write(w, limit, colors); err != nil {
			return err
		}
	}
	return nil
}

func choiceTable(list []inspectedChoice) *table {
	t := &table{}
	for _, e := range list {
		t.append(e.Choice, visible(e.Value), visibleLong(e.Text))
		for _, a := range e.Alternatives {
			t.append("  or", visible(a.Value), visibleLong(a.Text))
		}
	}
	return t
}
