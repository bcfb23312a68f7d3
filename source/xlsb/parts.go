package xlsb

import (
	"context"
	"errors"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ooxml"
	"github.com/intraydata/intray/internal/zipfile"
)

// maxNameChars is the maximum length of the name of a sheet, of the id of a relationship and of a
// format code, in characters. Excel allows far fewer.
const maxNameChars = 32 << 10

// readPart calls read for each record of a part, from the record first to the record last. The
// part must fit into memory.
func readPart(ctx context.Context, arc *ooxml.Archive, name string, first, last recordID, read func(*recordReader) error) error {
	p, err := arc.OpenSmall(ctx, name)
	if err != nil {
		return err
	}
	defer p.Close()
	return zipfile.Cause(ctx, readRecords(p, first, last, read))
}

func readRecords(p *zipfile.Part, first, last recordID, read func(*recordReader) error) error {
	r, err := openPart(p, p.Name, first)
	if err != nil {
		return err
	}
	for {
		switch err := r.next(); {
		case errors.Is(err, io.EOF):
			return r.cutShort()
		case err != nil:
			return err
		case r.id == last:
			_, err := io.Copy(io.Discard, p) // the checksum is at the end of the part
			return err
		}
		if err := read(r); err != nil {
			return err
		}
	}
}

// readContents reads the part that describes the workbook.
func readContents(ctx context.Context, arc *ooxml.Archive, sheets int) (*ooxml.Contents, error) {
	c, err := arc.ReadContents(ctx, ".bin", sheets)
	if err != nil {
		return nil, err
	}
	err = readPart(ctx, arc, c.Main, recBeginBook, recEndBook, func(r *recordReader) error {
		switch r.id {
		case recWorkbook:
			body, err := r.body(1)
			c.Epoch1904 = len(body) > 0 && body[0]&1 != 0
			return err
		case recSheet:
			return readSheetEntry(r, c)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return c, c.LocateSheets()
}

// readSheetEntry reads a record in the list of sheets: the visibility, a number, the id of the
// relationship to the part of the sheet, and the name. A module sheet has no part. The first
// versions of the format have two numbers.
func readSheetEntry(r *recordReader, c *ooxml.Contents) error {
	const oneNumber, twoNumbers = 8, 12
	body, err := r.body(twoNumbers + 4 + 2*maxNameChars + 4 + 2*maxNameChars)
	if err != nil {
		return err
	}
	id, name, ok := cutSheetNames(body, oneNumber)
	if !ok {
		id, name, ok = cutSheetNames(body, twoNumbers)
	}
	if !ok {
		return r.broken(intray.NewMessage("xlsb.short_record", nil))
	}
	if id == nil {
		return c.SkipSheet(string(appendUTF16(nil, name)))
	}
	return c.AddSheet(string(appendUTF16(nil, name)), string(appendUTF16(nil, id)), little.Uint32(body) != 0)
}

// cutSheetNames returns the id, or nil if there is none, and the name in an entry of the list of
// sheets. Both are in UTF-16.
func cutSheetNames(body []byte, offset int) (id, name []byte, ok bool) {
	if len(body) < offset {
		return nil, nil, false
	}
	id, rest, ok := cutText(body[offset:])
	if !ok {
		return nil, nil, false
	}
	name, _, ok = cutText(rest)
	return id, name, ok && name != nil
}

func readStyles(ctx context.Context, arc *ooxml.Archive, name string, limit int) (*ooxml.Styles, error) {
	st := ooxml.NewStyles(limit)
	if name == "" {
		return st, nil
	}
	inFormats, inCellStyles := false, false
	err := readPart(ctx, arc, name, recBeginStyleSheet, recEndStyleSheet, func(r *recordReader) error {
		switch r.id {
		case recBeginFormats, recEndFormats:
			inFormats = r.id == recBeginFormats
		case recBeginCellStyles, recEndCellStyles:
			inCellStyles = r.id == recBeginCellStyles
		case recFormat:
			if inFormats {
				return readFormat(r, st)
			}
		case recStyle:
			if inCellStyles {
				return readStyle(r, st)
			}
		}
		return nil
	})
	return st, err
}

// readFormat reads a number format: its id and its code.
func readFormat(r *recordReader, st *ooxml.Styles) error {
	const idBytes = 2
	raw, ok, err := r.text(idBytes, maxNameChars)
	switch {
	case err != nil:
		return err
	case !ok:
		return r.broken(intray.NewMessage("xlsb.short_record", nil))
	}
	head, err := r.body(idBytes)
	if err != nil {
		return err
	}
	return st.AddCode(int(little.Uint16(head)), string(appendUTF16(nil, raw)))
}

// readStyle reads a cell style: the index of its parent and the id of its format.
func readStyle(r *recordReader, st *ooxml.Styles) error {
	body, err := r.body(4)
	if err != nil {
		return err
	}
	if len(body) < 4 {
		return r.broken(intray.NewMessage("xlsb.short_record", nil))
	}
	return st.AddStyle(int(little.Uint16(body[2:])))
}

// readSharedStrings reads the shared strings from the part with the given name. If name is "", the
// result is empty.
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
	var text []byte
	err = readRecords(p, recBeginStrings, recEndStrings, func(r *recordReader) error {
		if r.id != recString {
			return nil
		}
		const flags = 1 // rich text and phonetic readings, which follow the text
		raw, ok, err := r.text(flags, limits.CellBytes)
		switch {
		case err != nil:
			return err
		case !ok:
			return r.broken(intray.NewMessage("xlsb.short_record", nil))
		}
		if text = appendUTF16(text[:0], raw); len(text) > limits.CellBytes {
			return r.textTooLong(limits.CellBytes)
		}
		r.shrink()
		return t.Add(text)
	})
	if err == nil {
		err = t.Finish()
	}
	if err != nil {
		return nil, errors.Join(zipfile.Cause(ctx, err), t.Close())
	}
	return t, nil
}
