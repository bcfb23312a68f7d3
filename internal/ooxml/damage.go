package ooxml

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// These are the names that all programs give to the parts of a workbook, without their extension.
// They are used only if relationships are missing.
const (
	usualWorkbook = "xl/workbook"
	usualStyles   = "styles"
	usualStrings  = "sharedStrings"
	usualSheets   = "worksheets/"
)

// damage records how a workbook was read although its archive or relationships are damaged.
type damage struct {
	// backslash is the name of an entry with backslashes between folders, or "".
	backslash string
	// byName are the parts that were found by their usual names, because relationships are missing.
	byName []string
	// lostSheets are the names of the sheets that have no part.
	lostSheets []string
}

func (d *damage) evidence() (list []intray.Evidence) {
	list = workbook.Backslashes(d.backslash)
	if len(d.byName) > 0 {
		list = append(list, intray.Evidence{Choice: "parts found by name", Value: workbook.JoinNames(d.byName), Reason: intray.NewMessage("workbook.parts_by_name", nil)})
	}
	if len(d.lostSheets) > 0 {
		list = append(list, intray.Evidence{Choice: "sheets without cells", Value: workbook.JoinNames(d.lostSheets), Reason: intray.NewMessage("workbook.sheets_without_part", nil)})
	}
	return list
}

// findUsual returns the name of a part with a usual name in the folder of the workbook and
// records it, or "" if there is no such part.
func (c *Contents) findUsual(name string) string {
	if !c.arc.Has(name) {
		return ""
	}
	c.damage.byName = append(c.damage.byName, name)
	return name
}

// LocateSheets finds the parts of the sheets that have no relationship or whose relationship
// leads nowhere. If there are as many worksheets without a name, it assigns them in order.
// Otherwise, it removes the sheets. If there is no other worksheet, it returns an error.
func (c *Contents) LocateSheets() error {
	if len(c.Sheets) == 0 {
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}
	}
	lost := 0
	for _, s := range c.Sheets {
		if s.Part == "" {
			lost++
		}
	}
	if lost == 0 {
		return nil
	}
	free := c.unusedSheets()
	if len(free) == lost {
		for i := range c.Sheets {
			if s := &c.Sheets[i]; s.Part == "" {
				s.Part, free = free[0], free[1:]
				c.owners[s.Part] = s.Name
				c.damage.byName = append(c.damage.byName, s.Part)
			}
		}
		return nil
	}
	for _, s := range c.Sheets {
		if s.Part == "" {
			c.damage.lostSheets = append(c.damage.lostSheets, s.Name)
		}
	}
	if lost == len(c.Sheets) {
		problem := intray.NewMessage("workbook.sheet_without_part", intray.Params{"sheet": source.Excerpt(c.damage.lostSheets[0])})
		problem = intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(c.Main), "problem": problem})
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
	}
	c.Sheets = slices.DeleteFunc(c.Sheets, func(s SheetEntry) bool { return s.Part == "" })
	return nil
}

// unusedSheets returns the worksheets that no listed sheet uses, sorted by their numbers. If the
// workbook has no relationships, these are all parts in the usual folder.
func (c *Contents) unusedSheets() (free []string) {
	for _, r := range c.relations {
		if r.Kind == "worksheet" && c.arc.Has(r.Part) && c.owners[r.Part] == "" {
			free = append(free, r.Part)
		}
	}
	if len(c.relations) == 0 {
		folder := path.Join(path.Dir(c.Main), usualSheets) + "/"
		for name := range c.arc.Names() {
			if inFolder, found := strings.CutPrefix(name, folder); found && strings.HasSuffix(name, c.extension) && !strings.Contains(inFolder, "/") {
				free = append(free, name)
			}
		}
	}
	slices.SortFunc(free, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return slices.Compact(free)
}
