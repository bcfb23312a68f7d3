package xls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/grid"
)

// sheet is one of the list in the globals.
type sheet struct {
	grid.Sheet
	// at is where its part begins in the stream.
	at   int64
	kind byte
}

// The kinds of sheets, as the list has them.
const (
	kindWorksheet = 0
	kindMacro     = 1
	kindChart     = 2
	kindModule    = 6
)

// book is an opened workbook. It does not change once it is open.
type book struct {
	from    *stream
	key     key
	limits  Limits
	version int
	// listed are all sheets; sheets those that are worksheets.
	listed, sheets []sheet
	styles         styles
	strings        table
	page           codepage
	epoch1904      bool
}

// part gives a reader of the book's stream.
func (b *book) part() *inner {
	part := &inner{records: records{from: b.from}}
	if b.key != nil {
		part.key = b.key.fork()
	}
	return part
}

// readGlobals reads the first part of the stream.
func (b *book) readGlobals(ctx context.Context) error {
	part := b.part()
	first, err := part.enter(0)
	if err != nil {
		return atStart(err)
	}
	if first.kind == partBundle && first.version == 4 {
		return unreadable(intray.NewMessage("xls.excel4_workbook", nil))
	}
	b.version = first.version
	b.styles.builtin = b.version >= 5
	single := first.kind != partGlobals
	if single {
		b.listed = []sheet{{}}
	}
	for n := 0; err == nil; n++ {
		if n%pollRecords == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		err = b.readGlobal(part, single)
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	b.styles.compile(b.version == 2)
	return nil
}

// atStart gives the error of a stream that does not begin with a BOF.
func atStart(err error) error {
	if errors.Is(err, errNoBOF) || errors.Is(err, io.EOF) {
		return broken(intray.NewMessage("xls.no_bof", nil))
	}
	return err
}

// pollRecords is how many records are read between two looks at the context.
const pollRecords = 1024

// readGlobal reads one record. It gives io.EOF at the end of the globals, which
// is also the begin of the next part where the EOF record is missing.
func (b *book) readGlobal(part *inner, single bool) error {
	if !single {
		if rec, err := part.records.next(); err == nil {
			part.back(rec)
			if isBOF(rec.id) {
				return io.EOF
			}
		}
	}
	rec, err := part.next()
	if err != nil {
		return err
	}
	switch rec.id {
	case recFilePass:
		if b.key, err = unlock(b.version, rec.body); err != nil {
			return err
		}
		part.key = b.key.fork()
	case recBoundSheet:
		return b.addSheet(part, rec)
	case recSST:
		b.strings, err = readTable(&part.records, rec, b.limits.StringBytes)
		return err
	case recDateMode:
		b.epoch1904 = len(rec.body) >= 2 && little.Uint16(rec.body) == 1
	case recCodePage:
		if len(rec.body) >= 2 {
			b.page = findCodepage(int(little.Uint16(rec.body)))
		}
	default:
		return b.readStyle(part, rec)
	}
	return nil
}

// readStyle reads a record that says how cells look.
func (b *book) readStyle(part *inner, rec record) error {
	body := rec.body
	switch {
	case rec.id == 0x001E && len(body) >= 1:
		b.styles.addCode(-1, b.byteText(body[1:], int(body[0])))
	case rec.id == 0x041E && b.version == 4 && len(body) >= 3:
		b.styles.addCode(-1, b.byteText(body[3:], int(body[2])))
	case rec.id == 0x041E && b.version == 5 && len(body) >= 3:
		b.styles.addCode(int(little.Uint16(body)), b.byteText(body[3:], int(body[2])))
	case rec.id == 0x041E && b.version == 8 && len(body) >= 5:
		number := int(little.Uint16(body))
		p := newPieces(&part.records, rec, 4)
		code := p.appendText(nil, min(int(little.Uint16(body[2:])), len(body)))
		b.styles.addCode(number, string(code))
		return p.err
	case rec.id == recXF5 && len(body) >= 4:
		b.styles.addXF(little.Uint16(body[2:]))
	case (rec.id == 0x0243 || rec.id == 0x0443) && len(body) >= 2:
		b.styles.addXF(uint16(body[1]))
	}
	return nil
}

// byteText decodes at most n bytes.
func (b *book) byteText(raw []byte, n int) string {
	return string(b.page.appendText(nil, raw[:min(n, len(raw))]))
}

// addSheet reads an entry of the list of sheets.
func (b *book) addSheet(part *inner, rec record) error {
	if len(b.listed) >= b.limits.Sheets {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": b.limits.Sheets})}
	}
	body := rec.body
	if len(body) < 8 {
		return broken(intray.NewMessage("xls.short_sheet_entry", intray.Params{"sheet": len(b.listed) + 1}))
	}
	s := sheet{at: int64(little.Uint32(body)), kind: body[5]}
	s.Hidden = body[4]&3 != 0
	if b.version < 8 {
		s.Name = b.byteText(body[7:], int(body[6]))
	} else {
		p := newPieces(&part.records, rec, 7)
		s.Name = string(p.appendText(nil, int(body[6])))
		if p.err != nil {
			return p.err
		}
	}
	b.listed = append(b.listed, s)
	return nil
}

// placeSheets keeps the worksheets, and finds the parts of sheets that are not
// where the list has them.
func (b *book) placeSheets(ctx context.Context) error {
	part := b.part()
	for i := range b.listed {
		if _, err := part.enter(b.listed[i].at); isDamage(err) {
			err = b.searchSheets(ctx)
			if err != nil {
				return err
			}
			break
		} else if err != nil {
			return err
		}
	}
	for _, s := range b.listed {
		if s.kind != kindWorksheet {
			continue
		}
		if first, err := part.enter(s.at); err == nil && (first.kind == partChart || first.kind == partMacro || first.kind == partModule) {
			continue
		}
		b.sheets = append(b.sheets, s)
	}
	if len(b.sheets) == 0 {
		return unreadable(intray.NewMessage("workbook.no_worksheet", nil))
	}
	return nil
}

// isDamage says that an error comes from what the file holds, not from reading
// it.
func isDamage(err error) bool {
	var damage *source.UnreadableError
	return errors.Is(err, io.EOF) || errors.As(err, &damage)
}

// searchSheets goes through the stream and takes the parts behind the globals
// for the sheets, in their order. Where there are not as many as sheets, the
// list is left as it is, and the sheets that are not there cannot be read.
func (b *book) searchSheets(ctx context.Context) error {
	part := b.part()
	var places []int64
	for n, depth := 0, 0; ; n++ {
		if n%pollRecords == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		rec, err := part.records.next()
		if err != nil {
			if !isDamage(err) {
				return err
			}
			break
		}
		if rec.id == recEOF {
			depth--
		}
		if isBOF(rec.id) {
			if depth++; depth == 1 {
				places = append(places, rec.at)
			}
		}
	}
	if len(places) == len(b.listed)+1 {
		for i := range b.listed {
			b.listed[i].at = places[i+1]
		}
	}
	return nil
}

func (b *book) Sheets() []grid.Sheet {
	list := make([]grid.Sheet, len(b.sheets))
	for i, s := range b.sheets {
		list[i] = s.Sheet
	}
	return list
}

func (b *book) Evidence() []intray.Evidence {
	list := []intray.Evidence{{Choice: "version", Value: fmt.Sprintf("BIFF%d", b.version), Reason: intray.NewMessage("xls.version", nil)}}
	if b.version < 8 {
		list = append(list, intray.Evidence{Choice: "encoding", Value: b.page.name, Reason: b.page.reason})
	}
	system := intray.Evidence{Choice: "date system", Value: "1900", Reason: intray.NewMessage("workbook.date_system_1900", nil)}
	if b.epoch1904 {
		system.Value, system.Reason = "1904", intray.NewMessage("workbook.date_system_1904", nil)
	}
	list = append(list, system)
	if b.key != nil {
		list = append(list, intray.Evidence{Choice: "protection", Value: "default password",
			Reason: intray.NewMessage("workbook.write_protected", nil)})
	}
	if left := b.leftOut(); left != "" {
		list = append(list, intray.Evidence{Choice: "not read", Value: left, Reason: intray.NewMessage("workbook.other_sheets", nil)})
	}
	return list
}

// leftOut names the sheets that are no worksheets.
func (b *book) leftOut() string {
	const most = 20
	read := map[int64]bool{}
	for _, s := range b.sheets {
		read[s.at] = true
	}
	var names []string
	for _, s := range b.listed {
		if !read[s.at] {
			names = append(names, s.Name)
		}
	}
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

func (b *book) Close() error { return nil }
