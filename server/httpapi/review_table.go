package httpapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/review"
	"github.com/intraydata/intray/server/schemas"
)

const (
	// maxWindow is the most rows of an answer, and usualWindow what is given where
	// none is asked for.
	maxWindow   = 1000
	usualWindow = 200
	// maxDistinct is the most values of an answer.
	maxDistinct = 1000
	// suggestions are made for the most frequent values, so many for each.
	suggestions, maxSuggested = 3, 200
)

// reviewColumn is a column of the table on the review page: a field, or one of the
// columns that feed a field with several.
type reviewColumn struct {
	Key      string         `json:"key"`
	Part     *int           `json:"part,omitempty"`
	Label    string         `json:"label"`
	Type     string         `json:"type"`
	Header   string         `json:"header,omitempty"`
	ReadOnly bool           `json:"readOnly"`
	Hidden   bool           `json:"hidden"`
	Required bool           `json:"required"`
	Options  []reviewOption `json:"options,omitempty"`
	// Delimiter stands between the values of a multi-select.
	Delimiter string `json:"delimiter,omitempty"`

	field int
}

type reviewOption struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

type reviewTotals struct {
	Rows     int64 `json:"rows"`
	Errors   int64 `json:"errors"`
	Warnings int64 `json:"warnings"`
	Infos    int64 `json:"infos"`
}

type reviewTableInfo struct {
	Columns []reviewColumn `json:"columns"`
	Totals  reviewTotals   `json:"totals"`
	Undo    int            `json:"undo"`
	Redo    int            `json:"redo"`
}

type reviewProblem struct {
	Level string `json:"level"`
	Code  string `json:"code"`
	mainMessage
}

type reviewCell struct {
	Text     string          `json:"text"`
	Value    *string         `json:"value"`
	Problems []reviewProblem `json:"problems,omitempty"`
	// Cut says that the text is longer, Made that a hook gave the value.
	Cut  bool `json:"cut,omitempty"`
	Made bool `json:"made,omitempty"`
}

type reviewRow struct {
	ID       string          `json:"id"`
	Version  int64           `json:"version"`
	Line     int64           `json:"line,omitempty"`
	Cells    []reviewCell    `json:"cells"`
	Problems []reviewProblem `json:"problems,omitempty"`
}

type reviewWindow struct {
	View  string      `json:"view"`
	Total int64       `json:"total"`
	First int64       `json:"first"`
	Rows  []reviewRow `json:"rows"`
}

type reviewProblemCount struct {
	Key   string `json:"key"`
	Code  string `json:"code"`
	Level string `json:"level"`
	Rows  int64  `json:"rows"`
	mainMessage
}

type reviewValues struct {
	Values []reviewValue `json:"values"`
	More   int64         `json:"more"`
}

type reviewValue struct {
	Text        string             `json:"text"`
	Count       int64              `json:"count"`
	Suggestions []reviewSuggestion `json:"suggestions"`
	// Cut says that the text is longer.
	Cut bool `json:"cut,omitempty"`
}

type reviewSuggestion struct {
	Text  string `json:"text"`
	Label string `json:"label"`
	reasonMessage
}

type reviewPosition struct {
	ID    string `json:"id"`
	Place int64  `json:"place"`
}

// reviewTable is what the calls of a review page know of the table.
type reviewTable struct {
	fields  []intray.Field
	columns []reviewColumn
	// messages are those that were rendered: many cells have the same.
	messages map[intray.Message]mainMessage
}

func (a *API) loadReviewTable(c *call) (*reviewTable, error) {
	schema, err := schemas.Frozen(c.reviewed)
	if err != nil {
		return nil, err
	}
	d := &reviewTable{fields: schema.Fields, messages: map[intray.Message]mainMessage{}}
	o := c.reviewed.Outcome
	for i, f := range schema.Fields {
		one := reviewColumn{Key: f.Key, Label: f.Label, Type: string(f.Type.Name), ReadOnly: f.ReadOnly, Hidden: f.Hidden, field: i}
		one.Required = isRequired(f)
		if f.Type.Name == intray.TypeMultiSelect {
			one.Delimiter = ","
			if own, _ := f.Type.Options["delimiter"].(string); own != "" {
				one.Delimiter = own
			}
		}
		for _, option := range review.Choices(f) {
			one.Options = append(one.Options, reviewOption{option.Value, option.Label})
		}
		var columns []int
		if o != nil && i < len(o.Mapping.Fields) {
			columns = o.Mapping.Fields[i].AllColumns()
		}
		if !f.ManyToOne {
			if len(columns) > 0 {
				one.Header = o.Headers[columns[0]]
			}
			d.columns = append(d.columns, one)
			continue
		}
		for part, column := range columns {
			own := one
			own.Part, own.Header = &part, o.Headers[column]
			d.columns = append(d.columns, own)
		}
	}
	return d, nil
}

