package staging

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/intraydata/intray/internal/parquetio"
	"github.com/intraydata/intray/server/blob"
)

// DataSize returns the total size of the rows, problems and bitmaps, in bytes.
func (s *Stage) DataSize() (n int64) {
	m := s.manifest
	for i := range m.Segments {
		for _, g := range m.Segments[i].Groups {
			n += g.Length
		}
	}
	for _, g := range slices.Concat(m.ProblemGroups, m.CrossRowGroups) {
		n += g.Length
	}
	for _, at := range m.allBitmaps() {
		n += at.Length
	}
	return n
}

// allBitmaps returns the locations of all bitmaps, in the order in which they are stored.
func (m *Manifest) allBitmaps() (list []Piece) {
	if m.Errors.Length > 0 {
		list = append(list, m.Errors)
	}
	for _, k := range m.Kinds {
		list = append(list, k.Bitmap)
	}
	return list
}

// Verify reads every byte of the stage. It returns an error that wraps ErrDamaged if a file of the stage is
// missing or has changed.
//
// The manifest has no checksums of the Parquet footers, which Intray does not read, but other readers do.
// Verify encodes each footer again, from the pages, and compares it.
func (s *Stage) Verify(ctx context.Context) error {
	v := verifier{stage: s}
	m := s.manifest
	for i := range m.Segments {
		v.begin(segmentColumns(m.Fields, m.Unmapped))
		for _, g := range m.Segments[i].Groups {
			v.verifyGroup(ctx, m.Segments[i].Name, g.Piece, g.Rows)
		}
		v.verifyFooter(ctx, m.Segments[i].Name)
	}
	if m.Problems > 0 {
		v.begin(problemColumns())
		for _, g := range slices.Concat(m.ProblemGroups, m.CrossRowGroups) {
			v.verifyGroup(ctx, problemsName, g.Piece, g.Problems)
		}
		v.verifyFooter(ctx, problemsName)
		v.verifyBitmaps(ctx, m.allBitmaps())
	}
	if v.err != nil {
		return fmt.Errorf("verify the stage %s: %w", s.prefix, v.err)
	}
	return nil
}

// verifier verifies the files of a stage one after the other. After an error, its methods do nothing.
type verifier struct {
	stage *Stage
	err   error
	// footer is the footer that the current Parquet file must have, and end is where the footer begins.
	footer parquetio.FooterWriter
	end    int64
	body   []byte
	chunks []parquetio.Chunk
}

// begin starts with the next Parquet file.
func (v *verifier) begin(columns [][]parquetio.Element) {
	v.footer, v.end = parquetio.FooterWriter{Columns: columns}, int64(len(parquetio.Magic))
}

// verifyGroup verifies a row group, which must follow the previous one, and adds it to the footer.
func (v *verifier) verifyGroup(ctx context.Context, name string, at Piece, rows int64) {
	if v.err != nil {
		return
	}
	if at.Offset != v.end {
		v.err = fmt.Errorf("%w: a row group of %s begins at byte %d, not %d", ErrDamaged, name, at.Offset, v.end)
		return
	}
	if v.body, v.err = v.stage.readPiece(ctx, name, at, v.body); v.err != nil {
		return
	}
	if v.err = v.describeGroup(); v.err != nil {
		v.err = fmt.Errorf("%w: %s: %w", ErrDamaged, name, v.err)
		return
	}
	v.err = v.footer.AppendGroup(rows, at.Offset, v.chunks)
	v.end += at.Length
}

// describeGroup sets v.chunks to the column chunks of the row group in v.body.
func (v *verifier) describeGroup() error {
	rest := v.body
	v.chunks = v.chunks[:0]
	for _, column := range v.footer.Columns {
		c := parquetio.Chunk{Codec: v.stage.codec}
		if column[len(column)-1].Type != format.ByteArray {
			c.Codec = format.Uncompressed
		}
		var err error
		if rest, err = describeChunk(&c, rest); err != nil {
			return err
		}
		v.chunks = append(v.chunks, c)
	}
	if len(rest) > 0 {
		return errPage
	}
	return nil
}

// describeChunk describes the chunk at the beginning of text, as the encoder did, and returns what follows.
func describeChunk(c *parquetio.Chunk, text []byte) (rest []byte, err error) {
	for {
		h, body, after, err := parquetio.CutPage(text, c.Codec)
		if err != nil {
			return nil, err
		}
		size := len(text) - len(after)
		c.Bytes += int64(size)
		c.PlainBytes += int64(size - len(body) + h.UncompressedSize)
		text = after
		switch {
		case h.Kind == format.DictionaryPage && c.DictionaryBytes == 0:
			c.DictionaryBytes = int64(size)
		case h.Kind == format.DataPageV2:
			c.Entries, c.Nulls = int64(h.Count), int64(h.Nulls)
			c.Encodings = encodingsOf(h.Encoding, c)
			return text, nil
		default:
			return nil, errPage
		}
	}
}

// verifyFooter verifies the beginning and the end of the current Parquet file.
func (v *verifier) verifyFooter(ctx context.Context, name string) {
	magic := Piece{Length: int64(len(parquetio.Magic)), CRC: checksum([]byte(parquetio.Magic))}
	if v.err == nil {
		v.body, v.err = v.stage.readPiece(ctx, name, magic, v.body)
	}
	if v.err == nil {
		v.verifyRest(ctx, name, v.footer.Encode(formatVersion))
	}
}

// verifyBitmaps verifies the bitmaps, which must follow each other.
func (v *verifier) verifyBitmaps(ctx context.Context, list []Piece) {
	v.end = 0
	for _, at := range list {
		if v.err == nil && at.Offset != v.end {
			v.err = fmt.Errorf("%w: a bitmap begins at byte %d, not %d", ErrDamaged, at.Offset, v.end)
		}
		if v.err == nil {
			v.body, v.err = v.stage.readPiece(ctx, bitmapsName, at, v.body)
		}
		v.end += at.Length
	}
	v.verifyRest(ctx, bitmapsName, nil)
}

// verifyRest verifies that rest follows the contents of a file, which end at v.end, and nothing else.
func (v *verifier) verifyRest(ctx context.Context, name string, rest []byte) {
	if v.err != nil {
		return
	}
	r, start, end, err := v.stage.restOf(ctx, name, v.end)
	if err != nil {
		v.err = err
		return
	}
	if end-start != int64(len(rest)) {
		v.err = fmt.Errorf("%w: %s has %d bytes after its contents, not %d", ErrDamaged, name, end-start, len(rest))
		return
	}
	v.body, v.err = readRange(r, name, start, end, v.body)
	if v.err == nil && !bytes.Equal(v.body, rest) {
		v.err = fmt.Errorf("%w: %s has another footer", ErrDamaged, name)
	}
}

// restOf returns where the bytes after the contents of a file begin and end. contents is the size of the
// contents.
func (s *Stage) restOf(ctx context.Context, name string, contents int64) (r blob.Reader, start, end int64, err error) {
	if s.single != nil {
		start, end, err = s.single.restOf(name, contents)
		return s.single, start, end, err
	}
	r, _, err = s.openFile(ctx, name)
	if err != nil {
		return nil, 0, 0, err
	}
	return r, contents, r.Size(), nil
}
