package script

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/script/realm"
)

// finishRows is the most rows that beforeFinishCallback is given.
const finishRows = 200_000

// Finish calls beforeFinishCallback with the rows of the result. A message that
// is not nil cancels the import. The rows are gone through several times where
// they are many.
func (s *Session) Finish(ctx context.Context, schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.Finish) (cancel *string, err error) {
	f, err := s.gather(schema, rows, about)
	if err != nil {
		return nil, err
	}
	var a *realm.Answer
	err = s.retried(ctx, schema.Fields, f.c, func(one *seat) error {
		a, err = f.run(ctx, one)
		if err == nil {
			err = tooLate(a.Commands)
		}
		return err
	})
	if err != nil || !a.Cancelled {
		return nil, err
	}
	return &a.Message, nil
}

// tooLate refuses what the callback asks of the import: its rows and fields are
// settled by then, and a call without effect must not pass for one that worked.
func tooLate(commands []realm.Command) error {
	for _, c := range commands {
		if c.Name != "setConfirmationMessage" { // it is for a person at the importer
			return &intray.HookError{Hook: c.Hook, Text: intray.NewMessage("hook.import_settled", intray.Params{"method": c.Name})}
		}
	}
	return nil
}

// finishing is the last call, with the rows of the result.
type finishing struct {
	*Session
	schema *intray.Schema
	rows   iter.Seq2[*intray.Batch, error]
	shapes []shape
	call   *realm.FinishCall
	c      circumstance
}

// gather counts the rows of the result, and takes them into the call, column by
// column, unless they are many.
func (s *Session) gather(schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.Finish) (*finishing, error) {
	shapes, err := shapesOf(intray.HookRows{Fields: schema.Fields, Parts: make([]int, len(schema.Fields))})
	if err != nil {
		return nil, err
	}
	f := &finishing{Session: s, schema: schema, rows: rows, shapes: shapes, call: &realm.FinishCall{NewIDs: newIDs}}
	for i := range shapes {
		if shapes[i].field.ManyToOne {
			shapes[i].kind, shapes[i].write = realm.ValueList, nil
		}
		f.call.Keys = append(f.call.Keys, schema.Fields[i].Key)
	}
	if f.call.About, err = json.Marshal(finishAbout(schema, about)); err != nil {
		return nil, err
	}
	if err := f.count(); err != nil {
		return nil, err
	}
	f.c = circumstance{
		hooks: s.namesOf(realm.HookBeforeFinish), slow: func() intray.Message { return s.slow(f.call.Count) },
		within: func(reason intray.Message) intray.Message {
			return intray.NewMessage("hook.with_result", intray.Params{"reason": reason})
		},
	}
	return f, nil
}

func (f *finishing) count() error {
	columns := f.all()
	for b, err := range f.rows {
		if err != nil {
			return err
		}
		if f.call.Count += gatherResult(columns, b, f.schema.Settings.InvalidDataBehavior); f.call.Count > finishRows {
			return &intray.HookError{Hook: "beforeFinishCallback", Text: intray.NewMessage("hook.result_too_long", intray.Params{"limit": finishRows})}
		}
		if f.call.Lazy = isLarge(f.call.Count, len(columns)); f.call.Lazy {
			clear(columns) // they are only counted from here on
		}
	}
	for _, c := range columns {
		if !f.call.Lazy {
			f.call.Values = append(f.call.Values, realm.Cells{Texts: &c.result, Kinds: c.kinds})
		}
	}
	return nil
}

// all are empty columns, one for each field.
func (f *finishing) all() []*cells {
	columns := make([]*cells, len(f.shapes))
	for i := range f.shapes {
		columns[i] = newCells(&f.shapes[i])
	}
	return columns
}

// run makes the call; where the rows are many, with the columns that it asks for.
func (f *finishing) run(ctx context.Context, one *seat) (*realm.Answer, error) {
	budget := f.budget(f.call.Count)
	until := time.Now().Add(budget)
	sent := make([]bool, len(f.shapes))
	for {
		f.call.Budget = f.inside(budget)
		a, err := f.told(ctx, one, f.call, len(f.shapes), budget, f.c)
		if err != nil || len(a.Missed) == 0 {
			return a, err
		}
		if !f.call.Lazy || !anyNew(sent, a.Missed) {
			return nil, errAgain
		}
		if err := f.keep(ctx, one, a.Missed); err != nil {
			return nil, err
		}
		f.call.Fresh, budget = true, max(time.Until(until), f.cfg.Batch/10)
	}
}

// keep sends columns ahead of the call, some rows at a time.
func (f *finishing) keep(ctx context.Context, one *seat, fields []int) error {
	columns := make([]*cells, len(f.shapes))
	empty := func() {
		for _, field := range fields {
			columns[field] = newCells(&f.shapes[field])
		}
	}
	send := func(from int) error {
		for _, field := range fields {
			c := columns[field]
			column := &realm.Column{Value: realm.Cells{Texts: &c.result, Kinds: c.kinds}}
			pack := &realm.Keep{Field: field, Part: -1, From: from, Size: packRows, Column: column, Budget: f.inside(f.cfg.Batch)}
			if err := f.kept(ctx, one, pack, f.c); err != nil {
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
			if !gatherRow(columns, b, row, f.schema.Settings.InvalidDataBehavior) {
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

// gatherResult adds the rows of a batch that are in the result, and gives their
// number.
func gatherResult(columns []*cells, b *intray.Batch, behavior intray.InvalidDataBehavior) (n int) {
	for row := range b.Rows() {
		if gatherRow(columns, b, row, behavior) {
			n++
		}
	}
	return n
}

// gatherRow adds a row to the columns that are there, if it is in the result.
func gatherRow(columns []*cells, b *intray.Batch, row int, behavior intray.InvalidDataBehavior) bool {
	problems := problemsOf(b, row)
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
			c.addRaw(raw)
		case wrong, !there:
			c.result.Append(nil)
			c.kinds = append(c.kinds, realm.ValueNull)
		default:
			c.addResult(v)
		}
	}
	return true
}

// problemsOf are those of a row.
func problemsOf(b *intray.Batch, row int) []intray.Problem {
	from, _ := slices.BinarySearchFunc(b.Problems, row, byRow)
	to, _ := slices.BinarySearchFunc(b.Problems, row+1, byRow)
	return b.Problems[from:to]
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
	var id *string
	if about.ID != "" {
		id = &about.ID
	}
	return map[string]any{
		"id": id, "user": json.RawMessage(about.User), "filename": about.Filename,
		"rawHeaders": append([]string{}, about.Headers...), "fields": fields,
		"importIdentifier": schema.Settings.ImportIdentifier, "rowsWithError": append([]int64{}, about.RowsWithError...),
		"errors": errorsAbout(about.Notices),
	}
}

// errorsAbout are the errors of cells and rows.
func errorsAbout(notices []intray.Notice) []any {
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
