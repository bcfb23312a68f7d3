package xls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/cfb"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/workbook"
)

// sheet is an entry of the list of sheets in the globals.
type sheet struct {
	workbook.Sheet
	// offset is the offset in the stream at which the part of the sheet starts.
	offset int64
	kind   byte
}

// These are the kinds of sheets, as stored in the list.
const (
	kindWorksheet = 0
	kindMacro     = 1
	kindChart     = 2
	kindModule    = 6
)

// book is an opened workbook. It is immutable after Open returns it.
type book struct {
	stream  *cfb.Stream
	key     decryptor
	limits  Limits
	version int
	// allSheets holds the sheets of all kinds. worksheets holds only the worksheets, which are
	// the sheets that can be read.
	allSheets, worksheets []sheet
	styles                styles
	strings               sharedStrings
	// codepage is the encoding of text. declared is true if the workbook declares a known one.
	// chosen is true if it was chosen for another reason. alternatives are the possible ones if a
	// person must decide.
	codepage     codepage
	declared     bool
	chosen       bool
	alternatives []intray.Choice
	fonts        fonts
	epoch1904    bool
}

// newPartReader returns a reader for the book's stream.
func (b *book) newPartReader() *partReader {
	part := &partReader{recordReader: recordReader{from: b.stream}}
	if b.key != nil {
		part.key = b.key.clone()
	}
	return part
}

