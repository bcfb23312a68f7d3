package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/source"
)

// header is which row the schema takes for the header, where the file alone
// leaves it open.
type header struct {
	row    string
	reason string
}

// headerBySchema looks whether the rows that could be the header name fields of
// the schema: the one that names more of them is it. Where they name as many the
// header stays open, and row is "".
func headerBySchema(ctx context.Context, fields []intray.Field, reader source.Reader) (h header, err error) {
	at := slices.IndexFunc(reader.Evidence(), func(e intray.Evidence) bool { return e.Choice == "header row" && e.Tie })
	if at < 0 {
		return h, nil
	}
	e := reader.Evidence()[at]
	var names []string
	for _, c := range reader.Columns() {
		names = append(names, c.Header)
	}
	rows := append([]intray.Choice{{Value: e.Value, Examples: names}}, e.Rivals...)
	most, second := 0, 0
	for _, row := range rows {
		n, err := named(ctx, fields, row)
		if err != nil {
			return h, err
		}
		switch {
		case n > most:
			most, second = n, most
			h = header{row.Value, fmt.Sprintf("it names %s of the schema", counted(n, "field"))}
		case n > second:
			second = n
		}
	}
	if most == second {
		return header{}, nil
	}
	return h, nil
}

// named counts the fields that a row names, if it is the header.
func named(ctx context.Context, fields []intray.Field, row intray.Choice) (n int, err error) {
	if row.Value == intray.NoAnswer {
		return 0, nil
	}
	columns := make([]intray.Column, len(row.Examples))
	for i, name := range row.Examples {
		columns[i] = intray.Column{Index: i, Header: name}
	}
	m, questions, err := mapping.Suggest(ctx, fields, columns)
	for _, match := range m.Fields {
		if match.Column != intray.NoColumn {
			n++
		}
	}
	for _, q := range questions {
		if len(q.Columns) > 0 {
			n++ // it is named, and more than once
		}
	}
	return n, err
}

// takeHeader tells in the evidence why the header is where it is.
func (o *Outcome) takeHeader(h header) {
	for i := range o.Evidence {
		if e := &o.Evidence[i]; e.Choice == "header row" {
			e.Value, e.Reason, e.Tie = h.row, h.reason, false
		}
	}
}

// with adds an answer.
func with(answers intray.Answers, id, value string) intray.Answers {
	more := maps.Clone(answers)
	if more == nil {
		more = intray.Answers{}
	}
	more[id] = value
	return more
}

// headerRow is the row that a reader takes for the header.
func headerRow(reader source.Reader) string {
	for _, e := range reader.Evidence() {
		if e.Choice == "header row" {
			return e.Value
		}
	}
	return ""
}
