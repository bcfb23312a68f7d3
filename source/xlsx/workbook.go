package xlsx

import (
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// sheetEntry is a sheet as listed in the workbook.
type sheetEntry struct {
	name   string
	hidden bool
	// part is the name of the part that contains its cells.
	part string
}

// workbookInfo is the content of the part that describes the workbook.
type workbookInfo struct {
	sheets    []sheetEntry
	epoch1904 bool
	// styles and strings are the names of the parts, or "" if the file has none.
	styles, strings string
	macros          bool
	externalLinks   int
	// skippedSheets are the sheets that are not worksheets.
	skippedSheets []string
}

func readWorkbookInfo(ctx context.Context, arc *archive, main string) (workbookInfo, error) {
	relations, err := arc.relations(ctx, main)
	if err != nil {
		return workbookInfo{}, err
	}
	c := workbookInfo{}
	targets := make(map[string]relation, len(relations))
	for _, r := range relations {
		targets[r.id] = r
		c.applyRelation(arc, r)
	}
	err = arc.readSmallPart(ctx, main, func(s *xmlscan.Scanner) error { return c.read(s, arc.limits, targets) })
	if err != nil {
		return workbookInfo{}, err
	}
	if len(c.sheets) == 0 {
		return workbookInfo{}, &source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}
	}
	return c, nil
}

// applyRelation records the target of a relationship of the workbook.
func (c *workbookInfo) applyRelation(arc *archive, r relation) {
	switch r.kind {
	case "styles":
		if arc.Has(r.part) {
			c.styles = r.part
		}
	case "sharedStrings":
		if arc.Has(r.part) {
			c.strings = r.part
		}
	case "vbaProject":
		c.macros = true
	case "externalLink":
		c.externalLinks++
	}
}

func (c *workbookInfo) read(s *xmlscan.Scanner, limits Limits, targets map[string]relation) error {
	if err := s.OpenRoot("workbook"); err != nil {
		return err
	}
	return s.ForEachChild(func() error {
		switch string(s.Name) {
		case "workbookPr":
			c.epoch1904 = s.AttrBool("date1904")
		case "sheets":
			return s.ForEachChild(func() error { return c.readSheet(s, limits, targets) })
		}
		return s.Skip()
	})
}

func (c *workbookInfo) readSheet(s *xmlscan.Scanner, limits Limits, targets map[string]relation) error {
	if len(c.sheets)+len(c.skippedSheets) >= limits.Sheets {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": limits.Sheets})}
	}
	if err := c.addSheet(s, targets); err != nil {
		return err
	}
	return s.Skip()
}

func (c *workbookInfo) addSheet(s *xmlscan.Scanner, targets map[string]relation) error {
	name, err := s.AttrText("name")
	if err != nil {
		return err
	}
	id, err := s.AttrText("id")
	if err != nil {
		return err
	}
	to, found := targets[id]
	switch {
	case !found || to.part == "":
		return s.Malformed(intray.NewMessage("workbook.sheet_without_part", intray.Params{"sheet": source.Excerpt(name)}))
	case to.kind != "worksheet":
		c.skippedSheets = append(c.skippedSheets, name)
		return nil
	}
	state := string(s.Attr("state"))
	c.sheets = append(c.sheets, sheetEntry{name: name, part: to.part, hidden: state == "hidden" || state == "veryHidden"})
	return nil
}

// listSheets returns the worksheets.
func (c *workbookInfo) listSheets() []workbook.Sheet {
	list := make([]workbook.Sheet, len(c.sheets))
	for i, s := range c.sheets {
		list[i] = workbook.Sheet{Name: s.name, Hidden: s.hidden}
	}
	return list
}

func (c *workbookInfo) evidence() []intray.Evidence {
	list := append([]intray.Evidence{workbook.DateSystem(c.epoch1904)}, workbook.HiddenSheets(c.listSheets())...)
	if len(c.skippedSheets) > 0 {
		list = append(list, intray.Evidence{Choice: "sheets left out", Value: workbook.JoinNames(c.skippedSheets), Reason: intray.NewMessage("workbook.other_sheets", nil)})
	}
	if c.macros {
		list = append(list, intray.Evidence{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)})
	}
	if c.externalLinks > 0 {
		list = append(list, intray.Evidence{Choice: "external links", Value: "ignored", Reason: intray.NewMessage("workbook.external_links", intray.Params{"n": c.externalLinks})})
	}
	return list
}
