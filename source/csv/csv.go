// Package csv reads delimited text from untrusted files.
//
// A dialect defines which characters separate and quote cells. A sheet holds the decisions about
// a file that are made before its records are read: its dialect, its header and its columns. A
// reading is one way to split an irregular row into cells. A chunk is a run of consecutive
// records that a worker parses ahead.
//
// The package bases its decisions on the content of the file and returns the reasons as
// evidence. It repairs a broken row only if one reading fits clearly better than all other
// readings. It reports each repair and any text that is not part of a record. If two dialects
// fit equally well, the evidence contains a tie for a person to decide.
//
// The package does not depend on schemas and does not convert cell values.
package csv

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/charset"
)

// Format is the format "csv". The zero value is ready to use.
type Format struct{}

// Name is "csv".
func (Format) Name() string { return "csv" }

// Detect accepts any text. The score is higher if the file name has an extension such as .csv,
// or if a delimiter splits the lines consistently into cells. Binary files score 0.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	if isBinary(head) {
		return 0, intray.Message{}
	}
	name := strings.ToLower(in.Name)
	for _, ending := range []string{".csv", ".tsv", ".tab", ".psv"} {
		if strings.HasSuffix(name, ending) {
			return 0.9, intray.NewMessage("csv.text_named", intray.Params{"extension": ending})
		}
	}
	if s := sniffDialect(blankNULs(head), in.Size <= int64(len(head))); s.score > 0.3 {
		return 0.8, intray.NewMessage("csv.text_separated", intray.Params{"reason": s.delimReason})
	}
	if strings.HasSuffix(name, ".txt") {
		return 0.7, intray.NewMessage("csv.text_named_txt", nil)
	}
	return 0.1, intray.NewMessage("csv.text", nil)
}

// isBinary reports whether a file starts with the signature of a binary format, or contains NUL
// bytes but is neither UTF-16 nor UTF-32, nor text with padding.
func isBinary(head []byte) bool {
	for _, magic := range []string{"PK\x03\x04", "PK\x05\x06", "\xD0\xCF\x11\xE0", "%PDF-", "{\\rtf", "\x1F\x8B", "\x28\xB5\x2F\xFD", "\x89PNG", "\xFF\xD8\xFF", "GIF8", "PAR1", "SQLite format 3"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	if bytes.IndexByte(head, 0) >= 0 {
		name := charset.Detect(head, false).Encoding.Name()
		return !strings.HasPrefix(name, "UTF-16") && !strings.HasPrefix(name, "UTF-32") && !hasTextNULs(head)
	}
	return false
}

// Open detects the encoding. It returns source.ErrEmpty if the file contains only white space, and a
// source.UnreadableError if the text is certainly no table, unless a delimiter is requested or the
// file is read as is.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opt.Limits = opt.Limits.WithDefaults()
	if q := opt.MisplacedQuotes; q != "" && q != source.MisplacedAsQuotes && q != source.MisplacedAsText {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("option.misplaced_quotes", intray.Params{"value": excerpt(q)})}
	}
	text, err := openText(ctx, in, opt.Encoding)
	if err != nil {
		return nil, err
	}
	if text.whole && isBlank(text.sample) {
		return nil, source.ErrEmpty
	}
	if !opt.AsIs && opt.Delimiter == "" {
		if err := checkIsTable(in.Name, text.sample, text.whole); err != nil {
			return nil, err
		}
		text.unwrap()
	}
	return &book{text: text, opt: opt}, nil
}

// book is a file of delimited text. It has one unnamed sheet.
type book struct {
	text *decodedText
	opt  source.Options
	// found is nil before the first call to Open, because an archive can have many members that
	// nobody opens. It is protected by finding.
	finding sync.Mutex
	found   *sheet
	// body is the text without the rows of delimiters at its end. It is set together with found.
	body *decodedText
}

func (b *book) Evidence() []intray.Evidence {
	if b.text.wrapped {
		return []intray.Evidence{b.text.evidence(), {Choice: "lines", Value: "unquoted", Reason: intray.NewMessage("csv.quoted_lines", nil)}}
	}
	return []intray.Evidence{b.text.evidence()}
}

func (b *book) Sheets() []source.Sheet { return []source.Sheet{{}} }

// Open returns a reader of the only sheet. The first call finds the dialect and the header.
func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet != 0 {
		return nil, fmt.Errorf("open sheet %d: a CSV file has one sheet, number 0", sheet)
	}
	found, err := b.findSheet(ctx)
	if err != nil {
		return nil, err
	}
	text := b.body
	start := text.units.encodedLength(text.sample[:found.body])
	r := &reader{
		sheet: found, limits: b.opt.Limits, line: found.line, rules: found.rules, noticeCounts: map[string]int{}, pendingNotices: slices.Clone(found.notices),
		window: newWindow(text, start), rec: record{maxCells: b.opt.Limits.Columns}, lookahead: record{maxCells: b.opt.Limits.Columns},
	}
	if found.dialect.joinsSpaces() {
		r.window.padding, r.window.line = &r.nuls, found.line
	}
	if text.units.hasOffsets() && found.dialect.supportsFastPath() && !found.asIs && found.width > 1 {
		r.parallel = parallelReader{text: text, fast: newFastParser(found), rowBytes: found.rowBytes, size: chunkSize, tail: tailBytes}
	}
	return r, nil
}

// findSheet returns the dialect and the header. It analyzes the sample on the first call, and again
// if that call failed.
func (b *book) findSheet(ctx context.Context) (*sheet, error) {
	b.finding.Lock()
	defer b.finding.Unlock()
	if b.found == nil {
		found, err := analyzeText(ctx, b.text, b.opt)
		if err != nil {
			return nil, err
		}
		if b.body, err = found.dropTrailingRows(ctx, b.text, b.opt.Limits.Columns); err != nil {
			return nil, err
		}
		b.found = found
	}
	return b.found, nil
}

func (b *book) Close() error { return nil }
