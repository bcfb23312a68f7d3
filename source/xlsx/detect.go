package xlsx

import (
	"bytes"
	"context"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// archiveMark is how archives begin.
const archiveMark = "PK\x03\x04"

// Detect says how sure it is that a file is a workbook that this package reads
// or knows to refuse, from 0 to 1, and why. It looks into the directory of the
// archive; where that is lost, at the names in head.
func Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	w := &watched{Input: in}
	switch {
	case bytes.HasPrefix(head, []byte(containerMark)) && isEncrypted(w):
		return 1, intray.NewMessage("workbook.encrypted", nil)
	case !bytes.HasPrefix(head, []byte(archiveMark)):
		return 0, intray.Message{}
	}
	arc, err := openArchive(w, Limits{}.WithDefaults())
	if err != nil {
		return detectHead(head)
	}
	list, err := arc.relations(context.Background(), "")
	if err != nil {
		return detectHead(head)
	}
	for _, r := range list {
		if r.kind != "officeDocument" {
			continue
		}
		if leadsToWorkbook(arc, r.part) {
			return 1, intray.NewMessage("workbook.archive", intray.Params{"part": source.Excerpt(r.part)})
		}
		return 0, intray.Message{}
	}
	return detectHead(head)
}

// leadsToWorkbook says whether a part is a workbook, not a text or slides.
func leadsToWorkbook(arc *archive, name string) bool {
	if strings.HasSuffix(name, "workbook.bin") {
		return true
	}
	p, err := arc.openSmall(context.Background(), name)
	if err != nil {
		return strings.HasPrefix(name, "xl/")
	}
	defer p.end()
	s, err := newScanner(p, name, arc.limits)
	if err != nil {
		return strings.HasPrefix(name, "xl/")
	}
	return s.root("workbook") == nil
}

// detectHead looks for the names that all workbooks have among their first
// entries.
func detectHead(head []byte) (float64, intray.Message) {
	if bytes.Contains(head, []byte("xl/workbook")) || bytes.Contains(head, []byte("xl/worksheets/")) || bytes.Contains(head, []byte("xl/_rels/")) {
		return 0.9, intray.NewMessage("workbook.archive_head", nil)
	}
	return 0, intray.Message{}
}
