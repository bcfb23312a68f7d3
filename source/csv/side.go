package csv

import (
	"context"
	"errors"

	"github.com/intraydata/intray"
)

// sideBySide is how a reader lets workers read ahead, as long as all records are
// plain.
type sideBySide struct {
	text *decoded
	// fast is nil where the dialect is not one that it reads.
	fast   *fast
	chunks *chunks
	// until is up to where records are read one by one.
	until int64
	// pause is how much is read one by one at the next chunk that is not plain.
	// It grows while they come often.
	pause int64
	// rowBytes is about how long a record is.
	rowBytes int
}

func (s *sideBySide) stop() {
	if s.chunks != nil {
		s.chunks.end()
		s.chunks = nil
	}
}

// mayGoOn says whether a reader is at a place where chunks can begin again.
func (s *sideBySide) mayGoOn(r *reader) bool {
	at := r.w.place()
	return s.fast != nil && at >= s.until && at < s.end() && len(r.held) == 0 && r.blanks == 0 && !r.ended
}

// nextChunk gives the batch of the next chunk, if that is plain. Else the reader
// stands where it begins.
func (r *reader) nextChunk(ctx context.Context, batch *intray.Records) (bool, error) {
	s := &r.side
	if !s.mayGoOn(r) {
		return false, nil
	}
	if s.chunks == nil {
		most := min(intray.BatchRows, max(intray.BatchCells/max(r.sheet.width, batch.Width, 1), 1))
		size := min(chunkSize, max(64<<10, most*s.rowBytes*3/4))
		s.chunks = beginChunks(s.text, s.fast, r.w.place(), s.end(), size, most)
	}
	var job *chunk
	select {
	case job = <-s.chunks.ordered:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if job == nil {
		return false, s.back(r, r.w.place(), r.w.place()+chunkSize)
	}
	select {
	case <-job.read:
	case <-ctx.Done():
		return false, errors.Join(ctx.Err(), s.back(r, job.from, job.from))
	}
	if !job.plain {
		pause := s.pause
		s.pause = 2*pause + chunkSize
		return false, s.back(r, job.from, job.to+pause)
	}
	s.pause = max(0, s.pause-chunkSize/4)
	batch.Swap(&job.batch)
	batch.First = r.rows
	for i := range batch.Lines {
		batch.Lines[i] += r.line
	}
	r.line += job.lines
	r.cells += int64(batch.Len()) * int64(r.sheet.width)
	s.chunks.giveBack(job)
	return true, errors.Join(s.move(r, job.to), r.counted())
}

// back makes the reader go on one by one from a place to another.
func (s *sideBySide) back(r *reader, from, until int64) error {
	s.stop()
	s.until = until
	return s.move(r, from)
}

// move sets the reader to a place.
func (s *sideBySide) move(r *reader, to int64) error {
	from, err := s.text.from(to)
	r.w = window{base: to, from: from}
	return err
}

// end is the place from which on rows are read one by one: what stands below a
// table is there.
func (s *sideBySide) end() int64 { return s.text.in.Size - int64(s.text.guess.BOM) - tailBytes }
