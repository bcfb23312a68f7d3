package csv

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/ordered"
)

const (
	// chunkSize is the number of bytes that one worker parses at a time. A chunk and its cells fit in the
	// cache of a core, and it becomes one batch.
	chunkSize = intray.BatchBytes / 2
	// tailBytes is the number of bytes at the end of the text that are always read record by
	// record, because rows below the table can occur there.
	tailBytes = 128 << 10
)

// parallelReader lets workers parse chunks ahead of the reader. A chunk with an irregular
// record is read again, record by record.
type parallelReader struct {
	text *decodedText
	// fast is nil if the dialect has no fast path.
	fast   *fastParser
	chunks *chunkReader
	// sequentialUntil is the offset before which records are read one by one.
	sequentialUntil int64
	// backoff is the number of bytes for which records are read one by one after the next
	// irregular chunk. It grows while such chunks are frequent.
	backoff int64
	// rowBytes is the approximate length of a record, in bytes.
	rowBytes int
	// size is the size of a chunk in bytes. tail is tailBytes, except in tests.
	size int
	tail int64
	// times are those of all chunk readers.
	times ordered.Times
}

func (s *parallelReader) stop() {
	if s.chunks != nil {
		s.chunks.Close()
		s.chunks = nil
	}
}

// Busy returns the times for splitting the file into chunks and for reading these.
func (r *reader) Busy() (split, read time.Duration) { return r.parallel.times.Busy() }

// canResume reports whether the reader is at an offset where chunks can start.
func (s *parallelReader) canResume(r *reader) bool {
	at := r.window.offset()
	return s.fast != nil && at >= s.sequentialUntil && at < s.endOffset() && len(r.held) == 0 && r.blankRows == 0 && !r.tableEnded
}

