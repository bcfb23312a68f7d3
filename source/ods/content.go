package ods

import (
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
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
