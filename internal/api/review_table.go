package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/draft"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/internal/shape"
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

// deskColumn is a column of the table on the review page: a field, or one of the
// columns that feed a field with several.
type deskColumn struct {
	Key      string       `json:"key"`
	Part     *int         `json:"part,omitempty"`
	Label    string       `json:"label"`
	Type     string       `json:"type"`
	Header   string       `json:"header,omitempty"`
	ReadOnly bool         `json:"readOnly"`
	Hidden   bool         `json:"hidden"`
	Required bool         `json:"required"`
	Options  []deskOption `json:"options,omitempty"`
	// Delimiter stands between the values of a multi-select.
	Delimiter string `json:"delimiter,omitempty"`

	field int
}

type deskOption struct {
	Value string `json:"value"`
	Label string `json:"label"`
}

type deskTotals struct {
	Rows     int64 `json:"rows"`
	Errors   int64 `json:"errors"`
	Warnings int64 `json:"warnings"`
	Infos    int64 `json:"infos"`
}

type deskTable struct {
	Columns []deskColumn `json:"columns"`
	Totals  deskTotals   `json:"totals"`
	Undo    int          `json:"undo"`
	Redo    int          `json:"redo"`
}

type deskProblem struct {
	Level string `json:"level"`
	Code  string `json:"code"`
	mainMessage
}

type deskCell struct {
	Text     string        `json:"text"`
	Value    *string       `json:"value"`
	Problems []deskProblem `json:"problems,omitempty"`
	// Cut says that the text is longer, Made that a hook gave the value.
	Cut  bool `json:"cut,omitempty"`
	Made bool `json:"made,omitempty"`
}

type deskRow struct {
	ID       string        `json:"id"`
	Version  int64         `json:"version"`
	Line     int64         `json:"line,omitempty"`
	Cells    []deskCell    `json:"cells"`
	Problems []deskProblem `json:"problems,omitempty"`
}

type deskWindow struct {
	View  string    `json:"view"`
	Total int64     `json:"total"`
	First int64     `json:"first"`
	Rows  []deskRow `json:"rows"`
}

type deskCount struct {
	Key   string `json:"key"`
	Code  string `json:"code"`
	Level string `json:"level"`
	Rows  int64  `json:"rows"`
	mainMessage
}

type deskValues struct {
	Values []deskValue `json:"values"`
	More   int64       `json:"more"`
}

type deskValue struct {
	Text        string           `json:"text"`
	Count       int64            `json:"count"`
	Suggestions []deskSuggestion `json:"suggestions"`
}

type deskSuggestion struct {
	Text  string `json:"text"`
	Label string `json:"label"`
	reasonMessage
}

type deskSpot struct {
	ID    string `json:"id"`
	Place int64  `json:"place"`
}

// desk is what the calls of a review page know of the table.
type desk struct {
	fields  []intray.Field
	columns []deskColumn
	// messages are those that were rendered: many cells have the same.
	messages map[intray.Message]mainMessage
}

