// Package source reads records from untrusted files.
//
// A [Format] recognizes a file and opens it as a [Book] of one or more sheets. A
// [Reader] returns the columns of one sheet, and its records as raw text, batch by
// batch. Every choice that a format makes about a file, such as its encoding, delimiter
// or header row, is reported as [intray.Evidence].
//
// [Limits] restricts the resources that a hostile file can use: its columns, cells and
// records, and its column names, which are stored for as long as the import exists. If
// AsIs is set, the first row of a text file is a record and not a header, so only the
// limits on records apply to it.
//
// The package has no knowledge of the schema, the meaning of a value, or the validity of a row.
// If a record has more or fewer cells than there are columns, it returns the record unchanged.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/intraydata/intray"
)

// Input is a file to read. Formats may read any part of it, any number of times, from
// several goroutines.
type Input struct {
	// Name is the file name chosen by the sender. It is untrusted data and must not be
	// used as a path. It may be "".
	Name string
	io.ReaderAt
	Size int64
}

// HeadBytes is the maximum number of bytes at the beginning of a file that Detect receives.
const HeadBytes = 64 << 10

// Options are the choices that a user made about a file. With the zero value, the
// format detects everything.
type Options struct {
	// AsIs reads every row unchanged, without looking for a header. The columns have no
	// names, and the first row is a record like any other.
	AsIs bool
	// Encoding is the name, or a common alias, of the character encoding of a text
	// file. If it is "", the format detects it.
	Encoding string
	// Delimiter separates the cells of a text file. If it is "", the format detects it.
	Delimiter string
	// MisplacedQuotes is how a text file is read if it is uncertain whether a quotation mark encloses
	// several lines or is misplaced: MisplacedAsQuotes or MisplacedAsText. If it is "", the format
	// decides each case, and reports a tie if it cannot.
	MisplacedQuotes string
	// ColumnStarts lists the positions of the characters at which the columns of a text file of
	// fixed width start, counted from 1, such as "1,11,25". If it is NoColumnStarts, the columns
	// have no fixed width. If it is "", the format detects the columns.
	ColumnStarts string
	// Typed returns the values of workbook cells instead of the text that the
	// source application displays.
	Typed bool
	// FillMerged copies the value of the first cell of each merged range of a workbook
	// to the other cells of the range, in rows that have at least one cell. By default,
	// those cells are empty, as in the file.
	FillMerged bool
	// HeaderRow is the number of the header row, counted from 1 among all rows of the
	// sheet. If it is 0, the format detects it. If it is NoHeader, there is none.
	HeaderRow int
	// HeaderRows is the number of rows of the header if HeaderRow is greater than 0. Default 1.
	HeaderRows int
	// HeaderScore returns how well a row matches the expected column names, from 0 to
	// 1. Formats use it to find the header row. It may be nil.
	HeaderScore func(row []string) float64
	// Limits restricts the resources that reading the file may use.
	Limits Limits
	// Work counts the work of finding the structure of sheets. It may be nil. Formats in which
	// each sheet needs a limited amount of such work, and text formats inside archives, add to
	// it when they open a sheet.
	Work *Work
}

// These are the values of Options.MisplacedQuotes.
const (
	// MisplacedAsQuotes reads everything between two quotation marks as one cell, as RFC 4180 does.
	MisplacedAsQuotes = "quotes"
	// MisplacedAsText reads a quotation mark as text if the lines up to the next one look like rows. Each
	// of the lines is then a record of its own.
	MisplacedAsText = "text"
)

// NoColumnStarts is the ColumnStarts of a file whose columns have no fixed width.
const NoColumnStarts = intray.NoAnswer

// NoHeader is the HeaderRow of a file without a header.
const NoHeader = -1

// Limits restricts the resources that reading one file may use. A zero field means its default.
type Limits struct {
	// Columns is the maximum number of columns in a sheet. Default 16,384.
	Columns int
	// CellBytes is the maximum length of one cell, in bytes. Default 16 MiB.
	CellBytes int
	// RecordBytes is the maximum length of one record, in bytes. Default 32 MiB.
	RecordBytes int
	// Cells is the maximum number of cells in a sheet, including empty cells that a
	// record omits, as in JSON. Default 2,147,483,648.
	Cells int64
	// HeaderBytes is the maximum length of a column name, in bytes. Default 4 KiB.
	HeaderBytes int
	// HeadersBytes is the maximum total length of all column names in a sheet, in
	// bytes. Default 1 MiB.
	HeadersBytes int
}

// WithDefaults returns l with zero fields set to their defaults.
func (l Limits) WithDefaults() Limits {
	l.Columns = cmp.Or(l.Columns, 16384)
	l.CellBytes = cmp.Or(l.CellBytes, 16<<20)
	l.RecordBytes = cmp.Or(l.RecordBytes, 32<<20)
	l.Cells = cmp.Or(l.Cells, 1<<31)
	l.HeaderBytes = cmp.Or(l.HeaderBytes, 4<<10)
	l.HeadersBytes = cmp.Or(l.HeadersBytes, 1<<20)
	return l
}

// HeaderLimitReason returns the reason for a LimitError if the name of a column exceeds a
// limit, or the zero Message if it does not. column is the number of the column, counted from
// 1. size is the length of the name, and total is the length of all names up to and including
// it, both in bytes.
func (l Limits) HeaderLimitReason(column, size, total int) intray.Message {
	switch {
	case size > l.HeaderBytes:
		return intray.NewMessage("header.name_too_long", intray.Params{"column": column, "limit": l.HeaderBytes})
	case total > l.HeadersBytes:
		return intray.NewMessage("header.names_too_long", intray.Params{"column": column, "limit": l.HeadersBytes})
	}
	return intray.Message{}
}

