package stage

import (
	"context"
	"errors"
	"fmt"
)

// place appends the rows to the segment under way, or to a new one.
func (w *Writer) place(g *group) error {
	if w.segment != nil && w.segmentDone() {
		if err := w.seal(); err != nil {
			return err
		}
	}
	if w.segment == nil {
		if err := w.begin(); err != nil {
			return err
		}
	}
	at, err := w.segment.append(g)
	if err != nil {
		return err
	}
	s := &w.manifest.Segments[len(w.manifest.Segments)-1]
	s.Groups = append(s.Groups, Group{w.manifest.Rows, int64(g.rows), Piece{at.offset, at.length, g.crc}})
	s.Rows += int64(g.rows)
	w.manifest.Rows += int64(g.rows)
	return nil
}

func (w *Writer) segmentDone() bool {
	return w.segment.rows >= w.cfg.SegmentRows || w.segment.size >= w.cfg.SegmentBytes || w.segment.full()
}

func (w *Writer) begin() error {
	name := fmt.Sprintf("seg-%04d.parquet", len(w.manifest.Segments))
	out, err := w.create(name)
	if err != nil {
		return err
	}
	w.manifest.Segments = append(w.manifest.Segments, Segment{Name: name, First: w.manifest.Rows})
	w.segment, err = newFile(out, w.columns, w.packer.codec)
	return err
}

// sealing is a segment that becomes durable while rows go to the next one.
type sealing struct {
	segment *file
	index   int
	done    chan error
}

// seal begins to seal the segment under way, when the one before it is sealed.
func (w *Writer) seal() error {
	if err := w.sealed(); err != nil || w.segment == nil {
		return err
	}
	s := &sealing{w.segment, len(w.manifest.Segments) - 1, make(chan error, 1)}
	w.sealing, w.segment = s, nil
	go func() { s.done <- s.segment.close() }()
	return nil
}

// sealed waits for the segment that is being sealed.
func (w *Writer) sealed() error {
	s := w.sealing
	if s == nil {
		return nil
	}
	w.sealing = nil
	if err := <-s.done; err != nil {
		s.segment.blob.Abort()
		return fmt.Errorf("seal segment %d: %w", s.index, err)
	}
	w.manifest.Segments[s.index].Size = s.segment.size
	return nil
}

// Close seals the stage, the manifest last, when every commit has returned.
// The writer takes nothing more, whatever Close returns.
func (w *Writer) Close(ctx context.Context) (Manifest, error) {
	if w.err != nil {
		return Manifest{}, w.err
	}
	w.err = errClosed
	if err := w.finish(ctx); err != nil {
		w.err = fmt.Errorf("close the stage: %w", err)
		return Manifest{}, w.err
	}
	return w.manifest, nil
}

func (w *Writer) finish(ctx context.Context) error {
	if err := w.seal(); err != nil {
		return err
	}
	if err := w.problems.addLate(w.late); err != nil {
		return err
	}
	if err := w.problems.close(&w.manifest); err != nil {
		return err
	}
	bitmaps, err := w.kinds.encode(&w.manifest)
	if err != nil {
		return err
	}
	if w.manifest.Problems > 0 {
		if err := w.put(ctx, bitmapsName, bitmaps); err != nil {
			return err
		}
	}
	if err := w.sealed(); err != nil {
		return err
	}
	text, err := w.manifest.encode()
	if err != nil {
		return err
	}
	return w.put(ctx, manifestName, text)
}

// put writes a whole blob.
func (w *Writer) put(ctx context.Context, name string, body []byte) error {
	out, err := create(ctx, w.store, w.prefix, name)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := out.Write(body); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if err := out.Commit(); err != nil {
		return fmt.Errorf("commit %s: %w", name, err)
	}
	return nil
}

// Abort drops all that was written, when no call to Stage or a commit is under
// way. After Close has sealed the stage it does nothing, so that it can be
// deferred. Files that it cannot remove are never mistaken for a stage: they
// have no manifest.
func (w *Writer) Abort() {
	if errors.Is(w.err, errClosed) || errors.Is(w.err, errAborted) {
		return
	}
	_ = w.sealed()
	if w.segment != nil {
		w.segment.blob.Abort()
	}
	w.problems.abort()
	w.err = errAborted
	_ = w.remove()
}