// readGlobals reads the globals, which are the first part of the stream.
func (b *book) readGlobals(ctx context.Context) error {
	part := b.newPartReader()
	first, err := part.seekPart(0)
	if err != nil {
		return startError(err)
	}
	if first.kind == partBundle && first.version == 4 {
		return unreadable(intray.NewMessage("xls.excel4_workbook", nil))
	}
	b.version = first.version
	b.styles.hasBuiltins = b.version >= 5
	single := first.kind != partGlobals
	if single {
		b.allSheets = []sheet{{}}
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

// declareCodepage sets the code page that the workbook declares, unless it is unknown or one was
// already chosen.
func (b *book) declareCodepage(number int) {
	if b.chosen {
		return
	}
	if _, enc := lookupCodepage(number); enc != nil {
		b.setCodepage(number, intray.NewMessage("encoding.codepage", intray.Params{"codepage": strconv.Itoa(number)}))
		b.declared = true
	}
}

// startError returns the error to report for a stream that does not start with a BOF record.
func startError(err error) error {
	if errors.Is(err, errNoBOF) || errors.Is(err, io.EOF) {
		return broken(intray.NewMessage("xls.no_bof", nil))
	}
	return err
}

// pollRecords is the number of records to read between two checks of the context.
const pollRecords = 1024

// readGlobal reads one record. It returns io.EOF at the end of the globals. If their
// EOF record is missing, they end where the next part starts. If single is true, the
// stream has only one part.
func (b *book) readGlobal(part *partReader, single bool) error {
	if !single {
		if rec, err := part.recordReader.next(); err == nil {
			part.unread(rec)
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
		part.key = b.key.clone()
	case recBoundSheet:
		return b.addSheet(part, rec)
	case recSST:
		b.strings, err = readSharedStrings(&part.recordReader, rec, b.limits.StringBytes)
		return err
	case recDateMode:
		b.epoch1904 = len(rec.body) >= 2 && little.Uint16(rec.body) == 1
	case recCodePage:
		if len(rec.body) >= 2 {
			b.declareCodepage(int(little.Uint16(rec.body)))
		}
	default:
		return b.readStyle(part, rec)
	}
	return nil
}

// readStyle reads a record that defines a format or a style.
func (b *book) readStyle(part *partReader, rec record) error {
	body := rec.body
	switch {
	case rec.id == 0x001E && len(body) >= 1:
		return b.styles.addCode(-1, b.decodeText(body[1:], int(body[0])))
	case rec.id == 0x041E && b.version == 4 && len(body) >= 3:
		return b.styles.addCode(-1, b.decodeText(body[3:], int(body[2])))
	case rec.id == 0x041E && b.version == 5 && len(body) >= 3:
		return b.styles.addCode(int(little.Uint16(body)), b.decodeText(body[3:], int(body[2])))
	case rec.id == 0x041E && b.version == 8 && len(body) >= 5:
		number := int(little.Uint16(body))
		p := newContinuedReader(&part.recordReader, rec, 4)
		code := p.appendText(nil, min(int(little.Uint16(body[2:])), len(body)))
		if p.err != nil {
			return p.err
		}
		return b.styles.addCode(number, string(code))
	case rec.id == 0x0031 || rec.id == 0x0231:
		b.readFont(rec)
	case rec.id == recXF5 && len(body) >= 4:
		b.styles.addXF(little.Uint16(body[2:]))
	case (rec.id == 0x0243 || rec.id == 0x0443) && len(body) >= 2:
		b.styles.addXF(uint16(body[1]))
	}
	return nil
}

// decodeText decodes at most the first n bytes of raw.
func (b *book) decodeText(raw []byte, n int) string {
	return string(b.codepage.appendText(nil, raw[:min(n, len(raw))]))
}

// addSheet adds a sheet from its record in the list of sheets.
func (b *book) addSheet(part *partReader, rec record) error {
	if len(b.allSheets) >= b.limits.Sheets {
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_many_sheets", intray.Params{"limit": b.limits.Sheets})}
	}
	body := rec.body
	if len(body) < 8 {
		return broken(intray.NewMessage("xls.short_sheet_entry", intray.Params{"sheet": len(b.allSheets) + 1}))
	}
	s := sheet{offset: int64(little.Uint32(body)), kind: body[5]}
	s.Hidden = body[4]&3 != 0
	if b.version < 8 {
		s.Name = b.decodeText(body[7:], int(body[6]))
	} else {
		p := newContinuedReader(&part.recordReader, rec, 7)
		s.Name = string(p.appendText(nil, int(body[6])))
		if p.err != nil {
			return p.err
		}
	}
	b.allSheets = append(b.allSheets, s)
	return nil
}

// locateSheets finds the parts of the worksheets. If the offset of any sheet is wrong or equal
// to that of another, it searches the stream for the parts of all sheets. It returns an
// UnreadableError if worksheets then still share a part, because a small file could otherwise
// have thousands of large sheets.
func (b *book) locateSheets(ctx context.Context) error {
	part := b.newPartReader()
	owners := map[int64]string{}
	for i := range b.allSheets {
		offset := b.allSheets[i].offset
		_, shared := owners[offset]
		owners[offset] = ""
		if _, err := part.seekPart(offset); shared || isDamage(err) {
			err = b.findSheetParts(ctx)
			if err != nil {
				return err
			}
			break
		} else if err != nil {
			return err
		}
	}
	clear(owners)
	for _, s := range b.allSheets {
		if s.kind != kindWorksheet {
			continue
		}
		if first, err := part.seekPart(s.offset); err == nil && (first.kind == partChart || first.kind == partMacro || first.kind == partModule) {
			continue
		}
		if other, shared := owners[s.offset]; shared {
			return unreadable(intray.NewMessage("workbook.sheets_share_part", intray.Params{"sheet": source.Excerpt(s.Name), "other": source.Excerpt(other)}))
		}
		owners[s.offset] = s.Name
		b.worksheets = append(b.worksheets, s)
	}
	if len(b.worksheets) == 0 {
		return unreadable(intray.NewMessage("workbook.no_worksheet", nil))
	}
	return nil
}

// isDamage reports whether an error was caused by the content of the file rather than
// by reading it.
func isDamage(err error) bool {
	var damage *source.UnreadableError
	return errors.Is(err, io.EOF) || errors.As(err, &damage)
}

// findSheetParts assigns the parts after the globals to the sheets, in order. If there
// are more or fewer parts than sheets, it does not change the offsets, and sheets with
// a wrong offset cannot be read.
func (b *book) findSheetParts(ctx context.Context) error {
	part := b.newPartReader()
	var places []int64
	for n, depth := 0, 0; ; n++ {
		if n%pollRecords == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		rec, err := part.recordReader.next()
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
				places = append(places, rec.offset)
			}
		}
	}
	if len(places) == len(b.allSheets)+1 {
		for i := range b.allSheets {
			b.allSheets[i].offset = places[i+1]
		}
	}
	return nil
}

func (b *book) Sheets() []workbook.Sheet {
	list := make([]workbook.Sheet, len(b.worksheets))
	for i, s := range b.worksheets {
		list[i] = s.Sheet
	}
	return list
}

func (b *book) Evidence() []intray.Evidence {
	list := []intray.Evidence{{Choice: "version", Value: fmt.Sprintf("BIFF%d", b.version), Reason: intray.NewMessage("xls.version", nil)}}
	if b.version < 8 {
		list = append(list, intray.Evidence{Choice: "encoding", Value: b.codepage.name, Reason: b.codepage.reason, Tie: len(b.alternatives) > 0, Alternatives: b.alternatives})
	}
	list = append(list, workbook.DateSystem(b.epoch1904))
	if b.key != nil {
		list = append(list, intray.Evidence{Choice: "protection", Value: "default password",
			Reason: intray.NewMessage("workbook.write_protected", nil)})
	}
	if left := b.skippedSheets(); left != "" {
		list = append(list, intray.Evidence{Choice: "not read", Value: left, Reason: intray.NewMessage("workbook.other_sheets", nil)})
	}
	return list
}

// skippedSheets returns the names of the sheets that are not worksheets, separated by
// commas. It lists at most 20 names, followed by the number of remaining ones.
func (b *book) skippedSheets() string {
	const most = 20
	read := map[int64]bool{}
	for _, s := range b.worksheets {
		read[s.offset] = true
	}
	var names []string
	for _, s := range b.allSheets {
		if !read[s.offset] {
			names = append(names, s.Name)
		}
	}
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

func (b *book) Close() error { return nil }
