package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

type inspectCommand struct {
	File string `arg:"" help:"The file to look at."`
	readFlags
	JSON bool `name:"json" help:"Write JSON, as is done when the output is no terminal."`
}

// inspectResult is what inspect says of a file: of the whole of it, and of each
// sheet or the one that was asked for.
type inspectResult struct {
	File     string            `json:"file"`
	Evidence []inspectedChoice `json:"evidence"`
	Sheets   []inspectedSheet  `json:"sheets"`
}

type inspectedChoice struct {
	Choice       string                 `json:"choice"`
	Value        string                 `json:"value"`
	Reason       string                 `json:"reason"`
	Tie          bool                   `json:"tie,omitempty"`
	Alternatives []inspectedAlternative `json:"rivals,omitempty"`
}

type inspectedAlternative struct {
	Value    string   `json:"value"`
	Reason   string   `json:"reason"`
	Examples []string `json:"examples,omitempty"`
}

type inspectedSheet struct {
	// Number counts from 1.
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

// Run looks at the file.
func (c *inspectCommand) Run(ctx context.Context, s streams) error {
	book, closeAll, err := openBook(ctx, c.File, c.options(), c.readFlags)
	if err != nil {
		return unreadable(s, c.File, err)
	}
	defer func() { _ = closeAll() }() // read only
	found := inspectResult{File: c.File, Evidence: wireChoices(book.Evidence())}
	if found.Sheets, err = c.sheets(ctx, book); err != nil {
		return unreadable(s, c.File, err)
	}
	if !c.JSON && isTerminal(s.out) {
		return found.writeTable(s.out)
	}
	return writeJSON(s.out, found)
}

// sheets looks at the sheet that was asked for, or at all.
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

func wireChoices(evidence []intray.Evidence) []inspectedChoice {
	list := []inspectedChoice{}
	for _, e := range evidence {
		c := inspectedChoice{Choice: e.Choice, Value: e.Value, Reason: e.Reason.String(), Tie: e.Tie}
		for _, r := range e.Alternatives {
			c.Alternatives = append(c.Alternatives, inspectedAlternative{r.Value, r.Reason.String(), r.Examples})
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

// kindNames are what a column is called whose cells are mostly of a kind.
var kindNames = [headerdetect.Kinds]string{
	headerdetect.Empty: "empty", headerdetect.Integer: "integer", headerdetect.Number: "number", headerdetect.Date: "date", headerdetect.Time: "time",
	headerdetect.Flag: "boolean", headerdetect.Email: "email", headerdetect.Link: "url", headerdetect.Code: "code", headerdetect.Text: "text",
}

// columnType says what the cells of a column look like, and how many of them do.
// A column of several kinds is text; integers among numbers are numbers.
func columnType(samples []string) (name, reason string) {
	var counts [headerdetect.Kinds]int
	filled := 0
	for _, s := range samples {
		if kind := headerdetect.KindOf(s); kind != headerdetect.Empty {
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

// writeTable writes for a person. What comes from the file is quoted where it has
// characters that would steer a terminal.
func (f inspectResult) writeTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	writeChoices(t, f.Evidence)
	for _, sheet := range f.Sheets {
		if len(f.Sheets) > 1 || sheet.Name != "" {
			hidden := ""
			if sheet.Hidden {
				hidden = " (hidden)"
			}
			fmt.Fprintf(t, "\nSHEET %d\t%s%s\n", sheet.Number, visible(sheet.Name), hidden)
		}
		writeChoices(t, sheet.Evidence)
		fmt.Fprintf(t, "\nCOLUMN\tHEADER\tTYPE\tSAMPLES\n")
		for _, column := range sheet.Columns {
			samples := make([]string, 0, 3)
			for _, sample := range column.Samples[:min(3, len(column.Samples))] {
				samples = append(samples, visible(sample))
			}
			fmt.Fprintf(t, "%d\t%s\t%s\t%s\n", column.Index+1, visible(column.Header), column.Type, strings.Join(samples, " · "))
		}
	}
	return t.Flush()
}

func writeChoices(w io.Writer, list []inspectedChoice) {
	for _, e := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\n", e.Choice, visible(e.Value), visibleLong(e.Reason))
		for _, r := range e.Alternatives {
			fmt.Fprintf(w, "  or\t%s\t%s\n", visible(r.Value), visibleLong(r.Reason))
		}
	}
}
