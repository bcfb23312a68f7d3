package script

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

// finishRows is the most rows that beforeFinishCallback is given.
const finishRows = 200_000

// Finish calls beforeFinishCallback with the rows of the result. A message that
// is not nil cancels the import.
func (s *Session) Finish(ctx context.Context, schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.Finish) (cancel *string, err error) {
	request, err := s.finishCall(schema, rows, about)
	if err != nil {
		return nil, err
	}
	one, err := s.take(ctx, schema.Fields)
	if err != nil {
		return nil, err
	}
	a, err := s.call(ctx, one, request, realm.Bounds{Parts: make([]int, len(schema.Fields))}, s.budget(request.Count))
	if err == nil {
		s.learnTimes(a)
		if a.Failure != nil {
			err = hookError(a.Failure)
		} else {
			err = tooLate(a.Commands)
		}
	}
	if err != nil {
		s.drop(one)
		return nil, broken(ctx, err, "beforeFinishCallback", "with all rows of the result")
	}
	s.give(one)
	if a.Cancelled {
		return &a.Message, nil
	}
	return nil, nil
}

// tooLate refuses what the callback asks of the import: its rows and fields are
// settled by then, and a call without effect must not pass for one that worked.
func tooLate(commands []realm.Command) error {
	for _, c := range commands {
		if c.Name != "setConfirmationMessage" { // it is for a person at the importer
			return &intray.HookError{Hook: c.Hook, Text: c.Name + ": the import is settled by now; do this in a step hook"}
		}
	}
	return nil
}

// finishCall gathers the rows of the result, column by column.
func (s *Session) finishCall(schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.Finish) (*realm.FinishCall, error) {
	shapes, err := shapesOf(intray.HookRows{Fields: schema.Fields, Parts: make([]int, len(schema.Fields))})
	if err != nil {
		return nil, err
	}
	columns := make([]*cells, len(shapes))
	for i := range shapes {
		if shapes[i].field.ManyToOne {
			shapes[i].kind, shapes[i].write = realm.ValueList, nil
		}
		columns[i] = newCells(&shapes[i])
	}
	call := &realm.FinishCall{NewIDs: newIDs}
	for b, err := range rows {
		if err != nil {
			return nil, err
		}
		if call.Count += gatherResult(columns, b, schema.Settings.InvalidDataBehavior); call.Count > finishRows {
			return nil, &intray.HookError{Hook: "beforeFinishCallback", Text: fmt.Sprintf(
				"the result has more than %d rows, and that is the most that it is given. Divide the file, or do without it.", finishRows)}
		}
	}
	for i, c := range columns {
		call.Keys = append(call.Keys, schema.Fields[i].Key)
		call.Values = append(call.Values, realm.Cells{Texts: &c.result, Kinds: c.kinds})
	}
	call.Budget = s.inside(s.budget(call.Count))
	call.About, err = json.Marshal(finishAbout(schema, about))
	return call, err
}

// gatherResult adds the rows of a batch that are in the result, and gives their
// number.
func gatherResult(columns []*cells, b *intray.Batch, behavior intray.InvalidDataBehavior) (n int) {
	next := 0
	for row := range b.Rows() {
		bad := map[int]bool{}
		failed := false
		for ; next < len(b.Problems) && b.Problems[next].Row == row; next++ {
			if p := b.Problems[next]; p.Level == intray.LevelError {
				bad[p.Field], failed = true, true
			}
		}
		if failed && behavior == intray.RemoveInvalidRows {
			continue
		}
		n++
		for i, c := range columns {
			v, there := b.Fields[i].Value(row)
			raw := b.Fields[i].Raw(row)
			switch {
			case bad[i] && behavior == intray.IncludeInvalidValues && len(raw) > 0:
				c.addRaw(raw)
			case bad[i], !there:
				c.result.Append(nil)
				c.kinds = append(c.kinds, realm.ValueNull)
			default:
				c.addResult(v)
			}
		}
	}
	return n
}

// finishAbout is what the callback is told of the import.
func finishAbout(schema *intray.Schema, about intray.Finish) any {
	fields := map[string]any{}
	for i, f := range schema.Fields {
		m := about.Mapping.Fields[i]
		one := map[string]any{"fileHeader": nil, "fileHeaderIndex": nil, "isCustom": false, "manyToOne": f.ManyToOne}
		switch {
		case f.ManyToOne:
			headers := []string{}
			for _, c := range m.Columns {
				headers = append(headers, about.Headers[c])
			}
			one["fileHeaders"], one["fileHeaderIndexes"] = headers, append([]int{}, m.Columns...)
		case m.Column != intray.NoColumn:
			one["fileHeader"], one["fileHeaderIndex"] = m.Header, m.Column
		}
		fields[f.Key] = one
	}
	return map[string]any{
		"filename": about.Filename, "rawHeaders": append([]string{}, about.Headers...), "fields": fields,
		"importIdentifier": schema.Settings.ImportIdentifier, "rowsWithError": append([]int64{}, about.RowsWithError...),
	}
}
