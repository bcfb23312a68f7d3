package sftp_test

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/sftp"
)

// repeat sends the text until the client hangs up.
func repeat(w io.Writer, text string) {
	block := []byte(strings.Repeat(text, 1+32_000/len(text)))
	for {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
}

func hello(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		drain(c)
	}
}

// packet frames a message in the clear, as before the exchange of keys.
func packet(length uint32, rest string) string {
	return string(binary.BigEndian.AppendUint32(nil, length)) + rest
}

func TestEvilBeforeLogin(t *testing.T) {
	const greeting = "SSH-2.0-evil\r\n"
	cases := map[string]struct {
		serve func(net.Conn)
		kind  sftp.Kind
		want  string
	}{
		"hangs after accept":      {drain0, sftp.TimedOut, "time ran out while greeting it"},
		"hangs after greeting":    {hello(greeting), sftp.TimedOut, "time ran out"},
		"closes at once":          {func(net.Conn) {}, sftp.NotSFTP, "does not speak SSH"},
		"closes after greeting":   {func(c net.Conn) { _, _ = io.WriteString(c, greeting) }, sftp.NotSFTP, "does not speak SSH"},
		"speaks HTTP":             {hello("HTTP/1.1 400 evil\r\n\r\n"), sftp.TimedOut, "time ran out"},
		"speaks HTTP and closes":  {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 evil\r\n\r\n") }, sftp.NotSFTP, "does not speak SSH"},
		"random bytes":            {func(c net.Conn) { _, _ = io.CopyN(c, rand.Reader, 1<<20) }, sftp.NotSFTP, "does not speak SSH"},
		"endless line":            {func(c net.Conn) { repeat(c, "evil") }, sftp.NotSFTP, "does not speak SSH"},
		"endless lines":           {func(c net.Conn) { repeat(c, "evil\r\n") }, sftp.NotSFTP, "does not speak SSH"},
		"endless empty lines":     {func(c net.Conn) { repeat(c, "\n") }, sftp.NotSFTP, "does not speak SSH"},
		"old protocol":            {hello("SSH-1.5-evil\r\n"), sftp.TimedOut, "time ran out"},
		"huge packet length":      {hello(greeting + packet(0xffffffff, strings.Repeat("x", 100))), sftp.NotSFTP, "does not speak SSH"},
		"long packet length":      {hello(greeting + packet(0x7fffffff, strings.Repeat("x", 100))), sftp.NotSFTP, "does not speak SSH"},
		"packet of no length":     {hello(greeting + packet(0, strings.Repeat("x", 100))), sftp.NotSFTP, "does not speak SSH"},
		"endless ignored packets": {func(c net.Conn) { ignored(c, greeting) }, sftp.NotSFTP, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := patience(c.kind, time.Second/2).Test(context.Background(), listen(t, c.serve))
			wantError(t, err, c.kind, c.want, "127.0.0.1:")
		})
	}
}

// patience waits long where the server is to be caught, so that a busy machine
// does no harm, and short where time is to run out.
func patience(kind sftp.Kind, short time.Duration) *sftp.Client {
	if kind == sftp.TimedOut {
		return client(short)
	}
	return client(0)
}

func drain0(c net.Conn) { drain(c) }

// ignored sends SSH_MSG_IGNORE, which a client must read past, for ever.
func ignored(c net.Conn, greeting string) {
	_, _ = io.WriteString(c, greeting)
	const padding = 4
	payload := "\x02" + "\x00\x00\x07\xd0" + strings.Repeat("e", 2000)
	fill := 8 - (5+len(payload)+padding)%8 + padding
	repeat(c, packet(uint32(1+len(payload)+fill), string([]byte{byte(fill)})+payload+strings.Repeat("p", fill)))
}

