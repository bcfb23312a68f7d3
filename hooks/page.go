package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// PageCalls calls the hooks of the page that embeds an importer.
type PageCalls interface {
	// CallPage calls a hook of the page that embeds an import. call is a [PageCall] in JSON, and result
	// is what the hook returned, or null. A hook that fails has no result, so an error means that the
	// page did not respond.
	CallPage(ctx context.Context, imp string, call []byte) (result []byte, err error)
}

// PageCall is a call to a hook of a page. Its JSON form is part of the messages between the widget and
// the server.
type PageCall struct {
	// Hook is columns, rows, batch, deleted or step.
	Hook string `json:"hook"`
	// Mode is init or update, for rows.
	Mode string `json:"mode,omitempty"`
	// Field is the key of the field, for columns.
	Field string `json:"field,omitempty"`
	// Batch is the number of the batch, counted from 1.
	Batch int `json:"batch,omitempty"`
	// Rows are the records that the hook receives or, for columns, its cells.
	Rows json.RawMessage `json:"rows,omitempty"`
	// Step and Data are the name of a step and what its hooks receive.
	Step string `json:"step,omitempty"`
	Data any    `json:"data,omitempty"`
}

// PageRunner runs the hooks of a page. It implements engine.HookRunner. In the schema, each of these
// hooks has the source [intray.PageHook], or [intray.PageBatchHook].
type PageRunner struct {
	calls PageCalls
	env   intray.HookEnv
	hooks intray.Hooks
}

// NewPageRunner returns a PageRunner for the hooks of an import, which env identifies.
func NewPageRunner(calls PageCalls, env intray.HookEnv, hooks intray.Hooks) *PageRunner {
	return &PageRunner{calls, env, hooks}
}

// Close does nothing.
func (p *PageRunner) Close() error { return nil }

// Finish does nothing, because the widget itself asks the page before rows are submitted.
func (p *PageRunner) Finish(context.Context, *intray.Schema, iter.Seq2[*intray.Batch, error], intray.FinishCall) (cancel *string, err error) {
	return nil, nil
}

// RunRows calls the row hooks, or the batch hooks, of the page with 1,000 rows at a time.
func (p *PageRunner) RunRows(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	call := PageCall{Hook: "rows", Mode: hookMode(rows.Update)}
	if p.hooks.Row[hook] == intray.PageBatchHook {
		if rows.Update {
			return nil, nil // batch hooks receive the rows of the file only
		}
		call = PageCall{Hook: "batch"}
	}
	err = p.eachPart(rows, func(layouts []columnLayout, part []span, first int) error {
		if call.Hook == "batch" {
			call.Batch = int(part[0].rowNumber(0))/batchRows + 1
		}
		found, err := p.callWithRows(ctx, call, layouts, part)
		for i := range found {
			found[i].Row += first
		}
		changes = append(changes, found...)
		return err
	})
	return changes, err
}

// RunBulk calls the bulk and row hooks of the page with all rows.
func (p *PageRunner) RunBulk(ctx context.Context, _ int, rows intray.HookRows) ([]intray.Change, error) {
	layouts, err := columnLayouts(rows)
	if err != nil {
		return nil, err
	}
	spans, n := batchSpans(rows.Batches)
	if n == 0 {
		return nil, nil
	}
	return p.callWithRows(ctx, PageCall{Hook: "rows", Mode: hookMode(rows.Update)}, layouts, spans)
}

// NotifyDeleted calls the row delete hooks of the page.
func (p *PageRunner) NotifyDeleted(ctx context.Context, rows intray.HookRows) error {
	return p.eachPart(rows, func(layouts []columnLayout, part []span, _ int) error {
		_, err := p.callWithRows(ctx, PageCall{Hook: "deleted"}, layouts, part)
		return err
	})
}

