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
