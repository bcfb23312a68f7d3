package htmltable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// tableLocation is the location of a sheet in the text of its page.
type tableLocation struct {
	offset int64
	// head is the offset of the head section if other rows come before it in the page,
	// or -1. foot is the offset of the foot section if other rows come after it, or -1.
	head, foot int64
	name       string
	hidden     bool
}

// tableFrame is a table that is open during the first pass.
type tableFrame struct {
	*tableWalker
	tableLocation
	// index is the index of the table in places.
	index int
	// filled counts the rows with text, grid counts the rows with text in several cells, and
	// hiddenRows counts the hidden rows with text.
	filled, grid, hiddenRows int64
	// inner counts the nested tables with text. largest is the maximum number of rows
	// with text in any of them.
	inner, largest int64
}

// pageInfo is the result of the first pass over a page.
type pageInfo struct {
	limits source.Limits
	open   []*tableFrame
	places []tableLocation
	// empty is the first table without text.
	empty *tableLocation
	// These fields are the numbers of tables of each class.
	empties, layouts, swallowed, doubts, cut int
	hiddenRows                               int64
	hiddenText                               bool

	title             string
	inTitle, password bool
	inStyle           bool
	formats           formats
	office            excelInfo
}

// readPageInfo makes the first pass over a page.
func readPageInfo(ctx context.Context, p *page, limits source.Limits) (*pageInfo, error) {
	text, err := p.newReader(0)
	if err != nil {
		return nil, err
	}
	s := &pageInfo{limits: limits}
	t := newTokenizer(ctx, text, limits.CellBytes+markupBytes)
	for {
		err := t.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = s.handleToken(t)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := s.finish(t); err != nil {
		return nil, err
	}
	p.formats, p.epoch1904 = &s.formats, s.office.epoch1904
	return s, nil
}

// handleToken passes the current token to all open tables.
func (s *pageInfo) handleToken(t *tokenizer) error {
	for i := len(s.open) - 1; i >= 0; i-- {
		f := s.open[i]
		if err := f.handleToken(t); err != nil {
			return err
		}
		f.countRow()
	}
	for len(s.open) > 0 && s.open[len(s.open)-1].tableEnded {
		if err := s.closeTable(); err != nil {
			return err
		}
	}
	switch {
	case t.isStart && t.tag == tagTable:
		return s.openTable(t)
	case t.kind == html.CommentToken:
		s.office.readComment(t.text())
	case t.isStart && t.tag == tagVoid && string(t.name) == "input":
		s.password = s.password || strings.EqualFold(t.attrValue("type"), "password")
	case len(s.open) == 0:
		s.handleOutside(t)
	}
	return nil
}

func (s *pageInfo) openTable(t *tokenizer) error {
	if len(s.open) >= maxDepth {
		return &source.LimitError{Reason: intray.NewMessage("html.tables_too_deep", intray.Params{"limit": maxDepth})}
	}
	if len(s.places) >= maxSheets {
		return &source.LimitError{Reason: intray.NewMessage("html.too_many_tables", intray.Params{"limit": maxSheets})}
	}
	f := &tableFrame{tableWalker: newTableWalker(s.limits), index: len(s.places)}
	f.countOnly = true
	f.tableLocation = tableLocation{offset: t.offset, head: -1, foot: -1, hidden: t.isHidden()}
	for _, key := range []string{"title", "id", "name"} {
		if f.name == "" {
			f.name = truncateLine(t.attrValue(key))
		}
	}
	s.open = append(s.open, f)
	s.places = append(s.places, f.tableLocation)
	return nil
}

// countRow counts the row that the last token has ended, if any.
func (f *tableFrame) countRow() {
	if !f.rowEnded {
		return
	}
	l := f.previous
	if l.filled > 0 {
		f.filled++
		if l.hidden {
			f.hiddenRows++
		}
	}
	if l.filled > 1 && l.own > 0 {
		f.grid++
	}
}

// closeTable closes the innermost table and decides whether it is a sheet, a layout
// table, a sheet with nested tables in its cells, or an empty table.
func (s *pageInfo) closeTable() error {
	last := len(s.open) - 1
	f := s.open[last]
	s.open = s.open[:last]
	if f.headLate {
		f.head = f.headAt
	}
	if f.footEarly {
		f.foot = f.footAt
	}
	if f.caption != "" {
		f.name = truncateLine(f.caption)
	}
	s.hiddenText = s.hiddenText || f.flow.hiddenText
	if f.filled == 0 {
		s.places = s.places[:f.index]
		s.empties++
		if s.empty == nil {
			s.empty = &f.tableLocation
		}
		return nil
	}
	if last > 0 {
		parent := s.open[last-1]
		parent.inner++
		parent.largest = max(parent.largest, f.filled)
	}
	s.places[f.index] = f.tableLocation
	switch {
	case f.inner > 0 && f.grid < 2:
		s.places = slices.Delete(s.places, f.index, f.index+1)
		s.layouts++
		return nil
	case f.inner > 0 && f.largest < f.grid:
		s.swallowed += len(s.places) - f.index - 1
		s.places = s.places[:f.index+1]
	case f.inner > 0:
		s.doubts++
	}
	s.hiddenRows += f.hiddenRows
	return nil
}

// finish closes all open tables at the end of the page.
func (s *pageInfo) finish(t *tokenizer) error {
	s.cut += len(s.open)
	for i := len(s.open) - 1; i >= 0; i-- {
		f := s.open[i]
		if f.finish(t) {
			f.filled++ // the truncated row is reported when it is read
		}
		f.countRow()
		if err := s.closeTable(); err != nil {
			return err
		}
	}
	if len(s.places) == 0 && s.empty != nil {
		s.places = append(s.places, *s.empty)
	}
	return nil
}

// handleOutside handles a token outside tables.
func (s *pageInfo) handleOutside(t *tokenizer) {
	switch {
	case t.kind == html.TextToken && s.inTitle && s.title == "":
		s.title = truncateLine(string(t.text()))
	case t.kind == html.TextToken && s.inStyle:
		s.formats.read(string(t.text()))
	}
	if t.isStart || t.isEnd {
		s.inTitle = t.isStart && string(t.name) == "title"
		s.inStyle = t.isStart && string(t.name) == "style"
	}
	s.office.readToken(t)
}

// merge adds the information in o, which is about a different page.
func (s *pageInfo) merge(o *pageInfo) {
	s.places = append(s.places, o.places...)
	s.empties, s.layouts, s.swallowed, s.doubts, s.cut = s.empties+o.empties, s.layouts+o.layouts, s.swallowed+o.swallowed, s.doubts+o.doubts, s.cut+o.cut
	s.hiddenRows, s.hiddenText = s.hiddenRows+o.hiddenRows, s.hiddenText || o.hiddenText
	s.password = s.password || o.password
	s.office.epoch1904 = s.office.epoch1904 || o.office.epoch1904
	if s.title == "" {
		s.title = o.title
	}
	if len(s.office.sheets) == 0 {
		s.office.sheets = o.office.sheets
	}
}

// evidence returns evidence of the choices made about the tables.
func (s *pageInfo) evidence() []intray.Evidence {
	list := []intray.Evidence{{Choice: "tables", Value: fmt.Sprint(len(s.places)), Reason: intray.NewMessage("html.tables", nil)}}
	addIf := func(condition bool, choice, value string, reason intray.Message) {
		if condition {
			list = append(list, intray.Evidence{Choice: choice, Value: value, Reason: reason})
		}
	}
	addIf(s.layouts > 0, "layout tables", fmt.Sprint(s.layouts), intray.NewMessage("html.layout_tables", nil))
	addIf(s.swallowed > 0, "nested tables", fmt.Sprint(s.swallowed), intray.NewMessage("html.nested_tables", nil))
	addIf(s.doubts > 0, "tables read twice", fmt.Sprint(s.doubts), intray.NewMessage("html.tables_read_twice", nil))
	addIf(s.empties > 0, "empty tables", fmt.Sprint(s.empties), intray.NewMessage("html.empty_tables", nil))
	addIf(s.hiddenRows > 0, "hidden rows", fmt.Sprint(s.hiddenRows), intray.NewMessage("html.hidden_rows", nil))
	addIf(s.hiddenText, "hidden text", "left out", intray.NewMessage("html.hidden_text", nil))
	addIf(s.office.epoch1904, "date system", "1904", intray.NewMessage("html.date_system_1904", nil))
	addIf(s.cut > 0, "end", "missing", intray.NewMessage("html.cut_short", nil))
	addIf(s.password, "page", "asks for a password", intray.NewMessage("html.password", nil))
	return list
}

// maxNameChars is the maximum length of a sheet name or a title, in characters.
const maxNameChars = 100

// truncateLine returns text as one line, truncated to maxNameChars characters.
func truncateLine(text string) string {
	if len(text) > 16*maxNameChars {
		text = strings.ToValidUTF8(text[:16*maxNameChars], "")
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD")
	if utf8.RuneCountInString(text) <= maxNameChars {
		return text
	}
	return string([]rune(text)[:maxNameChars-1]) + "…"
}

// excelSheet is an item in the list of sheets that Excel writes into a page.
type excelSheet struct {
	name, href string
	hidden     bool
}

// excelInfo is the description of a workbook that Excel and compatible programs write
// into the head of a page. It is the x:ExcelWorkbook element, usually in a comment.
type excelInfo struct {
	sheets    []excelSheet
	epoch1904 bool
	// inSheet is true within the description of a sheet. field is the name of the open
	// element in that description.
	inSheet bool
	field   string
}

// readComment reads a conditional comment for Excel.
func (o *excelInfo) readComment(text []byte) {
	if !bytes.Contains(text, []byte("ExcelWorkbook")) {
		return
	}
	t := newTokenizer(context.Background(), bytes.NewReader(text), len(text)+1)
	for t.next() == nil {
		o.readToken(t)
	}
}

// readToken reads the current token of the description.
func (o *excelInfo) readToken(t *tokenizer) {
	last := len(o.sheets) - 1
	if t.kind == html.TextToken && o.inSheet && o.field != "" {
		text := strings.TrimSpace(string(t.text()))
		switch {
		case o.field == "x:name" && o.sheets[last].name == "":
			o.sheets[last].name = truncateLine(text)
		case o.field == "x:visible":
			o.sheets[last].hidden = text != "SheetVisible"
		}
		return
	}
	if !t.isStart && !t.isEnd {
		return
	}
	o.field = ""
	switch name := string(t.name); {
	case name == "x:excelworksheet":
		o.inSheet = t.isStart && len(o.sheets) < maxSheets
		if o.inSheet {
			o.sheets = append(o.sheets, excelSheet{})
		}
	case name == "x:date1904" && t.isStart:
		o.epoch1904 = true
	case o.inSheet && t.isStart && name == "x:worksheetsource":
		o.sheets[last].href = t.attrValue("href")
	case o.inSheet && t.isStart:
		o.field = name
	}
}

// nameSheets sets the names of the sheets. outer is the sheet name that the file
// specifies for the page, or "". If Excel lists as many sheets as there are tables,
// nameSheets uses Excel's names.
func (s *pageInfo) nameSheets(outer string) {
	for i := range s.places {
		p := &s.places[i]
		switch {
		case outer != "" && len(s.places) == 1:
			p.name = outer
		case len(s.office.sheets) == len(s.places) && s.office.sheets[i].name != "":
			p.name, p.hidden = s.office.sheets[i].name, p.hidden || s.office.sheets[i].hidden
		}
	}
}

// lastSegment returns the last segment of a URL, unescaped and in lower case.
func lastSegment(reference string) string {
	if plain, err := url.PathUnescape(reference); err == nil {
		reference = plain
	}
	reference = strings.ToLower(strings.ReplaceAll(reference, "\\", "/"))
	return strings.TrimPrefix(path.Base(reference), "cid:")
}

// isErrorTitle reports whether a title is typical of an error page.
func isErrorTitle(title string) bool {
	title = strings.ToLower(title)
	return slices.ContainsFunc([]string{"error", "not found", "forbidden", "denied", "unauthorized", "unavailable", "timeout", "timed out", "expired", "maintenance", "404", "403", "401", "500", "502", "503", "504"}, func(word string) bool { return strings.Contains(title, word) })
}
