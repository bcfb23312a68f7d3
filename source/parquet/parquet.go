// Package parquet reads Apache Parquet files.
//
// A footer says what a file holds: its schema, a tree of groups and leaves, and
// its row groups. A chunk is what one leaf has in one row group, cut into pages;
// an entry is one value of a page or the place where one is missing, and levels
// say how deep it stands. A column is what the reader makes of the tree: a leaf
// by itself, or a list, a map or a repeated field whole. The names of the groups
// above it lead to its header, joined by dots.
//
// A cell is the value as text: all digits of a number, dates and times as in
// ISO 8601. A timestamp that the schema adjusts to UTC ends in Z; a time of day
// does not, nor do the INT96 of older programs, which tell no zone. Null is an
// empty cell. Lists and maps are JSON, null inside of them is null, and a
// missing list is an empty cell where an empty one is []. A group that is
// missing cannot be told from one whose members all are. Bytes that no type
// explains are text where all values of the column are, else hexadecimal; the
// column is read once before for that. Text that is not UTF-8, or holds the NUL
// character, stops the reading where the schema says that it is text.
//
// A row group is read at a time and a column page by page, into memory that
// grows with the pages and not with what the file declares. Pages are walked and
// decoded here, one value after the other: a decoder that unpacks a whole page
// takes the number of its values from the page, where a few bytes say billions.
//
// The package does not write, decrypt or use the statistics, and reads no
// chunks that lie in other files.
package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// Marks at both ends of a file.
const (
	mark          = "PAR1"
	markEncrypted = "PARE"
	// pageStart is how the header of the first page begins.
	pageStart = 0x15
)

var errEncrypted = &source.UnreadableError{Reason: intray.NewMessage("file.encrypted", nil)}

// Format is the format "parquet". The zero value is ready.
type Format struct{}

// Name is "parquet".
func (Format) Name() string { return "parquet" }

// Detect looks at both ends of the file.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	if len(head) < len(mark) {
		return 0, intray.Message{}
	}
	tail := make([]byte, len(mark))
	if readAt(in, tail, in.Size-int64(len(tail))) != nil {
		tail = nil
	}
	switch first := string(head[:len(mark)]); {
	case first == mark && string(tail) == mark:
		return 1, intray.NewMessage("parquet.magic_numbers", nil)
	case first == markEncrypted || first == mark && string(tail) == markEncrypted:
		return 1, intray.NewMessage("parquet.encrypted", nil)
	case first == mark && len(head) > len(mark) && head[len(mark)] == pageStart:
		return 0.9, intray.NewMessage("parquet.begins_only", nil)
	}
	return 0, intray.Message{}
}

// Open reads the footer.
func (Format) Open(ctx context.Context, in source.Input, opt source.Options) (source.Book, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opt.Limits = opt.Limits.WithDefaults()
	var b *book
	err := guarded(func() (err error) {
		b, err = openBook(in, opt)
		return err
	})
	if err != nil {
		return nil, told(err, 0, "")
	}
	return b, nil
}

// readAt fills b from a place in the file.
func readAt(in source.Input, b []byte, at int64) error {
	if at < 0 {
		return damage{intray.NewMessage("parquet.too_short", nil)}
	}
	n, err := in.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file at byte %d: %w", at, err)
}

// book is an opened file.
type book struct {
	in     source.Input
	opt    source.Options
	footer *footer
	tree   *tree

	mu sync.Mutex
	// surveyed says that it is known which columns of bytes are text.
	surveyed bool
}

func openBook(in source.Input, opt source.Options) (*book, error) {
	f, err := readFooter(in, opt.Limits)
	if err != nil {
		return nil, err
	}
	t, err := plant(f.elements, opt.Limits)
	if err != nil {
		return nil, err
	}
	b := &book{in: in, opt: opt, footer: f, tree: t}
	if columns := int64(len(t.columns)); columns > 0 && f.rows > opt.Limits.Cells/columns {
		return nil, limitReached{intray.NewMessage("parquet.too_many_cells", intray.Params{"rows": f.rows, "columns": columns, "limit": opt.Limits.Cells})}
	}
	return b, f.check(t.leaves)
}

func (b *book) Evidence() []intray.Evidence {
	by, why := b.footer.createdBy, intray.NewMessage("parquet.program_named", nil)
	if by == "" {
		by, why = "unknown", intray.NewMessage("parquet.program_unknown", nil)
	}
	told := []intray.Evidence{
		{Choice: "written by", Value: by, Reason: why},
		{Choice: "rows", Value: strconv.FormatInt(b.footer.rows, 10), Reason: intray.NewMessage("parquet.row_count", intray.Params{"groups": len(b.footer.groups)})},
		{Choice: "types", Value: b.tree.listing(), Reason: intray.NewMessage("parquet.types", nil)},
	}
	if len(b.tree.empty) > 0 {
		told = append(told, intray.Evidence{Choice: "left out", Value: listed(b.tree.empty), Reason: intray.NewMessage("parquet.empty_groups", nil)})
	}
	return told
}

func (b *book) Sheets() []source.Sheet { return make([]source.Sheet, 1) }

// Open reads the columns of bytes that no type explains, the first time it is
// called.
func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet != 0 {
		return nil, fmt.Errorf("open sheet %d: the file has one sheet, 0", sheet)
	}
	if err := b.survey(ctx); err != nil {
		return nil, err
	}
	r := newReader(b)
	if err := r.sample(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func (b *book) Close() error { return nil }
