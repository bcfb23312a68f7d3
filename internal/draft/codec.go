package draft

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray/internal/blob"
	"github.com/intraydata/intray/internal/stage"
)

// A body is a mark of four bytes, the CRC-32C of what follows, and the pages: what
// the layer holds, compressed. Where that is long it is in a blob, and the body
// says in which. The version is the last byte of the mark.
const (
	markInline = "Idl\x01"
	markBlob   = "Idb\x01"
	markSize   = 8
)

const (
	// maxPlain bounds what a body inflates to, whatever it says.
	maxPlain = 1 << 30

	layerName = "layer.bin"
	rowsName  = "rows"
)

func sealed(mark string, text []byte) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(mark), checksum(text))
	return append(out, text...)
}

func unsealed(body []byte) (mark string, text []byte, err error) {
	if len(body) < markSize {
		return "", nil, errors.New("it is cut off")
	}
	text = body[markSize:]
	if binary.LittleEndian.Uint32(body[len(markInline):]) != checksum(text) {
		return "", nil, errors.New("wrong checksum")
	}
	return string(body[:len(markInline)]), text, nil
}

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// encode gives what must be kept of a layer. Where that is much it goes into a
// blob.
func (d *Draft) encode(ctx context.Context, l *layer) (Kept, error) {
	plain, err := l.write(nil, d.ruleKinds)
	if err != nil {
		return Kept{}, err
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return Kept{}, err
	}
	body := sealed(markInline, z.EncodeAll(plain, nil))
	if err := z.Close(); err != nil {
		return Kept{}, err
	}
	if len(body) <= d.cfg.limits.body && l.prefix == "" {
		return Kept{l.seq, body}, nil
	}
	if l.prefix == "" {
		l.prefix = d.layerPrefix(l.seq)
	}
	if err := d.putBlob(ctx, l.prefix+"/"+layerName, body); err != nil {
		return Kept{}, err
	}
	ref := binary.AppendVarint(nil, l.seq)
	ref = binary.LittleEndian.AppendUint32(ref, checksum(body))
	return Kept{l.seq, sealed(markBlob, append(ref, l.prefix...))}, nil
}

// layerPrefix makes a place for the blobs of a layer that is nobody else's: of two
// drafts of the same rows, in two processes, each may make a change with the number.
func (d *Draft) layerPrefix(seq int64) string {
	return fmt.Sprintf("%s%016x", d.layerPrefixes(seq), rand.Uint64())
}

// layerPrefixes is how all of these begin.
func (d *Draft) layerPrefixes(seq int64) string {
	return fmt.Sprintf("%s/change-%d-", d.cfg.Prefix, seq)
}

func (d *Draft) putBlob(ctx context.Context, key string, body []byte) error {
	w, err := d.cfg.Blobs.Create(ctx, key)
	if err != nil {
		return fmt.Errorf("create %s: %w", key, err)
	}
	defer w.Abort()
	if _, err := w.Write(body); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	if err := w.Commit(); err != nil {
		return fmt.Errorf("commit %s: %w", key, err)
	}
	return nil
}

// decode gives the layer of what was kept.
func (d *Draft) decode(ctx context.Context, k Kept) (*layer, error) {
	l, err := d.decodeBody(ctx, k.Body)
	if err == nil && l.seq != k.Seq {
		_ = l.close()
		err = fmt.Errorf("%w: it is that of change %d", stage.ErrDamaged, l.seq)
	}
	if err != nil {
		return nil, fmt.Errorf("read change %d: %w", k.Seq, err)
	}
	return l, nil
}

func (d *Draft) decodeBody(ctx context.Context, body []byte) (*layer, error) {
	mark, text, err := unsealed(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", stage.ErrDamaged, err)
	}
	prefix := ""
	if mark == markBlob {
		if body, prefix, err = d.followBody(ctx, text); err != nil {
			return nil, err
		}
		if mark, text, err = unsealed(body); err != nil {
			return nil, fmt.Errorf("%w: %w", stage.ErrDamaged, err)
		}
	}
	if mark != markInline {
		return nil, fmt.Errorf("its form is not one that this program reads (%q)", mark)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPlain))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	plain, err := z.DecodeAll(text, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", stage.ErrDamaged, err)
	}
	l, staged, err := d.readLayer(plain)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", stage.ErrDamaged, err)
	}
	l.prefix = prefix
	if !staged {
		return l, nil
	}
	return l, l.open(ctx, d.cfg.Blobs)
}

// followBody reads the blob that a body speaks of.
func (d *Draft) followBody(ctx context.Context, ref []byte) (body []byte, prefix string, err error) {
	seq, n := binary.Varint(ref)
	if n <= 0 || len(ref) < n+4 {
		return nil, "", fmt.Errorf("%w: it is cut off", stage.ErrDamaged)
	}
	crc := binary.LittleEndian.Uint32(ref[n:])
	prefix = string(ref[n+4:])
	if !strings.HasPrefix(prefix, d.layerPrefixes(seq)) {
		return nil, "", fmt.Errorf("%w: it lies at %q, where no change of this draft does", stage.ErrDamaged, prefix)
	}
	r, err := d.cfg.Blobs.Open(ctx, prefix+"/"+layerName)
	if errors.Is(err, blob.ErrNotFound) {
		return nil, "", fmt.Errorf("%w: %w", stage.ErrDamaged, err)
	}
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	if body, err = io.ReadAll(io.NewSectionReader(r, 0, r.Size())); err != nil {
		return nil, "", err
	}
	if checksum(body) != crc {
		return nil, "", fmt.Errorf("%w: %s is another file", stage.ErrDamaged, layerName)
	}
	return body, prefix, nil
}

// open opens the rows of a large layer.
func (l *layer) open(ctx context.Context, blobs blob.Store) error {
	s, err := stage.Open(ctx, blobs, l.prefix+"/"+rowsName)
	if errors.Is(err, stage.ErrUnfinished) {
		err = fmt.Errorf("%w: %w", stage.ErrDamaged, err)
	}
	if err != nil {
		return err
	}
	if l.stage = s; s.Manifest().Rows != int64(l.rows.GetCardinality()) {
		return errors.Join(fmt.Errorf("%w: it has %d rows, not %d", stage.ErrDamaged, s.Manifest().Rows, l.rows.GetCardinality()), s.Close())
	}
	return nil
}
