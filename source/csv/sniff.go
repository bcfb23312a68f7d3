package csv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// The samples of the columns come from the beginning of the file only.
const (
	sniffRecords = 1000
	sniffBytes   = 1 << 20
	sampleCells  = 20
)

// takeHeader makes columns of the record cut last, unless it has no text.
func (r *reader) takeHeader() (taken bool, err error) {
	names := make([]string, len(r.scan.split.cells))
	total := 0
	for i := range names {
		var cell []byte
		cell, r.scratch = r.scan.cell(i, r.scratch)
		cell = bytes.TrimSpace(cell)
		total += len(cell)
		if over := r.scan.split.limits.OverHeader(i+1, len(cell), total); over != "" {
			return false, &source.LimitError{Line: r.scan.line(), Reason: over}
		}
		names[i] = string(cell)
	}
	if total == 0 {
		return false, nil
	}
	for i, name := range names {
		r.columns = append(r.columns, intray.Column{Index: i, Header: name})
	}
	r.evidence = headerEvidence(r.scan.line(), len(names))
	return true, nil
}

func headerEvidence(line int64, columns int) []intray.Evidence {
	why := "the first line"
	if line > 1 {
		why = fmt.Sprintf("the first line with text; %d above have none", line-1)
	}
	cells := fmt.Sprintf("it cuts the header into %d cells", columns)
	if columns == 1 {
		cells = "the header has none: one column"
	}
	return evidence(strconv.FormatInt(line, 10), why, cells)
}

// evidence tells the choices of a sheet; only the header row needs looking for.
func evidence(header, whyHeader, whyComma string) []intray.Evidence {
	return []intray.Evidence{
		{Choice: "delimiter", Value: ",", Reason: "the comma is the only delimiter of this format; " + whyComma},
		{Choice: "quote", Value: `"`, Reason: "the double quote is the only quote of this format, written twice inside a quoted cell"},
		{Choice: "header row", Value: header, Reason: whyHeader},
	}
}

// sample reads the sniff window for the samples of the columns. Trouble in it
// is left to Next, which meets it again.
func (r *reader) sample(ctx context.Context) error {
	stop := r.scan.offset() + sniffBytes
	for n := 0; n < sniffRecords && r.scan.offset() < stop; n++ {
		err := r.scan.next(ctx)
		var unreadable *source.UnreadableError
		var limit *source.LimitError
		switch {
		case errors.Is(err, io.EOF) || errors.As(err, &unreadable) || errors.As(err, &limit):
			return nil
		case err != nil:
			return err
		}
		r.takeSamples()
	}
	return nil
}

// takeSamples adds the cells of the record cut last to their columns. As found,
// there are as many columns as the widest record has cells.
func (r *reader) takeSamples() {
	if r.scan.blank() {
		return
	}
	for i := range r.scan.split.cells {
		if i == len(r.columns) && !r.asIs {
			return
		}
		if i == len(r.columns) {
			r.columns = append(r.columns, intray.Column{Index: i})
		}
		var cell []byte
		cell, r.scratch = r.scan.cell(i, r.scratch)
		if column := &r.columns[i]; len(cell) > 0 && len(column.Samples) < sampleCells {
			column.Samples = append(column.Samples, string(cell))
		}
	}
}

// Detect takes any text, and is the surer the more it looks like a table: a
// name that ends in .csv, .tsv or .txt, or commas in equal number on each
// line. Bytes that no text holds are never CSV.
func (Format) Detect(in source.Input, head []byte) (score float64, reason string) {
	if kind := binaryKind(head); kind != "" {
		return 0, kind
	}
	name := strings.ToLower(in.Name)
	columns := evenColumns(head, in.Size <= int64(len(head)))
	switch {
	case strings.HasSuffix(name, ".csv"):
		return 0.9, "text, and the name ends in .csv"
	case columns > 1:
		return 0.8, fmt.Sprintf("each of the first lines has %d cells", columns)
	case strings.HasSuffix(name, ".tsv"), strings.HasSuffix(name, ".txt"):
		return 0.7, "text, and the name says so"
	}
	return 0.1, "text"
}

// binaryKind says what speaks against text, or "". Text in another encoding
// passes: the reader can tell its sender what to do.
func binaryKind(head []byte) string {
	for _, magic := range []string{"PK\x03\x04", "PK\x05\x06", "\xD0\xCF\x11\xE0", "%PDF-", "{\\rtf", "\x1F\x8B", "\x89PNG"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return "the first bytes are those of another format"
		}
	}
	wide := bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF"))
	if !wide && bytes.IndexByte(head, 0) >= 0 {
		return "there are NUL bytes"
	}
	return ""
}

// evenColumns is the number of cells of each of the first records that have
// any, or 0 where it differs.
func evenColumns(head []byte, last bool) int {
	s := splitter{limits: source.Limits{}.WithDefaults()}
	columns := 0
	head = bytes.TrimPrefix(head, []byte(byteOrderMark))
	for range 20 {
		head = bytes.TrimLeft(head, "\r\n")
		next, err := s.split(head, last)
		if err != nil || len(head) == 0 || next == short {
			break
		}
		if columns > 0 && columns != len(s.cells) {
			return 0
		}
		columns = len(s.cells)
		head = head[next:]
	}
	return columns
}