// fieldIndex gives the place of a field by its key.
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
	return uncachedResponse(out, err)
}

func (a *API) tableInfo(c *call, d *reviewTable) (reviewTableInfo, error) {
	out := reviewTableInfo{Columns: d.columns}
	err := a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) error {
		t := rows.Totals()
		out.Totals = reviewTotals{t.Rows, t.Errors, t.Warnings, t.Infos}
		h, err := rows.History(c.context())
		out.Undo, out.Redo = len(h.Done), len(h.Undone)
		return err
	})
	return out, err
}

// uncachedResponse is an answer that no cache may keep.
func uncachedResponse(body any, err error) (*response, error) {
	if err != nil {
		return nil, err
	}
	return &response{status: http.StatusOK, body: body, header: http.Header{"Cache-Control": {"no-store"}}}, nil
}

func (a *API) getReviewRows(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	out, err := a.reviewRows(c, d, c.r.URL.Query())
	return uncachedResponse(out, err)
}

func (a *API) reviewRows(c *call, d *reviewTable, query url.Values) (reviewWindow, error) {
	out, most := reviewWindow{Rows: []reviewRow{}}, maxStepText
	q, err := d.parseQuery(query)
	if err != nil {
		return out, err
	}
	from, count, err := rowsAsked(query)
	if err != nil {
		return out, err
	}
	if count == 1 {
		most = maxCellText
	}
	err = a.cfg.Service.WithTable(c.context(), c.reviewed, func(rows *draft.Draft, made review.SetByHook) error {
		w, err := rows.Window(c.context(), q, from, count)
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

func rowsAsked(query url.Values) (from int64, count int, err error) {
	if from, err = boundedParam(query, "from", 0, 1<<40); err != nil {
		return 0, 0, err
	}
	n, err := boundedParam(query, "count", usualWindow, maxWindow)
	return from, int(n), err
}

// boundedParam reads a query parameter from 0 to most.
func boundedParam(query url.Values, name string, usual, most int64) (int64, error) {
	text := query.Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, invalidField(name, intray.NewMessage("request.not_in_range", intray.Params{"min": 0, "max": most}))
	}
	return n, nil
}

var shows = map[string]draft.Show{
	"": draft.All, "all": draft.All, "problems": draft.Problems, "errors": draft.Errors, "warnings": draft.Warnings, "infos": draft.Infos, "valid": draft.Valid,
}

// parseQuery reads which rows are wanted.
func (d *reviewTable) parseQuery(query url.Values) (q draft.Query, err error) {
	q.Token = query.Get("view")
	q.Filter, err = d.parseFilter(map[string]any{
		"show": query.Get("show"), "key": query.Get("key"), "code": query.Get("code"), "search": query.Get("search"), "in": query.Get("in"), "also": query.Get("also"),
	}, query.Has("key"))
	return q, err
}

// parseFilter reads a filter; an empty key that is given means problems of whole rows.
func (d *reviewTable) parseFilter(doc map[string]any, keyed bool) (f draft.Filter, err error) {
	show, known := shows[stringField(doc, "show")]
	if !known {
		return f, invalidField("show", intray.NewMessage("request.not_one_of", intray.Params{"values": []string{"all", "problems", "errors", "warnings", "infos", "valid"}}))
	}
	f.Show, f.Code, f.Search = show, stringField(doc, "code"), stringField(doc, "search")
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

// parseAlso reads which texts count as found, by the keys of fields.
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

// wireRow gives a row in the columns of the table. Texts are cut after so many bytes.
func (d *reviewTable) wireRow(r draft.Row, most int, made review.SetByHook) reviewRow {
	out := reviewRow{ID: strconv.FormatInt(r.Number, 10), Version: r.Version, Line: r.Line, Problems: d.problems(r.Problems, nil)}
	for _, column := range d.columns {
		c := r.Cells[column.field]
		var cell reviewCell
		if column.Part == nil {
			cell = d.wholeCell(c, most)
		} else {
			cell = d.partCell(c, *column.Part, most)
		}
		cell.Made = cell.Value != nil && !cell.Cut && made(column.field, cell.Text, *cell.Value)
		out.Cells = append(out.Cells, cell)
	}
	return out
}

func (d *reviewTable) wholeCell(c draft.Cell, most int) reviewCell {
	cell := reviewCell{Text: truncate(c.Raw, most), Problems: d.problems(c.Problems, nil), Cut: len(c.Raw) > most}
	if !c.Null {
		value := truncate(c.Value, most)
		cell.Value = &value
	}
	return cell
}

// partCell is the cell of one of the columns of a field with several.
func (d *reviewTable) partCell(c draft.Cell, part, most int) reviewCell {
	raw := c.RawPart(part)
	cell := reviewCell{Text: truncate(raw, most), Problems: d.problems(c.Problems, &part), Cut: len(raw) > most}
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

func (d *reviewTable) problems(problems []intray.Problem, part *int) (list []reviewProblem) {
	for _, p := range problems {
		if part == nil || p.Part == *part {
			list = append(list, reviewProblem{p.Level.String(), p.Code, d.message(p.Text)})
		}
	}
	return list
}

// message renders a message once.
func (d *reviewTable) message(m intray.Message) mainMessage {
	out, known := d.messages[m]
	if !known {
		out = mainOf(m)
		d.messages[m] = out
	}
	return out
}

func (a *API) getReviewCounts(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	out := []reviewProblemCount{}
	err = a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) error {
		counts, err := rows.Counts(c.context())
		for _, one := range counts {
			key := ""
			if one.Field != intray.NoField {
				key = d.fields[one.Field].Key
			}
			out = append(out, reviewProblemCount{key, one.Code, one.Level.String(), one.Rows, d.message(one.Text)})
		}
		return err
	})
	return uncachedResponse(out, err)
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
	limit, err := boundedParam(query, "limit", 100, maxDistinct)
	if err != nil {
		return nil, err
	}
	out := reviewValues{Values: []reviewValue{}}
	suggest := review.NewSuggester(d.fields[of])
	if q.Filter.Show == draft.All || q.Filter.Show == draft.Valid {
		suggest = nil
	}
	err = a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) error {
		found, err := rows.Distinct(c.context(), of, q, int(limit))
		out.More = found.More
		for i, v := range found.Values {
			one := reviewValue{truncate(v.Text, maxCellText), v.Cells, []reviewSuggestion{}, len(v.Text) > maxCellText}
			if i < maxSuggested {
				for _, s := range suggest.Suggest(v.Text, suggestions) {
					one.Suggestions = append(one.Suggestions, reviewSuggestion{s.Text, s.Label, reasonOf(s.Reason)})
				}
			}
			out.Values = append(out.Values, one)
		}
		return err
	})
	return uncachedResponse(out, err)
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
	row := int64(-1)
	if query.Get("row") != "" {
		if row, err = boundedParam(query, "row", 0, 1<<40); err != nil {
			return nil, err
		}
	}
	near, known := shows[query.Get("near")]
	if !known || near == draft.All || near == draft.Valid {
		if near = draft.Problems; query.Get("near") != "" {
			return nil, invalidField("near", intray.NewMessage("request.not_one_of", intray.Params{"values": []string{"problems", "errors", "warnings", "infos"}}))
		}
	}
	var out *reviewPosition
	err = a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) error {
		spot, found, err := rows.Next(c.context(), q, draft.Filter{Show: near}, row, query.Get("back") == "true")
		if found {
			out = &reviewPosition{strconv.FormatInt(spot.Row, 10), spot.Position}
		}
		return err
	})
	return uncachedResponse(map[string]*reviewPosition{"next": out}, err)
}

