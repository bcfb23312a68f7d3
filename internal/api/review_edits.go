package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/draft"
	"github.com/intraydata/intray/internal/service"
	"github.com/intraydata/intray/output"
)

// deskVerdict says what a change did, or would do.
type deskVerdict struct {
	Change  int64        `json:"change"`
	Cells   int64        `json:"cells"`
	Rows    int64        `json:"rows"`
	Added   int64        `json:"added"`
	Deleted int64        `json:"deleted"`
	Valid   int64        `json:"valid"`
	Invalid int64        `json:"invalid"`
	Samples []deskSample `json:"samples"`
}

type deskSample struct {
	ID     string   `json:"id"`
	Key    string   `json:"key"`
	Part   *int     `json:"part,omitempty"`
	Before deskCell `json:"before"`
	After  deskCell `json:"after"`
}

// deskClash is a cell that somebody else changed first.
type deskClash struct {
	ID      string `json:"id"`
	Key     string `json:"key"`
	Part    int    `json:"part"`
	Version int64  `json:"version"`
	Deleted bool   `json:"deleted"`
	Seen    string `json:"seen"`
	Now     string `json:"now"`
}

// postEdit makes a change, or says what it would do.
func (a *API) postEdit(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	doc := c.object()
	change, err := d.operation(doc)
	if err != nil {
		return nil, err
	}
	if preview, _ := doc["preview"].(bool); preview {
		var v draft.Verdict
		err := a.cfg.Service.Rows(c.ctx(), c.reviewed, func(rows *draft.Draft) (err error) {
			v, err = rows.Preview(c.ctx(), change, nil)
			return err
		})
		return d.verdict(v, err)
	}
	request, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	v, err := a.cfg.Service.ChangeRows(c.ctx(), c.reviewed, service.EditOrder{
		Op: text(doc, "op"), Kind: text(doc, "kind"), Request: request, Change: change,
	})
	return d.verdict(v, err)
}

func (a *API) postUndo(c *call) (*answer, error) { return a.turn(c, service.UndoEdit) }

func (a *API) postRedo(c *call) (*answer, error) { return a.turn(c, service.RedoEdit) }

// turn undoes or redoes the last change.
func (a *API) turn(c *call, kind string) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	v, err := a.cfg.Service.ChangeRows(c.ctx(), c.reviewed, service.EditOrder{Op: text(c.object(), "op"), Kind: kind})
	return d.verdict(v, err)
}

// verdict tells of a change; where others were first, of their cells.
func (d *desk) verdict(v draft.Verdict, err error) (*answer, error) {
	var conflict *draft.Conflict
	if errors.As(err, &conflict) {
		clashes := []deskClash{}
		for _, one := range conflict.Cells {
			clashes = append(clashes, deskClash{strconv.FormatInt(one.Row, 10), d.fields[one.Field].Key, one.Part, one.Version, one.Gone, cut(one.Seen, maxCellText), cut(one.Now, maxCellText)})
		}
		e := refuse(http.StatusConflict, "changed_by_others", conflict.Describe())
		e.more = map[string]any{"cells": clashes}
		return nil, e
	}
	out := deskVerdict{v.Seq, v.Cells, v.Rows, v.Added, v.Deleted, v.Valid, v.Invalid, []deskSample{}}
	for _, s := range v.Samples {
		f := d.fields[s.Field]
		one := deskSample{ID: strconv.FormatInt(s.Row, 10), Key: f.Key}
		if f.ManyToOne {
			one.Part, one.Before, one.After = &s.Part, d.partCell(s.Before, s.Part, maxStepText), d.partCell(s.After, s.Part, maxStepText)
		} else {
			one.Before, one.After = d.wholeCell(s.Before, maxStepText), d.wholeCell(s.After, maxStepText)
		}
		out.Samples = append(out.Samples, one)
	}
	return unkept(out, err)
}

