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

// scriptedChannel is a server that sends fixed bytes and ignores requests.
type scriptedChannel struct {
	ssh.Channel
	sent io.Reader
}

func (c *scriptedChannel) Read(p []byte) (int, error)  { return c.sent.Read(p) }
func (c *scriptedChannel) Write(p []byte) (int, error) { return len(p), nil }

func scriptedSession(sent []byte) *Session {
	near, far := net.Pipe()
	_ = far.Close()
	s := newSession(&attempt{cfg: New(nil, Config{}).cfg, hostKey: &hostKeyPin{}, address: "test"}, near, nil)
	s.channel = &scriptedChannel{sent: bytes.NewReader(sent)}
	return s
}

// FuzzResponses sends arbitrary bytes in response to every call. Each call must end
// with an *Error or with a result that is safe to use.
func FuzzResponses(f *testing.F) {
	status := newRequest(msgStatus).uint32(statusEOF).finish(1)
	handle := newRequest(msgHandle).string("h").finish(1)
	attrs := newRequest(msgAttrs).uint32(hasSize | hasMode | hasTimes).uint64(3).uint32(modeRegular).uint64(0).finish(1)
	name := newRequest(msgName).uint32(1).string("a").string("-").uint32(hasMode).uint32(modeRegular).finish(2)
	for _, sent := range [][]byte{status, handle, attrs, name, bytes.Join([][]byte{handle, name, status}, nil)} {
		f.Add(sent)
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		ctx := context.Background()
		listing, err := scriptedSession(sent).List(ctx, "/in", Pattern{}, 10)
		checkFuzzed(t, err)
		for _, f := range listing.Files {
			if !nameProblem(f.Name()).IsZero() || f.Size < 0 {
				t.Errorf("the listing contains %+v", f)
			}
		}
		var got bytes.Buffer
		n, err := scriptedSession(sent).Fetch(ctx, Download{File: File{Path: "/in/a", Size: 3}}, &got)
		checkFuzzed(t, err)
		if n != int64(got.Len()) || n > 3 || err == nil && n != 3 {
			t.Errorf("%d bytes were fetched, %d written, %v", n, got.Len(), err)
		}
		err = scriptedSession(sent).Upload(ctx, "/in", "a", strings.NewReader("abc"))
		checkFuzzed(t, err)
		s := scriptedSession(sent)
		_ = s.negotiateVersion()
		if len(s.extensions) > maxExtensions {
			t.Errorf("%d extensions are kept", len(s.extensions))
		}
	})
}

func checkFuzzed(t *testing.T, err error) {
	var known *Error
	if err != nil && (!errors.As(err, &known) || !strings.Contains(err.Error(), "test")) {
		t.Errorf("the error is %v", err)
	}
}