func showShape() *jsonschema.Schema {
	return enumType("Which rows by their problems. Default all.", "all", "problems", "errors", "warnings", "infos", "valid")
}

const alsoDoc = "Texts that count as found by the search in cells that hold them, where the page shows something else for them than the names of the table: JSON, a list under the key of each field."

func filterParams() []parameter {
	return []parameter{
		{"view", "A view that an earlier answer named; the filter does not count then.", stringType("")},
		{"show", "", showShape()},
		{"key", "The key of the field with the problem; empty for problems of whole rows.", stringType("")},
		{"code", "The code of the problem.", stringType("")},
		{"search", "Text that a cell holds or is read as, or that is in the name of the value which it holds, whatever the case.", stringType("")},
		{"in", "The key of the field that is searched. Default all.", stringType("")},
		{"also", alsoDoc, stringType("")},
	}
}

func firstParams() []parameter {
	return []parameter{{"rows", "So many of the first rows come along. Default 0, at most 1,000.", countType("")}}
}

func rowParams() []parameter {
	return []parameter{
		{"from", "The place in the view, from 0. Default 0.", countType("")},
		{"count", "The most rows to give. Default 200, at most 1,000.", countType("")},
	}
}

func valueParams() []parameter {
	return []parameter{
		{"of", "The key of the field.", stringType("")},
		{"limit", "The most values to give. Default 100, at most 1,000.", countType("")},
	}
}