// nextChunk fills the batch with the next chunk. If it returns false, the reader must continue
// record by record at its current offset.
func (r *reader) nextChunk(ctx context.Context, batch *intray.Records) (bool, error) {
	s := &r.parallel
	if !s.canResume(r) {
		return false, nil
	}
	if s.chunks == nil {
		maxRows := min(intray.BatchRows, max(intray.BatchCells/max(r.sheet.width, batch.Width, 1), 1))
		size := min(s.size, max(s.size/16, maxRows*s.rowBytes*3/4))
		s.chunks = startChunkReader(&s.times, s.text, s.fast, r.window.offset(), s.endOffset(), s.text.rawSize(size), maxRows)
	}
	c, err := s.chunks.Next(ctx)
	if errors.Is(err, io.EOF) {
		s.fallBack(r, r.window.offset(), r.window.offset()+int64(s.size))
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !c.regular {
		pause := s.backoff
		s.backoff = 2*pause + int64(s.size)
		s.fallBack(r, c.from, c.to+pause)
		return false, nil
	}
	s.backoff = max(0, s.backoff-int64(s.size/4))
	batch.Swap(&c.batch)
	batch.First = r.rows
	for i := range batch.Lines {
		batch.Lines[i] += r.line
	}
	r.line += c.lines
	r.cells += int64(batch.Len()) * int64(r.sheet.width)
	s.seek(r, c.to)
	s.chunks.recycle(c)
	return true, r.checkCellLimit()
}

// fallBack makes the reader continue at the offset given by from and read records one by one
// up to the offset given by until.
func (s *parallelReader) fallBack(r *reader, from, until int64) {
	s.stop()
	s.sequentialUntil = until
	s.seek(r, from)
}

func (s *parallelReader) seek(r *reader, to int64) { r.window = newWindow(s.text, to) }

func (s *parallelReader) endOffset() int64 { return s.text.length() - s.tail }

// chunk is a run of whole records with the batch that a worker parsed from it.
type chunk struct {
	// from and to are the offsets of the start and the end of the chunk in the file.
	from, to int64
	// raw holds the bytes of the file, and text holds them decoded to UTF-8. They share memory
	// if the file is UTF-8.
	raw, text []byte
	batch     intray.Records
	lines     int64
	// regular reports whether the text could be read and all records follow the dialect.
	regular bool
}

// chunkReader splits text into chunks, and workers read and parse them. It examines only the text around
// the end of a chunk, so a chunk can end inside a record. That chunk is then irregular, and the caller must
// discard all later chunks.
type chunkReader struct {
	*ordered.Results[*chunk]
	text *decodedText
	fast *fastParser
	// at is the offset of the next chunk, and end is the offset before which all chunks start.
	at, end int64
	size    int
	spare   chan *chunk
	// around and decoded hold the text around the end of a chunk, in the file and decoded to UTF-8.
	around, decoded []byte
	rec             record
}

// startChunkReader starts reading at the offset given by from, which must be the start of a
// record. All chunks start before the offset given by end.
func startChunkReader(times *ordered.Times, text *decodedText, f *fastParser, from, end int64, size, maxRows int) *chunkReader {
	workers := max(runtime.GOMAXPROCS(0), 1)
	c := &chunkReader{text: text, fast: f, at: from, end: end, size: size, spare: make(chan *chunk, 2*workers+4)}
	next, newWorker := ordered.Measure(times, c.cutChunk, func() func(context.Context, *chunk) (*chunk, error) {
		return func(_ context.Context, job *chunk) (*chunk, error) {
			if job.regular = text.readChunk(&job.raw, job.from, job.to); job.regular {
				job.text = text.decodeChunk(job.text, job.raw)
				job.lines, job.regular = f.read(job.text, maxRows, &job.batch)
			}
			return job, nil
		}
	})
	c.Results = ordered.Start(context.Background(), workers, workers+3, next, newWorker)
	return c
}

const (
	// cutBytes is the number of bytes before and after the end of a chunk in which a record is
	// searched. If there is none, maxCutBytes is that number.
	cutBytes, maxCutBytes = 4 << 10, 64 << 10
	// maxCuts is the maximum number of lines that are examined there, and cutRecords is the maximum number
	// of records after each.
	maxCuts, cutRecords = 32, 8
)

// cutChunk returns the next chunk, which is not read yet. It returns io.EOF at the end, if no record is
// found at the end of a chunk, or if reading fails. The sequential reader then continues at that
// offset and reports any error.
func (c *chunkReader) cutChunk(context.Context) (*chunk, error) {
	if c.at >= c.end {
		return nil, io.EOF
	}
	for reach := int64(cutBytes); reach <= maxCutBytes; reach *= maxCutBytes / cutBytes {
		if to := c.findCut(reach); to > c.at {
			job := c.newChunk()
			job.from, job.to = c.at, to
			c.at = to
			return job, nil
		}
	}
	return nil, io.EOF
}

// findCut returns the offset of the first record that starts at most reach bytes before the intended end of
// the next chunk, or notFound.
func (c *chunkReader) findCut(reach int64) int64 {
	end := min(c.at+int64(c.size), c.text.length())
	unit := int64(c.text.units.size)
	from := max(c.at, (end-reach)/unit*unit)
	if !c.text.readChunk(&c.around, from, min(end+reach, c.text.length())) {
		return notFound
	}
	c.decoded = c.text.decodeChunk(c.decoded, c.around)
	at := 0
	for range maxCuts {
		line := bytes.IndexByte(c.decoded[at:], '\n') + 1
		at += line
		to := from + c.text.units.encodedLength(c.decoded[:at])
		if line == 0 || to > end {
			return notFound
		}
		if c.startsRecord(c.decoded[at:]) {
			return to
		}
	}
	return notFound
}

// startsRecord reports whether text probably starts with a record. It examines several records, until one of
// them has a quoted cell, because the lines of a quoted cell can look like records up to its end.
func (c *chunkReader) startsRecord(text []byte) bool {
	for n := range cutRecords {
		c.fast.sheet.dialect.parseRecord(text, notFound, &c.rec)
		if c.rec.next >= len(text) {
			return n > 0
		}
		if !c.fast.sheet.isRegular(&c.rec) {
			return false
		}
		if slices.ContainsFunc(c.rec.cells, func(one cell) bool { return one.quoted }) {
			return true
		}
		text = text[c.rec.next:]
	}
	return true
}

// newChunk returns an empty chunk. It reuses the memory of a recycled chunk if possible.
func (c *chunkReader) newChunk() *chunk {
	select {
	case job := <-c.spare:
		job.batch.Reset()
		return job
	default:
		return &chunk{}
	}
}

// recycle makes the memory of a chunk available to later chunks. The caller must not use the
// chunk again.
func (c *chunkReader) recycle(job *chunk) {
	job.text = job.batch.AdoptArena(nil)
	if c.text.isUTF8() {
		job.raw = job.text
	}
	select {
	case c.spare <- job:
	default:
	}
}
