package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
)

// chunkSize is what is asked for at once: what every server must be able to
// give. inFlight is how many chunks are asked for ahead: a little less than the
// 2 MiB that may be under way on an SSH channel of the library. A server that is
// 50 ms away gives 28 MB/s so, and half of that with half as many.
const (
	chunkSize = 32 << 10
	inFlight  = 60
)

// Download says what is to be fetched.
type Download struct {
	// File is the version that was listed.
	File File
	// Offset is where to begin: how many bytes an earlier Fetch of the same
	// version has written. From 0 to File.Size.
	Offset int64
	// MaxSize is the largest file that is fetched, in bytes; 0 means any.
	MaxSize int64
}

// Fetch writes the file from the offset to its end, and gives how many bytes it
// wrote, also beside an error. With nil the file was, before and after, the
// version that was listed, and is written as a whole. Otherwise:
//
//   - Changed: it is another version by now. What was written is of no use.
//   - Missing, Forbidden, Failed: the server does not give it (any more).
//   - TooLarge: nothing was written.
//   - TimedOut, Lost: a Fetch with the offset moved on by what was written
//     carries on, on another session.
//
// An error of the writer is wrapped. Config.Patience ends what hardly moves; for
// the time of the whole there is ctx. Fetch changes nothing on the server.
func (s *Session) Fetch(ctx context.Context, d Download, to io.Writer) (int64, error) {
	f := d.File
	if d.Offset < 0 || d.Offset > f.Size {
		return 0, fmt.Errorf("fetching the file %q: it has %d bytes, so it cannot begin at byte %d", f.Path, f.Size, d.Offset)
	}
	if d.MaxSize > 0 && f.Size > d.MaxSize {
		return 0, &Error{Kind: TooLarge, Text: intray.NewMessage("sftp.file_too_large", intray.Params{"server": s.address, "path": shown(f.Path), "size": f.Size, "limit": d.MaxSize})}
	}
	g := &fetcher{session: s, download: d, dst: to, requested: d.Offset, written: d.Offset}
	err := g.run(ctx)
	return g.written - d.Offset, s.explain(ctx, readingFile(f.Path), err)
}

// fetcher fetches one file.
type fetcher struct {
	session   *Session
	download  Download
	dst       io.Writer
	handle    string
	pending   []*chunk // what was asked for, in the order of the file
	free      []*chunk
	requested int64
	written   int64
}

// chunk is a piece of the file.
type chunk struct {
	id     uint32 // of the request for what is still missing
	offset int64
	want   int
	got    []byte
}

func (g *fetcher) run(ctx context.Context) error {
	if err := g.checkUnchanged(ctx); err != nil {
		return err
	}
	var err error
	path := g.download.File.Path
	g.handle, err = g.session.requestHandle(ctx, newMessage(msgOpen), func(m message) message {
		return m.text(path).uint32(openRead).uint32(0)
	})
	if err != nil {
		return err
	}
	defer g.session.closeHandle(ctx, g.handle)
	if err := g.copy(ctx); err != nil {
		return err
	}
	if err := g.checkEnd(ctx); err != nil {
		return err
	}
	return g.checkUnchanged(ctx)
}

// checkUnchanged looks whether the file is the version that was listed.
func (g *fetcher) checkUnchanged(ctx context.Context) error {
	f := g.download.File
	seen, err := g.session.lstat(ctx, f.Path)
	if err != nil {
		return err
	}
	if problem := seen.problem(); !problem.IsZero() {
		return g.changed(problem)
	}
	switch now := seen.toFile(f.Path); {
	case now.Size != f.Size:
		return g.changed(intray.NewMessage("sftp.changed_size", intray.Params{"size": now.Size, "before": f.Size}))
	case !now.SameVersion(f):
		return g.changed(intray.NewMessage("sftp.changed_time", intray.Params{"time": formatModified(now), "before": formatModified(f)}))
	}
	return nil
}

func formatModified(f File) string { return f.Modified.Format("2006-01-02 15:04:05Z") }

func (g *fetcher) changed(problem intray.Message) error {
	return &Error{Kind: Changed, Text: intray.NewMessage("sftp.file_changed", intray.Params{"server": g.session.address, "path": shown(g.download.File.Path), "problem": problem})}
}

