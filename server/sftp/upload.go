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

// These are the OpenSSH extensions that Upload uses if the server supports them.
const (
	extensionRename = "posix-rename@openssh.com"
	extensionSync   = "fsync@openssh.com"
)

// Upload writes a file under a temporary name and renames it, so that readers on the server see
// either the complete file or none. It replaces an existing file if the server can do so in one
// step, as OpenSSH and most other servers can. Otherwise it returns an Exists error. If the
// server supports it, Upload makes the content durable before it renames the file. If Upload
// fails, it removes the temporary file, unless the connection is lost.
//
// The directory must satisfy ValidDirectory. The name must not contain a slash or a control
// character. Errors from the reader are wrapped. After a Lost or TimedOut error, the file may
// exist on the server.
func (s *Session) Upload(ctx context.Context, directory, name string, from io.Reader) error {
	if err := ValidDirectory(directory); err != nil {
		return &Error{Kind: BadPath, Text: intray.MessageOf(err)}
	}
	problem := nameProblem(name)
	if problem.IsZero() && IsPartial(name) {
		problem = intray.NewMessage("sftp.name_of_unfinished_file", nil)
	}
	if !problem.IsZero() {
		return &Error{Kind: BadPath, Text: intray.NewMessage("sftp.invalid_name", intray.Params{"name": shown(name), "problem": problem})}
	}
	temporary, err := partialName(name, s.cfg.Rand)
	if err != nil {
		return err
	}
	u := &uploader{session: s, src: from, directory: directory, temporary: joinPath(directory, temporary), path: joinPath(directory, name), pending: map[uint32]bool{}}
	return s.explain(ctx, writingFile(u.path), u.run(ctx))
}

// uploader writes one file.
type uploader struct {
	session                    *Session
	src                        io.Reader
	directory, temporary, path string
	handle                     string
	written                    int64
	pending                    map[uint32]bool // ids of write requests without a response
}

func (u *uploader) run(ctx context.Context) error {
	s := u.session
	var err error
	u.handle, err = s.requestHandle(ctx, newRequest(msgOpen).string(u.temporary).uint32(openWrite|openCreate|openExclusive).uint32(0))
	if err != nil {
		return s.explain(ctx, writingToDirectory(u.directory), err)
	}
	if err = u.copy(ctx); err == nil {
		err = u.sync(ctx)
	}
	if err != nil {
		s.closeHandle(ctx, u.handle)
	} else {
		// Some servers report a full disk only when the file is closed.
		_, err = s.request(ctx, newRequest(msgClose).string(u.handle), msgStatus)
	}
	if err == nil {
		err = u.checkSize(ctx)
	}
	if err == nil {
		err = u.rename(ctx)
	}
	if err != nil {
		_, _ = s.requestAlways(ctx, newRequest(msgRemove).string(u.temporary), msgStatus)
	}
	return err
}

func (u *uploader) copy(ctx context.Context) error {
	w := u.session.startWatchdog(ctx)
	defer w.stop()
	buf := make([]byte, chunkSize)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.pause()
		n, err := io.ReadFull(u.src, buf)
		w.restart()
		ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !ended {
			return &localError{fmt.Errorf("read the content of the file %q: %w", u.path, err)}
		}
		if err := u.write(buf[:n], ended); err != nil {
			return err
		}
		if ended {
			return nil
		}
	}
}

// write sends content and receives responses to earlier writes. After the last content, it
// receives all responses; otherwise, it receives only as many as are needed to make room for the
// next write.
func (u *uploader) write(content []byte, last bool) error {
	if len(content) > 0 {
		id, err := u.session.send(newRequest(msgWrite).string(u.handle).uint64(uint64(u.written)).bytes(content))
		if err != nil {
			return err
		}
		u.written += int64(len(content))
		u.pending[id] = true
	}
	for len(u.pending) >= inFlight || last && len(u.pending) > 0 {
		got, err := u.session.next()
		if err != nil {
			return err
		}
		if !u.pending[got.id] {
			continue // a response to a call that ended early
		}
		delete(u.pending, got.id)
		if err := u.session.check(&got, msgStatus); err != nil {
			return err
		}
	}
	return nil
}

func (u *uploader) sync(ctx context.Context) error {
	if !u.session.extensions[extensionSync] {
		return nil
	}
	_, err := u.session.request(ctx, newRequest(msgExtended).string(extensionSync).string(u.handle), msgStatus)
	if isStatus(err, statusUnsupported) {
		return nil
	}
	return err
}

func (u *uploader) checkSize(ctx context.Context) error {
	found, err := u.session.lstat(ctx, u.temporary)
	if err != nil {
		return err
	}
	if found.flags&hasSize != 0 && found.size != uint64(u.written) {
		return &Error{Kind: Failed, Text: intray.NewMessage("sftp.not_all_written", intray.Params{"server": u.session.address, "size": strconv.FormatUint(found.size, 10), "path": shown(u.path), "written": u.written})}
	}
	return nil
}

func (u *uploader) rename(ctx context.Context) error {
	s := u.session
	if s.extensions[extensionRename] {
		_, err := s.request(ctx, newRequest(msgExtended).string(extensionRename).string(u.temporary).string(u.path), msgStatus)
		if !isStatus(err, statusUnsupported) {
			return err
		}
	}
	// Servers differ in what a plain rename does to an existing file.
	if _, err := s.lstat(ctx, u.path); err == nil {
		return &Error{Kind: Exists, Text: intray.NewMessage("sftp.file_exists", intray.Params{"server": s.address, "path": shown(u.path)})}
	} else if !isMissing(err) {
		return err
	}
	_, err := s.request(ctx, newRequest(msgRename).string(u.temporary).string(u.path), msgStatus)
	return err
}

// A partial file is one that Upload has not finished. Its temporary name normally contains the
// final name, for example ".orders.csv.intray-0123456789abcdef.part".
const (
	partialMark   = ".intray-"
	partialSuffix = ".part"
	partialBytes  = 8
	// maxPartialName is the maximum length of a temporary name, in bytes. Most servers accept
	// this length. If a temporary name would be longer, it does not contain the final name.
	maxPartialName = 255
)

func partialName(name string, random io.Reader) (string, error) {
	var number [partialBytes]byte
	if _, err := io.ReadFull(random, number[:]); err != nil {
		return "", fmt.Errorf("choose a temporary file name: %w", err)
	}
	ending := partialMark + hex.EncodeToString(number[:]) + partialSuffix
	if 1+len(name)+len(ending) > maxPartialName {
		name = ""
	}
	return "." + name + ending, nil
}

// IsPartial reports whether name is the temporary name of a file that Upload has not finished.
func IsPartial(name string) bool {
	rest, hasSuffix := strings.CutSuffix(name, partialSuffix)
	at := strings.LastIndex(rest, partialMark)
	if !hasSuffix || at < 0 || name[0] != '.' {
		return false
	}
	number := rest[at+len(partialMark):]
	_, err := hex.DecodeString(number)
	return err == nil && len(number) == 2*partialBytes && number == strings.ToLower(number)
}
