package hooks

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// maxFinishRows is the most rows that beforeFinishCallback is given.
const maxFinishRows = 200_000

// Finish calls beforeFinishCallback with the rows of the result. A message that
// is not nil cancels the import. The rows are gone through several times where
// they are many.
func (s *Session) Finish(ctx context.Context, schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (cancel *string, err error) {
	f, err := s.prepareFinish(schema, rows, about)
	if err != nil {
		return nil, err
	}
	var a *jsruntime.Answer
	err = s.withRetry(ctx, schema.Fields, f.info, func(one *workerSlot) error {
		a, err = f.run(ctx, one)
		if err == nil {
			err = checkFinishCommands(a.Commands)
		}
		return err
	})
	if err != nil || !a.Cancelled {
		return nil, err
	}
	return &a.Message, nil
}

// checkFinishCommands refuses what the callback asks of the import: its rows and fields are
// settled by then, and a call without effect must not pass for one that worked.
func checkFinishCommands(commands []jsruntime.Command) error {
	for _, c := range commands {
		if c.Name != "setConfirmationMessage" { // it is for a person at the importer
			return &intray.HookError{Hook: c.Hook, Text: intray.NewMessage("hook.import_settled", intray.Params{"method": c.Name})}
		}
	}
	return nil
}

// finishRun is the last call, with the rows of the result.
type finishRun struct {
	*Session
	schema *intray.Schema
	rows   iter.Seq2[*intray.Batch, error]
	shapes []columnLayout
	call   *jsruntime.FinishCall
	info   callInfo
}

// prepareFinish counts the rows of the result, and takes them into the call, column by
// column, unless they are many.
func (s *Session) prepareFinish(schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (*finishRun, error) {
	shapes, err := columnLayouts(intray.HookRows{Fields: schema.Fields, Parts: make([]int, len(schema.Fields))})
	if err != nil {
		return nil, err
	}
	f := &finishRun{Session: s, schema: schema, rows: rows, shapes: shapes, call: &jsruntime.FinishCall{NewIDs: newRowIDPrefix}}
	for i := range shapes {
		if shapes[i].field.ManyToOne {
			shapes[i].kind, shapes[i].formatOutput = jsruntime.ValueList, nil
		}
		f.call.Keys = append(f.call.Keys, schema.Fields[i].Key)
	}
	if f.call.About, err = json.Marshal(finishMetadata(schema, about)); err != nil {
		return nil, err
	}
	if err := f.collectRows(); err != nil {
		return nil, err
	}
	f.info = callInfo{
		hooks: s.hookNames(jsruntime.HookBeforeFinish), slow: func() intray.Message { return s.slow(f.call.Count) },
		within: func(reason intray.Message) intray.Message {
			return intray.NewMessage("hook.with_result", intray.Params{"reason": reason})
		},
	}
	return f, nil
}

func (f *finishRun) collectRows() error {
	columns := f.newColumns()
	for b, err := range f.rows {
		if err != nil {
			return err
		}
		if f.call.Count += appendResultRows(columns, b, f.schema.Settings.InvalidDataBehavior); f.call.Count > maxFinishRows {
			return &intray.HookError{Hook: "beforeFinishCallback", Text: intray.NewMessage("hook.result_too_long", intray.Params{"limit": maxFinishRows})}
		}
		if f.call.Lazy = needsLazyCall(f.call.Count, len(columns)); f.call.Lazy {
			clear(columns) // they are only counted from here on
		}
	}
	for _, c := range columns {
		if !f.call.Lazy {
			f.call.Values = append(f.call.Values, jsruntime.Cells{Texts: &c.result, Kinds: c.kinds})
		}
	}
	return nil
}

// newColumns are empty columns, one for each field.
func (f *finishRun) newColumns() []*columnBuilder {
	columns := make([]*columnBuilder, len(f.shapes))
	for i := range f.shapes {
		columns[i] = newColumnBuilder(&f.shapes[i])
	}
	return columns
}

// run makes the call; where the rows are many, with the columns that it asks for.
func (f *finishRun) run(ctx context.Context, one *workerSlot) (*jsruntime.Answer, error) {
	budget := f.callBudget(f.call.Count)
	until := time.Now().Add(budget)
	sent := make([]bool, len(f.shapes))
	for {
		f.call.Budget = f.engineBudget(budget)
		a, err := f.callForCommands(ctx, one, f.call, len(f.shapes), budget, f.info)
		if err != nil || len(a.Missed) == 0 {
			return a, err
		}
		if !f.call.Lazy || !markMissed(sent, a.Missed) {
			return nil, errRepeatedColumns
		}
		if err := f.sendColumns(ctx, one, a.Missed); err != nil {
			return nil, err
		}
		f.call.Fresh, budget = true, max(time.Until(until), f.cfg.BatchTimeout/10)
	}
}

// sendColumns sends columns ahead of the call, some rows at a time.
func (f *finishRun) sendColumns(ctx context.Context, one *workerSlot, fields []int) error {
	columns := make([]*columnBuilder, len(f.shapes))
	empty := func() {
		for _, field := range fields {
			columns[field] = newColumnBuilder(&f.shapes[field])
		}
	}
	send := func(from int) error {
		for _, field := range fields {
			c := columns[field]
			column := &jsruntime.Column{Value: jsruntime.Cells{Texts: &c.result, Kinds: c.kinds}}
			pack := &jsruntime.KeepCall{Field: field, Part: -1, From: from, Size: packRows, Column: column, Budget: f.engineBudget(f.cfg.BatchTimeout)}
			if err := f.storePack(ctx, one, pack, f.info); err != nil {
				return err
			}
		}
		empty()
		return nil
	}
	empty()
	n := 0
	for b, err := range f.rows {
		if err != nil {
			return err
		}
		for row := range b.Rows() {
			if !appendResultRow(columns, b, row, f.schema.Settings.InvalidDataBehavior) {
				continue
			}
			if n++; n%packRows == 0 {
				if err := send(n - packRows); err != nil {
					return err
				}
			}
		}
	}
	if n != f.call.Count {
		return fmt.Errorf("the result had %d rows, and then %d", f.call.Count, n)
	}
	if n%packRows == 0 {
		return nil
	}
	return send(n - n%packRows)
}

// appendResultRows adds the rows of a batch that are in the result, and gives their
// number.
func appendResultRows(columns []*columnBuilder, b *intray.Batch, behavior intray.InvalidDataBehavior) (n int) {
	for row := range b.Rows() {
		if appendResultRow(columns, b, row, behavior) {
			n++
		}
	}
	return n
}

// appendResultRow adds a row to the columns that are there, if it is in the result.
func appendResultRow(columns []*columnBuilder, b *intray.Batch, row int, behavior intray.InvalidDataBehavior) bool {
	problems := rowProblems(b, row)
	bad := func(field int) bool {
		return slices.ContainsFunc(problems, func(p intray.Problem) bool { return p.Level == intray.LevelError && (p.Field == field || field < 0) })
	}
	if behavior == intray.RemoveInvalidRows && bad(-1) {
		return false
	}
	for i, c := range columns {
		if c == nil {
			continue
		}
		v, there := b.Fields[i].Value(row)
		raw := b.Fields[i].Raw(row)
		switch wrong := bad(i); {
		case wrong && behavior == intray.IncludeInvalidValues && len(raw) > 0:
			c.appendRaw(raw)
		case wrong, !there:
			c.result.Append(nil)
			c.kinds = append(c.kinds, jsruntime.ValueNull)
		default:
			c.appendResult(v)
		}
	}
	return true
}

// rowProblems are those of a row.
func rowProblems(b *intray.Batch, row int) []intray.Problem {
	from, _ := slices.BinarySearchFunc(b.Problems, row, compareProblemRow)
	to, _ := slices.BinarySearchFunc(b.Problems, row+1, compareProblemRow)
	return b.Problems[from:to]
}

// finishMetadata is what the callback is told of the import.
func finishMetadata(schema *intray.Schema, about intray.FinishCall) any {
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
	var id *string
	if about.ID != "" {
		id = &about.ID
	}
	return map[string]any{
		"id": id, "user": json.RawMessage(about.User), "filename": about.Filename,
		"rawHeaders": append([]string{}, about.Headers...), "fields": fields,
		"importIdentifier": schema.Settings.ImportIdentifier, "rowsWithError": append([]int64{}, about.RowsWithError...),
		"errors": validationErrors(about.Notices),
	}
}

// validationErrors are the errors of cells and rows.
func validationErrors(notices []intray.Notice) []any {
	list := []any{}
	for _, n := range notices {
		if n.Type != intray.Validation || n.Level != intray.LevelError {
			continue
		}
		one := map[string]any{"rowIndex": n.Row, "fieldKey": nil, "message": n.Text.String(), "value": n.Value}
		if n.Field != "" {
			one["fieldKey"] = n.Field
		}
		if n.Part != nil {
			one["manyToOneIndex"] = n.Part
		}
		list = append(list, one)
	}
	return list
}