// operation reads what is asked for.
func (d *desk) operation(doc map[string]any) (draft.Operation, error) {
	kind := text(doc, "kind")
	switch kind {
	case "set":
		return d.set(doc)
	case "add":
		return d.add(doc)
	}
	where, err := d.selector(doc)
	if err != nil {
		return nil, err
	}
	flag := func(name string) bool { on, _ := doc[name].(bool); return on }
	switch kind {
	case "replace":
		names, err := d.names(doc)
		return draft.Replace{Where: where, Find: text(doc, "find"), With: text(doc, "with"), Whole: flag("whole"), MatchCase: flag("matchCase"), Expression: flag("expression"), Names: names}, err
	case "fill":
		return d.fill(where, doc)
	case "clear":
		return draft.Clear{Where: where}, nil
	case "trim":
		return draft.Trim{Where: where, Inner: flag("inner")}, nil
	case "case":
		return draft.Case{Where: where, To: draft.Casing(text(doc, "to"))}, nil
	case "delete":
		return draft.Delete{Where: where}, nil
	case "accept":
		return draft.Accept{Where: where}, nil
	}
	if len(where.Fields) != 1 {
		return nil, invalidField("keys", intray.NewMessage("review.not_one_field", nil))
	}
	change := draft.MapValue{Where: where, Field: where.Fields[0], Raw: text(doc, "find"), Text: text(doc, "text")}
	if several, given := doc["map"].(map[string]any); given {
		change.Texts = map[string]string{}
		for raw := range several {
			change.Texts[raw] = text(several, raw)
		}
	}
	return change, nil
}

// names reads what the person sees in place of texts.
func (d *desk) names(doc map[string]any) (map[int]map[string]string, error) {
	given, _ := doc["names"].(map[string]any)
	names := map[int]map[string]string{}
	for key, of := range given {
		at, err := d.field("names", key)
		if err != nil {
			return nil, err
		}
		texts, _ := of.(map[string]any)
		names[at] = map[string]string{}
		for one := range texts {
			names[at][one] = text(texts, one)
		}
	}
	return names, nil
}

func (d *desk) fill(where draft.Selector, doc map[string]any) (draft.Operation, error) {
	fill := draft.Fill{Where: where, Text: text(doc, "text")}
	texts, several := doc["texts"].(map[string]any)
	if !several {
		return fill, nil
	}
	fill.Texts = map[int]string{}
	for key := range texts {
		at, err := d.field("texts", key)
		if err != nil {
			return nil, err
		}
		fill.Texts[at] = text(texts, key)
	}
	return fill, nil
}

// selector reads which cells are meant.
func (d *desk) selector(doc map[string]any) (s draft.Selector, err error) {
	where, _ := doc["where"].(map[string]any)
	_, keyed := where["key"]
	if s.Filter, err = d.filter(where, keyed); err != nil {
		return s, err
	}
	s.Token, s.From, s.To = text(where, "view"), integer(where, "from"), integer(where, "to")
	if _, told := where["total"]; told {
		total := integer(where, "total")
		s.Total = &total
	}
	if s.Token == "" && (s.From != 0 || s.To != 0) {
		return s, invalidField("where", intray.NewMessage("review.positions_without_view", nil))
	}
	if rows, given := where["rows"].([]any); given {
		s.Numbers = []int64{}
		for _, row := range rows {
			number, err := rowID(row)
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
		at, err := d.field("keys", name)
		if err != nil {
			return s, err
		}
		s.Fields = append(s.Fields, at)
	}
	return s, nil
}

// rowID reads the id of a row.
func rowID(of any) (int64, error) {
	name, _ := of.(string)
	number, err := strconv.ParseInt(name, 10, 64)
	if err != nil || number < 0 {
		return 0, invalidField("rows", intray.NewMessage("review.invalid_row_id", intray.Params{"id": cut(name, 40)}))
	}
	return number, nil
}

func (d *desk) set(doc map[string]any) (draft.Operation, error) {
	var set draft.Set
	cells, _ := doc["cells"].([]any)
	if len(cells) == 0 {
		return nil, invalidField("cells", intray.NewMessage("review.no_cells", nil))
	}
	for _, one := range cells {
		cell, _ := one.(map[string]any)
		typed, err := d.typed(cell)
		if err != nil {
			return nil, err
		}
		if typed.Row, err = rowID(cell["id"]); err != nil {
			return nil, err
		}
		typed.Version, typed.Seen = integer(cell, "version"), text(cell, "seen")
		set.Cells = append(set.Cells, typed)
	}
	return set, nil
}

func (d *desk) typed(cell map[string]any) (t draft.Typed, err error) {
	t.Field, err = d.field("cells", text(cell, "key"))
	t.Part, t.Text = int(integer(cell, "part")), text(cell, "text")
	return t, err
}

func (d *desk) add(doc map[string]any) (draft.Operation, error) {
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
			typed, err := d.typed(doc)
			if err != nil {
				return nil, err
			}
			row = append(row, typed)
		}
		add.Rows = append(add.Rows, row)
	}
	return add, nil
}

