package ooxml

import (
	"context"
	"path"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// SheetEntry is a worksheet as listed in the workbook.
type SheetEntry struct {
	workbook.Sheet
	// Part is the name of the part that contains the cells of the sheet, or "" if it is not yet
	// known.
	Part string
}

// Contents lists what a workbook consists of.
type Contents struct {
	// Main is the name of the part that describes the workbook.
	Main string
	// Sheets are the worksheets in workbook order.
	Sheets    []SheetEntry
	Epoch1904 bool
	// Styles and Strings are the names of the parts that contain the styles and the shared
	// strings, or "" if there is no such part.
	Styles, Strings string

	arc       *Archive
	relations []Relation
	// targets holds the relationships by their ids.
	targets map[string]Relation
	// extension is the extension of the names of parts.
	extension     string
	macros        bool
	externalLinks int
	// skippedSheets are the names of the sheets that are not worksheets.
	skippedSheets []string
	// owners maps the part of each sheet in Sheets to its name.
	owners map[string]string
	// limit is the maximum number of sheets.
	limit  int
	damage damage
}

// ReadContents finds the part that describes the workbook, and reads its relationships. The caller
// then calls AddSheet for each sheet, sets Epoch1904, and calls LocateSheets. extension is the
// usual extension of the names of parts, and sheets is the maximum number of sheets.
func (a *Archive) ReadContents(ctx context.Context, extension string, sheets int) (*Contents, error) {
	main, listed, err := a.mainPart(ctx, usualWorkbook+extension)
	if err != nil {
		return nil, err
	}
	c := &Contents{Main: main, arc: a, extension: extension, owners: map[string]string{}, limit: sheets}
	c.damage.backslash = a.Backslash()
	if !listed {
		c.damage.byName = append(c.damage.byName, main)
	}
	if c.relations, err = a.Relations(ctx, main); err != nil {
		return nil, err
	}
	c.targets = make(map[string]Relation, len(c.relations))
	for _, r := range c.relations {
		c.targets[r.ID] = r
		switch r.Kind {
		case "styles":
			if a.Has(r.Part) {
				c.Styles = r.Part
			}
		case "sharedStrings":
			if a.Has(r.Part) {
				c.Strings = r.Part
			}
		case "vbaProject":
			c.macros = true
		case "externalLink":
			c.externalLinks++
		}
	}
	folder := path.Dir(main)
	if c.Styles == "" {
		c.Styles = c.findUsual(path.Join(folder, usualStyles+extension))
	}
	if c.Strings == "" {
		c.Strings = c.findUsual(path.Join(folder, usualStrings+extension))
	}
	return c, nil
}

// AddSheet adds the next sheet in workbook order. id is the id of the relationship to its part.
// AddSheet records the name of a sheet that is not a worksheet, so that Evidence reports it.
func (c *Contents) AddSheet(name, id string, hidden bool) error {
	if err := c.checkCount(); err != nil {
		return err
	}
	sheet := SheetEntry{Sheet: workbook.Sheet{Name: name, Hidden: hidden}}
	to, found := c.targets[id]
	switch {
	case found && to.Part != "" && to.Kind != "worksheet":
		c.skippedSheets = append(c.skippedSheets, name)
		return nil
	case !found || !c.arc.Has(to.Part):
		c.Sheets = append(c.Sheets, sheet)
		return nil
	}
	// A small file could otherwise have thousands of large sheets.
	if other, shared := c.owners[to.Part]; shared {
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.sheets_share_part", intray.Params{"sheet": source.Excerpt(name), "other": source.Excerpt(other)})}
	}
	c.owners[to.Part] = name
	sheet.Part = to.Part
	c.Sheets = append(c.Sheets, sheet)
	return nil
}

// SkipSheet records the name of a sheet that is not a worksheet.
func (c *Contents) SkipSheet(name string) error {
	if err := c.checkCount(); err != nil {
		return err
	}
	c.skippedSheets = append(c.skippedSheets, name)
	return nil
}

func (c *Contents) checkCount() error {
	if len(c.Sheets)+len(c.skippedSheets) >= c.limit {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": c.limit})}
	}
	return nil
}

// List returns the worksheets.
func (c *Contents) List() []workbook.Sheet {
	list := make([]workbook.Sheet, len(c.Sheets))
	for i, s := range c.Sheets {
		list[i] = s.Sheet
	}
	return list
}

// Evidence reports the date system, hidden and skipped sheets, ignored macros and links, and
// damage.
func (c *Contents) Evidence() []intray.Evidence {
	list := append([]intray.Evidence{workbook.DateSystem(c.Epoch1904)}, workbook.HiddenSheets(c.List())...)
	if len(c.skippedSheets) > 0 {
		list = append(list, intray.Evidence{Choice: "sheets left out", Value: workbook.JoinNames(c.skippedSheets), Reason: intray.NewMessage("workbook.other_sheets", nil)})
	}
	if c.macros {
		list = append(list, intray.Evidence{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)})
	}
	if c.externalLinks > 0 {
		list = append(list, intray.Evidence{Choice: "external links", Value: "ignored", Reason: intray.NewMessage("workbook.external_links", intray.Params{"n": c.externalLinks})})
	}
	return append(append(list, c.damage.evidence()...), workbook.TextAfter(c.arc.trailing...)...)
}
