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
	magic          = "PAR1"
	magicEncrypted = "PARE"
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
	if len(head) < len(magic) {
		return 0, intray.Message{}
	}
	tail := make([]byte, len(magic))
	if readAt(in, tail, in.Size-int64(len(tail))) != nil {
		tail = nil
	}
	switch first := string(head[:len(magic)]); {
	case first == magic && string(tail) == magic:
		return 1, intray.NewMessage("parquet.magic_numbers", nil)
	case first == magicEncrypted || first == magic && string(tail) == magicEncrypted:
		return 1, intray.NewMessage("parquet.encrypted", nil)
	case first == magic && len(head) > len(magic) && head[len(magic)] == pageStart:
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
	err := recoverPanic(func() (err error) {
		b, err = openBook(in, opt)
		return err
	})
	if err != nil {
		return nil, locateError(err, 0, "")
	}
	return b, nil
}

// readAt fills b from a place in the file.
func readAt(in source.Input, b []byte, at int64) error {
	if at < 0 {
		return damageError{intray.NewMessage("parquet.too_short", nil)}
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
	// textDetected says that it is known which columns of bytes are text.
	textDetected bool
}

func openBook(in source.Input, opt source.Options) (*book, error) {
	f, err := readFooter(in, opt.Limits)
	if err != nil {
		return nil, err
	}
	t, err := buildTree(f.elements, opt.Limits)
	if err != nil {
		return nil, err
	}
	b := &book{in: in, opt: opt, footer: f, tree: t}
	if columns := int64(len(t.columns)); columns > 0 && f.rows > opt.Limits.Cells/columns {
		return nil, limitError{intray.NewMessage("parquet.too_many_cells", intray.Params{"rows": f.rows, "columns": columns, "limit": opt.Limits.Cells})}
	}
	return b, f.validateRowGroups(t.leaves)
}

func (b *book) Evidence() []intray.Evidence {
	by, why := b.footer.createdBy, intray.NewMessage("parquet.program_named", nil)
	if by == "" {
		by, why = "unknown", intray.NewMessage("parquet.program_unknown", nil)
	}
	evidence := []intray.Evidence{
		{Choice: "written by", Value: by, Reason: why},
		{Choice: "rows", Value: strconv.FormatInt(b.footer.rows, 10), Reason: intray.NewMessage("parquet.row_count", intray.Params{"groups": len(b.footer.rowGroups)})},
		{Choice: "types", Value: b.tree.describeColumns(), Reason: intray.NewMessage("parquet.types", nil)},
	}
	if len(b.tree.empty) > 0 {
		evidence = append(evidence, intray.Evidence{Choice: "left out", Value: joinNames(b.tree.empty), Reason: intray.NewMessage("parquet.empty_groups", nil)})
	}
	return evidence
}

func (b *book) Sheets() []source.Sheet { return make([]source.Sheet, 1) }

// Open reads the columns of bytes that no type explains, the first time it is
// called.
func (b *book) Open(ctx context.Context, sheet int) (source.Reader, error) {
	if sheet != 0 {
		return nil, fmt.Errorf("open sheet %d: the file has one sheet, 0", sheet)
	}
	if err := b.detectTextColumns(ctx); err != nil {
		return nil, err
	}
	r := newReader(b)
	if err := r.readSamples(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

func (b *book) Close() error { return nil }

// checkEvery is the number of values between two looks at the context.
const checkEvery = 4096

// detectTextColumns finds out once which columns of bytes are text.
func (b *book) detectTextColumns(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.textDetected {
		return nil
	}
	for _, l := range b.tree.leaves {
		if !l.untypedBytes {
			continue
		}
		err := recoverPanic(func() error { return b.detectText(ctx, l) })
		if err = locateError(err, 0, l.path); err != nil && !isSourceError(err) {
			return err
		}
	}
	b.textDetected = true
	return nil
}

// detectText reads all values of a leaf, or up to the first that is no text.
// What is wrong with the file is met again by the reader, and told there.
func (b *book) detectText(ctx context.Context, l *leaf) error {
	l.why = intray.NewMessage("parquet.untyped_text", nil)
	c := &cursor{pages: newPageReader(b), leaf: l}
	row := int64(0)
	for _, g := range b.footer.rowGroups {
		chunks, err := b.footer.readChunks(g, len(b.tree.leaves), nil)
		if err != nil {
			return err
		}
		c.openChunk(chunks[l.index])
		if row, err = c.findNonText(ctx, row); err != nil {
			return err
		}
		if row < 0 {
			l.hex = true
			l.why = intray.NewMessage("parquet.untyped_bytes", intray.Params{"row": -row})
			return nil
		}
	}
	return nil
}

// findNonText goes through a chunk behind so many rows, and gives the number of
// rows behind it, or of the row, negative, that has bytes that are no text.
func (c *cursor) findNonText(ctx context.Context, row int64) (int64, error) {
	for met := 0; ; met++ {
		if met%checkEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err := c.peek(ctx); err != nil || c.done {
			return row, err
		}
		if c.rep == 0 {
			row++
		}
		if c.def < c.leaf.def {
			c.skipEntry()
			continue
		}
		v, err := c.readValue()
		if err != nil {
			return 0, err
		}
		if !isText(v.bytes) {
			return -row, nil
		}
	}
}

// leafEvidence tells how values are written whose type is not all told by the
// schema.
func (b *book) leafEvidence() (evidence []intray.Evidence) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.tree.leaves {
		if len(evidence) >= maxListed {
			break
		}
		if l.typeMismatch {
			evidence = append(evidence, intray.Evidence{Choice: "type of " + l.path, Value: l.kind, Reason: intray.NewMessage("parquet.type_mismatch", nil)})
		}
		if !l.untypedBytes {
			continue
		}
		value := "text"
		if l.hex {
			value = "hexadecimal"
		}
		evidence = append(evidence, intray.Evidence{Choice: "bytes of " + l.path, Value: value, Reason: l.why})
	}
	return evidence
}

type (
	// damageError is what is wrong with the file, without the place.
	damageError struct{ problem intray.Message }
	// limitError is a limit that was met, without the place.
	limitError struct{ problem intray.Message }
)

func (e damageError) Error() string { return e.problem.String() }
func (e limitError) Error() string  { return e.problem.String() }

var errTruncated = damageError{intray.NewMessage("parquet.ends_early", nil)}

// recoverPanic turns a panic into damage: what panics on a file has met something in
// it that nobody thought of.
func recoverPanic(try func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = damageError{intray.NewMessage("parquet.damaged", nil)}
		}
	}()
	return try()
}

// locateError gives trouble with the file the place where it is, and the type that the
// contract asks for. Other errors stay as they are.
func locateError(err error, row int64, column string) error {
	var broken damageError
	var limit limitError
	switch {
	case errors.As(err, &broken):
		return &source.UnreadableError{Line: row, Reason: inColumn(column, broken.problem)}
	case errors.As(err, &limit):
		return &source.LimitError{Line: row, Reason: inColumn(column, limit.problem)}
	}
	return err
}

// inColumn puts the name of a column in front of a problem.
func inColumn(column string, problem intray.Message) intray.Message {
	if column == "" {
		return problem
	}
	return intray.NewMessage("parquet.column", intray.Params{"column": source.Excerpt(column), "problem": problem})
}
