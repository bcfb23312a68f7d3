package xlsx

import (
	"context"
	"errors"

	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/xmlscan"
	"github.com/intraydata/intray/internal/zipfile"
)

// readSharedStrings reads the shared strings from the part with the given name. If name
// is "", the result is empty.
func readSharedStrings(ctx context.Context, arc *ooxml.Archive, name string, limits Limits) (*ooxml.SharedStrings, error) {
	t := ooxml.NewSharedStrings(ooxml.StringLimits{Strings: limits.Strings, Bytes: limits.StringBytes, TempDir: limits.TempDir})
	if name == "" {
		return t, nil
	}
	p, err := arc.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	s, err := arc.NewScanner(p, name)
	if err == nil {
		err = readStringTable(s, t)
	}
	if err == nil {
		err = t.Finish()
	}
	if err != nil {
		return nil, errors.Join(zipfile.Cause(ctx, err), t.Close())
	}
	return t, nil
}

func readStringTable(s *xmlscan.Scanner, t *ooxml.SharedStrings) error {
	if err := s.OpenRoot("sst"); err != nil {
		return err
	}
	var text []byte
	for {
		more, err := s.NextChild()
		if err != nil || !more {
			return err
		}
		if string(s.Name) != "si" {
			if err := s.Skip(); err != nil {
				return err
			}
			continue
		}
		if text, err = appendRichText(s, text[:0]); err != nil {
			return err
		}
		if err := t.Add(text); err != nil {
			return err
		}
	}
}
