package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/internal/textedit"
	"github.com/intraydata/intray/internal/wire"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/server/draft"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/review"
)

// postEdit makes or previews a change to rows.
func (a *API) postEdit(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	doc := c.bodyObject()
	change, err := d.parseOperation(doc)
	if err != nil {
		return nil, err
	}
	if preview, _ := doc["preview"].(bool); preview {
		var v draft.ChangeResult
		err := a.cfg.Service.WithRows(c.context(), c.reviewed, func(rows *draft.Draft) (err error) {
			v, err = rows.Preview(c.context(), change, nil)
			return err
		})
		return d.editResponse(v, err)
	}
	request, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	v, err := a.cfg.Service.ChangeRows(c.context(), c.reviewed, review.EditRequest{
		Op: stringField(doc, "op"), Kind: stringField(doc, "kind"), Request: request, Change: change,
	})
	return d.editResponse(v, err)
}

func (a *API) postUndo(c *call) (*response, error) { return a.undoOrRedo(c, model.UndoEdit) }

func (a *API) postRedo(c *call) (*response, error) { return a.undoOrRedo(c, model.RedoEdit) }

// undoOrRedo undoes the last change or redoes the last undone change, depending on kind.
func (a *API) undoOrRedo(c *call, kind string) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	v, err := a.cfg.Service.ChangeRows(c.context(), c.reviewed, review.EditRequest{Op: stringField(c.bodyObject(), "op"), Kind: kind})
	return d.editResponse(v, err)
}

// editResult returns the effect of a change. If someone else changed the cells
// first, it returns an error that lists the cells.
func (d *reviewTable) editResult(v draft.ChangeResult, err error) (*wire.EditResult, error) {
	var conflict *draft.ConflictError
	if errors.As(err, &conflict) {
		conflicts := []wire.EditConflict{}
		for _, one := range conflict.Cells {
			conflicts = append(conflicts, wire.EditConflict{
				ID: strconv.FormatInt(one.Row, 10), Key: d.fields[one.Field].Key, Part: one.Part, Version: one.Version, Deleted: one.Gone,
				Seen: truncate(one.Seen, maxCellText), Now: truncate(one.Now, maxCellText),
			})
		}
		e := newError(http.StatusConflict, "changed_by_others", conflict.Describe())
		e.extra = map[string]any{"cells": conflicts}
		return nil, e
	}
	if err != nil {
		return nil, err
	}
	out := wire.EditResult{
		Change: v.Seq, Cells: v.Cells, Rows: v.Rows, Added: v.Added, Deleted: v.Deleted, Valid: v.Valid, Invalid: v.Invalid, Samples: []wire.EditSample{},
	}
	for _, s := range v.Samples {
		f := d.fields[s.Field]
		one := wire.EditSample{ID: strconv.FormatInt(s.Row, 10), Key: f.Key}
		if f.ManyToOne {
			one.Part, one.Before, one.After = &s.Part, d.partCell(s.Before, s.Part, maxStepText), d.partCell(s.After, s.Part, maxStepText)
		} else {
			one.Before, one.After = d.wholeCell(s.Before, maxStepText), d.wholeCell(s.After, maxStepText)
		}
		out.Samples = append(out.Samples, one)
	}
	return &out, nil
}

func (d *reviewTable) editResponse(v draft.ChangeResult, err error) (*response, error) {
	out, err := d.editResult(v, err)
	return jsonResponse(http.StatusOK, out, err)
}

