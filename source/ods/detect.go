package ods

import (
	"bytes"
	"context"

	"github.com/intraydata/intray/source"
)

const notOurs = "the file is no OpenDocument spreadsheet"

// Detect says how sure it is that a file is a spreadsheet of OpenDocument, from
// 0 to 1, and why. It looks into the directory of an archive; where that is
// lost, at how the file begins.
func Detect(in source.Input, head []byte) (score float64, reason string) {
	if bytes.HasPrefix(head, []byte(archiveMark)) {
		return detectArchive(&watched{Input: in}, head)
	}
	return detectFlat(head)
}

func detectArchive(in *watched, head []byte) (float64, string) {
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
			return 0.9, "the file begins like an archive with an OpenDocument spreadsheet"
		}
	case isSpreadsheet(kind):
		return 1, "the file is an archive of the kind " + kind
	case kind == "" && p.hasSpreadsheet(ctx):
		return 1, "the file is an archive with the content of an OpenDocument spreadsheet"
	}
	return 0, notOurs
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
func detectFlat(head []byte) (float64, string) {
	const score, reason = 1, "the file is a flat OpenDocument spreadsheet"
	s, err := newScanner(bytes.NewReader(head), "document", Limits{}.WithDefaults())
	if err != nil {
		return 0, notOurs
	}
	more, err := s.child()
	switch {
	case err != nil || !more:
		// What is refused later, such as DOCTYPE, is still told by name.
		if bytes.Contains(head, []byte("<office:document")) && bytes.Contains(head, []byte("opendocument.spreadsheet")) {
			return 0.9, "the file begins like a flat OpenDocument spreadsheet"
		}
	case !s.is(spaceOffice, "document"):
	case isSpreadsheet(string(s.attr(spaceOffice, "mimetype"))):
		return score, reason
	case s.attr(spaceOffice, "mimetype") == nil && bytes.Contains(head, []byte("<office:spreadsheet")):
		return score, reason
	}
	return 0, notOurs
}