func (g *fetcher) copy(ctx context.Context) error {
	w := g.session.startTimer(ctx)
	defer w.stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.requestAhead(); err != nil {
			return err
		}
		if len(g.pending) == 0 {
			return nil
		}
		if err := g.receiveChunk(); err != nil {
			return err
		}
		if err := g.flush(w); err != nil {
			return err
		}
	}
}

// requestAhead asks ahead.
func (g *fetcher) requestAhead() error {
	for len(g.pending) < inFlight && g.requested < g.download.File.Size {
		c := g.newChunk()
		c.offset, c.want, c.got = g.requested, int(min(chunkSize, g.download.File.Size-g.requested)), c.got[:0]
		if err := g.requestChunk(c); err != nil {
			return err
		}
		g.pending = append(g.pending, c)
		g.requested += int64(c.want)
	}
	return nil
}

func (g *fetcher) newChunk() *chunk {
	if n := len(g.free); n > 0 {
		c := g.free[n-1]
		g.free = g.free[:n-1]
		return c
	}
	return &chunk{got: make([]byte, 0, chunkSize)}
}

// requestChunk asks for what the chunk lacks.
func (g *fetcher) requestChunk(c *chunk) (err error) {
	have := len(c.got)
	c.id, err = g.sendRead(c.offset+int64(have), c.want-have)
	return err
}

func (g *fetcher) sendRead(at int64, bytes int) (uint32, error) {
	return g.session.send(newMessage(msgRead), func(m message) message {
		return m.text(g.handle).uint64(uint64(at)).uint32(uint32(bytes))
	})
}

// receiveChunk receives an answer. A server may give less than was asked for; the rest
// is asked for again.
func (g *fetcher) receiveChunk() error {
	got, err := g.session.next()
	if err != nil {
		return err
	}
	c := g.findChunk(got.id)
	if c == nil {
		return nil
	}
	if err := g.checkContent(got, c.want-len(c.got)); isEOF(err) {
		return g.changed(intray.NewMessage("sftp.file_ends_early", intray.Params{"size": g.download.File.Size}))
	} else if err != nil {
		return err
	}
	c.got = append(c.got, got.rest...)
	if len(c.got) < c.want {
		return g.requestChunk(c)
	}
	return nil
}

func (g *fetcher) findChunk(id uint32) *chunk {
	for _, c := range g.pending {
		if c.id == id {
			return c
		}
	}
	return nil
}

// checkContent leaves in the answer what it carries of the file: from one byte to as
// many as were asked for.
func (g *fetcher) checkContent(got answer, most int) error {
	if got.kind != msgBytes {
		return g.session.abortIfBroken(got.unexpected())
	}
	content := got.bytes()
	if got.short || len(content) < 1 || len(content) > most {
		return g.session.abort(protocolError("%d bytes of the file where 1 to %d were asked for", len(content), most))
	}
	got.rest = content
	return nil
}

// flush writes what is complete from the front.
func (g *fetcher) flush(w *answerTimer) error {
	for len(g.pending) > 0 && len(g.pending[0].got) == g.pending[0].want {
		c := g.pending[0]
		g.pending = append(g.pending[:0], g.pending[1:]...)
		w.pause()
		n, err := g.dst.Write(c.got)
		g.written += int64(n)
		if err == nil && n < len(c.got) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return &localError{fmt.Errorf("writing what was fetched of the file %q: %w", g.download.File.Path, err)}
		}
		g.free = append(g.free, c)
		w.restart()
	}
	return nil
}

// checkEnd asks for one byte more than there should be.
func (g *fetcher) checkEnd(ctx context.Context) error {
	w := g.session.startTimer(ctx)
	defer w.stop()
	id, err := g.sendRead(g.download.File.Size, 1)
	if err != nil {
		return err
	}
	got, err := g.session.receive(id)
	if err != nil {
		return err
	}
	err = g.checkContent(got, 1)
	if isEOF(err) {
		return nil
	}
	if err == nil {
		err = g.changed(intray.NewMessage("sftp.file_goes_on", intray.Params{"size": g.download.File.Size}))
	}
	return err
}

// isEOF tells whether the server said that there is no more.
func isEOF(err error) bool { return isStatus(err, statusEOF) }

func isMissing(err error) bool { return isStatus(err, statusNoSuchFile) }

func isStatus(err error, code uint32) bool {
	var status *statusError
	return errors.As(err, &status) && status.code == code
}