// parseOperation parses a change to rows.
func (d *reviewTable) parseOperation(doc map[string]any) (draft.Operation, error) {
	kind := stringField(doc, "kind")
	switch kind {
	case "set":
		return d.parseSet(doc)
	case "add":
		return d.parseAdd(doc)
	}
	where, err := d.parseSelector(doc)
	if err != nil {
		return nil, err
	}
	flag := func(name string) bool { on, _ := doc[name].(bool); return on }
	switch kind {
	case "replace":
		names, err := d.parseNames(doc)
		return draft.Replace{Where: where, Find: stringField(doc, "find"), With: stringField(doc, "with"), Whole: flag("whole"), MatchCase: flag("matchCase"), Expression: flag("expression"), Names: names}, err
	case "fill":
		return d.parseFill(where, doc)
	case "clear":
		return draft.Clear{Where: where}, nil
	case "trim":
		return draft.Trim{Where: where, Inner: flag("inner")}, nil
	case "case":
		return draft.Case{Where: where, To: textedit.Casing(stringField(doc, "to"))}, nil
	case "delete":
		return draft.Delete{Where: where}, nil
	case "accept":
		return draft.Accept{Where: where}, nil
	}
	if len(where.Fields) != 1 {
		return nil, invalidField("keys", intray.NewMessage("review.not_one_field", nil))
	}
	change := draft.MapValue{Where: where, Field: where.Fields[0], Raw: stringField(doc, "find"), Text: stringField(doc, "text")}
	if several, given := doc["map"].(map[string]any); given {
		change.Texts = map[string]string{}
		for raw := range several {
			change.Texts[raw] = stringField(several, raw)
		}
	}
	return change, nil
}

// parseNames parses the display names of values on the review page.
func (d *reviewTable) parseNames(doc map[string]any) (map[int]map[string]string, error) {
	given, _ := doc["names"].(map[string]any)
	names := map[int]map[string]string{}
	for key, of := range given {
		at, err := d.fieldIndex("names", key)
		if err != nil {
			return nil, err
		}
		texts, _ := of.(map[string]any)
		names[at] = map[string]string{}
		for one := range texts {
			names[at][one] = stringField(texts, one)
		}
	}
	return names, nil
}

func (d *reviewTable) parseFill(where draft.Selector, doc map[string]any) (draft.Operation, error) {
	fill := draft.Fill{Where: where, Text: stringField(doc, "text")}
	texts, several := doc["texts"].(map[string]any)
	if !several {
		return fill, nil
	}
	fill.Texts = map[int]string{}
	for key := range texts {
		at, err := d.fieldIndex("texts", key)
		if err != nil {
			return nil, err
		}
		fill.Texts[at] = stringField(texts, key)
	}
	return fill, nil
}

// parseSelector parses a selection of cells.
func (d *reviewTable) parseSelector(doc map[string]any) (s draft.Selector, err error) {
	where, _ := doc["where"].(map[string]any)
	_, keyed := where["key"]
	if s.Filter, err = d.parseFilter(where, keyed); err != nil {
		return s, err
	}
	s.Token, s.From, s.To = stringField(where, "view"), intField(where, "from"), intField(where, "to")
	if _, hasTotal := where["total"]; hasTotal {
		total := intField(where, "total")
		s.Total = &total
	}
	if s.Token == "" && (s.From != 0 || s.To != 0) {
		return s, invalidField("where", intray.NewMessage("review.positions_without_view", nil))
	}
	if rows, given := where["rows"].([]any); given {
		s.Numbers = []int64{}
		for _, row := range rows {
			number, err := parseRowID(row)
			if err != nil {
				return s, err
			}
			s.Numbers = append(s.Numbers, number)
		}
	}
	keys, given := doc["keys"].([]any)
	if !given {
		return s, nil
	}
	s.Fields = []int{}
	for _, key := range keys {
		name, _ := key.(string)
		at, err := d.fieldIndex("keys", name)
		if err != nil {
			return s, err
		}
		s.Fields = append(s.Fields, at)
	}
	return s, nil
}

// parseRowID parses the id of a row.
func parseRowID(of any) (int64, error) {
	name, _ := of.(string)
	number, err := strconv.ParseInt(name, 10, 64)
	if err != nil || number < 0 {
		return 0, invalidField("rows", intray.NewMessage("review.invalid_row_id", intray.Params{"id": truncate(name, 40)}))
	}
	return number, nil
}

