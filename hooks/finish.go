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

// maxFinishRows is the maximum number of rows for beforeFinishCallback.
const maxFinishRows = 200_000

// Finish calls beforeFinishCallback with the rows of the result. Finish returns the hook's
// message if the hook cancels the import, and nil otherwise. Finish iterates over the rows more
// than once if there are many.
func (s *Session) Finish(ctx context.Context, schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (cancel *string, err error) {
	f, err := s.newFinishRun(schema, rows, about)
	if err != nil {
		return nil, err
	}
	var a *jsruntime.Answer
	err = s.withRetry(ctx, schema.Fields, f.info, func(slot *workerSlot) error {
		a, err = f.run(ctx, slot)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, c := range a.Commands {
		// The rows and fields are final, so a call to any other method is an error.
		if c.Name != "setConfirmationMessage" {
			return nil, &intray.HookError{Hook: c.Hook, Text: intray.NewMessage("hook.import_settled", intray.Params{"method": c.Name})}
		}
	}
	if !a.Cancelled {
		return nil, nil
	}
	return &a.Message, nil
}

// finishRun is the state of one call to beforeFinishCallback.
type finishRun struct {
	*Session
	schema  *intray.Schema
	rows    iter.Seq2[*intray.Batch, error]
	layouts []columnLayout
	call    *jsruntime.FinishCall
	info    callInfo
}

func (s *Session) newFinishRun(schema *intray.Schema, rows iter.Seq2[*intray.Batch, error], about intray.FinishCall) (*finishRun, error) {
	layouts, err := columnLayouts(intray.HookRows{Fields: schema.Fields, Parts: make([]int, len(schema.Fields))})
	if err != nil {
		return nil, err
	}
	f := &finishRun{Session: s, schema: schema, rows: rows, layouts: layouts, call: &jsruntime.FinishCall{NewIDs: newRowIDPrefix}}
	for i := range layouts {
		if layouts[i].field.ManyToOne {
			layouts[i].kind, layouts[i].formatOutput = jsruntime.ValueList, nil
		}
		f.call.Keys = append(f.call.Keys, schema.Fields[i].Key)
	}
	if f.call.About, err = json.Marshal(newFinishMetadata(schema, about)); err != nil {
		return nil, fmt.Errorf("encode the metadata for beforeFinishCallback: %w", err)
	}
	if err := f.collectRows(); err != nil {
		return nil, err
	}
	f.info = callInfo{
		hooks: s.hookNames(jsruntime.HookBeforeFinish), timeoutText: func() intray.Message { return s.timeoutText(f.call.Count) },
		addContext: func(reason intray.Message) intray.Message {
			return intray.NewMessage("hook.with_result", intray.Params{"reason": reason})
		},
	}
	return f, nil
}

// collectRows counts the rows. Unless there are too many, it also adds their values to the call.
func (f *finishRun) collectRows() error {
	columns := make([]*columnBuilder, len(f.layouts))
	for i := range f.layouts {
		columns[i] = newColumnBuilder(&f.layouts[i])
	}
	for b, err := range f.rows {
		if err != nil {
			return err
		}
		for row := range b.Rows() {
			if f.appendRow(columns, b, row) {
				f.call.Count++
			}
		}
		if f.call.Count > maxFinishRows {
			return &intray.HookError{Hook: "beforeFinishCallback", Text: intray.NewMessage("hook.result_too_long", intray.Params{"limit": maxFinishRows})}
		}
		if f.call.Lazy = needsLazyCall(f.call.Count, len(columns)); f.call.Lazy {
			clear(columns) // from here on, rows are only counted
		}
	}
	if f.call.Lazy {
		return nil
	}
	for _, c := range columns {
		f.call.Values = append(f.call.Values, jsruntime.Cells{Texts: &c.result, Kinds: c.kinds})
	}
	return nil
}

// run makes the call. If a lazy call needs a column that was not sent, run repeats it with
// that column.
func (f *finishRun) run(ctx context.Context, slot *workerSlot) (*jsruntime.Answer, error) {
	budget := f.callBudget(f.call.Count)
	deadline := time.Now().Add(budget)
	sent := make([]bool, len(f.layouts))
	for {
		f.call.Budget = f.engineBudget(budget)
		a, err := f.callForCommands(ctx, slot, f.call, len(f.layouts), budget, f.info)
		if err != nil || len(a.Missed) == 0 {
			return a, err
		}
		if !f.call.Lazy || !markMissed(sent, a.Missed) {
			return nil, errRepeatedColumns
		}
		if err := f.sendColumns(ctx, slot, a.Missed); err != nil {
			return nil, err
		}
		f.call.Fresh, budget = true, max(time.Until(deadline), f.cfg.BatchTimeout/10)
	}
}

// sendColumns sends the columns of the given fields in packs.
func (f *finishRun) sendColumns(ctx context.Context, slot *workerSlot, fields []int) error {
	columns := make([]*columnBuilder, len(f.layouts)) // nil for fields that are not sent
	clearColumns := func() {
		for _, field := range fields {
			columns[field] = newColumnBuilder(&f.layouts[field])
		}
	}
	sendPacks := func(from int) error {
		for _, field := range fields {
			c := columns[field]
			column := &jsruntime.Column{Value: jsruntime.Cells{Texts: &c.result, Kinds: c.kinds}}
			if err := f.sendPack(ctx, slot, &jsruntime.KeepCall{Field: field, From: from, Size: packRows, Column: column}, f.info); err != nil {
				return err
			}
		}
		clearColumns()
		return nil
	}
	clearColumns()
	n := 0
	for b, err := range f.rows {
		if err != nil {
			return err
		}
		for row := range b.Rows() {
			if !f.appendRow(columns, b, row) {
				continue
			}
			if n++; n%packRows == 0 {
				if err := sendPacks(n - packRows); err != nil {
					return err
				}
			}
		}
	}
	if n != f.call.Count {
		return fmt.Errorf("read the rows of the result again: got %d rows, want %d", n, f.call.Count)
	}
	if n%packRows == 0 {
		return nil
	}
	return sendPacks(n - n%packRows)
}

// appendRow appends the values of a row to the columns that are not nil. It reports whether
// the row is part of the result.
func (f *finishRun) appendRow(columns []*columnBuilder, b *intray.Batch, row int) bool {
	behavior := f.schema.Settings.InvalidDataBehavior
	from, _ := slices.BinarySearchFunc(b.Problems, row, compareProblemRow)
	to, _ := slices.BinarySearchFunc(b.Problems, row+1, compareProblemRow)
	var errorFields []int
	for _, p := range b.Problems[from:to] {
		if p.Level == intray.LevelError {
			errorFields = append(errorFields, p.Field)
		}
	}
	if behavior == intray.RemoveInvalidRows && len(errorFields) > 0 {
		return false
	}
	for i, c := range columns {
		if c == nil {
			continue
		}
		v, parsed := b.Fields[i].Value(row)
		raw := b.Fields[i].Raw(row)
		switch invalid := slices.Contains(errorFields, i); {
		case invalid && behavior == intray.IncludeInvalidValues && len(raw) > 0:
			c.appendRawResult(raw)
		case invalid, !parsed:
			c.result.Append(nil)
			c.kinds = append(c.kinds, jsruntime.ValueNull)
		default:
			c.appendResult(v)
		}
	}
	return true
}

// finishMetadata is the second argument of beforeFinishCallback.
type finishMetadata struct {
	Errors           []finishError          `json:"errors"`
	Fields           map[string]finishField `json:"fields"`
	Filename         string                 `json:"filename"`
	ID               *string                `json:"id"`
	ImportIdentifier string                 `json:"importIdentifier"`
	RawHeaders       []string               `json:"rawHeaders"`
	RowsWithError    []int64                `json:"rowsWithError"`
	User             json.RawMessage        `json:"user"`
}

// finishField describes which columns are mapped to a field. FileHeaders and FileHeaderIndexes
// are set only for a many-to-one field, for which FileHeader and FileHeaderIndex are null.
type finishField struct {
	FileHeader        *string  `json:"fileHeader"`
	FileHeaderIndex   *int     `json:"fileHeaderIndex"`
	FileHeaderIndexes []int    `json:"fileHeaderIndexes,omitzero"`
	FileHeaders       []string `json:"fileHeaders,omitzero"`
	IsCustom          bool     `json:"isCustom"`
	ManyToOne         bool     `json:"manyToOne"`
}

// finishError is a validation error. FieldKey is null if the error concerns a whole row.
type finishError struct {
	FieldKey       *string `json:"fieldKey"`
	ManyToOneIndex *int    `json:"manyToOneIndex,omitempty"`
	Message        string  `json:"message"`
	RowIndex       *int64  `json:"rowIndex"`
	Value          *string `json:"value"`
}

func newFinishMetadata(schema *intray.Schema, about intray.FinishCall) finishMetadata {
	m := finishMetadata{
		Errors: []finishError{}, Fields: map[string]finishField{}, Filename: about.Filename,
		ImportIdentifier: schema.Settings.ImportIdentifier, RawHeaders: append([]string{}, about.Headers...),
		RowsWithError: append([]int64{}, about.RowsWithError...), User: about.User,
	}
	if about.ID != "" {
		m.ID = &about.ID
	}
	for i, f := range schema.Fields {
		match := &about.Mapping.Fields[i]
		field := finishField{ManyToOne: f.ManyToOne}
		switch {
		case f.ManyToOne:
			field.FileHeaders, field.FileHeaderIndexes = []string{}, append([]int{}, match.Columns...)
			for _, c := range match.Columns {
				field.FileHeaders = append(field.FileHeaders, about.Headers[c])
			}
		case match.Column != intray.NoColumn:
			field.FileHeader, field.FileHeaderIndex = &match.Header, &match.Column
		}
		m.Fields[f.Key] = field
	}
	for _, n := range about.Notices {
		if n.Type != intray.Validation || n.Level != intray.LevelError {
			continue
		}
		e := finishError{ManyToOneIndex: n.Part, Message: n.Text.String(), RowIndex: n.Row, Value: n.Value}
		if n.Field != "" {
			e.FieldKey = &n.Field
		}
		m.Errors = append(m.Errors, e)
	}
	return m
}