// eachPart calls the function use with parts of at most 1,000 rows. first is the index of the first row
// of the part.
func (p *PageRunner) eachPart(rows intray.HookRows, use func(layouts []columnLayout, part []span, first int) error) error {
	layouts, err := columnLayouts(rows)
	if err != nil {
		return err
	}
	spans, left := batchSpans(rows.Batches)
	for first := 0; left > 0; {
		n := min(left, batchRows)
		if err := use(layouts, sliceSpans(spans, first, first+n), first); err != nil {
			return err
		}
		first, left = first+n, left-n
	}
	return nil
}

// callWithRows calls hooks with records and returns their changes.
func (p *PageRunner) callWithRows(ctx context.Context, call PageCall, layouts []columnLayout, spans []span) ([]intray.Change, error) {
	rows := buildRows(layouts, spans, slices.Repeat([]bool{true}, len(layouts)))
	call.Rows = appendRecords(nil, layouts, &rows)
	result, err := p.call(ctx, call)
	if err != nil {
		return nil, err
	}
	return parseRecords(result, layouts, &rows), nil
}

func (p *PageRunner) call(ctx context.Context, call PageCall) ([]byte, error) {
	text, err := json.Marshal(call)
	if err != nil {
		return nil, fmt.Errorf("call a hook of the page: %w", err)
	}
	result, err := p.calls.CallPage(ctx, p.env.Import, text)
	if err != nil && ctx.Err() == nil {
		return nil, &intray.HookError{Hook: "page", Text: intray.MessageOf(err)}
	}
	return result, err
}

// RunColumn calls the column hooks of the page for a field, once for each column of the field.
func (p *PageRunner) RunColumn(ctx context.Context, hook int, rows intray.HookRows) (changes []intray.Change, err error) {
	key := p.hooks.Column[hook].Field
	field := slices.IndexFunc(rows.Fields, func(f intray.Field) bool { return f.Key == key })
	if field < 0 {
		return nil, nil // a step hook removed the field
	}
	layouts, err := columnLayouts(rows)
	if err != nil {
		return nil, err
	}
	spans, n := batchSpans(rows.Batches)
	send := make([]bool, len(layouts))
	send[field] = true
	all := buildRows(layouts, spans, send)
	columns := []jsruntime.Column{*all.Columns[field]}
	if layouts[field].field.ManyToOne {
		columns = all.Columns[field].Parts
	}
	for part := range columns {
		cells := []byte{'['}
		for row := range n {
			if row > 0 {
				cells = append(cells, ',')
			}
			cells = appendIndex(append(cells, '{'), &all, row)
			cells = append(append(cells, `,"value":`...), quoted(textAt(&columns[part].Value, row))...)
			cells = append(cells, '}')
		}
		result, err := p.call(ctx, PageCall{Hook: "columns", Field: key, Rows: append(cells, ']')})
		if err != nil {
			return nil, err
		}
		changes = append(changes, parseColumn(result, field, part, &all)...)
	}
	return changes, nil
}

// RunStep calls the hooks of a step of the page, and returns the changes that they requested.
func (p *PageRunner) RunStep(ctx context.Context, call intray.StepCall) (intray.StepChanges, error) {
	result, err := p.call(ctx, PageCall{Hook: "step", Step: call.Step, Data: newStepMetadata(call, p.env.Session)})
	if err != nil {
		return nil, err
	}
	var given struct {
		Commands []struct {
			Name string            `json:"name"`
			Args []json.RawMessage `json:"args"`
		} `json:"commands"`
	}
	if !decodes(result, &given) {
		return nil, nil
	}
	var list intray.StepChanges
	for _, one := range given.Commands {
		// A command that cannot be carried out has no effect, like any other mistake of a page.
		changes, err := parseStepChanges([]jsruntime.Command{{Hook: "page", Name: one.Name, Args: one.Args}}, call.Fields)
		if err == nil {
			list = append(list, changes...)
		}
	}
	return list, nil
}

// decodes unmarshals the result of a hook, and reports whether that succeeded.
func decodes(result []byte, into any) bool { return json.Unmarshal(result, into) == nil }

