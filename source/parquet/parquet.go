// Package parquet reads Apache Parquet files.
//
// The footer of a file holds its schema, which is a tree of groups and leaves, and its row
// groups. Each leaf, list, map or repeated field becomes one column of the sheet. The header
// of a column consists of the names of the enclosing groups and its own name, joined by dots.
//
// A cell is the value as text. Numbers have all their digits, and dates and times are in ISO
// 8601. Timestamps that the schema adjusts to UTC end in Z. Times of day and INT96 values do
// not. A null becomes an empty cell. Lists and maps become JSON, in which nulls are written as
// null. A missing list becomes an empty cell, and an empty list becomes []. A missing group is
// the same as a group in which all members are missing.
//
// Bytes without a logical type become text if all values of the column are valid text, and
// hexadecimal digits otherwise. The package reads such a column once in advance to decide. If
// the schema declares a column as text, a value that is not UTF-8 or contains NUL is an error.
//
// The package reads one row group at a time, and each column page by page. Its memory use
// depends on the pages and not on the sizes that the file declares.
//
// The package does not write or decrypt files, use statistics, or read chunks that are stored
// in other files. Package parquetio reads the pages.
package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/source"
)

const (
	// pageStart is the first byte of the header of a page.
	pageStart = 0x15
	// maxProgram is the length, in bytes, to which the name of the program that wrote the file
	// is truncated.
	maxProgram = 200
	// checkEvery is the number of values between two checks of the context.
	checkEvery = 4096
)

// Format is the format "parquet". The zero value is ready to use.
type Format struct{}

// Name returns "parquet".
func (Format) Name() string { return "parquet" }

// Detect examines the magic numbers at both ends of the file.
func (Format) Detect(in source.Input, head []byte) (score float64, reason intray.Message) {
	const magic, encrypted = parquetio.Magic, parquetio.MagicEncrypted
	if len(head) < len(magic) {
		return 0, intray.Message{}
	}
	tail := make([]byte, len(magic))
	if n, err := in.ReadAt(tail, in.Size-int64(len(tail))); n < len(tail) || err != nil && !errors.Is(err, io.EOF) {
		tail = nil
	}
	switch first := string(head[:len(magic)]); {
	case first == magic && string(tail) == magic:
		return 1, intray.NewMessage("parquet.magic_numbers", nil)
	case first == encrypted || first == magic && string(tail) == encrypted:
		return 1, intray.NewMessage("parquet.encrypted", nil)
	case first == magic && len(head) > len(magic) && head[len(magic)] == pageStart:
		return 0.9, intray.NewMessage("parquet.begins_only", nil)
	}
	return 0, intray.Message{}
}

// Open reads and validates the footer. It does not read any rows.
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

// book is an opened Parquet file.
type book struct {
	in     source.Input
	opt    source.Options
	footer *parquetio.Footer
	tree   *tree

	mu sync.Mutex
	// textDetected reports whether detectTextColumns has decided which columns of bytes are text.
	textDetected bool
}

func openBook(in source.Input, opt source.Options) (*book, error) {
	if in.Size == 0 {
		return nil, source.ErrEmpty
	}
	f, err := parquetio.ReadFooter(in, in.Size, elementsPerColumn*opt.Limits.Columns)
	if err != nil {
		return nil, err
	}
	t, err := buildTree(f.Elements, opt.Limits)
	if err != nil {
		return nil, err
	}
	b := &book{in: in, opt: opt, footer: f, tree: t}
	if columns := int64(len(t.columns)); columns > 0 && f.Rows > opt.Limits.Cells/columns {
		return nil, parquetio.Limited(intray.NewMessage("parquet.too_many_cells", intray.Params{"rows": f.Rows, "columns": columns, "limit": opt.Limits.Cells}))
	}
	if len(t.columns) > 0 && f.Rows > minRatioRows && f.Rows/maxRowsPerByte > in.Size {
		return nil, parquetio.Limited(intray.NewMessage("parquet.too_many_rows", intray.Params{"rows": f.Rows, "size": in.Size, "limit": maxRowsPerByte}))
	}
	if columns := int64(len(t.columns)); columns > 1 && columns*f.Rows > minRatioCells && columns*f.Rows/maxCellsPerByte > in.Size {
		return nil, parquetio.Limited(intray.NewMessage("parquet.too_few_bytes", intray.Params{"rows": f.Rows, "columns": columns, "size": in.Size, "limit": maxCellsPerByte}))
	}
	return b, b.validateRowGroups()
}