func (a *API) desk(c *call) (*desk, error) {
	schema, err := a.cfg.Service.FrozenSchema(c.reviewed)
	if err != nil {
		return nil, err
	}
	d := &desk{fields: schema.Fields, messages: map[intray.Message]mainMessage{}}
	o := c.reviewed.Outcome
	for i, f := range schema.Fields {
		one := deskColumn{Key: f.Key, Label: f.Label, Type: string(f.Type.Name), ReadOnly: f.ReadOnly, Hidden: f.Hidden, field: i}
		one.Required = requires(f)
		if f.Type.Name == intray.TypeMultiSelect {
			one.Delimiter = ","
			if own, _ := f.Type.Options["delimiter"].(string); own != "" {
				one.Delimiter = own
			}
		}
		for _, option := range service.Choices(f) {
			one.Options = append(one.Options, deskOption{option.Value, option.Label})
		}
		var columns []int
		if o != nil && i < len(o.Mapping.Fields) {
			columns = o.Mapping.Fields[i].All()
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

// field gives the place of a field by its key.
func (d *desk) field(name, key string) (int, error) {
	at := slices.IndexFunc(d.fields, func(f intray.Field) bool { return f.Key == key })
	if at < 0 {
		return 0, invalidField(name, intray.NewMessage("review.names_no_field", nil))
	}
	return at, nil
}

func (a *API) getDesk(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	out, err := a.deskTable(c, d)
	return unkept(out, err)
}

func (a *API) deskTable(c *call, d *desk) (deskTable, error) {
	out := deskTable{Columns: d.columns}
	err := a.cfg.Service.Rows(c.ctx(), c.reviewed, func(rows *draft.Draft) error {
		t := rows.Totals()
		out.Totals = deskTotals{t.Rows, t.Errors, t.Warnings, t.Infos}
		h, err := rows.History(c.ctx())
		out.Undo, out.Redo = len(h.Done), len(h.Undone)
		return err
	})
	return out, err
}

// unkept is an answer that no cache may keep.
func unkept(body any, err error) (*answer, error) {
	if err != nil {
		return nil, err
	}
	return &answer{status: http.StatusOK, body: body, header: http.Header{"Cache-Control": {"no-store"}}}, nil
}

func (a *API) getDeskRows(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	out, err := a.deskRows(c, d, c.r.URL.Query())
	return unkept(out, err)
}

func (a *API) deskRows(c *call, d *desk, query url.Values) (deskWindow, error) {
	out, most := deskWindow{Rows: []deskRow{}}, maxStepText
	q, err := d.query(query)
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
	err = a.cfg.Service.Table(c.ctx(), c.reviewed, func(rows *draft.Draft, made service.Made) error {
		w, err := rows.Window(c.ctx(), q, from, count)
		if err != nil {
			return err
		}
		out.View, out.Total, out.First = w.View.Token, w.View.Rows, w.First
		for _, r := range w.Rows {
			out.Rows = append(out.Rows, d.row(r, most, made))
		}
		return nil
	})
	return out, err
}

func rowsAsked(query url.Values) (from int64, count int, err error) {
	if from, err = within(query, "from", 0, 1<<40); err != nil {
		return 0, 0, err
	}
	n, err := within(query, "count", usualWindow, maxWindow)
	return from, int(n), err
}

// within reads a query parameter from 0 to most.
func within(query url.Values, name string, usual, most int64) (int64, error) {
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

// query reads which rows are wanted.
func (d *desk) query(query url.Values) (q draft.Query, err error) {
	q.Token = query.Get("view")
	q.Filter, err = d.filter(map[string]any{
		"show": query.Get("show"), "key": query.Get("key"), "code": query.Get("code"), "search": query.Get("search"), "in": query.Get("in"), "also": query.Get("also"),
	}, query.Has("key"))
	return q, err
}

// filter reads a filter; an empty key that is given means problems of whole rows.
func (d *desk) filter(doc map[string]any, keyed bool) (f draft.Filter, err error) {
	show, known := shows[text(doc, "show")]
	if !known {
		return f, invalidField("show", intray.NewMessage("request.not_one_of", intray.Params{"values": []string{"all", "problems", "errors", "warnings", "infos", "valid"}}))
	}
	f.Show, f.Code, f.Search = show, text(doc, "code"), text(doc, "search")
	if keyed {
		at := intray.NoField
		if key := text(doc, "key"); key != "" {
			if at, err = d.field("key", key); err != nil {
				return f, err
			}
		}
		f.Field = &at
	}
	if in := text(doc, "in"); in != "" {
		at, err := d.field("in", in)
		if err != nil {
			return f, err
		}
		f.In = &at
	}
	f.Also, err = d.also(text(doc, "also"))
	return f, err
}

// also reads which texts count as found, by the keys of fields.
func (d *desk) also(doc string) (map[int][]string, error) {
	if doc == "" {
		return nil, nil
	}
	var byKey map[string][]string
	if err := json.Unmarshal([]byte(doc), &byKey); err != nil {
		return nil, invalidField("also", intray.NewMessage("review.invalid_also", nil))
	}
	texts := map[int][]string{}
	for key, list := range byKey {
		at, err := d.field("also", key)
		if err != nil {
			return nil, err
		}
		texts[at] = list
	}
	return texts, nil
}

// row gives a row in the columns of the table. Texts are cut after so many bytes.
func (d *desk) row(r draft.Row, most int, made service.Made) deskRow {
	out := deskRow{ID: strconv.FormatInt(r.Number, 10), Version: r.Version, Line: r.Line, Problems: d.problems(r.Problems, nil)}
	for _, column := range d.columns {
		c := r.Cells[column.field]
		var cell deskCell
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

func (d *desk) wholeCell(c draft.Cell, most int) deskCell {
	cell := deskCell{Text: cut(c.Raw, most), Problems: d.problems(c.Problems, nil), Cut: len(c.Raw) > most}
	if !c.Null {
		value := cut(c.Value, most)
		cell.Value = &value
	}
	return cell
}

// partCell is the cell of one of the columns of a field with several.
func (d *desk) partCell(c draft.Cell, part, most int) deskCell {
	raw := c.Part(part)
	cell := deskCell{Text: cut(raw, most), Problems: d.problems(c.Problems, &part), Cut: len(raw) > most}
	var values []json.RawMessage
	if json.Unmarshal([]byte(c.Value), &values) == nil && part < len(values) && string(values[part]) != "null" {
		value := string(values[part])
		if text := ""; json.Unmarshal(values[part], &text) == nil {
			value = text
		}
		value = cut(value, most)
		cell.Value = &value
	}
	return cell
}

func (d *desk) problems(problems []intray.Problem, part *int) (list []deskProblem) {
	for _, p := range problems {
		if part == nil || p.Part == *part {
			list = append(list, deskProblem{p.Level.String(), p.Code, d.message(p.Text)})
		}
	}
	return list
}

// message renders a message once.
func (d *desk) message(m intray.Message) mainMessage {
	out, known := d.messages[m]
	if !known {
		out = mainOf(m)
		d.messages[m] = out
	}
	return out
}

func (a *API) getDeskCounts(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	out := []deskCount{}
	err = a.cfg.Service.Rows(c.ctx(), c.reviewed, func(rows *draft.Draft) error {
		counts, err := rows.Counts(c.ctx())
		for _, one := range counts {
			key := ""
			if one.Field != intray.NoField {
				key = d.fields[one.Field].Key
			}
			out = append(out, deskCount{key, one.Code, one.Level.String(), one.Rows, d.message(one.Text)})
		}
		return err
	})
	return unkept(out, err)
}

func (a *API) getDeskValues(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	of, err := d.field("of", query.Get("of"))
	if err != nil {
		return nil, err
	}
	q, err := d.query(query)
	if err != nil {
		return nil, err
	}
	limit, err := within(query, "limit", 100, maxDistinct)
	if err != nil {
		return nil, err
	}
	out := deskValues{Values: []deskValue{}}
	suggest := service.NewSuggester(d.fields[of])
	if q.Filter.Show == draft.All || q.Filter.Show == draft.Valid {
		suggest = nil
	}
	err = a.cfg.Service.Rows(c.ctx(), c.reviewed, func(rows *draft.Draft) error {
		found, err := rows.Distinct(c.ctx(), of, q, int(limit))
		out.More = found.More
		for i, v := range found.Values {
			one := deskValue{cut(v.Text, maxCellText), v.Cells, []deskSuggestion{}}
			if i < maxSuggested {
				for _, s := range suggest.Suggest(v.Text, suggestions) {
					one.Suggestions = append(one.Suggestions, deskSuggestion{s.Text, s.Label, reasonOf(s.Reason)})
				}
			}
			out.Values = append(out.Values, one)
		}
		return err
	})
	return unkept(out, err)
}

func (a *API) getDeskNext(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	query := c.r.URL.Query()
	q, err := d.query(query)
	if err != nil {
		return nil, err
	}
	row := int64(-1)
	if query.Get("row") != "" {
		if row, err = within(query, "row", 0, 1<<40); err != nil {
			return nil, err
		}
	}
	near, known := shows[query.Get("near")]
	if !known || near == draft.All || near == draft.Valid {
		if near = draft.Problems; query.Get("near") != "" {
			return nil, invalidField("near", intray.NewMessage("request.not_one_of", intray.Params{"values": []string{"problems", "errors", "warnings", "infos"}}))
		}
	}
	var out *deskSpot
	err = a.cfg.Service.Rows(c.ctx(), c.reviewed, func(rows *draft.Draft) error {
		spot, found, err := rows.Next(c.ctx(), q, draft.Filter{Show: near}, row, query.Get("back") == "true")
		if found {
			out = &deskSpot{strconv.FormatInt(spot.Row, 10), spot.Place}
		}
		return err
	})
	return unkept(map[string]*deskSpot{"next": out}, err)
}

func showShape() *shape.Shape {
	return enum("Which rows by their problems. Default all.", "all", "problems", "errors", "warnings", "infos", "valid")
}

const alsoDoc = "Texts that count as found by the search in cells that hold them, where the page shows something else for them than the names of the table: JSON, a list under the key of each field."

func filterParams() []parameter {
	return []parameter{
		{"view", "A view that an earlier answer named; the filter does not count then.", word("")},
		{"show", "", showShape()},
		{"key", "The key of the field with the problem; empty for problems of whole rows.", word("")},
		{"code", "The code of the problem.", word("")},
		{"search", "Text that a cell holds or is read as, or that is in the name of the value which it holds, whatever the case.", word("")},
		{"in", "The key of the field that is searched. Default all.", word("")},
		{"also", alsoDoc, word("")},
	}
}

func firstParams() []parameter {
	return []parameter{{"rows", "So many of the first rows come along. Default 0, at most 1,000.", count("")}}
}

func rowParams() []parameter {
	return []parameter{
		{"from", "The place in the view, from 0. Default 0.", count("")},
		{"count", "The most rows to give. Default 200, at most 1,000.", count("")},
	}
}

func valueParams() []parameter {
	return []parameter{
		{"of", "The key of the field.", word("")},
		{"limit", "The most values to give. Default 100, at most 1,000.", count("")},
	}
}

func nextParams() []parameter {
	return []parameter{
		{"row", "The id of the row to start from. Default before the first.", word("")},
		{"near", "The level of the problem that is looked for. Default any.", enum("", "problems", "errors", "warnings", "infos")},
		{"back", "true looks before the row and not behind it.", enum("", "true", "false")},
	}
}

func deskTableAnswer() *shape.Shape {
	option := object("", must("value", word("")), must("label", word("")))
	column := object("A field, or one of the columns that feed a field with manyToOne.",
		must("key", word("")), may("part", count("Which of the columns of the field, from 0.")), must("label", word("")), must("type", word("The type of the field.")),
		may("header", word("That of the column in the file.")), must("readOnly", flag("")), must("hidden", flag("")), must("required", flag("")),
		may("options", list(option, "Of select, multi-select, country and us-state-territory.")), may("delimiter", word("What stands between the values of a multi-select.")))
	totals := object("", must("rows", count("")), must("errors", count("Rows with a problem of this level.")), must("warnings", count("")), must("infos", count("")))
	return object("", must("columns", list(column, "")), must("totals", totals),
		must("undo", count("How many changes can be taken back.")), must("redo", count("How many can be made again.")))
}

func deskCellAnswer() *shape.Shape {
	return object("", must("text", word("What stands there.")), must("value", orNull(word("What it is read as."))), may("problems", deskProblems()),
		may("made", flag("The text is not what the value was read from: a hook gave it, or a workbook, which shows less of it.")),
		may("cut", flag("The text goes on: 4 KiB of it are given, or 64 KiB where one row is asked for.")))
}

func deskProblems() *shape.Shape {
	return list(object("", with(mainProps(""), must("level", enum("", "error", "warning", "info")), must("code", word("The rule.")))...), "")
}

func deskWindowAnswer() *shape.Shape {
	row := object("", must("id", word("Names the row for good.")), must("version", count("The number of the change that last touched it; 0 for none.")),
		may("line", count("Where it begins in the file, from 1; missing for added rows.")),
		must("cells", list(deskCellAnswer(), "One for each column of the table.")), may("problems", deskProblems()))
	return object("", must("view", word("Names the view.")), must("total", count("How many rows it has.")), must("first", count("The place of the first row here, from 0.")), must("rows", list(row, "")))
}

func deskCountAnswer() *shape.Shape {
	return object("", with(mainProps("That of one of them."), must("key", word("The field; empty for whole rows.")), must("code", word("")), must("level", enum("", "error", "warning", "info")),
		must("rows", count("")))...)
}

func deskValuesAnswer() *shape.Shape {
	suggestion := object("", with(reasonProps(""), must("text", word("What a cell is to hold.")), must("label", word("")))...)
	value := object("", must("text", word("")), must("count", count("")), must("suggestions", list(suggestion, "What it may have been meant as, the likeliest first, at most 3. Of fields whose values are chosen from a list, and where the filter asks for problems.")))
	return object("", must("values", list(value, "")), must("more", count("How many further ones there are.")))
}

func deskVerdictAnswer() *shape.Shape {
	sample := object("", must("id", word("The row.")), must("key", word("")), may("part", count("")), must("before", deskCellAnswer()), must("after", deskCellAnswer()))
	return object("What a change did, or would do.", must("change", count("Its number; 0 where nothing was changed.")), must("cells", count("")), must("rows", count("")),
		must("added", count("")), must("deleted", count("")), must("valid", count("Rows that lose their last error.")), must("invalid", count("Rows that get their first one.")),
		must("samples", list(sample, "At most 20.")))
}

func submissionAnswer() *shape.Shape {
	return object("", must("status", word("That of the import.")), must("rows", count("In the result.")), must("rowsWithError", count("Of these, with an error.")),
		must("rowsLeftOut", count("")), must("blocked", flag("Rows with an error keep it from being submitted.")))
}

func opBody() *shape.Shape { return object("", must("op", opShape())) }

func opShape() *shape.Shape {
	return &shape.Shape{Kind: shape.String, NoControl: true, MinLength: 1, MaxLength: 100, Doc: "An id that the caller makes, a new one for each change."}
}

func editBody() *shape.Shape {
	where := object("Which rows: those of the view, these, or those that fit the filter.",
		may("view", word("")), may("from", count("With view: the first place that is meant, from 0.")), may("to", count("With view: the place behind the last one. 0, the default, is the end.")), may("total", count("With view: how many rows it had when the person saw them; refused where it has others by now, as the places are others then.")), may("rows", list(word(""), "Ids.")), may("show", showShape()), may("key", word("")), may("code", word("")), may("search", word("")), may("in", word("")), may("also", word(alsoDoc)))
	typed := object("", may("id", word("The row; not where one is added.")), must("key", word("")), may("part", count("")), must("text", word("")),
		may("version", count("The version of the row that the person saw.")), may("seen", word("The text that the person saw.")))
	return object("A change.", must("op", opShape()),
		must("kind", enum("", "set", "replace", "fill", "clear", "trim", "case", "mapValue", "delete", "add", "accept")),
		may("preview", flag("Only say what it would do.")), may("where", where), may("keys", list(word(""), "The fields. Default all that can be changed.")),
		may("cells", list(typed, "For set.")), may("rows", list(list(typed, ""), "For add: the cells of each row.")),
		may("find", word("For replace and mapValue.")), may("map", mapOf(word(""), "For mapValue: the new text for each old one, in place of find and text.")), may("with", word("For replace.")), may("text", word("For fill and mapValue.")), may("texts", mapOf(word(""), "For fill: the text for each field, by key, in place of keys and text.")),
		may("whole", flag("For replace: only cells that hold nothing else.")), may("names", mapOf(mapOf(word(""), ""), "For replace: what the page shows in place of texts, by field, where that is something else than the names of the table.")), may("matchCase", flag("")), may("expression", flag("find is a regular expression (RE2).")),
		may("inner", flag("For trim: also runs of blanks inside.")), may("to", enum("For case.", "upper", "lower", "title")))
}

func fileParams() []parameter {
	return []parameter{
		{"op", "An id that the caller makes, a new one for each change.", opShape()},
		{"preview", "true only says what it would do.", enum("", "true", "false")},
		{"over", "true puts what the file holds also into cells that were changed here since it was made.", enum("", "true", "false")},
	}
}

func broughtAnswer() *shape.Shape {
	parted := object("", must("id", word("The row.")), must("key", word("")), may("part", count("")), must("here", word("What the cell holds here.")), must("file", word("What it holds in the file.")))
	return object("", must("verdict", deskVerdictAnswer()),
		must("clashes", count("Cells that the file changes and that were changed here to something else since it was made. They stay as they are here, unless over is true. Cells too long for the file that are changed in it count too, and stay in any case.")),
		must("examples", list(parted, "The first of them, at most 20.")),
		must("untold", count("Rows of which it is not known what they held when the file was made: all cells of theirs that differ count as changed in the file.")),
		must("unknown", count("Rows of the file that are not among those under review, or not for the first time.")),
		must("ignored", list(word(""), "Headers of columns that were left alone.")))
}
