package xlsx

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// listed is a sheet as the workbook lists it.
type listed struct {
	name   string
	hidden bool
	// part is where its cells are.
	part string
}

// catalog is what the workbook itself says.
type catalog struct {
	sheets    []listed
	epoch1904 bool
	// styles and strings are parts, "" where there is none.
	styles, strings string
	macros          bool
	links           int
	// leftOut are the sheets that are no worksheets.
	leftOut []string
}

func readCatalog(ctx context.Context, arc *archive, main string) (catalog, error) {
	relations, err := arc.relations(ctx, main)
	if err != nil {
		return catalog{}, err
	}
	c := catalog{}
	targets := make(map[string]relation, len(relations))
	for _, r := range relations {
		targets[r.id] = r
		c.note(arc, r)
	}
	p, err := arc.openSmall(ctx, main)
	if err != nil {
		return catalog{}, err
	}
	defer p.end()
	if err := c.read(p, main, arc.limits, targets); err != nil {
		return catalog{}, stopped(ctx, err)
	}
	if len(c.sheets) == 0 {
		return catalog{}, &source.UnreadableError{Reason: intray.NewMessage("workbook.no_worksheet", nil)}
	}
	return c, nil
}

// note keeps what a relation of the workbook says of the file as a whole.
func (c *catalog) note(arc *archive, r relation) {
	switch r.kind {
	case "styles":
		if arc.has(r.part) {
			c.styles = r.part
		}
	case "sharedStrings":
		if arc.has(r.part) {
			c.strings = r.part
		}
	case "vbaProject":
		c.macros = true
	case "externalLink":
		c.links++
	}
}

func (c *catalog) read(p *part, name string, limits Limits, targets map[string]relation) error {
	s, err := newScanner(p, name, limits)
	if err != nil {
		return err
	}
	if err := s.root("workbook"); err != nil {
		return err
	}
	for {
		more, err := s.child()
		if err != nil || !more {
			return err
		}
		switch string(s.name) {
		case "workbookPr":
			c.epoch1904 = s.attrTrue("date1904")
			err = s.skip()
		case "sheets":
			err = c.readSheets(s, limits, targets)
		default:
			err = s.skip()
		}
		if err != nil {
			return err
		}
	}
}

func (c *catalog) readSheets(s *scanner, limits Limits, targets map[string]relation) error {
	for {
		more, err := s.child()
		if err != nil || !more {
			return err
		}
		if len(c.sheets)+len(c.leftOut) >= limits.Sheets {
			return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": limits.Sheets})}
		}
		if err := c.addSheet(s, targets); err != nil {
			return err
		}
		if err := s.skip(); err != nil {
			return err
		}
	}
}

func (c *catalog) addSheet(s *scanner, targets map[string]relation) error {
	name, err := s.attrText("name")
	if err != nil {
		return err
	}
	id, err := s.attrText("id")
	if err != nil {
		return err
	}
	to, found := targets[id]
	switch {
	case !found || to.part == "":
		return s.broken(intray.NewMessage("workbook.sheet_without_part", intray.Params{"sheet": source.Excerpt(name)}))
	case to.kind != "worksheet":
		c.leftOut = append(c.leftOut, name)
		return nil
	}
	state := string(s.attr("state"))
	c.sheets = append(c.sheets, listed{name: name, part: to.part, hidden: state == "hidden" || state == "veryHidden"})
	return nil
}

// namesShown is how many sheets evidence names.
const namesShown = 20

func (c *catalog) evidence() []intray.Evidence {
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
		list = append(list, intray.Evidence{Choice: "hidden sheets", Value: join(hidden), Reason: intray.NewMessage("workbook.hidden_read", nil)})
	}
	if len(c.leftOut) > 0 {
		list = append(list, intray.Evidence{Choice: "sheets left out", Value: join(c.leftOut), Reason: intray.NewMessage("workbook.other_sheets", nil)})
	}
	if c.macros {
		list = append(list, intray.Evidence{Choice: "macros", Value: "ignored", Reason: intray.NewMessage("workbook.macros", nil)})
	}
	if c.links > 0 {
		list = append(list, intray.Evidence{Choice: "external links", Value: "ignored", Reason: intray.NewMessage("workbook.external_links", intray.Params{"n": c.links})})
	}
	return list
}

// join lists names, the first of many.
func join(names []string) string {
	if len(names) <= namesShown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:namesShown], ", "), len(names)-namesShown)
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
	if !a.has(listed) {
		return nil, nil
	}
	p, err := a.openSmall(ctx, listed)
	if err != nil {
		return nil, err
	}
	defer p.end()
	list, err := readRelations(p, listed, folder, a.limits)
	return list, stopped(ctx, err)
}

func readRelations(p *part, name, folder string, limits Limits) ([]relation, error) {
	s, err := newScanner(p, name, limits)
	if err != nil {
		return nil, err
	}
	if err := s.root("Relationships"); err != nil {
		return nil, err
	}
	var list []relation
	for {
		more, err := s.child()
		if err != nil || !more {
			return list, err
		}
		one, err := s.relation(folder)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		if err := s.skip(); err != nil {
			return nil, err
		}
	}
}

func (s *scanner) relation(folder string) (relation, error) {
	id, err := s.attrText("Id")
	if err != nil {
		return relation{}, err
	}
	kind, err := s.attrText("Type")
	if err != nil {
		return relation{}, err
	}
	target, err := s.attrText("Target")
	if err != nil {
		return relation{}, err
	}
	r := relation{id: id, kind: path.Base(kind)}
	if string(s.attr("TargetMode")) != "External" {
		r.part = resolve(folder, target)
	}
	return r, nil
}

// resolve gives the name of the part that a target means, seen from a folder.
func resolve(folder, target string) string {
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