// deskSubmission says what a submission sends.
type deskSubmission struct {
	Status    string `json:"status"`
	Rows      int64  `json:"rows"`
	WithError int64  `json:"rowsWithError"`
	Left      int64  `json:"rowsLeftOut"`
	Blocked   bool   `json:"blocked"`
}

func (a *API) getSubmission(c *call) (*answer, error) {
	sub, err := a.cfg.Service.ReviewSummary(c.ctx(), c.reviewed)
	return unkept(deskSubmission{string(c.reviewed.Status), sub.Rows, sub.WithError, sub.Left, sub.Blocked}, err)
}

func (a *API) postSubmission(c *call) (*answer, error) {
	imp, sub, err := a.cfg.Service.SubmitReview(c.ctx(), c.reviewed)
	return unkept(deskSubmission{string(imp.Status), sub.Rows, sub.WithError, sub.Left, sub.Blocked}, err)
}

// maxBroughtFile is the largest file with rows that is taken back.
const maxBroughtFile = 100 << 20

// getDeskFile gives the rows of a view as a workbook.
func (a *API) getDeskFile(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	q, err := d.query(c.r.URL.Query())
	if err != nil {
		return nil, err
	}
	file := a.newSpool(0, nil)
	if err := a.cfg.Service.WriteRows(c.ctx(), c.reviewed, q, file); err != nil {
		file.close()
		return nil, err
	}
	name := c.reviewed.Filename
	if name == "" {
		name = "rows"
	}
	header := http.Header{
		"Content-Type": {output.XLSX.ContentType()}, "Cache-Control": {"no-store"},
		"Content-Disposition": {"attachment; filename*=UTF-8''" + url.PathEscape(name) + "-rows.xlsx"},
	}
	return &answer{status: http.StatusOK, header: header, stream: file.stream}, nil
}

// deskBrought says what came of a file.
type deskBrought struct {
	Verdict  any          `json:"verdict"`
	Clashes  int64        `json:"clashes"`
	Examples []deskParted `json:"examples"`
	Untold   int64        `json:"untold"`
	Unknown  int64        `json:"unknown"`
	Ignored  []string     `json:"ignored"`
}

// deskParted is a cell that was changed here and in a file.
type deskParted struct {
	ID   string `json:"id"`
	Key  string `json:"key"`
	Part *int   `json:"part,omitempty"`
	Here string `json:"here"`
	File string `json:"file"`
}

func (d *desk) parted(list []service.Parted) []deskParted {
	out := []deskParted{}
	for _, p := range list {
		f := d.fields[p.Field]
		one := deskParted{ID: strconv.FormatInt(p.Row, 10), Key: f.Key, Here: cut(p.Here, maxStepText), File: cut(p.File, maxStepText)}
		if f.ManyToOne {
			one.Part = &p.Part
		}
		out = append(out, one)
	}
	return out
}

// postDeskFile takes rows back that were mended elsewhere.
func (a *API) postDeskFile(c *call) (*answer, error) {
	d, err := a.desk(c)
	if err != nil {
		return nil, err
	}
	if err := bare(c.r.Header); err != nil {
		return nil, err
	}
	over := refuse(http.StatusRequestEntityTooLarge, "file_too_large", intray.NewMessage("review.file_too_large", intray.Params{"size": maxBroughtFile >> 20}))
	file := a.newSpool(maxBroughtFile, over)
	defer file.close()
	if _, err := io.Copy(file, a.paced(c.w, c.r)); err != nil {
		return nil, receiveError(err)
	}
	query := c.r.URL.Query()
	out, err := a.cfg.Service.TakeRows(c.ctx(), c.reviewed, service.Bringing{
		Op: query.Get("op"), Preview: query.Get("preview") == "true", Over: query.Get("over") == "true",
		File: file.readerAt(), Size: file.size,
	})
	verdict, err := d.verdict(out.Verdict, err)
	if err != nil {
		return nil, err
	}
	return unkept(deskBrought{verdict.body, out.Clashes, d.parted(out.Examples), out.Untold, out.Unknown, append([]string{}, out.Ignored...)}, nil)
}

// readerAt reads any part of it.
func (s *spool) readerAt() io.ReaderAt {
	if s.file == nil {
		return bytes.NewReader(s.memory)
	}
	return s.file
}