func (d *reviewTable) parseSet(doc map[string]any) (draft.Operation, error) {
	var set draft.Set
	cells, _ := doc["cells"].([]any)
	if len(cells) == 0 {
		return nil, invalidField("cells", intray.NewMessage("review.no_cells", nil))
	}
	for _, one := range cells {
		cell, _ := one.(map[string]any)
		typed, err := d.parseTypedCell(cell)
		if err != nil {
			return nil, err
		}
		if typed.Row, err = parseRowID(cell["id"]); err != nil {
			return nil, err
		}
		typed.Version, typed.Seen = intField(cell, "version"), stringField(cell, "seen")
		set.Cells = append(set.Cells, typed)
	}
	return set, nil
}

func (d *reviewTable) parseTypedCell(cell map[string]any) (t draft.Typed, err error) {
	t.Field, err = d.fieldIndex("cells", stringField(cell, "key"))
	t.Part, t.Text = int(intField(cell, "part")), stringField(cell, "text")
	return t, err
}

func (d *reviewTable) parseAdd(doc map[string]any) (draft.Operation, error) {
	var add draft.Add
	rows, _ := doc["rows"].([]any)
	if len(rows) == 0 {
		return nil, invalidField("rows", intray.NewMessage("review.no_rows", nil))
	}
	for _, one := range rows {
		cells, _ := one.([]any)
		row := []draft.Typed{}
		for _, cell := range cells {
			doc, _ := cell.(map[string]any)
			typed, err := d.parseTypedCell(doc)
			if err != nil {
				return nil, err
			}
			row = append(row, typed)
		}
		add.Rows = append(add.Rows, row)
	}
	return add, nil
}

func (a *API) getSubmission(c *call) (*response, error) {
	sub, err := a.cfg.Service.ReviewSummary(c.context(), c.reviewed)
	return submissionResponse(c.reviewed.Status, sub, err)
}

func (a *API) postSubmission(c *call) (*response, error) {
	imp, sub, err := a.cfg.Service.SubmitReview(c.context(), c.reviewed)
	return submissionResponse(imp.Status, sub, err)
}

func submissionResponse(status model.Status, s review.Submission, err error) (*response, error) {
	return jsonResponse(http.StatusOK, wire.Submission{Status: string(status), Rows: s.Rows, RowsWithError: s.WithError, RowsLeftOut: s.Dropped, Blocked: s.Blocked}, err)
}

// maxRowsFile is the maximum size of a file with corrected rows, in bytes.
const maxRowsFile = 100 << 20

// getReviewFile sends the rows selected by the query as a workbook.
func (a *API) getReviewFile(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	q, err := d.parseQuery(c.r.URL.Query())
	q.Sort = nil // a file has the rows in their own order
	if err != nil {
		return nil, err
	}
	file := a.newSpool(0, nil)
	if err := a.cfg.Service.ExportRows(c.context(), c.reviewed, q, file); err != nil {
		file.close()
		return nil, err
	}
	name := c.reviewed.Filename
	name = cmp.Or(name, "rows")
	header := http.Header{
		"Content-Type":        {output.XLSX.ContentType()},
		"Content-Disposition": {"attachment; filename*=UTF-8''" + url.PathEscape(withoutPath(name)) + "-rows.xlsx"},
	}
	return &response{status: http.StatusOK, header: header, stream: file.stream}, nil
}

func (d *reviewTable) wireConflicts(list []review.CellConflict) []wire.CorrectionConflict {
	out := []wire.CorrectionConflict{}
	for _, p := range list {
		f := d.fields[p.Field]
		one := wire.CorrectionConflict{ID: strconv.FormatInt(p.Row, 10), Key: f.Key, Here: truncate(p.Here, maxStepText), File: truncate(p.File, maxStepText)}
		if f.ManyToOne {
			one.Part = &p.Part
		}
		out = append(out, one)
	}
	return out
}

