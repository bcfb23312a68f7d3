package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/intraydata/intray"
)

// The extensions of OpenSSH that Put uses where they are.
const (
	extensionRename = "posix-rename@openssh.com"
	extensionSync   = "fsync@openssh.com"
)

// Put writes a file: to a part beside it, which is then given the name. Readers
// on the server see the whole file or none of it. A file of that name is
// replaced where the server can do that in one step (OpenSSH and most others
// can); elsewhere it is an Exists error. Where the server can, the content is
// made durable first. On any failure the part is removed, unless the connection
// is gone: see Listing.Parts.
//
// The directory is one that ValidDirectory accepts. The name holds no slash and
// no control character. An error of the reader is wrapped. A Lost or TimedOut
// error leaves open whether the file is there.
func (s *Session) Put(ctx context.Context, path, name string, from io.Reader) (File, error) {
	if err := ValidDirectory(path); err != nil {
		return File{}, &Error{Kind: BadPath, Text: intray.MessageOf(err)}
	}
	problem := badName(name)
	if problem.IsZero() && IsPart(name) {
		problem = intray.NewMessage("sftp.name_of_unfinished_file", nil)
	}
	if !problem.IsZero() {
		return File{}, &Error{Kind: BadPath, Text: intray.NewMessage("sftp.invalid_name", intray.Params{"name": shown(name), "problem": problem})}
	}
	part, err := partName(name, s.cfg.Rand)
	if err != nil {
		return File{}, err
	}
	p := &putter{s: s, from: from, directory: path, part: within(path, part), path: within(path, name), flight: map[uint32]bool{}}
	f, err := p.run(ctx)
	return f, s.explain(ctx, writingFile(p.path), err)
}

// putter writes one file.
type putter struct {
	s                     *Session
	from                  io.Reader
	directory, part, path string
	handle                string
	written               int64
	flight                map[uint32]bool // the writes without an answer
}

func (p *putter) run(ctx context.Context) (File, error) {
	var err error
	p.handle, err = p.s.askHandle(ctx, newMessage(msgOpen), func(m message) message {
		return m.text(p.part).uint32(openWrite | openCreate | openExclusive).uint32(0)
	})
	if err != nil {
		return File{}, p.s.explain(ctx, writingToDirectory(p.directory), err)
	}
	f, err := p.finish(ctx)
	if err != nil {
		_, _ = p.s.insist(ctx, newMessage(msgRemove), func(m message) message { return m.text(p.part) })
		return File{}, err
	}
	return f, nil
}

func (p *putter) finish(ctx context.Context) (File, error) {
	err := p.copy(ctx)
	if err == nil {
		err = p.sync(ctx)
	}
	if err != nil {
		p.s.letGo(ctx, p.handle)
		return File{}, err
	}
	// Some servers tell of a full disk only now.
	if err := p.s.askStatus(ctx, newMessage(msgClose), func(m message) message { return m.text(p.handle) }); err != nil {
		return File{}, err
	}
	seen, err := p.s.look(ctx, p.part)
	if err != nil {
		return File{}, err
	}
	if seen.flags&hasSize != 0 && seen.size != uint64(p.written) {
		return File{}, &Error{Kind: Failed, Text: intray.NewMessage("sftp.not_all_written", intray.Params{"server": p.s.address, "size": strconv.FormatUint(seen.size, 10), "path": shown(p.path), "written": p.written})}
	}
	if err := p.rename(ctx); err != nil {
		return File{}, err
	}
	f := seen.file(p.path)
	f.Size = p.written
	return f, nil
}

func (p *putter) copy(ctx context.Context) error {
	w := p.s.watch(ctx)
	defer w.stop()
	buf := make([]byte, chunkSize)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.rest()
		n, err := io.ReadFull(p.from, buf)
		w.rewind()
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return &localError{fmt.Errorf("reading what is to be written to the file %q: %w", p.path, err)}
		}
		if err := p.write(buf[:n], ended); err != nil {
			return err
		}
		if ended {
			return nil
		}
	}
}

// write sends some content, and hears what became of what was sent before.
func (p *putter) write(content []byte, last bool) error {
	if len(content) > 0 {
		id, err := p.s.send(newMessage(msgWrite), func(m message) message {
			return m.text(p.handle).uint64(uint64(p.written)).bytes(content)
		})
		if err != nil {
			return err
		}
		p.written += int64(len(content))
		p.flight[id] = true
	}
	for len(p.flight) >= inFlight || last && len(p.flight) > 0 {
		got, err := p.s.next()
		if err != nil {
			return err
		}
		if !p.flight[got.id] {
			continue // it is of an earlier call that gave up
		}
		delete(p.flight, got.id)
		if err := got.failure(); err != nil {
			return p.s.heed(err)
		}
	}
	return nil
}

func (p *putter) sync(ctx context.Context) error {
	if !p.s.extensions[extensionSync] {
		return nil
	}
	err := p.s.askStatus(ctx, newMessage(msgExtended), func(m message) message {
		return m.text(extensionSync).text(p.handle)
	})
	if isStatus(err, statusUnsupported) {
		return nil
	}
	return err
}

func (p *putter) rename(ctx context.Context) error {
	if p.s.extensions[extensionRename] {
		err := p.s.askStatus(ctx, newMessage(msgExtended), func(m message) message {
			return m.text(extensionRename).text(p.part).text(p.path)
		})
		if !isStatus(err, statusUnsupported) {
			return err
		}
	}
	// What a plain rename does with a file that is there differs from server to
	// server: it must not be asked.
	if _, err := p.s.look(ctx, p.path); err == nil {
		return &Error{Kind: Exists, Text: intray.NewMessage("sftp.file_exists", intray.Params{"server": p.s.address, "path": shown(p.path)})}
	} else if !isMissing(err) {
		return err
	}
	return p.s.askStatus(ctx, newMessage(msgRename), func(m message) message {
		return m.text(p.part).text(p.path)
	})
}