// appendRecords appends rows as a JSON array of records, as row hooks receive them.
func appendRecords(dst []byte, layouts []columnLayout, rows *jsruntime.Rows) []byte {
	keys := make([][]byte, len(layouts))
	for i := range layouts {
		keys[i] = append(quoted([]byte(layouts[i].field.Key)), ':')
	}
	cursors := make([][]cellCursor, len(rows.Columns))
	for i, column := range rows.Columns {
		for part := range max(len(column.Parts), 1) {
			cursors[i] = append(cursors[i], cellCursor{column: partOf(column, part)})
		}
	}
	dst = append(dst, '[')
	for row := range rows.Count {
		if row > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendIndex(append(dst, '{'), rows, row), `,"row":{`...)
		for i, column := range rows.Columns {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, keys[i]...)
			if column.Parts == nil {
				dst = cursors[i][0].appendCell(dst, row)
				continue
			}
			dst = append(dst, `{"value":null,"resultValue":null,"manyToOne":[`...)
			for part := range column.Parts {
				if part > 0 {
					dst = append(dst, ',')
				}
				dst = cursors[i][part].appendCell(dst, row)
			}
			dst = append(dst, `]}`...)
		}
		dst = append(dst, `}}`...)
	}
	return append(dst, ']')
}

func partOf(column *jsruntime.Column, part int) *jsruntime.Column {
	if len(column.Parts) == 0 {
		return column
	}
	return &column.Parts[part]
}

func appendIndex(dst []byte, rows *jsruntime.Rows, row int) []byte {
	index := rows.First + int64(row)
	if rows.Indexes != nil {
		index = rows.Indexes[row]
	}
	dst = strconv.AppendInt(append(dst, `"index":`...), index, 10)
	return append(strconv.AppendInt(append(dst, `,"rowId":"`...), index, 10), '"')
}

// cellCursor appends the cells of a column in row order.
type cellCursor struct {
	column         *jsruntime.Column
	infos, options int
}

func (c *cellCursor) appendCell(dst []byte, row int) []byte {
	value := textAt(&c.column.Value, row)
	dst = append(append(dst, `{"value":`...), quoted(value)...)
	dst = append(dst, `,"resultValue":`...)
	if result := c.column.Result; result == nil {
		dst = append(dst, quoted(value)...)
	} else {
		dst = appendTyped(dst, result, row)
	}
	if all := c.column.Infos; c.infos < len(all) && all[c.infos].Row == row {
		dst = append(dst, `,"info":[`...)
		for i, info := range all[c.infos].Infos {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(append(dst, `{"message":`...), quoted([]byte(info.Message))...)
			dst = append(append(append(dst, `,"level":"`...), info.Level.String()...), `"}`...)
		}
		dst = append(dst, ']')
		c.infos++
	}
	if all := c.column.Options; c.options < len(all) && all[c.options].Row == row {
		options := make([]pageOption, 0, len(all[c.options].Options))
		for _, o := range all[c.options].Options {
			options = append(options, pageOption{o.Label, o.Value, o.AlternateMatches})
		}
		text, _ := json.Marshal(options) // strings only, so there is no error
		dst = append(append(dst, `,"selectOptions":`...), text...)
		c.options++
	}
	return append(dst, '}')
}

func appendTyped(dst []byte, cells *jsruntime.Cells, row int) []byte {
	text := textAt(cells, row)
	kind := jsruntime.ValueText
	if cells.Kinds != nil {
		kind = cells.Kinds[row]
	}
	switch kind {
	case jsruntime.ValueNull:
		return append(dst, `null`...)
	case jsruntime.ValueNumber, jsruntime.ValueBool, jsruntime.ValueList:
		return append(dst, text...)
	default:
		return append(dst, quoted(text)...)
	}
}

// textAt returns the text of a cell. The texts may contain more rows than those of the call.
func textAt(cells *jsruntime.Cells, row int) []byte { return cells.Texts.At(cells.From + row) }

