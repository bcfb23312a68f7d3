package sftp_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/sftp"
)

// These are the SFTP packet types that the tests use.
const (
	opOpen     = 3
	opClose    = 4
	opRead     = 5
	opWrite    = 6
	opLstat    = 7
	opOpendir  = 11
	opReaddir  = 12
	opRemove   = 13
	opRename   = 18
	opExtended = 200
)

// fakeFS serves one directory with one file, packet by packet. replies maps types
// of requests to replies that replace the correct response.
type fakeFS struct {
	content    string
	entries    []byte // the entries of one NAME packet, after their count
	mode       uint32 // the mode of the file; 0 means regular
	extensions []string
	replies    map[byte]reply

	mu       sync.Mutex
	requests []byte // the types of all requests
}

// fakeServer serves one connection to a fakeFS.
type fakeServer struct {
	*fakeFS
	ssh.Channel
	lookups int
	listed  bool
}

// serve serves a channel. It is an argument for serveSSH.
func (f *fakeFS) serve(c ssh.Channel) {
	s := &fakeServer{fakeFS: f, Channel: c}
	for {
		var head [4]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(c, body); err != nil {
			return
		}
		if body[0] == 1 {
			version := "\x02" + u32(3)
			for _, name := range f.extensions {
				version += str(name) + str("1")
			}
			_, _ = io.WriteString(c, packet(uint32(len(version)), version))
			continue
		}
		f.mu.Lock()
		f.requests = append(f.requests, body[0])
		replied := f.replies[body[0]]
		f.mu.Unlock()
		id := binary.BigEndian.Uint32(body[1:])
		if replied != nil {
			replied(s, id, body[5:])
			continue
		}
		s.answer(body[0], id, body[5:])
	}
}

func (s *fakeServer) answer(kind byte, id uint32, body []byte) {
	switch kind {
	case 16:
		s.send(104, id, u32(1)+entry("/", u32(0)))
	case opOpen, opOpendir:
		s.listed = false
		s.send(102, id, str("handle"))
	case opReaddir:
		if s.listed {
			s.status(id, 1)
			return
		}
		s.listed = true
		s.send(104, id, string(s.entries))
	case opLstat:
		s.send(105, id, s.attrs())
	case opRead:
		s.read(id, body)
	default:
		s.status(id, 0)
	}
}

func (s *fakeServer) read(id uint32, body []byte) {
	at := binary.BigEndian.Uint64(body[4+len("handle"):])
	want := uint64(binary.BigEndian.Uint32(body[12+len("handle"):]))
	size := uint64(len(s.content))
	if at >= size {
		s.status(id, 1)
		return
	}
	s.send(103, id, str(s.content[at:min(at+want, size)]))
}

func (s *fakeServer) send(kind byte, id uint32, rest string) {
	_, _ = io.WriteString(s, packet(uint32(5+len(rest)), string([]byte{kind})+u32(id)+rest))
}

func (s *fakeServer) status(id, code uint32) {
	s.send(101, id, u32(code)+str("evil words")+str("en"))
}

func (f *fakeFS) attrs() string {
	mode := f.mode
	if mode == 0 {
		mode = 0o100644
	}
	return fileAttrs(uint64(len(f.content)), mode, 1_700_000_000)
}

func (f *fakeFS) setReplies(replies map[byte]reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies = replies
}

// count returns the number of received requests of a type.
func (f *fakeFS) count(kind byte) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Count(f.requests, []byte{kind})
}

func (f *fakeFS) connect(t testing.TB, cfg sftp.Config) *sftp.Session {
	t.Helper()
	key, _ := newKey(t, "ed25519")
	return connect(t, listen(t, serveSSH(withPassword(key), f.serve)), cfg)
}

type reply = func(s *fakeServer, id uint32, body []byte)

// replyWith returns a reply that sends a fixed packet.
func replyWith(kind byte, rest string) reply {
	return func(s *fakeServer, id uint32, _ []byte) { s.send(kind, id, rest) }
}

func replyStatus(code uint32) reply {
	return func(s *fakeServer, id uint32, _ []byte) { s.status(id, code) }
}

func replyRaw(text string) reply {
	return func(s *fakeServer, _ uint32, _ []byte) { _, _ = io.WriteString(s, text) }
}

func silent(*fakeServer, uint32, []byte) {}

func hangUp(s *fakeServer, _ uint32, _ []byte) { _ = s.Close() }

// replyOnce returns a reply that calls one function for the first request, and another function
// for all later ones.
func replyOnce(first, then reply) reply {
	return func(s *fakeServer, id uint32, body []byte) {
		if s.lookups++; s.lookups == 1 {
			first(s, id, body)
			return
		}
		then(s, id, body)
	}
}

func u32(n uint32) string { return string(binary.BigEndian.AppendUint32(nil, n)) }

func u64(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

func str(s string) string { return u32(uint32(len(s))) + s }

// packet returns a length field followed by rest.
func packet(length uint32, rest string) string {
	return string(binary.BigEndian.AppendUint32(nil, length)) + rest
}

// fileAttrs encodes the size, mode and times of a file.
func fileAttrs(size uint64, mode, modified uint32) string {
	return u32(0x1|0x4|0x8) + u64(size) + u32(mode) + u32(modified) + u32(modified)
}

func entry(name, attrs string) string { return str(name) + str("-rw-r--r-- "+name) + attrs }

// names encodes the entries of a listing of regular files.
func names(list ...string) []byte {
	text := u32(uint32(len(list)))
	for _, name := range list {
		text += entry(name, fileAttrs(3, 0o100644, 1_700_000_000))
	}
	return []byte(text)
}

func manyNames(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = "extension" + strconv.Itoa(i)
	}
	return list
}

// repeat writes the text repeatedly until the client closes the connection.
func repeat(w io.Writer, text string) {
	block := []byte(strings.Repeat(text, 1+32_000/len(text)))
	for {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func list(s *sftp.Session) error {
	_, err := s.List(context.Background(), "/in", sftp.Pattern{}, 1000)
	return err
}

// listed returns the file of a fakeFS as List returns it.
func listed(size int64) sftp.File {
	return sftp.File{Path: "/in/a.csv", Size: size, Modified: time.Unix(1_700_000_000, 0).UTC()}
}

func fetch(s *sftp.Session) error {
	_, err := s.Fetch(context.Background(), sftp.Download{File: listed(3)}, io.Discard)
	return err
}

func uploadABC(s *sftp.Session) error {
	return s.Upload(context.Background(), "/out", "a.csv", strings.NewReader("abc"))
}