func TestEvilAtLogin(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	cases := map[string]struct {
		change func(*ssh.ServerConfig)
		kind   sftp.Kind
		want   string
	}{
		"endless banner": {func(cfg *ssh.ServerConfig) {
			cfg.PreAuthConnCallback = func(c ssh.ServerPreAuthConn) {
				for c.SendAuthBanner(strings.Repeat("evil ", 5_000)) == nil {
				}
			}
		}, sftp.NotSFTP, "more than 4 MiB"},
		"endless questions": {func(cfg *ssh.ServerConfig) {
			cfg.PasswordCallback = nil
			cfg.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
				for {
					if _, err := ask("evil", strings.Repeat("evil ", 1_000), nil, nil); err != nil {
						return nil, err
					}
				}
			}
		}, sftp.NotSFTP, "more than 4 MiB"},
		"no way to log in": {func(cfg *ssh.ServerConfig) {
			cfg.PasswordCallback = nil
			cfg.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, errors.New("evil") }
		}, sftp.Denied, `user "anna"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := withPassword(key)
			c.change(cfg)
			_, err := client(0).Test(context.Background(), listen(t, serveSSH(cfg, honest)))
			wantError(t, err, c.kind, c.want)
		})
	}
}

func TestEvilAfterLogin(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	version := packet(5, "\x02\x00\x00\x00\x03")
	say := func(text string) func(ssh.Channel) {
		return func(c ssh.Channel) {
			_, _ = io.WriteString(c, text)
			drain(c)
		}
	}
	cases := map[string]struct {
		files func(ssh.Channel)
		kind  sftp.Kind
		want  string
	}{
		"no SFTP":            {nil, sftp.NotSFTP, "does not offer SFTP to this user"},
		"hangs":              {func(c ssh.Channel) { drain(c) }, sftp.TimedOut, "time ran out while opening SFTP"},
		"hangs later":        {say(version), sftp.TimedOut, "time ran out while opening SFTP"},
		"closes":             {func(c ssh.Channel) { _ = c.Close() }, sftp.NotSFTP, "does not offer SFTP"},
		"a shell's greeting": {say("evil account is disabled\n"), sftp.NotSFTP, "does not offer SFTP"},
		"huge packet":        {say(packet(0xffffffff, "evil")), sftp.NotSFTP, "does not offer SFTP"},
		"long packet":        {say(packet(1<<20, "evil")), sftp.NotSFTP, "does not offer SFTP"},
		"empty packet":       {say(packet(0, "evil")), sftp.NotSFTP, "does not offer SFTP"},
		"unknown version":    {say(packet(5, "\x02\xff\xff\xff\xff")), sftp.NotSFTP, "does not offer SFTP"},
		"answer to nothing":  {say(version + packet(9, "\x65\xff\xff\xff\xff\x00\x00\x00\x00")), sftp.NotSFTP, "does not offer SFTP"},
		"endless answers":    {func(c ssh.Channel) { repeat(c, packet(200_000, strings.Repeat("\x68", 200_000))) }, sftp.NotSFTP, "does not offer SFTP"},
		"endless errors":     {func(c ssh.Channel) { repeat(c.Stderr(), "evil") }, sftp.NotSFTP, "more than 4 MiB"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cred := listen(t, serveSSH(withPassword(key), c.files))
			_, err := patience(c.kind, 2*time.Second).Test(context.Background(), cred)
			wantError(t, err, c.kind, c.want)
		})
	}
}

// A hostile server must not make a test allocate much more than it sends.
func TestEvilMemory(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	servers := map[string]func(net.Conn){
		"huge packet before login": hello("SSH-2.0-evil\r\n" + packet(0xffffffff, strings.Repeat("e", 100))),
		"huge packet after login": serveSSH(withPassword(key), func(c ssh.Channel) {
			_, _ = io.WriteString(c, packet(0xffffffff, strings.Repeat("e", 100)))
			drain(c)
		}),
	}
	for name, serve := range servers {
		cred := listen(t, serve)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := client(0).Test(context.Background(), cred)
		runtime.ReadMemStats(&after)
		wantError(t, err, sftp.NotSFTP)
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%s: %d bytes were allocated, want less than 8 MiB", name, took)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cred := listen(t, func(c net.Conn) {
		cancel()
		drain(c)
	})
	_, err := client(0).Test(ctx, cred)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want Canceled", err)
	}
}
