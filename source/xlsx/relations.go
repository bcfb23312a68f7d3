package xlsx

import (
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

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
