package ooxml

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/cfb"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// zipMagic is the signature of a ZIP archive.
const zipMagic = "PK\x03\x04"

// binaryMagic is the beginning of the part that describes a binary workbook: the identifier of
// the record BrtBeginBook.
const binaryMagic = "\x83\x01"

// Detect returns the likelihood, from 0 to 1, that a file is a workbook, and the reason. binary is
// true if it is a binary workbook. Detect reads the directory of the archive or, if the directory
// is damaged, searches head for part names. The content of a workbook with a password is unknown,
// so it does not count as binary.
func Detect(in source.Input, head []byte, limits Limits) (score float64, binary bool, reason intray.Message) {
	encrypted := bytes.HasPrefix(head, []byte(cfb.Magic)) && hasEncryptedPackage(zipfile.NewInput(in))
	if !encrypted && !bytes.HasPrefix(head, []byte(zipMagic)) {
		return 0, false, intray.Message{}
	}
	main, err := detectMain(in, limits)
	switch {
	case encrypted:
		return 1, main.binary, intray.NewMessage("workbook.encrypted", nil)
	case err != nil:
		return detectHead(head)
	case !main.workbook:
		return 0, false, intray.Message{}
	}
	return 1, main.binary, intray.NewMessage("workbook.archive", intray.Params{"part": source.Excerpt(main.part)})
}

// mainPart is the part that an archive consists of: a workbook, a document or a presentation.
type mainPart struct {
	part string
	// workbook and binary are true for workbooks and binary workbooks.
	workbook, binary bool
}

var errNoMainPart = errors.New("the archive has no main part")

func detectMain(in source.Input, limits Limits) (mainPart, error) {
	arc, err := Open(in, limits)
	if err != nil {
		return mainPart{}, err
	}
	list, err := arc.Relations(context.Background(), "")
	if err != nil {
		return mainPart{}, err
	}
	if i := slices.IndexFunc(list, isDocument); i >= 0 {
		return arc.classify(list[i].Part), nil
	}
	for _, usual := range []string{"xl/workbook.xml", "xl/workbook.bin"} {
		if arc.Has(usual) {
			return arc.classify(usual), nil
		}
	}
	return mainPart{}, errNoMainPart
}

// classify examines the beginning of the main part. If the part cannot be read, classify examines
// its name.
func (a *Archive) classify(name string) mainPart {
	byName := mainPart{name, strings.HasPrefix(name, "xl/"), strings.HasSuffix(name, "workbook.bin")}
	p, err := a.OpenSmall(context.Background(), name)
	if err != nil {
		return byName
	}
	defer p.Close()
	src := bufio.NewReader(p)
	if head, err := src.Peek(len(binaryMagic)); err == nil && string(head) == binaryMagic {
		return mainPart{name, true, true}
	}
	s, err := a.NewScanner(src, name)
	if err != nil {
		return byName
	}
	return mainPart{name, s.OpenRoot("workbook") == nil, false}
}

// detectHead searches for part names that every workbook has among its first entries.
func detectHead(head []byte) (score float64, binary bool, reason intray.Message) {
	if bytes.Contains(head, []byte("xl/workbook")) || bytes.Contains(head, []byte("xl/worksheets/")) || bytes.Contains(head, []byte("xl/_rels/")) {
		binary = bytes.Contains(head, []byte("xl/workbook.bin")) || bytes.Contains(head, []byte("xl/_rels/workbook.bin"))
		return 0.9, binary, intray.NewMessage("workbook.archive_head", nil)
	}
	return 0, false, intray.Message{}
}