const (
	// maxRowsPerByte is the maximum number of rows per byte of a file. A run of equal values takes
	// a few bytes, however long it is, so a tiny file could otherwise occupy the server for minutes.
	// Even files whose columns are all constant have fewer rows, because programs start a row group
	// after about a million rows.
	maxRowsPerByte = 4096
	// minRatioRows is the number of rows above which maxRowsPerByte applies.
	minRatioRows = 16 << 20
	// maxCellsPerByte is the maximum number of cells per byte of a file with several columns. In
	// such files, at least one column differs between rows, which takes at least some bits of each
	// row.
	maxCellsPerByte = 256
	// minRatioCells is the number of cells above which maxCellsPerByte applies.
	minRatioCells = 1 << 26
)

// validateRowGroups checks that every row group has a chunk for each leaf, and that the
// numbers of rows in the row groups add up to the number of rows in the file.
func (b *book) validateRowGroups() error {
	rows := int64(0)
	leaves := b.tree.leaves
	var chunks []parquetio.ColumnChunk
	for i, g := range b.footer.RowGroups {
		if g.Rows < 0 || g.Rows > math.MaxInt64-rows {
			return parquetio.Damaged(intray.NewMessage("parquet.impossible_row_count", intray.Params{"group": i + 1}))
		}
		rows += g.Rows
		var err error
		if chunks, err = b.footer.ReadChunks(g, len(leaves), chunks[:0]); err != nil {
			return fmt.Errorf("read row group %d: %w", i+1, err)
		}
		if len(chunks) != len(leaves) {
			return parquetio.Damaged(intray.NewMessage("parquet.wrong_column_count", intray.Params{"group": i + 1, "columns": columnCount(len(chunks)), "expected": len(leaves)}))
		}
		for c, chunk := range chunks {
			if err := b.validateChunk(chunk, leaves[c], g.Rows); err != nil {
				return err
			}
		}
	}
	if rows != b.footer.Rows {
		return parquetio.Damaged(intray.NewMessage("parquet.wrong_row_count", intray.Params{"declared": b.footer.Rows, "found": rows}))
	}
	return nil
}

func (b *book) validateChunk(chunk parquetio.ColumnChunk, l *leaf, rows int64) error {
	name := source.Excerpt(l.path)
	switch {
	case chunk.Encrypted:
		return parquetio.Damaged(intray.NewMessage("file.encrypted", nil))
	case chunk.External:
		return parquetio.Damaged(intray.NewMessage("parquet.column_in_other_file", intray.Params{"column": name}))
	case chunk.Type != l.Type:
		return parquetio.Damaged(intray.NewMessage("parquet.wrong_column_type", intray.Params{"column": name}))
	case chunk.Entries < rows || l.MaxRep == 0 && chunk.Entries > rows:
		return parquetio.Damaged(intray.NewMessage("parquet.wrong_value_count", intray.Params{"column": name, "values": chunk.Entries, "rows": rows}))
	case chunk.Entries > 0 && (chunk.Offset < int64(len(parquetio.Magic)) || chunk.Offset >= b.footer.Offset):
		return parquetio.Damaged(intray.NewMessage("parquet.column_outside_file", intray.Params{"column": name}))
	case !parquetio.CanDecompress(chunk.Codec):
		return parquetio.Damaged(intray.NewMessage("parquet.unknown_compression", intray.Params{
			"column": name, "codec": chunk.Codec.String(), "codecs": []string{"snappy", "gzip", "zstd", "lz4_raw", "brotli"},
		}))
	}
	return nil
}

func (b *book) Evidence() []intray.Evidence {
	by, why := printable(b.footer.CreatedBy), intray.NewMessage("parquet.program_named", nil)
	if by == "" {
		by, why = "unknown", intray.NewMessage("parquet.program_unknown", nil)
	}
	evidence := []intray.Evidence{
		{Choice: "written by", Value: by, Reason: why},
		{Choice: "rows", Value: strconv.FormatInt(b.footer.Rows, 10), Reason: intray.NewMessage("parquet.row_count", intray.Params{"groups": len(b.footer.RowGroups)})},
		{Choice: "types", Value: b.tree.describeColumns(), Reason: intray.NewMessage("parquet.types", nil)},
	}
	if len(b.tree.empty) > 0 {
		evidence = append(evidence, intray.Evidence{Choice: "left out", Value: joinNames(b.tree.empty), Reason: intray.NewMessage("parquet.empty_groups", nil)})
	}
	return evidence
}

