package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/schemas"
)

const (
	// maxWindow is the maximum number of rows in a response. usualWindow is the default.
	maxWindow   = 1000
	usualWindow = 200
	// maxDistinct is the maximum number of distinct values in a response.
	maxDistinct = 1000
	// suggestions is the maximum number of suggestions for a value. Only the
	// maxSuggested most frequent values get suggestions.
	suggestions, maxSuggested = 3, 200
)

// reviewTable describes the table on the review page.
type reviewTable struct {
	fields  []intray.Field
	columns []wire.ReviewColumn
	// columnFields contains the field index of each column.
	columnFields []int
	// outputs formats the values of each field for the result. It is nil for fields without an output format.
	outputs []func(dst, canonical []byte) []byte
	// messages caches rendered messages, because many cells have the same one.
	messages map[intray.Message]wire.Message
}

func (a *API) loadReviewTable(c *call) (*reviewTable, error) {
	schema, err := schemas.Frozen(c.reviewed)
	if err != nil {
		return nil, err
	}
	d := &reviewTable{fields: schema.Fields, messages: map[intray.Message]wire.Message{}}
	o := c.reviewed.Outcome
	for i, f := range schema.Fields {
		output, err := review.OutputFormatter(f)
		if err != nil {
			return nil, err
		}
		d.outputs = append(d.outputs, output)
		one := wire.ReviewColumn{Key: f.Key, Label: f.Label, Type: string(f.Type.Name), ReadOnly: f.ReadOnly, Hidden: f.Hidden}
		one.Required = isRequired(f)
		if f.Type.Name == intray.TypeMultiSelect {
			one.Delimiter = ","
			if own, _ := f.Type.Options["delimiter"].(string); own != "" {
				one.Delimiter = own
			}
		}
		for _, option := range review.Choices(f) {
			one.Options = append(one.Options, wire.ReviewOption{Value: option.Value, Label: option.Label})
		}
		var columns []int
		if o != nil && i < len(o.Mapping.Fields) {
			columns = o.Mapping.Fields[i].AllColumns()
		}
		if !f.ManyToOne {
			if len(columns) > 0 {
				one.Header = o.Headers[columns[0]]
			}
			d.columns, d.columnFields = append(d.columns, one), append(d.columnFields, i)
			continue
		}
		for part, column := range columns {
			own := one
			own.Part, own.Header = &part, o.Headers[column]
			d.columns, d.columnFields = append(d.columns, own), append(d.columnFields, i)
		}
	}
	return d, nil
}

// fieldIndex returns the index of the field with a key. name is the parameter that
// an error reports.
func (d *reviewTable) fieldIndex(name, key string) (int, error) {
	at := slices.IndexFunc(d.fields, func(f intray.Field) bool { return f.Key == key })
	if at < 0 {
		return 0, invalidField(name, intray.NewMessage("review.names_no_field", nil))
	}
	return at, nil
}

func (a *API) getReviewTable(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	out, err := a.tableInfo(c, d)
	return jsonResponse(http.StatusOK, out, err)
}

func (a *API) tableInfo(c *call, d *reviewTable) (wire.ReviewTable, error) {
	out := wire.ReviewTable{Columns: d.columns}
	err := a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) error {
		out.Totals = wire.ReviewTotals(rows.Totals())
		h, err := rows.History(c.context())
		out.Undo, out.Redo = len(h.Done), len(h.Undone)
		return err
	})
	return out, err
}

func (a *API) getReviewRows(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	out, err := a.reviewRows(c, d, c.r.URL.Query())
	return jsonResponse(http.StatusOK, out, err)
}

func (a *API) reviewRows(c *call, d *reviewTable, query url.Values) (wire.ReviewRows, error) {
	out, most := wire.ReviewRows{Rows: []wire.ReviewRow{}}, maxStepText
	q, err := d.parseQuery(query)
	if err != nil {
		return out, err
	}
	from, err := intParam(query, "from", 0, 1<<40, 0)
	if err != nil {
		return out, err
	}
	count, err := intParam(query, "count", 0, maxWindow, usualWindow)
	if err != nil {
		return out, err
	}
	if count == 1 {
		most = maxCellText
	}
	err = a.cfg.Service.WithTable(c.context(), c.reviewed, func(rows *draft.Draft, made review.SetByHook) error {
		w, err := rows.Window(c.context(), q, from, int(count))
		if err != nil {
			return err
		}
		out.View, out.Total, out.First = w.View.Token, w.View.Rows, w.First
		for _, r := range w.Rows {
			out.Rows = append(out.Rows, d.wireRow(r, most, made))
		}
		return nil
	})
	return out, err
}

var shows = map[string]draft.Show{
	"": draft.All, "all": draft.All, "problems": draft.Problems, "errors": draft.Errors, "warnings": draft.Warnings, "infos": draft.Infos, "valid": draft.Valid,
}

