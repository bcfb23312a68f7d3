package csv

import (
	"context"

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
	// size is how much text a worker reads at a time, tail how much of the end of
	// the file is read one by one.
	size int
	tail int64
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
		size := min(s.size, max(s.size/16, most*s.rowBytes*3/4))
		s.chunks = beginChunks(s.text, s.fast, r.w.place(), s.end(), s.text.rawSize(size), most)
	}
	var job *chunk
	select {
	case job = <-s.chunks.ordered:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if job == nil {
		s.back(r, r.w.place(), r.w.place()+int64(s.size))
		return false, nil
	}
	select {
	case <-job.read:
	case <-ctx.Done():
		s.back(r, job.from, job.from)
		return false, ctx.Err()
	}
	if !job.plain {
		pause := s.pause
		s.pause = 2*pause + int64(s.size)
		s.back(r, job.from, job.to+pause)
		return false, nil
	}
	s.pause = max(0, s.pause-int64(s.size/4))
	batch.Swap(&job.batch)
	batch.First = r.rows
	for i := range batch.Lines {
		batch.Lines[i] += r.line
	}
	r.line += job.lines
	r.cells += int64(batch.Len()) * int64(r.sheet.width)
	s.move(r, job.to)
	s.chunks.giveBack(job) // from here on it is another's
	return true, r.counted()
}

// back makes the reader go on one by one from a place to another.
func (s *sideBySide) back(r *reader, from, until int64) {
	s.stop()
	s.until = until
	s.move(r, from)
}

// move sets the reader to a place.
func (s *sideBySide) move(r *reader, to int64) { r.w = windowAt(s.text, to) }

// end is the place from which on rows are read one by one: what stands below a
// table is there.
func (s *sideBySide) end() int64 { return s.text.length() - s.tail }
