package xlsx

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// These are the names that all programs give to the parts of a workbook. They are used only if
// relationships are missing.
const (
	usualWorkbook = "xl/workbook.xml"
	usualStyles   = "styles.xml"
	usualStrings  = "sharedStrings.xml"
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
func (c *workbookInfo) findUsual(arc *archive, name string) string {
	if !arc.Has(name) {
		return ""
	}
	c.damage.byName = append(c.damage.byName, name)
	return name
}

// locateSheets finds the parts of the sheets that have no relationship or whose relationship
// leads nowhere. If there are as many worksheets without a name, it assigns them in order.
// Otherwise, it removes the sheets. If there is no other worksheet, it returns an error.
func (c *workbookInfo) locateSheets(arc *archive, main string, relations []relation) error {
	lost := 0
	for _, s := range c.sheets {
		if s.part == "" {
			lost++
		}
	}
	if lost == 0 {
		return nil
	}
	free := c.unusedSheets(arc, main, relations)
	if len(free) == lost {
		for i := range c.sheets {
			if s := &c.sheets[i]; s.part == "" {
				s.part, free = free[0], free[1:]
				c.owners[s.part] = s.name
				c.damage.byName = append(c.damage.byName, s.part)
			}
		}
		return nil
	}
	for _, s := range c.sheets {
		if s.part == "" {
			c.damage.lostSheets = append(c.damage.lostSheets, s.name)
		}
	}
	if lost == len(c.sheets) {
		problem := intray.NewMessage("workbook.sheet_without_part", intray.Params{"sheet": source.Excerpt(c.damage.lostSheets[0])})
		problem = intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(main), "problem": problem})
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
	}
	c.sheets = slices.DeleteFunc(c.sheets, func(s sheetEntry) bool { return s.part == "" })
	return nil
}

// unusedSheets returns the worksheets that no listed sheet uses, sorted by their numbers. If the
// workbook has no relationships, these are all parts in the usual folder.
func (c *workbookInfo) unusedSheets(arc *archive, main string, relations []relation) (free []string) {
	for _, r := range relations {
		if r.kind == "worksheet" && arc.Has(r.part) && c.owners[r.part] == "" {
			free = append(free, r.part)
		}
	}
	if len(relations) == 0 {
		folder := path.Join(path.Dir(main), usualSheets) + "/"
		for name := range arc.Names() {
			if inFolder, found := strings.CutPrefix(name, folder); found && strings.HasSuffix(name, ".xml") && !strings.Contains(inFolder, "/") {
				free = append(free, name)
			}
		}
	}
	slices.SortFunc(free, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return slices.Compact(free)
}