func quoted(text []byte) []byte {
	out, _ := json.Marshal(string(text)) // a string, so there is no error
	return out
}

// pageOption is a select option in the form of schemas.
type pageOption struct {
	Label            string   `json:"label"`
	Value            string   `json:"value"`
	AlternateMatches []string `json:"alternateMatches,omitempty"`
}

// pageCell is what a hook returns for a cell. Members that are missing change nothing.
type pageCell struct {
	Value         json.RawMessage `json:"value"`
	Info          []pageInfo      `json:"info"`
	SelectOptions []pageOption    `json:"selectOptions"`
	ManyToOne     []pageCell      `json:"manyToOne"`
}

type pageInfo struct {
	Message string `json:"message"`
	Level   string `json:"level"`
}

// parseRecords returns the changes in the records that row hooks returned. It ignores invalid parts,
// because a mistake of a page must not stop an import.
func parseRecords(result []byte, layouts []columnLayout, rows *jsruntime.Rows) (changes []intray.Change) {
	var list []struct {
		Index *int64                     `json:"index"`
		Row   map[string]json.RawMessage `json:"row"`
	}
	if !decodes(result, &list) {
		return nil
	}
	position := positions(rows)
	for _, one := range list {
		if one.Index == nil {
			continue
		}
		row, known := position(*one.Index)
		if !known {
			continue
		}
		for field, layout := range layouts {
			text, given := one.Row[layout.field.Key]
			var cell pageCell
			if !given || json.Unmarshal(text, &cell) != nil {
				continue
			}
			if !layout.field.ManyToOne {
				changes = appendPageChange(changes, intray.Change{Row: row, Field: field}, cell)
			}
			for part := range min(len(cell.ManyToOne), layout.columns) {
				changes = appendPageChange(changes, intray.Change{Row: row, Field: field, Part: part}, cell.ManyToOne[part])
			}
		}
	}
	return changes
}

// parseColumn returns the changes in the cells that column hooks returned.
func parseColumn(result []byte, field, part int, rows *jsruntime.Rows) (changes []intray.Change) {
	var list []struct {
		Index *int64 `json:"index"`
		pageCell
	}
	if !decodes(result, &list) {
		return nil
	}
	position := positions(rows)
	for _, one := range list {
		if one.Index == nil {
			continue
		}
		if row, known := position(*one.Index); known {
			changes = appendPageChange(changes, intray.Change{Row: row, Field: field, Part: part}, one.pageCell)
		}
	}
	return changes
}

// positions returns a function that returns the position of a row among rows.
func positions(rows *jsruntime.Rows) func(index int64) (row int, known bool) {
	if rows.Indexes == nil {
		return func(index int64) (int, bool) {
			row := index - rows.First
			return int(row), row >= 0 && row < int64(rows.Count)
		}
	}
	return func(index int64) (int, bool) { return slices.BinarySearch(rows.Indexes, index) }
}

// appendPageChange appends the change of a cell, unless it changes nothing.
func appendPageChange(changes []intray.Change, change intray.Change, cell pageCell) []intray.Change {
	if len(cell.Value) > 0 {
		change.HasValue = true
		if text, ok := cellText(cell.Value); ok {
			change.Value = &text
			change.IsNumber = bytes.IndexByte([]byte("-0123456789"), cell.Value[0]) >= 0
		}
	}
	if cell.Info != nil {
		change.HasInfos = true
		for _, info := range cell.Info {
			level, _ := intray.ParseLevel(info.Level)
			change.Infos = append(change.Infos, intray.Info{Level: level, Text: info.Message})
		}
	}
	for _, o := range cell.SelectOptions {
		change.Options = append(change.Options, intray.SelectOption{Label: o.Label, Value: o.Value, AlternateMatches: o.AlternateMatches})
	}
	if !change.HasValue && !change.HasInfos && change.Options == nil {
		return changes
	}
	return append(changes, change)
}
