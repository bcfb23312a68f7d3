package sftp

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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
// is gone.
//
// The directory is one that ValidDirectory accepts. The name holds no slash and
// no control character. An error of the reader is wrapped. A Lost or TimedOut
// error leaves open whether the file is there.
func (s *Session) Put(ctx context.Context, path, name string, from io.Reader) error {
	if err := ValidDirectory(path); err != nil {
		return &Error{Kind: BadPath, Text: intray.MessageOf(err)}
	}
	problem := nameProblem(name)
	if problem.IsZero() && IsPart(name) {
		problem = intray.NewMessage("sftp.name_of_unfinished_file", nil)
	}
	if !problem.IsZero() {
		return &Error{Kind: BadPath, Text: intray.NewMessage("sftp.invalid_name", intray.Params{"name": shown(name), "problem": problem})}
	}
	part, err := partName(name, s.cfg.Rand)
	if err != nil {
		return err
	}
	p := &putter{session: s, src: from, directory: path, part: joinPath(path, part), path: joinPath(path, name), pending: map[uint32]bool{}}
	return s.explain(ctx, writingFile(p.path), p.run(ctx))
}

// putter writes one file.
type putter struct {
	session               *Session
	src                   io.Reader
	directory, part, path string
	handle                string
	written               int64
	pending               map[uint32]bool // the writes without an answer
}

func (p *putter) run(ctx context.Context) error {
	var err error
	p.handle, err = p.session.requestHandle(ctx, newMessage(msgOpen), func(m message) message {
		return m.text(p.part).uint32(openWrite | openCreate | openExclusive).uint32(0)
	})
	if err != nil {
		return p.session.explain(ctx, writingToDirectory(p.directory), err)
	}
	if err = p.finish(ctx); err != nil {
		_, _ = p.session.requestAlways(ctx, newMessage(msgRemove), func(m message) message { return m.text(p.part) })
	}
	return err
}

func (p *putter) finish(ctx context.Context) error {
	err := p.copy(ctx)
	if err == nil {
		err = p.fsync(ctx)
	}
	if err != nil {
		p.session.closeHandle(ctx, p.handle)
		return err
	}
	// Some servers tell of a full disk only now.
	if err := p.session.requestStatus(ctx, newMessage(msgClose), func(m message) message { return m.text(p.handle) }); err != nil {
		return err
	}
	seen, err := p.session.lstat(ctx, p.part)
	if err != nil {
		return err
	}
	if seen.flags&hasSize != 0 && seen.size != uint64(p.written) {
		return &Error{Kind: Failed, Text: intray.NewMessage("sftp.not_all_written", intray.Params{"server": p.session.address, "size": strconv.FormatUint(seen.size, 10), "path": shown(p.path), "written": p.written})}
	}
	return p.rename(ctx)
}

func (p *putter) copy(ctx context.Context) error {
	w := p.session.startTimer(ctx)
	defer w.stop()
	buf := make([]byte, chunkSize)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.pause()
		n, err := io.ReadFull(p.src, buf)
		w.restart()
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
		id, err := p.session.send(newMessage(msgWrite), func(m message) message {
			return m.text(p.handle).uint64(uint64(p.written)).bytes(content)
		})
		if err != nil {
			return err
		}
		p.written += int64(len(content))
		p.pending[id] = true
	}
	for len(p.pending) >= inFlight || last && len(p.pending) > 0 {
		got, err := p.session.next()
		if err != nil {
			return err
		}
		if !p.pending[got.id] {
			continue // it is of an earlier call that gave up
		}
		delete(p.pending, got.id)
		if err := got.failure(); err != nil {
			return p.session.abortIfBroken(err)
		}
	}
	return nil
}

func (p *putter) fsync(ctx context.Context) error {
	if !p.session.extensions[extensionSync] {
		return nil
	}
	err := p.session.requestStatus(ctx, newMessage(msgExtended), func(m message) message {
		return m.text(extensionSync).text(p.handle)
	})
	if isStatus(err, statusUnsupported) {
		return nil
	}
	return err
}

func (p *putter) rename(ctx context.Context) error {
	if p.session.extensions[extensionRename] {
		err := p.session.requestStatus(ctx, newMessage(msgExtended), func(m message) message {
			return m.text(extensionRename).text(p.part).text(p.path)
		})
		if !isStatus(err, statusUnsupported) {
			return err
		}
	}
	// What a plain rename does with a file that is there differs from server to
	// server: it must not be asked.
	if _, err := p.session.lstat(ctx, p.path); err == nil {
		return &Error{Kind: Exists, Text: intray.NewMessage("sftp.file_exists", intray.Params{"server": p.session.address, "path": shown(p.path)})}
	} else if !isMissing(err) {
		return err
	}
	return p.session.requestStatus(ctx, newMessage(msgRename), func(m message) message {
		return m.text(p.part).text(p.path)
	})
}

// A part is a file that Put has not finished. It is named after what it is to
// become: ".orders.csv.intray-0123456789abcdef.part".
const (
	partMark   = ".intray-"
	partSuffix = ".part"
	partBytes  = 8
)

// maxPartName is the longest name that servers take, in bytes. A longer name
// stays out of the part's.
const maxPartName = 255

func partName(name string, random io.Reader) (string, error) {
	var number [partBytes]byte
	if _, err := io.ReadFull(random, number[:]); err != nil {
		return "", fmt.Errorf("naming an unfinished file: %w", err)
	}
	ending := partMark + hex.EncodeToString(number[:]) + partSuffix
	if 1+len(name)+len(ending) > maxPartName {
		name = ""
	}
	return "." + name + ending, nil
}

// IsPart tells whether this is the name of a file that a Put of this program
// began and did not finish.
func IsPart(name string) bool {
	rest, ends := strings.CutSuffix(name, partSuffix)
	at := strings.LastIndex(rest, partMark)
	if !ends || at < 0 || name[0] != '.' {
		return false
	}
	number := rest[at+len(partMark):]
	_, err := hex.DecodeString(number)
	return err == nil && len(number) == 2*partBytes && number == strings.ToLower(number)
}