func nextParams() []parameter {
	return []parameter{
		{"row", "The id of the row to start from. Default before the first.", stringType("")},
		{"near", "The level of the problem that is looked for. Default any.", enumType("", "problems", "errors", "warnings", "infos")},
		{"back", "true looks before the row and not behind it.", enumType("", "true", "false")},
	}
}

func reviewTableResponse() *jsonschema.Schema {
	option := objectType("", required("value", stringType("")), required("label", stringType("")))
	column := objectType("A field, or one of the columns that feed a field with manyToOne.",
		required("key", stringType("")), optional("part", countType("Which of the columns of the field, from 0.")), required("label", stringType("")), required("type", stringType("The type of the field.")),
		optional("header", stringType("That of the column in the file.")), required("readOnly", boolType("")), required("hidden", boolType("")), required("required", boolType("")),
		optional("options", arrayType(option, "Of select, multi-select, country and us-state-territory.")), optional("delimiter", stringType("What stands between the values of a multi-select.")))
	totals := objectType("", required("rows", countType("")), required("errors", countType("Rows with a problem of this level.")), required("warnings", countType("")), required("infos", countType("")))
	return objectType("", required("columns", arrayType(column, "")), required("totals", totals),
		required("undo", countType("How many changes can be taken back.")), required("redo", countType("How many can be made again.")))
}

func reviewCellResponse() *jsonschema.Schema {
	return objectType("", required("text", stringType("What stands there.")), required("value", nullable(stringType("What it is read as."))), optional("problems", reviewProblemsResponse()),
		optional("made", boolType("The text is not what the value was read from: a hook gave it, or a workbook, which shows less of it.")),
		optional("cut", boolType("The text goes on: 4 KiB of it are given, or 64 KiB where one row is asked for.")))
}

func reviewProblemsResponse() *jsonschema.Schema {
	return arrayType(objectType("", with(mainProps(""), required("level", enumType("", "error", "warning", "info")), required("code", stringType("The rule.")))...), "")
}

func reviewWindowResponse() *jsonschema.Schema {
	row := objectType("", required("id", stringType("Names the row for good.")), required("version", countType("The number of the change that last touched it; 0 for none.")),
		optional("line", countType("Where it begins in the file, from 1; missing for added rows.")),
		required("cells", arrayType(reviewCellResponse(), "One for each column of the table.")), optional("problems", reviewProblemsResponse()))
	return objectType("", required("view", stringType("Names the view.")), required("total", countType("How many rows it has.")), required("first", countType("The place of the first row here, from 0.")), required("rows", arrayType(row, "")))
}

func reviewCountResponse() *jsonschema.Schema {
	return objectType("", with(mainProps("That of one of them."), required("key", stringType("The field; empty for whole rows.")), required("code", stringType("")), required("level", enumType("", "error", "warning", "info")),
		required("rows", countType("")))...)
}

func reviewValuesResponse() *jsonschema.Schema {
	suggestion := objectType("", with(reasonProps(""), required("text", stringType("What a cell is to hold.")), required("label", stringType("")))...)
	value := objectType("", required("text", stringType("")), required("count", countType("")), required("suggestions", arrayType(suggestion, "What it may have been meant as, the likeliest first, at most 3. Of fields whose values are chosen from a list, and where the filter asks for problems.")),
		optional("cut", boolType("The text goes on: 64 KiB of it are given.")))
	return objectType("", required("values", arrayType(value, "")), required("more", countType("How many further ones there are.")))
}

