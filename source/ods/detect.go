package ods

import (
	"bytes"
	"context"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Detect says how sure it is that a file is a spreadsheet of OpenDocument, from
// 0 to 1, and why. It looks into the directory of an archive; where that is
// lost, at how the file begins.
func Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	if bytes.HasPrefix(head, []byte(archiveMark)) {
		return detectArchive(&watched{Input: in}, head)
	}
	return detectFlat(head)
}

func detectArchive(in *watched, head []byte) (float64, intray.Message) {
	ctx := context.Background()
	p, err := openArchive(in, Limits{}.WithDefaults())
	kind := ""
	if err == nil {
		kind, err = p.kind(ctx)
	}
	switch {
	case err != nil:
		// The entry "mimetype" comes first and is not compressed, so that it
		// can be seen here.
		if bytes.Contains(head, []byte("mimetypeapplication/vnd.oasis.opendocument.spreadsheet")) {
			return 0.9, intray.NewMessage("opendocument.archive_head", nil)
		}
	case isSpreadsheet(kind):
		return 1, intray.NewMessage("opendocument.archive", intray.Params{"type": kind})
	case kind == "" && p.hasSpreadsheet(ctx):
		return 1, intray.NewMessage("opendocument.content", nil)
	}
	return 0, intray.Message{}
}

// hasSpreadsheet looks into the content of an archive that does not tell its
// kind.
func (p *pack) hasSpreadsheet(ctx context.Context) bool {
	if p.parts[contentPart] == nil {
		return false
	}
	from, err := p.openSmall(ctx, contentPart)
	if err != nil {
		return false
	}
	c, err := walk(from, nil)
	if err != nil {
		return false
	}
	c.end()
	return true
}

// detectFlat looks at the outermost element.
func detectFlat(head []byte) (float64, intray.Message) {
	s, err := newScanner(bytes.NewReader(head), "document", Limits{}.WithDefaults())
	if err != nil {
		return 0, intray.Message{}
	}
	more, err := s.child()
	switch {
	case err != nil || !more:
		// What is refused later, such as DOCTYPE, is still told by name.
		if bytes.Contains(head, []byte("<office:document")) && bytes.Contains(head, []byte("opendocument.spreadsheet")) {
			return 0.9, intray.NewMessage("opendocument.flat_head", nil)
		}
	case !s.is(spaceOffice, "document"):
	case isSpreadsheet(string(s.attr(spaceOffice, "mimetype"))):
		return 1, intray.NewMessage("opendocument.flat", nil)
	case s.attr(spaceOffice, "mimetype") == nil && bytes.Contains(head, []byte("<office:spreadsheet")):
		return 1, intray.NewMessage("opendocument.flat", nil)
	}
	return 0, intray.Message{}
}