// Format reads one file format.
type Format interface {
	// Name returns the short name of the format, such as "csv".
	Name() string
	// Detect returns the likelihood, from 0 to 1, that a file has this format, and the
	// reason. head is the beginning of the file, at most HeadBytes long. If the
	// likelihood is 0, there is no reason.
	Detect(in Input, head []byte) (score float64, reason intray.Message)
	// Open opens a file. It reads as much of the file as it needs to list the sheets.
	Open(ctx context.Context, in Input, opt Options) (Book, error)
}

// Book is an opened file.
type Book interface {
	// Evidence returns the choices made about the file as a whole.
	Evidence() []intray.Evidence
	// Sheets returns the readable sheets in file order. There is at least one.
	Sheets() []Sheet
	// Open starts to read the sheet with the given index in Sheets. A sheet may be
	// opened several times, one after the other.
	Open(ctx context.Context, sheet int) (Reader, error)
	io.Closer
}

// Sheet is one table of a book.
type Sheet struct {
	// Name is the name of the sheet, or "" if the format has no names.
	Name string
	// Hidden is true if the source application hides the sheet. Hidden sheets are read
	// like all other sheets.
	Hidden bool
}

// Reader reads the records of one sheet.
type Reader interface {
	// Columns returns the columns of the sheet. A sheet without text has no columns.
	Columns() []intray.Column
	// Evidence returns the choices made about this sheet. After the last record, it includes
	// ties that were found while reading, such as a second table below the first.
	Evidence() []intray.Evidence
	// Next empties batch, sets its First field, and fills it with at least one record and at
	// most as many as fit. After the last record, it returns io.EOF and an empty batch. Other
	// errors are an *UnreadableError, a *LimitError, or an error from ctx or the Input. Next
	// returns all records that precede an error before it returns the error.
	Next(ctx context.Context, batch *intray.Records) error
	io.Closer
}

// TimedReader is a [Reader] that knows how long its goroutines worked.
type TimedReader interface {
	Reader
	// Busy returns the time for splitting the file, which one goroutine does, and the time for reading
	// the parts, which several goroutines do at the same time. Both are 0 if the file was not split.
	Busy() (split, read time.Duration)
}

// UnreadableError reports that a file cannot be read, at which line, and why.
type UnreadableError struct {
	// Line is the line where the problem occurred, counted from 1, or 0 if the line is unknown.
	Line int64
	// Reason is a sentence without a final period, written for the sender of the file.
	Reason intray.Message
}

func (e *UnreadableError) Error() string { return e.Describe().String() }

// Describe returns the reason, preceded by the line if it is known.
func (e *UnreadableError) Describe() intray.Message { return atLine(e.Line, e.Reason) }

// LimitError reports that reading stopped because the file exceeds one of the Limits.
type LimitError struct {
	Line   int64
	Reason intray.Message
}

func (e *LimitError) Error() string { return e.Describe().String() }

// Describe returns the reason, preceded by the line if it is known.
func (e *LimitError) Describe() intray.Message { return atLine(e.Line, e.Reason) }

func atLine(line int64, reason intray.Message) intray.Message {
	if line <= 0 {
		return reason
	}
	return intray.NewMessage("file.at_line", intray.Params{"line": line, "reason": reason})
}

// ErrEmpty reports a file that has no bytes or only white space.
var ErrEmpty = &UnreadableError{Reason: intray.NewMessage("file.no_content", nil)}

// excerptLength is the maximum number of characters from a file that a message quotes.
const excerptLength = 100

// Excerpt returns the beginning of text, so that a message can quote it. Longer text is
// truncated and ends with "…".
func Excerpt(text string) string {
	count := 0
	for i := range text {
		if count == excerptLength {
			return text[:i] + "…"
		}
		count++
	}
	return text
}

// Open detects the format of a file and opens it. The format is the first item of the
// book's evidence.
func Open(ctx context.Context, in Input, formats []Format, opt Options) (Book, error) {
	head := make([]byte, min(in.Size, HeadBytes))
	if _, err := in.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the beginning of the file: %w", err)
	}
	if in.Size == 0 {
		return nil, ErrEmpty
	}
	best, reason := detectFormat(in, head, formats)
	if best == nil {
		return nil, &UnreadableError{Reason: intray.NewMessage("file.unknown_format", intray.Params{"formats": formatNames(formats)})}
	}
	book, err := best.Open(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	return &detectedBook{Book: book, format: intray.Evidence{Choice: "format", Value: best.Name(), Reason: reason}}, nil
}

// detectFormat returns the format with the highest score, or the first of them if
// several have the same score.
func detectFormat(in Input, head []byte, formats []Format) (best Format, reason intray.Message) {
	top := 0.0
	for _, f := range formats {
		if score, why := f.Detect(in, head); score > top {
			best, reason, top = f, why, score
		}
	}
	return best, reason
}

func formatNames(formats []Format) (list []string) {
	for _, f := range formats {
		list = append(list, f.Name())
	}
	return list
}

// detectedBook adds the format to the evidence of a book.
type detectedBook struct {
	Book
	format intray.Evidence
}

func (r *detectedBook) Evidence() []intray.Evidence {
	return append([]intray.Evidence{r.format}, r.Book.Evidence()...)
}

// File is an open file in the local file system. The caller must close it.
type File struct {
	Input
	file *os.File
}

// OpenFile opens a regular file. It returns an error for directories, pipes and devices.
func OpenFile(name string) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	stat, err := file.Stat()
	if err == nil && !stat.Mode().IsRegular() {
		err = fmt.Errorf("%s is not an ordinary file", name)
	}
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &File{Input{Name: filepath.Base(name), ReaderAt: file, Size: stat.Size()}, file}, nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