func editResultResponse() *jsonschema.Schema {
	sample := objectType("", required("id", stringType("The row.")), required("key", stringType("")), optional("part", countType("")), required("before", reviewCellResponse()), required("after", reviewCellResponse()))
	return objectType("What a change did, or would do.", required("change", countType("Its number; 0 where nothing was changed.")), required("cells", countType("")), required("rows", countType("")),
		required("added", countType("")), required("deleted", countType("")), required("valid", countType("Rows that lose their last error.")), required("invalid", countType("Rows that get their first one.")),
		required("samples", arrayType(sample, "At most 20.")))
}

func submissionResponse() *jsonschema.Schema {
	return objectType("", required("status", stringType("That of the import.")), required("rows", countType("In the result.")), required("rowsWithError", countType("Of these, with an error.")),
		required("rowsLeftOut", countType("")), required("blocked", boolType("Rows with an error keep it from being submitted.")))
}

func opBody() *jsonschema.Schema { return objectType("", required("op", opShape())) }

func opShape() *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MinLength: 1, MaxLength: 100, Description: "An id that the caller makes, a new one for each change."}
}

func editBody() *jsonschema.Schema {
	where := objectType("Which rows: those of the view, these, or those that fit the filter.",
		optional("view", stringType("")), optional("from", countType("With view: the first place that is meant, from 0.")), optional("to", countType("With view: the place behind the last one. 0, the default, is the end.")), optional("total", countType("With view: how many rows it had when the person saw them; refused where it has others by now, as the places are others then.")), optional("rows", arrayType(stringType(""), "Ids.")), optional("show", showShape()), optional("key", stringType("")), optional("code", stringType("")), optional("search", stringType("")), optional("in", stringType("")), optional("also", stringType(alsoDoc)))
	typed := objectType("", optional("id", stringType("The row; not where one is added.")), required("key", stringType("")), optional("part", countType("")), required("text", stringType("")),
		optional("version", countType("The version of the row that the person saw.")), optional("seen", stringType("The text that the person saw.")))
	return objectType("A change.", required("op", opShape()),
		required("kind", enumType("", "set", "replace", "fill", "clear", "trim", "case", "mapValue", "delete", "add", "accept")),
		optional("preview", boolType("Only say what it would do.")), optional("where", where), optional("keys", arrayType(stringType(""), "The fields. Default all that can be changed.")),
		optional("cells", arrayType(typed, "For set.")), optional("rows", arrayType(arrayType(typed, ""), "For add: the cells of each row.")),
		optional("find", stringType("For replace and mapValue.")), optional("map", mapType(stringType(""), "For mapValue: the new text for each old one, in place of find and text.")), optional("with", stringType("For replace.")), optional("text", stringType("For fill and mapValue.")), optional("texts", mapType(stringType(""), "For fill: the text for each field, by key, in place of keys and text.")),
		optional("whole", boolType("For replace: only cells that hold nothing else.")), optional("names", mapType(mapType(stringType(""), ""), "For replace: what the page shows in place of texts, by field, where that is something else than the names of the table.")), optional("matchCase", boolType("")), optional("expression", boolType("find is a regular expression (RE2).")),
		optional("inner", boolType("For trim: also runs of blanks inside.")), optional("to", enumType("For case.", "upper", "lower", "title")))
}

func fileParams() []parameter {
	return []parameter{
		{"op", "An id that the caller makes, a new one for each change.", opShape()},
		{"preview", "true only says what it would do.", enumType("", "true", "false")},
		{"over", "true puts what the file holds also into cells that were changed here since it was made.", enumType("", "true", "false")},
	}
}

func rowsFileResponse() *jsonschema.Schema {
	conflict := objectType("", required("id", stringType("The row.")), required("key", stringType("")), optional("part", countType("")), required("here", stringType("What the cell holds here.")), required("file", stringType("What it holds in the file.")))
	return objectType("", required("verdict", editResultResponse()),
		required("clashes", countType("Cells that the file changes and that were changed here to something else since it was made. They stay as they are here, unless over is true. Cells too long for the file that are changed in it count too, and stay in any case.")),
		required("examples", arrayType(conflict, "The first of them, at most 20.")),
		required("untold", countType("Rows of which it is not known what they held when the file was made: all cells of theirs that differ count as changed in the file.")),
		required("unknown", countType("Rows of the file that are not among those under review, or not for the first time.")),
		required("ignored", arrayType(stringType(""), "Headers of columns that were left alone.")))
}
