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
	// Progress is told how far into the file things are, after each write. It
	// can be nil.
	Progress func(done int64)
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
	g := &fetcher{s: s, d: d, to: to, asked: d.Offset, written: d.Offset}
	err := g.run(ctx)
	return g.written - d.Offset, s.explain(ctx, readingFile(f.Path), err)
}

// fetcher fetches one file.
type fetcher struct {
	s       *Session
	d       Download
	to      io.Writer
	handle  string
	flight  []*chunk // what was asked for, in the order of the file
	spare   []*chunk
	asked   int64
	written int64
}

// chunk is a piece of the file.
type chunk struct {
	id   uint32 // of the request for what is still missing
	at   int64
	want int
	got  []byte
}

func (g *fetcher) run(ctx context.Context) error {
	if err := g.check(ctx); err != nil {
		return err
	}
	var err error
	path := g.d.File.Path
	g.handle, err = g.s.askHandle(ctx, newMessage(msgOpen), func(m message) message {
		return m.text(path).uint32(openRead).uint32(0)
	})
	if err != nil {
		return err
	}
	defer g.s.letGo(ctx, g.handle)
	if err := g.copy(ctx); err != nil {
		return err
	}
	if err := g.end(ctx); err != nil {
		return err
	}
	return g.check(ctx)
}

// check looks whether the file is the version that was listed.
func (g *fetcher) check(ctx context.Context) error {
	f := g.d.File
	seen, err := g.s.look(ctx, f.Path)
	if err != nil {
		return err
	}
	if problem := seen.problem(); !problem.IsZero() {
		return g.changed(problem)
	}
	switch now := seen.file(f.Path); {
	case now.Size != f.Size:
		return g.changed(intray.NewMessage("sftp.changed_size", intray.Params{"size": now.Size, "before": f.Size}))
	case !now.Same(f):
		return g.changed(intray.NewMessage("sftp.changed_time", intray.Params{"time": clock(now), "before": clock(f)}))
	}
	return nil
}

func clock(f File) string { return f.Modified.Format("2006-01-02 15:04:05Z") }

func (g *fetcher) changed(problem intray.Message) error {
	return &Error{Kind: Changed, Text: intray.NewMessage("sftp.file_changed", intray.Params{"server": g.s.address, "path": shown(g.d.File.Path), "problem": problem})}
}

func (g *fetcher) copy(ctx context.Context) error {
	w := g.s.watch(ctx)
	defer w.stop()
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.fill(); err != nil {
			return err
		}
		if len(g.flight) == 0 {
			return nil
		}
		if err := g.take(); err != nil {
			return err
		}
		if err := g.flush(w); err != nil {
			return err
		}
	}
}

// fill asks ahead.
func (g *fetcher) fill() error {
	for len(g.flight) < inFlight && g.asked < g.d.File.Size {
		c := g.fresh()
		c.at, c.want, c.got = g.asked, int(min(chunkSize, g.d.File.Size-g.asked)), c.got[:0]
		if err := g.ask(c); err != nil {
			return err
		}
		g.flight = append(g.flight, c)
		g.asked += int64(c.want)
	}
	return nil
}

func (g *fetcher) fresh() *chunk {
	if n := len(g.spare); n > 0 {
		c := g.spare[n-1]
		g.spare = g.spare[:n-1]
		return c
	}
	return &chunk{got: make([]byte, 0, chunkSize)}
}

// ask asks for what the chunk lacks.
func (g *fetcher) ask(c *chunk) (err error) {
	have := len(c.got)
	c.id, err = g.read(c.at+int64(have), c.want-have)
	return err
}

func (g *fetcher) read(at int64, bytes int) (uint32, error) {
	return g.s.send(newMessage(msgRead), func(m message) message {
		return m.text(g.handle).uint64(uint64(at)).uint32(uint32(bytes))
	})
}

// take receives an answer. A server may give less than was asked for; the rest
// is asked for again.
func (g *fetcher) take() error {
	got, err := g.s.next()
	if err != nil {
		return err
	}
	c := g.chunk(got.id)
	if c == nil {
		return nil
	}
	if err := g.content(got, c.want-len(c.got)); isEnd(err) {
		return g.changed(intray.NewMessage("sftp.file_ends_early", intray.Params{"size": g.d.File.Size}))
	} else if err != nil {
		return err
	}
	c.got = append(c.got, got.rest...)
	if len(c.got) < c.want {
		return g.ask(c)
	}
	return nil
}

func (g *fetcher) chunk(id uint32) *chunk {
	for _, c := range g.flight {
		if c.id == id {
			return c
		}
	}
	return nil
}

// content leaves in the answer what it carries of the file: from one byte to as
// many as were asked for.
func (g *fetcher) content(got answer, most int) error {
	if got.kind != msgBytes {
		return g.s.heed(got.unexpected())
	}
	content := got.bytes()
	if got.short || len(content) < 1 || len(content) > most {
		return g.s.fall(broken("%d bytes of the file where 1 to %d were asked for", len(content), most))
	}
	got.rest = content
	return nil
}

// flush writes what is complete from the front.
func (g *fetcher) flush(w *watch) error {
	for len(g.flight) > 0 && len(g.flight[0].got) == g.flight[0].want {
		c := g.flight[0]
		g.flight = append(g.flight[:0], g.flight[1:]...)
		w.rest()
		n, err := g.to.Write(c.got)
		g.written += int64(n)
		if err == nil && n < len(c.got) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return &localError{fmt.Errorf("writing what was fetched of the file %q: %w", g.d.File.Path, err)}
		}
		if g.d.Progress != nil {
			g.d.Progress(g.written)
		}
		g.spare = append(g.spare, c)
		w.rewind()
	}
	return nil
}

// end asks for one byte more than there should be.
func (g *fetcher) end(ctx context.Context) error {
	w := g.s.watch(ctx)
	defer w.stop()
	id, err := g.read(g.d.File.Size, 1)
	if err != nil {
		return err
	}
	got, err := g.s.receive(id)
	if err != nil {
		return err
	}
	err = g.content(got, 1)
	if isEnd(err) {
		return nil
	}
	if err == nil {
		err = g.changed(intray.NewMessage("sftp.file_goes_on", intray.Params{"size": g.d.File.Size}))
	}
	return err
}

// isEnd tells whether the server said that there is no more.
func isEnd(err error) bool { return isStatus(err, statusEOF) }

func isMissing(err error) bool { return isStatus(err, statusNoSuchFile) }

func isStatus(err error, code uint32) bool {
	var status *statusError
	return errors.As(err, &status) && status.code == code
}
