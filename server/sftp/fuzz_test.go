package sftp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// script is a server that says what it has to say, whatever it is asked.
type script struct {
	ssh.Channel
	said io.Reader
}

func (s *script) Read(p []byte) (int, error)  { return s.said.Read(p) }
func (s *script) Write(p []byte) (int, error) { return len(p), nil }

func scripted(said []byte) *Session {
	near, far := net.Pipe()
	_ = far.Close()
	s := newSession(&attempt{cfg: Config{}.withDefaults(), hostKey: &hostKeyPin{}, address: "test"}, near, nil)
	s.files = &script{said: bytes.NewReader(said)}
	return s
}

// FuzzAnswers lets a server say anything to every call: each ends, with an error
// that says so to a person or with something that is safe to use.
func FuzzAnswers(f *testing.F) {
	status := newMessage(msgStatus).uint32(1).uint32(statusEOF).done()
	handle := newMessage(msgHandle).uint32(1).text("h").done()
	attrs := newMessage(msgAttrs).uint32(1).uint32(hasSize | hasMode | hasTimes).uint64(3).uint32(modeRegular).uint64(0).done()
	name := newMessage(msgName).uint32(2).uint32(1).text("a").text("-").uint32(hasMode).uint32(modeRegular).done()
	for _, said := range [][]byte{status, handle, attrs, name, bytes.Join([][]byte{handle, name, status}, nil)} {
		f.Add(said)
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		ctx := context.Background()
		listing, err := scripted(said).List(ctx, "/in", Pattern{}, 10)
		checkFuzzed(t, err)
		for _, f := range listing.Files {
			if !nameProblem(f.Name()).IsZero() || f.Size < 0 {
				t.Errorf("the listing has %+v", f)
			}
		}
		var got bytes.Buffer
		n, err := scripted(said).Fetch(ctx, Download{File: File{Path: "/in/a", Size: 3}}, &got)
		checkFuzzed(t, err)
		if n != int64(got.Len()) || n > 3 || err == nil && n != 3 {
			t.Errorf("%d bytes were fetched, %d written, %v", n, got.Len(), err)
		}
		err = scripted(said).Put(ctx, "/in", "a", strings.NewReader("abc"))
		checkFuzzed(t, err)
		s := scripted(said)
		_ = s.negotiateVersion()
		if len(s.extensions) > maxExtensions {
			t.Errorf("%d extensions are kept", len(s.extensions))
		}
	})
}

func checkFuzzed(t *testing.T, err error) {
	var known *Error
	if err != nil && (!errors.As(err, &known) || !strings.HasPrefix(err.Error(), "test")) {
		t.Errorf("the error is %v", err)
	}
}