// parseQuery parses the query parameters that select rows.
func (d *reviewTable) parseQuery(query url.Values) (q draft.Query, err error) {
	q.Token = query.Get("view")
	q.Filter, err = d.parseFilter(map[string]any{
		"show": query.Get("show"), "key": query.Get("key"), "code": query.Get("code"), "search": query.Get("search"), "in": query.Get("in"), "also": query.Get("also"), "whole": query.Get("whole") == "true",
	}, query.Has("key"))
	if by := query.Get("sort"); by != "" && err == nil {
		q.Sort = &draft.Sort{Descending: query.Get("desc") == "true"}
		q.Sort.Field, err = d.fieldIndex("sort", by)
	}
	return q, err
}

// parseFilter parses a filter. If keyed is set, an empty key selects the problems of whole rows.
func (d *reviewTable) parseFilter(doc map[string]any, keyed bool) (f draft.Filter, err error) {
	show, known := shows[stringField(doc, "show")]
	if !known {
		return f, invalidField("show", intray.NewMessage("request.not_one_of", intray.Params{"values": []string{"all", "problems", "errors", "warnings", "infos", "valid"}}))
	}
	f.Show, f.Code, f.Search = show, stringField(doc, "code"), stringField(doc, "search")
	f.Whole, _ = doc["whole"].(bool)
	if keyed {
		at := intray.NoField
		if key := stringField(doc, "key"); key != "" {
			if at, err = d.fieldIndex("key", key); err != nil {
				return f, err
			}
		}
		f.Field = &at
	}
	if in := stringField(doc, "in"); in != "" {
		at, err := d.fieldIndex("in", in)
		if err != nil {
			return f, err
		}
		f.In = &at
	}
	f.Also, err = d.parseAlso(stringField(doc, "also"))
	return f, err
}

// parseAlso parses the additional values that a search matches, by field key.
func (d *reviewTable) parseAlso(doc string) (map[int][]string, error) {
	if doc == "" {
		return nil, nil
	}
	var byKey map[string][]string
	if err := json.Unmarshal([]byte(doc), &byKey); err != nil {
		return nil, invalidField("also", intray.NewMessage("review.invalid_also", nil))
	}
	texts := map[int][]string{}
	for key, list := range byKey {
		at, err := d.fieldIndex("also", key)
		if err != nil {
			return nil, err
		}
		texts[at] = list
	}
	return texts, nil
}

// wireRow returns a row with the columns of the table. It truncates values to the given maximum
// number of bytes.
func (d *reviewTable) wireRow(r draft.Row, most int, made review.SetByHook) wire.ReviewRow {
	out := wire.ReviewRow{ID: strconv.FormatInt(r.Number, 10), Version: r.Version, Line: r.Line, Problems: d.problems(r.Problems, nil)}
	for i, column := range d.columns {
		field := d.columnFields[i]
		c := r.Cells[field]
		var cell wire.ReviewCell
		if column.Part == nil {
			cell = d.wholeCell(c, most)
		} else {
			cell = d.partCell(c, *column.Part, most)
		}
		if output := d.outputs[field]; output != nil && cell.Value != nil {
			cell.Sent = string(output(nil, []byte(*cell.Value)))
		}
		cell.Made = cell.Value != nil && !cell.Cut && made(field, cell.Text, *cell.Value)
		out.Cells = append(out.Cells, cell)
	}
	return out
}

func (d *reviewTable) wholeCell(c draft.Cell, most int) wire.ReviewCell {
	cell := wire.ReviewCell{Text: truncate(c.Raw, most), Problems: d.problems(c.Problems, nil), Cut: len(c.Raw) > most}
	if !c.Null {
		value := truncate(c.Value, most)
		cell.Value = &value
	}
	return cell
}

// partCell returns the cell of one column of a field that has several columns.
func (d *reviewTable) partCell(c draft.Cell, part, most int) wire.ReviewCell {
	raw := c.RawPart(part)
	cell := wire.ReviewCell{Text: truncate(raw, most), Problems: d.problems(c.Problems, &part), Cut: len(raw) > most}
	var values []json.RawMessage
	if json.Unmarshal([]byte(c.Value), &values) == nil && part < len(values) && string(values[part]) != "null" {
		value := string(values[part])
		if text := ""; json.Unmarshal(values[part], &text) == nil {
			value = text
		}
		value = truncate(value, most)
		cell.Value = &value
	}
	return cell
}

func (d *reviewTable) problems(problems []intray.Problem, part *int) (list []wire.ReviewProblem) {
	for _, p := range problems {
		if part == nil || p.Part == *part {
			list = append(list, wire.ReviewProblem{Level: p.Level.String(), Code: p.Code, Message: d.message(p.Text)})
		}
	}
	return list
}

// message returns a rendered message. It renders each message only once.
func (d *reviewTable) message(m intray.Message) wire.Message {
	out, known := d.messages[m]
	if !known {
		out = wire.NewMessage(m)
		d.messages[m] = out
	}
	return out
}

