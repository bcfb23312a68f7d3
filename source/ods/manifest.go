package ods

import (
	"context"

	"github.com/intraydata/intray"
)

// refuseEncrypted looks into the manifest, where encryption is told entry by
// entry. What is encrypted beside the content, such as macros, does not matter.
func (p *pack) refuseEncrypted(ctx context.Context) error {
	if p.parts[encryptedPart] != nil {
		return errProtected
	}
	if p.parts[manifestPart] == nil {
		return nil
	}
	from, err := p.openSmall(ctx, manifestPart)
	if err != nil {
		return err
	}
	defer from.end()
	s, err := newScanner(from, manifestPart, p.limits)
	if err == nil {
		s.doctype = true // the oldest applications wrote one here
		err = readManifest(s)
	}
	if err != nil && p.in.failed() != nil {
		return p.in.explain("read the manifest of the workbook", err, intray.Message{})
	}
	return err
}

func readManifest(s *scanner) error {
	if more, err := s.child(); err != nil || !more {
		return err
	}
	return s.children(func() error {
		if s.is(spaceManifest, "file-entry") {
			return readEntry(s)
		}
		return s.skip()
	})
}

// readEntry reads what the manifest says of one entry.
func readEntry(s *scanner) error {
	path, err := s.attrText(spaceManifest, "full-path")
	if err != nil {
		return err
	}
	matters := path == contentPart || path == encryptedPart
	return s.children(func() error {
		if matters && s.is(spaceManifest, "encryption-data") {
			return errProtected
		}
		return s.skip()
	})
}
