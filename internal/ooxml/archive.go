// Package ooxml reads the parts of Office Open XML packages that .xlsx and .xlsb workbooks have
// in common.
//
// A package is a ZIP archive, or an OLE2 container with an encrypted archive. Relationships lead
// from the archive to the part that describes the workbook, and from there to its sheets, shared
// strings and styles. This package decrypts archives, follows relationships, stores shared
// strings, and applies number formats. It does not read sheets.
package ooxml

import (
	"context"
	"errors"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// Limits holds the resource limits for reading an archive. Every field must be set.
type Limits struct {
	zipfile.Limits
	// TextBytes is the maximum length of a piece of text in XML, in bytes.
	TextBytes int
	// Depth is the maximum nesting depth of XML elements.
	Depth int
}

// Archive is the archive of a workbook. Except for ReadSmallPart, it is safe for concurrent use.
type Archive struct {
	*zipfile.Archive
	limits Limits
	// trailing are the parts read by ReadSmallPart that have text after their XML.
	trailing []string
}

// Open opens the archive of a workbook. If the file is encrypted with Excel's default password,
// Open decrypts it. It returns [zipfile.ErrPassword] if the password is a different one.
func Open(in source.Input, limits Limits) (*Archive, error) {
	plain, err := decryptIfNeeded(zipfile.NewInput(in))
	if err != nil {
		return nil, err
	}
	return openPlain(plain, limits)
}

// openPlain opens an archive that is not encrypted.
func openPlain(in *zipfile.Input, limits Limits) (*Archive, error) {
	a, err := zipfile.Open(in, limits.Limits, true)
	if err != nil {
		return nil, err
	}
	return &Archive{Archive: a, limits: limits}, nil
}

// NewScanner returns a scanner for the XML of a part.
func (a *Archive) NewScanner(src io.Reader, part string) (*xmlscan.Scanner, error) {
	return xmlscan.New(src, xmlscan.Config{Part: part, TextBytes: a.limits.TextBytes, Depth: a.limits.Depth, NUL: true})
}

// ReadSmallPart opens an XML part, calls read and closes the part. The part must fit into memory.
func (a *Archive) ReadSmallPart(ctx context.Context, name string, read func(*xmlscan.Scanner) error) error {
	p, err := a.OpenSmall(ctx, name)
	if err != nil {
		return err
	}
	defer p.Close()
	s, err := a.NewScanner(p, name)
	if err == nil {
		err = read(s)
	}
	if err == nil {
		var trailing bool
		if trailing, err = ReadToEnd(s); trailing {
			a.trailing = append(a.trailing, name)
		}
	}
	return zipfile.Cause(ctx, err)
}

// ReadToEnd reads what follows the root element of a part. It reports whether that is more than
// white space and comments. Everything that matters has been read by then, so malformed XML is
// not an error.
func ReadToEnd(s *xmlscan.Scanner) (trailing bool, err error) {
	_, err = s.Next()
	var broken *source.UnreadableError
	if errors.As(err, &broken) {
		return true, nil
	}
	return s.Trailing(), err
}

// Relation is a relationship from one part to another.
type Relation struct {
	ID string
	// Kind is the last segment of the relationship type, such as worksheet. It is the
	// same in all versions of the format.
	Kind string
	// Part is the name of the target part, or "" if the target is outside the archive.
	Part string
}

// Relations returns the relationships of the part with the given name, or those of the archive
// if the name is "". It returns none if the part has no relationships.
func (a *Archive) Relations(ctx context.Context, of string) (list []Relation, err error) {
	folder, name := path.Split(of)
	listed := folder + "_rels/" + name + ".rels"
	if !a.Has(listed) {
		return nil, nil
	}
	err = a.ReadSmallPart(ctx, listed, func(s *xmlscan.Scanner) error {
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

func parseRelation(s *xmlscan.Scanner, folder string) (Relation, error) {
	id, err := s.AttrText("Id")
	if err != nil {
		return Relation{}, err
	}
	kind, err := s.AttrText("Type")
	if err != nil {
		return Relation{}, err
	}
	target, err := s.AttrText("Target")
	if err != nil {
		return Relation{}, err
	}
	r := Relation{ID: id, Kind: path.Base(kind)}
	if string(s.Attr("TargetMode")) != "External" {
		r.Part = resolveTarget(folder, target)
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
func isDocument(r Relation) bool { return r.Kind == "officeDocument" && r.Part != "" }

// mainPart returns the name of the part that describes the workbook. If no relationship leads to
// it, listed is false and the part is the one with the usual name, if there is one.
func (a *Archive) mainPart(ctx context.Context, usual string) (name string, listed bool, err error) {
	list, err := a.Relations(ctx, "")
	if err != nil {
		return "", false, err
	}
	if i := slices.IndexFunc(list, isDocument); i >= 0 {
		return list[i].Part, true, nil
	}
	if a.Has(usual) {
		return usual, false, nil
	}
	return "", false, &source.UnreadableError{Reason: intray.NewMessage("workbook.not_found", nil)}
}
