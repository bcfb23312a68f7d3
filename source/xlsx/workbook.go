package xlsx

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/source"
)

// sheetEntry is a sheet as the workbook lists it.
type sheetEntry struct {
	name   string
	hidden bool
	// part is where its cells are.
	part string
}

// workbookInfo is what the workbook itself says.
type workbookInfo struct {
	sheets    []sheetEntry
	epoch1904 bool
	// styles and strings are parts, "" where there is none.
	styles, strings string
	macros          bool
	externalLinks   int
	// skippedSheets are the sheets that are no worksheets.
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
	p, err := arc.openSmall(ctx, main)
	if err != nil {
		return workbookInfo{}, err
	}
	defer p.close()
	if err := c.read(p, main, arc.limits, targets); err != nil {
		return workbookInfo{}, causeIfCanceled(ctx, err)
	}
	if len(c.sheets) == 0 {
		return workbookInfo{}, &source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}
	}
	return c, nil
}

// applyRelation keeps what a relation of the workbook says of the file as a whole.
func (c *workbookInfo) applyRelation(arc *archive, r relation) {
	switch r.kind {
	case "styles":
		if arc.hasPart(r.part) {
			c.styles = r.part
		}
	case "sharedStrings":
		if arc.hasPart(r.part) {
			c.strings = r.part
		}
	case "vbaProject":
		c.macros = true
	case "externalLink":
		c.externalLinks++
	}
}

func (c *workbookInfo) read(p *part, name string, limits Limits, targets map[string]relation) error {
	s, err := newScanner(p, name, limits)
	if err != nil {
		return err
	}
	if err := s.OpenRoot("workbook"); err != nil {
		return err
	}
	for {
		more, err := s.NextChild()
		if err != nil || !more {
			return err
		}
		switch string(s.Name) {
		case "workbookPr":
			c.epoch1904 = s.AttrBool("date1904")
			err = s.Skip()
		case "sheets":
			err = c.readSheets(s, limits, targets)
		default:
			err = s.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func (c *workbookInfo) readSheets(s *xmlscan.Scanner, limits Limits, targets map[string]relation) error {
	for {
		more, err := s.NextChild()
		if err != nil || !more {
			return err
		}
		if len(c.sheets)+len(c.skippedSheets) >= limits.Sheets {
			return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": limits.Sheets})}
		}
		if err := c.addSheet(s, targets); err != nil {
			return err
		}
		if err := s.Skip(); err != nil {
			return err
		}
	}
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

// maxListedNames is how many sheets evidence names.
const maxListedNames = 20

func (c *workbookInfo) evidence() []intray.Evidence {
	system := intray.Evidence{Choice: "date system", Value: "1900", Reason: intray.NewMessage("workbook.date_system_1900", nil)}
	if c.epoch1904 {
		system = intray.Evidence{Choice: "date system", Value: "1904", Reason: intray.NewMessage("workbook.date_system_1904", nil)}
	}
	list := []intray.Evidence{system}
	var hidden []string
	for _, s := range c.sheets {
		if s.hidden {
			hidden = append(hidden, s.name)
		}
	}
	if len(hidden) > 0 {
		list = append(list, intray.Evidence{Choice: "hidden sheets", Value: joinFirst(hidden), Reason: intray.NewMessage("workbook.hidden_read", nil)})
	}
	if len(c.skippedSheets) > 0 {
		list = append(list, intray.Evidence{Choice: "sheets left out", Value: joinFirst(c.skippedSheets), Reason: intray.NewMessage("workbook.other_sheets", nil)})
	}
	if c.macros {
		list = append(list, intray.Evidence{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)})
	}
	if c.externalLinks > 0 {
		list = append(list, intray.Evidence{Choice: "external links", Value: "ignored", Reason: intray.NewMessage("workbook.external_links", intray.Params{"n": c.externalLinks})})
	}
	return list
}

// joinFirst lists names, the first of many.
func joinFirst(names []string) string {
	if len(names) <= maxListedNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListedNames], ", "), len(names)-maxListedNames)
}

// relation leads from one part to another.
type relation struct {
	id string
	// kind is the last word of its type, the same in all versions of the
	// format: worksheet, styles.
	kind string
	// part is the name of the part it leads to, "" where it leads outside.
	part string
}

// relations lists those of a part; of "" those of the archive. A part without
// any has no list.
func (a *archive) relations(ctx context.Context, of string) ([]relation, error) {
	folder, name := path.Split(of)
	listed := folder + "_rels/" + name + ".rels"
	if !a.hasPart(listed) {
		return nil, nil
	}
	p, err := a.openSmall(ctx, listed)
	if err != nil {
		return nil, err
	}
	defer p.close()
	list, err := readRelations(p, listed, folder, a.limits)
	return list, causeIfCanceled(ctx, err)
}

func readRelations(p *part, name, folder string, limits Limits) ([]relation, error) {
	s, err := newScanner(p, name, limits)
	if err != nil {
		return nil, err
	}
	if err := s.OpenRoot("Relationships"); err != nil {
		return nil, err
	}
	var list []relation
	for {
		more, err := s.NextChild()
		if err != nil || !more {
			return list, err
		}
		one, err := parseRelation(s, folder)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		if err := s.Skip(); err != nil {
			return nil, err
		}
	}
}

func parseRelation(s *xmlscan.Scanner, folder string) (relation, error) {
	id, err := s.AttrText("Id")
	if err != nil {
		return relation{}, err
	}
	kind, err := s.AttrText("Type")
	if err != nil {
		return relation{}, err
	}
	target, err := s.AttrText("Target")
	if err != nil {
		return relation{}, err
	}
	r := relation{id: id, kind: path.Base(kind)}
	if string(s.Attr("TargetMode")) != "External" {
		r.part = resolveTarget(folder, target)
	}
	return r, nil
}

// resolveTarget gives the name of the part that a target means, seen from a folder.
func resolveTarget(folder, target string) string {
	target = strings.ReplaceAll(target, `\`, "/")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + folder + target
	}
	return path.Clean(target)[1:]
}

// mainPart finds the part that is the workbook.
func (a *archive) mainPart(ctx context.Context) (string, error) {
	list, err := a.relations(ctx, "")
	if err != nil {
		return "", err
	}
	for _, r := range list {
		if r.kind != "officeDocument" || r.part == "" {
			continue
		}
		if strings.HasSuffix(r.part, ".bin") {
			return "", &source.UnreadableError{Reason: intray.NewMessage("workbook.binary", nil)}
		}
		return r.part, nil
	}
	return "", &source.UnreadableError{Reason: intray.NewMessage("workbook.not_found", nil)}
}
