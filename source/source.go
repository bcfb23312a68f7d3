// Package source reads untrusted files into sheets and records.
//
// A [Format] recognizes a file and opens it as a [Book] of one or more sheets. Each
// sheet is opened as a [Reader], which knows the columns of the sheet and returns its
// records as raw text, batch by batch. Every choice made about a file (the encoding,
// the delimiter, the header row) is reported as [intray.Evidence].
//
// [Limits] bound what a hostile file costs: its columns, cells and records, and the
// names of its columns, which are stored for as long as the import exists. The first
// row of a text file that is read as is has no column names, so only the limits of a
// record apply to it.
//
// The package does not know the schema, the meaning of a value, or whether a row is
// valid. It returns a record that does not fit its columns unchanged.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/intraydata/intray"
)

// Input is a file to read. Formats may read any part of it, any number of times, from
// several goroutines.
type Input struct {
	// Name is the name that the sender gave the file. It is data, never a path. It may
	// be "".
	Name string
	io.ReaderAt
	Size int64
}

// HeadBytes is the most bytes of the beginning of a file that Detect receives.
const HeadBytes = 64 << 10

// Options are the choices that a person made about a file. The zero value lets the
// format detect everything.
type Options struct {
	// AsIs reads every row unchanged, without looking for a header: the columns have no
	// names, and the first row is a record like all others.
	AsIs bool
	// Encoding is the character encoding of a text file, by any usual name. "" detects
	// it.
	Encoding string
	// Delimiter separates the cells of a text file. "" detects it.
	Delimiter string
	// Typed returns the values of workbook cells instead of the text that the
	// application displays.
	Typed bool
	// FillMerged copies the value of the first cell of each merged range of a workbook
	// to the other cells of the range, in rows that have at least one cell. By default
	// those cells stay empty, as they are in the file.
	FillMerged bool
	// HeaderRow is the row of the header, counted from 1 among all rows of the file. 0
	// detects it; NoHeader means that there is none.
	HeaderRow int
	// HeaderScore returns how well a row matches the wanted column names, from 0 to 1.
	// It helps to find the header. It may be nil.
	HeaderScore func(row []string) float64
	// Limits bound what a hostile file costs.
	Limits Limits
}

// NoHeader is the HeaderRow of a file without a header.
const NoHeader = -1

// Limits bound what reading one file may cost. A zero field means its default.
type Limits struct {
	// Columns is the most columns of a sheet. Default 16,384.
	Columns int
	// CellBytes is the most bytes of one cell. Default 16 MiB.
	CellBytes int
	// RecordBytes is the most bytes of one record. Default 32 MiB.
	RecordBytes int
	// Cells is the most cells of a sheet. Empty cells that a record omits, as in JSON,
	// count too. Default 2,147,483,648.
	Cells int64
	// HeaderBytes is the most bytes of one column's name. Default 4 KiB.
	HeaderBytes int
	// HeadersBytes is the most bytes of the names of all columns of a sheet. Default 1
	// MiB.
	HeadersBytes int
}

// WithDefaults fills the fields that are zero.
func (l Limits) WithDefaults() Limits {
	if l.Columns == 0 {
		l.Columns = 16384
	}
	if l.CellBytes == 0 {
		l.CellBytes = 16 << 20
	}
	if l.RecordBytes == 0 {
		l.RecordBytes = 32 << 20
	}
	if l.Cells == 0 {
		l.Cells = 1 << 31
	}
	if l.HeaderBytes == 0 {
		l.HeaderBytes = 4 << 10
	}
	if l.HeadersBytes == 0 {
		l.HeadersBytes = 1 << 20
	}
	return l
}

// HeaderLimitReason returns the reason of a LimitError for the name of a column,
// counted from 1, and the zero Message for a name within the limits. size is the length
// of the name in bytes, and total that of all names up to it.
func (l Limits) HeaderLimitReason(column, size, total int) intray.Message {
	switch {
	case size > l.HeaderBytes:
		return intray.NewMessage("header.name_too_long", intray.Params{"column": column, "limit": l.HeaderBytes})
	case total > l.HeadersBytes:
		return intray.NewMessage("header.names_too_long", intray.Params{"column": column, "limit": l.HeadersBytes})
	}
	return intray.Message{}
}

// Format is one kind of file.
type Format interface {
	// Name is the format's short name, such as "csv".
	Name() string
	// Detect looks at the first HeadBytes bytes of a file. It returns how likely the
	// file has this format, from 0 to 1, and why. A score of 0 has no reason.
	Detect(in Input, head []byte) (score float64, reason intray.Message)
	// Open reads as much as it needs to list the sheets.
	Open(ctx context.Context, in Input, opt Options) (Book, error)
}

// Book is an opened file.
type Book interface {
	// Evidence returns the choices made about the file as a whole.
	Evidence() []intray.Evidence
	// Sheets lists the readable sheets in the order of the file. There is at least one.
	Sheets() []Sheet
	// Open starts to read one sheet, by its index in Sheets. Sheets may be opened
	// several times, one after the other.
	Open(ctx context.Context, sheet int) (Reader, error)
	io.Closer
}

// Sheet is one table of a book.
type Sheet struct {
	// Name is the name of the sheet, or "" if the format has no names.
	Name string
	// Hidden is set for a sheet that the application does not show. It is read like all
	// others.
	Hidden bool
}

// Reader pulls the records of one sheet.
type Reader interface {
	// Columns returns the columns of the sheet. A sheet without text has none.
	Columns() []intray.Column
	// Evidence returns the choices made about this sheet.
	Evidence() []intray.Evidence
	// Next empties batch and fills it with the next records: at least one, and at most
	// until it is full. It sets First. At the end it returns io.EOF and an empty batch.
	// Any other error is an *UnreadableError, a *LimitError, or an error of ctx or of
	// the Input. The records before an error are returned first.
	Next(ctx context.Context, batch *intray.Records) error
	io.Closer
}

// UnreadableError reports that a file cannot be read, where, and why.
type UnreadableError struct {
	// Line is the line of the problem, counted from 1. 0 means that it is unknown.
	Line int64
	// Reason is a sentence without a full stop, written for the sender of the file.
	Reason intray.Message
}

func (e *UnreadableError) Error() string { return e.Describe().String() }

// Describe returns the reason, preceded by the line.
func (e *UnreadableError) Describe() intray.Message { return atLine(e.Line, e.Reason) }

// LimitError reports that reading stopped at one of the Limits.
type LimitError struct {
	Line   int64
	Reason intray.Message
}

func (e *LimitError) Error() string { return e.Describe().String() }

// Describe returns the reason, preceded by the line.
func (e *LimitError) Describe() intray.Message { return atLine(e.Line, e.Reason) }

func atLine(line int64, reason intray.Message) intray.Message {
	if line <= 0 {
		return reason
	}
	return intray.NewMessage("file.at_line", intray.Params{"line": line, "reason": reason})
}

// ErrEmpty reports a file that has no bytes or only white space.
var ErrEmpty = &UnreadableError{Reason: intray.NewMessage("file.no_content", nil)}

// excerptLength is the most characters of a file that a message quotes.
const excerptLength = 100

// Excerpt returns the beginning of a text for a message.
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

// Open detects which of the formats the file has and opens it. The evidence of the book
// starts with the format.
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

// detectFormat returns the format with the highest score, and the first one of equals.
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

// File is an open file of the local file system. Close it after reading.
type File struct {
	Input
	file *os.File
}

// OpenFile opens a regular file by name. Directories, pipes and devices are an error.
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
