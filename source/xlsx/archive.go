package xlsx

import (
	"context"
	"errors"
	"net/url"
	"path"
	"slices"
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
	// trailing are the parts read by readSmallPart that have text after their XML.
	trailing []string
}

func openArchive(in *zipfile.Input, limits Limits) (*archive, error) {
	a, err := zipfile.Open(in, zipfile.Limits{InflatedBytes: limits.InflatedBytes, PartBytes: limits.PartBytes, Ratio: limits.Ratio, Entries: limits.Entries}, true)
	if err != nil {
		return nil, err
	}
	return &archive{Archive: a, limits: limits}, nil
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
	if err == nil {
		var trailing bool
		if trailing, err = readToEnd(s); trailing {
			a.trailing = append(a.trailing, name)
		}
	}
	return zipfile.Cause(ctx, err)
}

// readToEnd reads what follows the root element of a part. It reports whether that is more than
// white space and comments. Everything that matters has been read by then, so malformed XML is
// not an error.
func readToEnd(s *xmlscan.Scanner) (trailing bool, err error) {
	_, err = s.Next()
	var broken *source.UnreadableError
	if errors.As(err, &broken) {
		return true, nil
	}
	return s.Trailing(), err
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

// isDocument reports whether a relationship leads to the main part of an archive.
func isDocument(r relation) bool { return r.kind == "officeDocument" && r.part != "" }

// mainPart returns the name of the part that describes the workbook. listed is false if no
// relationship leads to it.
func (a *archive) mainPart(ctx context.Context) (name string, listed bool, err error) {
	list, err := a.relations(ctx, "")
	if err != nil {
		return "", false, err
	}
	i := slices.IndexFunc(list, isDocument)
	switch {
	case i < 0 && a.Has(usualWorkbook):
		return usualWorkbook, false, nil
	case i < 0:
		return "", false, &source.UnreadableError{Reason: intray.NewMessage("workbook.not_found", nil)}
	case strings.HasSuffix(list[i].part, ".bin"):
		return "", false, &source.UnreadableError{Reason: intray.NewMessage("workbook.binary", nil)}
	}
	return list[i].part, true, nil
}