// printable returns the printable characters among the first maxProgram bytes of untrusted text.
func printable(text []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(string(text[:min(len(text), maxProgram)]), ""))
}

func (b *book) Sheets() []source.Sheet { return make([]source.Sheet, 1) }

// Open returns a reader of the only sheet. The first call reads all columns of bytes that have
// no logical type.
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

// detectTextColumns decides at the first call which columns of bytes are text. It ignores
// damage, because the reader detects it again and reports it.
func (b *book) detectTextColumns(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.textDetected {
		return nil
	}
	var undecided []*textScan
	for _, l := range b.tree.leaves {
		if l.untypedBytes {
			l.why = intray.NewMessage("parquet.untyped_text", nil)
			undecided = append(undecided, &textScan{leaf: l})
		}
	}
	var chunks []parquetio.ColumnChunk
	for _, g := range b.footer.RowGroups {
		if len(undecided) == 0 {
			break
		}
		var err error
		if chunks, err = b.footer.ReadChunks(g, len(b.tree.leaves), chunks[:0]); err != nil {
			return locateError(err, 0, "")
		}
		pages := parquetio.NewPageReader(b.in, b.footer.Offset)
		open := undecided[:0]
		for _, s := range undecided {
			var decided bool
			err := recoverPanic(func() (err error) {
				decided, err = s.scanChunk(ctx, pages, chunks[s.leaf.index])
				return err
			})
			if err = locateError(err, 0, s.leaf.path); err != nil && !isSourceError(err) {
				return err
			}
			if err == nil && !decided {
				open = append(open, s)
			}
		}
		undecided = open
	}
	b.textDetected = true
	return nil
}

// textScan decides whether the values of a leaf are text.
type textScan struct {
	leaf *leaf
	// row is the number of rows that were read.
	row int64
}

// scanChunk reads the values of a chunk up to the first value that is not text. It reports
// whether it found one.
func (s *textScan) scanChunk(ctx context.Context, pages *parquetio.PageReader, chunk parquetio.ColumnChunk) (decided bool, err error) {
	l := s.leaf
	c := parquetio.NewCursor(pages, &l.Leaf)
	defer c.Release()
	c.Open(chunk)
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err := c.Next(ctx); err != nil {
			return false, err
		}
		if c.Done {
			return false, nil
		}
		if c.Rep == 0 {
			s.row++
		}
		if c.Def < l.MaxDef {
			c.Skip()
			continue
		}
		v, err := c.Value()
		if err != nil {
			return false, err
		}
		if !isText(v) {
			l.hex = true
			l.why = intray.NewMessage("parquet.untyped_bytes", intray.Params{"row": s.row})
			return true, nil
		}
	}
}

// leafEvidence returns the evidence about columns whose text the schema alone does not determine.
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

// recoverPanic calls try and converts a panic to an error about a damaged file, because only
// damaged files cause panics.
func recoverPanic(try func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = parquetio.Damaged(intray.NewMessage("parquet.damaged", nil))
		}
	}()
	return try()
}

// locateError adds the location to an error about the file and converts it to an error of
// package source. It returns other errors unchanged.
func locateError(err error, row int64, column string) error {
	var damage parquetio.DamageError
	var limit parquetio.LimitError
	switch {
	case errors.As(err, &damage):
		return &source.UnreadableError{Line: row, Reason: inColumn(column, damage.Problem)}
	case errors.As(err, &limit):
		return &source.LimitError{Line: row, Reason: inColumn(column, limit.Problem)}
	}
	return err
}

// inColumn adds the name of a column to a problem.
func inColumn(column string, problem intray.Message) intray.Message {
	if column == "" {
		return problem
	}
	return intray.NewMessage("parquet.column", intray.Params{"column": source.Excerpt(column), "problem": problem})
}

func isSourceError(err error) bool {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	return errors.As(err, &unreadable) || errors.As(err, &limit)
}
