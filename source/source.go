// Package source turns strangers' bytes into sheets and records.
//
// A [Format] recognizes a file and opens it as a [Book]: one or several sheets.
// Each sheet is opened as a [Reader], which knows the sheet's columns and pulls
// its records, batch by batch, as raw text. Every choice made on the way (the
// encoding, the delimiter, the header row) is told as [intray.Evidence].
//
// [Limits] bound what a hostile file costs: its columns, cells and records, and
// the names of its columns, which are kept for as long as the import is. The
// first row of a text file that is read as found is no header: nothing bounds
// it but what bounds every record.
//
// The package reads; it does not know what a schema wants, what a value means
// or whether a row is valid. A record that does not fit its columns is handed
// on as it was found.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
)

// Input is a file to be read. Formats may read any part of it, any number of
// times, from several goroutines.
type Input struct {
	// Name is the name the file was given by its sender. It is data, never a
	// path. It may be "".
	Name string
	io.ReaderAt
	Size int64
}

// HeadBytes is how much of the beginning of a file Detect is shown at most.
const HeadBytes = 64 << 10

// Options are what a person decided about a file. The zero value leaves every
// choice to the format.
type Options struct {
	// AsIs reads every row as found, without looking for a header: the columns
	// have no names and the first row is a record like all others.
	AsIs bool
	// Encoding is the character encoding of a text file, by any usual name; ""
	// is found out.
	Encoding string
	// Delimiter separates the cells of a text file; "" is found out.
	Delimiter string
	// Typed gives the cells of workbooks by their values in place of what the
	// application displays.
	Typed bool
	// FillMerged gives the value of the first cell of each merged range of a
	// workbook to the other cells of it, in the rows that hold cells of their
	// own. Without it those cells are left empty, as the file has them.
	FillMerged bool
	// HeaderRow is the row of the header, counted from 1 among all rows of the
	// file; 0 is found out, NoHeader says that there is none.
	HeaderRow int
	// HeaderScore says how well a row names what is wanted of the file, from 0 to 1:
	// it helps to find the header. nil knows nothing.
	HeaderScore func(row []string) float64
	// Limits bound what a hostile file can cost.
	Limits Limits
}

// NoHeader is the HeaderRow of a file whose first row is a record.
const NoHeader = -1

// Limits bound what reading one file may cost. A zero field means its default.
type Limits struct {
	// Columns is the most columns of a sheet. Default 16,384.
	Columns int
	// CellBytes is the most bytes of one cell. Default 16 MiB.
	CellBytes int
	// RecordBytes is the most bytes of one record. Default 32 MiB.
	RecordBytes int
	// Cells is the most cells of a sheet, counted with those that a record
	// need not write down, as in JSON. Default 2,147,483,648.
	Cells int64
	// HeaderBytes is the most bytes of one column's name. Default 4 KiB.
	HeaderBytes int
	// HeadersBytes is the most bytes of all names of a sheet's columns
	// together. Default 1 MiB.
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

// HeaderLimitReason says for a LimitError what is too long about the name of a column,
// which counts from 1; the zero Message says that nothing is. size is the bytes of
// its name, total those of all names up to it.
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
	// Detect looks at the beginning of a file, at most HeadBytes, and says how
	// sure it is that the file has this format, from 0 to 1, and why. Where the
	// score is 0 there is no reason.
	Detect(in Input, head []byte) (score float64, reason intray.Message)
	// Open reads what it needs to list the sheets.
	Open(ctx context.Context, in Input, opt Options) (Book, error)
}

// Book is an opened file.
type Book interface {
	// Evidence tells what was decided about the file as a whole.
	Evidence() []intray.Evidence
	// Sheets lists what can be read, in the file's order. Never empty.
	Sheets() []Sheet
	// Open begins to read one sheet, by its place in Sheets. Sheets may be
	// opened several times, one after the other.
	Open(ctx context.Context, sheet int) (Reader, error)
	io.Closer
}

// Sheet is one table of a book.
type Sheet struct {
	// Name is the sheet's name, or "" where the format has none.
	Name string
	// Hidden sheets are not shown by the application; they are read all the
	// same.
	Hidden bool
}

// Reader pulls the records of one sheet.
type Reader interface {
	// Columns are the sheet's columns. A sheet without any text has none.
	Columns() []intray.Column
	// Evidence tells what was decided about this sheet.
	Evidence() []intray.Evidence
	// Next empties batch and fills it with the next records, at least one and at
	// most until it is Full. It sets First. It returns io.EOF, and an empty batch,
	// when there are no more; any other error is an *UnreadableError, a
	// *LimitError, one of ctx or one of the Input. The records before an error
	// are handed on first.
	Next(ctx context.Context, batch *intray.Records) error
	io.Closer
}

// UnreadableError says that a file cannot be read, where, and why.
type UnreadableError struct {
	// Line is where the trouble is, from 1; 0 where no line can be named.
	Line int64
	// Reason is a sentence without a full stop, for the person who sent the
	// file.
	Reason intray.Message
}

func (e *UnreadableError) Error() string { return e.Describe().String() }

// Describe returns the reason, with the line in front of it.
func (e *UnreadableError) Describe() intray.Message { return atLine(e.Line, e.Reason) }

// LimitError says that reading stopped at one of the Limits.
type LimitError struct {
	Line   int64
	Reason intray.Message
}

func (e *LimitError) Error() string { return e.Describe().String() }

// Describe returns the reason, with the line in front of it.
func (e *LimitError) Describe() intray.Message { return atLine(e.Line, e.Reason) }

func atLine(line int64, reason intray.Message) intray.Message {
	if line <= 0 {
		return reason
	}
	return intray.NewMessage("file.at_line", intray.Params{"line": line, "reason": reason})
}

// ErrEmpty says that a file has no bytes, or nothing but white space.
var ErrEmpty = &UnreadableError{Reason: intray.NewMessage("file.no_content", nil)}

// excerptLength is how many characters of a text of the file a message quotes.
const excerptLength = 100

// Excerpt returns the beginning of a text, to be quoted in a message.
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

// Open recognizes the file among formats and opens it. The evidence of the
// book begins with the format.
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

// detectFormat takes the format that is surest; among equals, the first.
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

// detectedBook puts the format in front of a book's own evidence.
type detectedBook struct {
	Book
	format intray.Evidence
}

func (r *detectedBook) Evidence() []intray.Evidence {
	return append([]intray.Evidence{r.format}, r.Book.Evidence()...)
}