// putReviewFile merges a file that contains corrected rows.
func (a *API) putReviewFile(c *call) (*response, error) {
	d, err := a.loadReviewTable(c)
	if err != nil {
		return nil, err
	}
	if err := requireWholeFile(c.r.Header); err != nil {
		return nil, err
	}
	over := newError(http.StatusRequestEntityTooLarge, "file_too_large", intray.NewMessage("review.file_too_large", intray.Params{"size": maxRowsFile >> 20}))
	file := a.newSpool(maxRowsFile, over)
	defer file.close()
	if _, err := io.Copy(file, a.pacedReader(c.w, c.r)); err != nil {
		return nil, receiveError(err)
	}
	query := c.r.URL.Query()
	out, err := a.cfg.Service.MergeCorrections(c.context(), c.reviewed, review.CorrectionFile{
		Op: query.Get("op"), Preview: query.Get("preview") == "true", Overwrite: query.Get("over") == "true",
		File: file.readerAt(), Size: file.size,
	})
	change, err := d.editResult(out.Change, err)
	if err != nil {
		return nil, err
	}
	return jsonResponse(http.StatusOK, wire.Corrections{
		Verdict: *change, Conflicts: out.Conflicts, Examples: d.wireConflicts(out.Examples), Unverified: out.Unverified, Unknown: out.Unknown,
		Ignored: append([]string{}, out.Ignored...),
	}, nil)
}

func opBody() *jsonschema.Schema {
	return bodyType("OpRequest", "The id of a change.", map[string]any{"op": "7e0d4c52"}, required("op", opShape()))
}

func opShape() *jsonschema.Schema {
	return &jsonschema.Schema{Kind: jsonschema.String, NoControl: true, MinLength: 1, MaxLength: 100, Description: "An id that the caller creates, a new one for each change."}
}

func editBody() *jsonschema.Schema {
	where := namedType("EditFilter", "The rows: those of a view, those with the ids, or those that match the filter.",
		optional("view", stringType("")), optional("from", countType("With view: the first position, counted from 0.")), optional("to", countType("With view: the position after the last one. 0, the default, is the end.")), optional("total", countType("With view: the number of rows that it had when the person saw it. If the number has changed, so have the positions, and the request is refused.")), optional("rows", arrayType(stringType(""), "Row ids.")), optional("show", showShape()), optional("key", stringType("")), optional("code", stringType("")), optional("search", stringType("")), optional("in", stringType("")), optional("also", stringType(alsoDoc)), optional("whole", boolType("")))
	typed := namedType("TypedCell", "A cell as a person typed it.", optional("id", stringType("The row. Not with add.")), required("key", stringType("")), optional("part", countType("")), required("text", stringType("")),
		optional("version", countType("The version of the row that the person saw.")), optional("seen", stringType("The raw value that the person saw.")))
	example := map[string]any{"op": "7e0d4c52", "kind": "replace", "where": map[string]any{"show": "errors"}, "keys": []any{"email"}, "find": "(at)", "with": "@"}
	return bodyType("EditRequest", "A change.", example, required("op", opShape()),
		required("kind", enumType("", "set", "replace", "fill", "clear", "trim", "case", "mapValue", "delete", "add", "accept")),
		optional("preview", boolType("Only return the effect, without changing anything.")), optional("where", where), optional("keys", arrayType(stringType(""), "The fields. Default: all that can be changed.")),
		optional("cells", arrayType(typed, "For set.")), optional("rows", arrayType(arrayType(typed, ""), "For add: the cells of each row.")),
		optional("find", stringType("For replace and mapValue.")), optional("map", mapType(stringType(""), "For mapValue: the new value for each old one, instead of find and text.")), optional("with", stringType("For replace.")), optional("text", stringType("For fill and mapValue.")), optional("texts", mapType(stringType(""), "For fill: the value for each field, by key, instead of keys and text.")),
		optional("whole", boolType("For replace: only cells that contain nothing else.")), optional("names", mapType(mapType(stringType(""), ""), "For replace: the names that the page shows for values, by field, if they differ from the names of the table.")), optional("matchCase", boolType("")), optional("expression", boolType("find is a regular expression (RE2).")),
		optional("inner", boolType("For trim: also runs of spaces inside.")), optional("to", enumType("For case.", "upper", "lower", "title")))
}

func fileParams() []parameter {
	return []parameter{
		{"op", "An id that the caller creates, a new one for each change.", opShape()},
		{"preview", "true only returns the effect, without changing anything.", enumType("", "true", "false")},
		{"over", "true also overwrites cells that were changed here since the file was made.", enumType("", "true", "false")},
	}
}
