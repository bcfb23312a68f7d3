package ods

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// content walks over the sheets of a workbook.
type content struct {
	part *part
	scan *scanner
	// begun counts the sheets that were entered; depth is that of the one at
	// hand, 0 where none is open.
	begun, depth int
}

// openContent reads up to the first sheet. It tells what stands in front of the
// sheets to a catalog, where there is one.
func openContent(ctx context.Context, p *pack, told *catalog) (*content, error) {
	from, err := p.openContent(ctx)
	if err != nil {
		return nil, err
	}
	return walk(from, told)
}

// walk is openContent of a part that is open already.
func walk(from *part, told *catalog) (*content, error) {
	c := &content{part: from}
	var err error
	if c.scan, err = newScanner(from, from.name, from.pack.limits); err == nil {
		err = c.enterBody(told)
	}
	if err != nil {
		c.end()
		return nil, err
	}
	return c, nil
}

func (c *content) end() { c.part.end() }

// enterBody moves into the element that holds the sheets.
func (c *content) enterBody(told *catalog) error {
	s := c.scan
	if _, err := s.child(); err != nil {
		return err
	}
	if !s.is(spaceOffice, "document-content") && !s.is(spaceOffice, "document") {
		return &source.UnreadableError{Reason: intray.NewMessage("opendocument.wrong_root", intray.Params{"part": source.Excerpt(s.part), "element": source.Excerpt(string(s.local))})}
	}
	for {
		more, err := s.child()
		switch {
		case err != nil:
			return err
		case !more:
			return s.broken(intray.NewMessage("opendocument.no_body", nil))
		case s.is(spaceOffice, "body"):
			return c.enterSpreadsheet()
		case told != nil && (s.is(spaceOffice, "automatic-styles") || s.is(spaceOffice, "styles")):
			err = told.readStyles(s)
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}

// enterSpreadsheet tells spreadsheets from other documents.
func (c *content) enterSpreadsheet() error {
	more, err := c.scan.child()
	switch {
	case err != nil:
		return err
	case !more:
		return c.scan.broken(intray.NewMessage("opendocument.empty_body", nil))
	case !c.scan.is(spaceOffice, "spreadsheet"):
		return &source.UnreadableError{Reason: intray.NewMessage("opendocument.other_document", intray.Params{"element": source.Excerpt(string(c.scan.local))})}
	}
	return nil
}

// nextSheet enters the next sheet, and leaves the one at hand. It gives false
// behind the last.
func (c *content) nextSheet(told *catalog) (bool, error) {
	if c.depth > 0 {
		if err := c.scan.leave(c.depth); err != nil {
			return false, err
		}
		c.depth = 0
	}
	for {
		more, err := c.scan.child()
		if err != nil || !more {
			return false, err
		}
		if c.scan.is(spaceTable, "table") {
			c.begun++
			c.depth = len(c.scan.begins)
			return true, nil
		}
		if told != nil && c.scan.is(spaceTable, "calculation-settings") {
			err = told.readSettings(c.scan)
		} else {
			err = c.scan.skip()
		}
		if err != nil {
			return false, err
		}
	}
}

// moveTo enters a sheet that was not passed yet.
func (c *content) moveTo(ctx context.Context, sheet int) error {
	c.part.stop = ctx.Done()
	for c.begun <= sheet {
		more, err := c.nextSheet(nil)
		if err != nil {
			return err
		}
		if !more {
			return c.scan.broken(intray.NewMessage("opendocument.sheets_changed", nil))
		}
	}
	return nil
}

// finish reads what stands behind the last sheet, which checks that the part is
// whole.
func (c *content) finish() error {
	if err := c.scan.leave(1); err != nil {
		return err
	}
	_, err := c.scan.next()
	return err
}

// usualDay is the day 0 of practically all documents. Dates are written in
// full and do not depend on it.
const usualDay = "1899-12-30"

// catalog is what the content says of the workbook as a whole.
type catalog struct {
	limits Limits
	sheets []grid.Sheet
	// hidden are the styles of sheets that are not shown.
	hidden  map[string]bool
	dayZero string
	macros  bool
}

// readCatalog reads through the whole content.
func readCatalog(ctx context.Context, p *pack) (catalog, error) {
	list := catalog{limits: p.limits, hidden: map[string]bool{}, dayZero: usualDay, macros: p.hasMacros()}
	c, err := openContent(ctx, p, &list)
	if err != nil {
		return catalog{}, err
	}
	defer c.end()
	for {
		more, err := c.nextSheet(&list)
		if err == nil && more {
			err = list.add(c.scan)
		}
		if err != nil {
			return catalog{}, err
		}
		if !more {
			break
		}
	}
	if err := c.finish(); err != nil {
		return catalog{}, err
	}
	if len(list.sheets) == 0 {
		return catalog{}, &source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}
	}
	return list, nil
}

// hasMacros looks for the folders in which macros are.
func (p *pack) hasMacros() bool {
	for name := range p.parts {
		if strings.HasPrefix(name, "Basic/") || strings.HasPrefix(name, "Scripts/") {
			return true
		}
	}
	return false
}

// name reads the name of a sheet or a style.
func (l *catalog) name(s *scanner, in space, local string) (string, error) {
	raw := s.attr(in, local)
	if len(raw) > l.limits.NameBytes {
		return "", &source.LimitError{Reason: intray.NewMessage("opendocument.name_too_long", intray.Params{"limit": l.limits.NameBytes})}
	}
	name, err := s.decode(nil, raw)
	if err == nil && !utf8.Valid(name) {
		err = s.broken(intray.NewMessage("xml.name_not_utf8", nil))
	}
	return string(name), err
}

// add takes the sheet that has just started.
func (l *catalog) add(s *scanner) error {
	if len(l.sheets) >= l.limits.Sheets {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": l.limits.Sheets})}
	}
	name, err := l.name(s, spaceTable, "name")
	if err != nil {
		return err
	}
	style, err := l.name(s, spaceTable, "style-name")
	if err != nil {
		return err
	}
	l.sheets = append(l.sheets, grid.Sheet{Name: name, Hidden: l.hidden[style]})
	return nil
}

// readStyles looks for the styles of hidden sheets.
func (l *catalog) readStyles(s *scanner) error {
	return s.children(func() error {
		if s.is(spaceStyle, "style") && string(s.attr(spaceStyle, "family")) == "table" {
			return l.readStyle(s)
		}
		return s.skip()
	})
}

func (l *catalog) readStyle(s *scanner) error {
	name, err := l.name(s, spaceStyle, "name")
	if err != nil {
		return err
	}
	return s.children(func() error {
		if s.is(spaceStyle, "table-properties") && string(s.attr(spaceTable, "display")) == "false" {
			if len(l.hidden) >= l.limits.Sheets {
				return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_styles", intray.Params{"limit": l.limits.Sheets})}
			}
			l.hidden[name] = true
		}
		return s.skip()
	})
}

// readSettings looks for the day 0.
func (l *catalog) readSettings(s *scanner) error {
	return s.children(func() error {
		if day := s.attr(spaceTable, "date-value"); s.is(spaceTable, "null-date") && isDay(day) {
			l.dayZero = string(day)
		}
		return s.skip()
	})
}

func (l *catalog) evidence() []intray.Evidence {
	system := intray.Evidence{Choice: "date system", Value: l.dayZero, Reason: intray.NewMessage("opendocument.usual_day_zero", nil)}
	if l.dayZero != usualDay {
		system.Reason = intray.NewMessage("opendocument.other_day_zero", intray.Params{"usual": usualDay})
	}
	list := []intray.Evidence{system}
	if hidden := l.hiddenSheets(); hidden != "" {
		list = append(list, intray.Evidence{Choice: "hidden sheets", Value: hidden, Reason: intray.NewMessage("workbook.hidden_read", nil)})
	}
	if l.macros {
		list = append(list, intray.Evidence{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)})
	}
	return list
}

// hiddenSheets lists the names of hidden sheets, the first of many.
func (l *catalog) hiddenSheets() string {
	const shown = 20
	var names []string
	for _, s := range l.sheets {
		if s.Hidden {
			names = append(names, s.Name)
		}
	}
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