func (a *API) getReviewCounts(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	out := []wire.ReviewCount{}
	err = a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) error {
		counts, err := rows.Counts(c.context())
		for _, one := range counts {
			key := ""
			if one.Field != intray.NoField {
				key = d.fields[one.Field].Key
			}
			out = append(out, wire.ReviewCount{Key: key, Code: one.Code, Level: one.Level.String(), Rows: one.Rows, Message: d.message(one.Text)})
		}
		return err
	})
	return jsonResponse(http.StatusOK, out, err)
}

func (a *API) getReviewValues(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	of, err := d.fieldIndex("of", query.Get("of"))
	if err != nil {
		return nil, err
	}
	q, err := d.parseQuery(query)
	if err != nil {
		return nil, err
	}
	limit, err := intParam(query, "limit", 0, maxDistinct, 100)
	if err != nil {
		return nil, err
	}
	q.Sort = nil // values are in the order of their counts
	out := wire.ReviewValues{Values: []wire.ReviewValue{}}
	suggest, err := review.NewSuggester(c.reviewed, d.fields[of])
	if err != nil {
		return nil, err
	}
	if q.Filter.Show == draft.All || q.Filter.Show == draft.Valid {
		suggest = nil
	}
	err = a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) error {
		found, err := rows.Distinct(c.context(), of, q, int(limit))
		out.More = found.More
		for i, v := range found.Values {
			one := wire.ReviewValue{Text: truncate(v.Text, maxCellText), Count: v.Cells, Suggestions: []wire.ReviewSuggestion{}, Cut: len(v.Text) > maxCellText}
			if i < maxSuggested {
				for _, s := range suggest.Suggest(v.Text, suggestions) {
					one.Suggestions = append(one.Suggestions, wire.ReviewSuggestion{Text: s.Text, Label: s.Label, Reason: wire.NewReason(s.Reason)})
				}
			}
			out.Values = append(out.Values, one)
		}
		return err
	})
	return jsonResponse(http.StatusOK, out, err)
}

func (a *API) getReviewNext(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	q, err := d.parseQuery(query)
	if err != nil {
		return nil, err
	}
	row, err := intParam(query, "row", 0, 1<<40, -1)
	if err != nil {
		return nil, err
	}
	near, known := shows[query.Get("near")]
	if !known || near == draft.All || near == draft.Valid {
		if near = draft.Problems; query.Get("near") != "" {
			return nil, invalidField("near", intray.NewMessage("request.not_one_of", intray.Params{"values": []string{"problems", "errors", "warnings", "infos"}}))
		}
	}
	var out wire.ReviewNext
	err = a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) error {
		spot, found, err := rows.Next(c.context(), q, draft.Filter{Show: near}, row, query.Get("back") == "true")
		if found {
			out.Next = &wire.ReviewPosition{ID: strconv.FormatInt(spot.Row, 10), Place: spot.Position}
		}
		return err
	})
	return jsonResponse(http.StatusOK, out, err)
}

func showShape() *jsonschema.Schema {
	return enumType("Rows with these problems. Default: all.", "all", "problems", "errors", "warnings", "infos", "valid")
}

const alsoDoc = "Values that the search also matches, because the page shows other names for them than the table: JSON, a list under the key of each field."

func filterParams() []parameter {
	return []parameter{
		{"view", "The id of a view from an earlier response. The other filters have no effect then.", stringType("")},
		{"show", "", showShape()},
		{"key", "The key of the field with the problem. Empty for problems of whole rows.", stringType("")},
		{"code", "The code of the problem.", stringType("")},
		{"search", "Text in the raw value, the value or the name of the value of a cell, in any case.", stringType("")},
		{"in", "The key of the field to search. Default: all.", stringType("")},
		{"also", alsoDoc, stringType("")},
		{"whole", "With search: only cells whose raw value or value is the text, in any case.", boolType("")},
		{"sort", "The key of the field whose values determine the order of the rows. Default: the order of the file. At most 1,000,000 rows can be sorted.", stringType("")},
		{"desc", "With sort: start with the largest value.", boolType("")},
	}
}

func firstParams() []parameter {
	return []parameter{{"rows", "Number of first rows to include. Default: 0, at most 1,000.", countType("")}}
}

func rowParams() []parameter {
	return []parameter{
		{"from", "Position in the view, counted from 0. Default: 0.", countType("")},
		{"count", "Maximum number of rows. Default: 200, at most 1,000.", countType("")},
	}
}

func valueParams() []parameter {
	return []parameter{
		{"of", "The key of the field.", stringType("")},
		{"limit", "Maximum number of values. Default: 100, at most 1,000.", countType("")},
	}
}

func nextParams() []parameter {
	return []parameter{
		{"row", "The id of the row to start from. Default: before the first row.", stringType("")},
		{"near", "The level of the problem. Default: any.", enumType("", "problems", "errors", "warnings", "infos")},
		{"back", "true searches backward.", enumType("", "true", "false")},
	}
}
