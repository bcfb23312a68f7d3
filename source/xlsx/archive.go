package xlsx

import (
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// archive is the ZIP file of a workbook.
type archive struct {
	*zipfile.Archive
	limits Limits
}

func openArchive(in *zipfile.Input, limits Limits) (*archive, error) {
	a, err := zipfile.Open(in, zipfile.Limits{InflatedBytes: limits.InflatedBytes, PartBytes: limits.PartBytes, Ratio: limits.Ratio, Entries: limits.Entries}, true)
	if err != nil {
		return nil, err
	}
	return &archive{a, limits}, nil
}

// readSmallPart opens a part, calls read and closes the part. The part must fit into memory.
func (a *archive) readSmallPart(ctx context.Context, name string, read func(*xmlscan.Scanner) error) error {
	p, err := a.OpenSmall(ctx, name)
	if err != nil {
		return err
	}
	defer p.Close()
	s, err := newScanner(p, name, a.limits)
	if err == nil {
		err = read(s)
	}
	return zipfile.Cause(ctx, err)
}

// relation is a relationship from one part to another.
type relation struct {
	id string
	// kind is the last segment of the relationship type, such as worksheet. It is the
	// same in all versions of the format.
	kind string
	// part is the name of the target part, or "" if the target is outside the archive.
	part string
}

// relations returns the relationships of the part with the given name, or those of the archive
// if the name is "". It returns none if the part has no relationships.
func (a *archive) relations(ctx context.Context, of string) (list []relation, err error) {
	folder, name := path.Split(of)
	listed := folder + "_rels/" + name + ".rels"
	if !a.Has(listed) {
		return nil, nil
	}
	err = a.readSmallPart(ctx, listed, func(s *xmlscan.Scanner) error {
		if err := s.OpenRoot("Relationships"); err != nil {
			return err
		}
		return s.ForEachChild(func() error {
			one, err := parseRelation(s, folder)
			if err != nil {
				return err
			}
			list = append(list, one)
			return s.Skip()
		})
	})
	return list, err
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

// resolveTarget returns the name of the part that a target refers to. A target without a leading
// slash is relative to folder.
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

// mainPart returns the name of the part that describes the workbook.
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
