package sftp_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sftp"
)

func TestInvalidCredentials(t *testing.T) {
	_, mine := newKey(t, "ed25519")
	good := sftp.Credential{Hostname: "sftp.example.com", Port: 22, User: "anna", Password: secrets.NewSecret("right")}
	cases := map[string]struct {
		change func(*sftp.Credential)
		want   string
	}{
		"no host":         {func(c *sftp.Credential) { c.Hostname = "" }, "host name is empty"},
		"port 0":          {func(c *sftp.Credential) { c.Port = 0 }, "from 1 to 65535"},
		"port 65536":      {func(c *sftp.Credential) { c.Port = 65536 }, "from 1 to 65535"},
		"negative port":   {func(c *sftp.Credential) { c.Port = -1 }, "from 1 to 65535"},
		"no user":         {func(c *sftp.Credential) { c.User = "" }, "user name"},
		"odd user":        {func(c *sftp.Credential) { c.User = "a\nb" }, "user name"},
		"long user":       {func(c *sftp.Credential) { c.User = strings.Repeat("a", 256) }, "user name"},
		"no secret":       {func(c *sftp.Credential) { c.Password = secrets.Secret{} }, "either a password or a private key"},
		"both secrets":    {func(c *sftp.Credential) { c.PrivateKey = mine }, "either a password or a private key"},
		"not a pin":       {func(c *sftp.Credential) { c.HostKey = "SHA256:abc" }, "pinned host key"},
		"pin and options": {func(c *sftp.Credential) { c.HostKey = "no-pty " + line(t) }, "pinned host key"},
		"two pins":        {func(c *sftp.Credential) { c.HostKey = line(t) + "\n" + line(t) }, "pinned host key"},
		"not a key": {func(c *sftp.Credential) {
			c.Password, c.PrivateKey = secrets.Secret{}, secrets.NewSecret("nonsense")
		}, "not in OpenSSH format"},
	}
	for name, c := range cases {
		cred := good
		c.change(&cred)
		_, err := client(0).Test(context.Background(), cred)
		t.Run(name, func(t *testing.T) { wantError(t, err, sftp.Invalid, c.want) })
	}
}

func TestRefusedByEgress(t *testing.T) {
	touched := make(chan struct{}, 1)
	cred := listen(t, func(net.Conn) { touched <- struct{}{} })
	strict := sftp.New(egress.New(egress.Config{}), sftp.Config{})
	_, err := strict.Test(context.Background(), cred)
	wantError(t, err, sftp.Refused, "127.0.0.1 is a loopback address", "--egress-allow")
	var refused *egress.RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("the cause is not a RefusedError: %v", err)
	}
	select {
	case <-touched:
		t.Error("the server was reached")
	default:
	}
}

func TestNobodyListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	cred := sftp.Credential{Hostname: "127.0.0.1", Port: port, User: "anna", Password: secrets.NewSecret("right")}
	_, err = client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Unreachable, "nothing listens on this port")
}

// nameless is a name server that knows no name.
func nameless(t *testing.T) *net.Resolver {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			// The question comes back as an answer: there is no such name.
			buf[2], buf[3] = 0x81, 0x83
			_, _ = server.WriteTo(buf[:n], from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func TestNoSuchHost(t *testing.T) {
	c := sftp.New(egress.New(egress.Config{Resolver: nameless(t)}), sftp.Config{})
	cred := sftp.Credential{Hostname: "sftp.example.com", Port: 22, User: "anna", Password: secrets.NewSecret("right")}
	_, err := c.Dial(context.Background(), cred)
	wantError(t, err, sftp.NoSuchHost, "sftp.example.com:22 cannot be reached: there is no such host name")
}

func TestOpenSSH(t *testing.T) {
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run("user key "+kind, func(t *testing.T) {
			signer, mine := newKey(t, kind)
			host, hostSecret := newKey(t, "ed25519")
			cred := openSSH(t, signer.PublicKey(), hostSecret)
			cred.PrivateKey = mine
			report := mustTest(t, cred)
			if want := ssh.FingerprintSHA256(host.PublicKey()); report.HostKeyFingerprint != want {
				t.Errorf("the fingerprint is %s, want %s", report.HostKeyFingerprint, want)
			}
			cred.HostKey = report.HostKey
			if again := mustTest(t, cred); again != report {
				t.Errorf("the report with a pin is %+v, want %+v", again, report)
			}
		})
	}
}

// A session outlives the context of its Dial and may be closed twice.
func TestSessionOutlivesDial(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	f := &fakeFS{entries: names("a.csv")}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	s, err := client(0).Dial(ctx, listen(t, serveSSH(withPassword(key), f.serve)))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := list(s); err != nil {
		t.Errorf("List: %v", err)
	}
	if got := s.Report().HostKeyFingerprint; got != ssh.FingerprintSHA256(key.PublicKey()) {
		t.Errorf("the fingerprint is %s", got)
	}
	s.Close()
	s.Close()
	wantError(t, list(s), sftp.Lost)
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

func hello(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		drain(c)
	}
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

// patience waits long where the server is to be caught, so that a busy machine
// does no harm, and short where time is to run out.
func patience(kind sftp.Kind, short time.Duration) *sftp.Client {
	if kind == sftp.TimedOut {
		return client(short)
	}
	return client(0)
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

// The answers to the greeting.
func TestEvilGreetings(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	for name, say := range map[string]string{
		"another version":     packet(5, "\x02"+u32(2)),
		"another kind":        packet(5, "\x65"+u32(3)),
		"cut short":           packet(9, "\x02"+u32(3)+u32(100)),
		"cut very short":      packet(2, "\x02\x00"),
		"answers another":     packet(5, "\x02"+u32(3)) + packet(5, "\x68"+u32(2)),
		"refuses to be asked": packet(5, "\x02"+u32(3)) + packet(9, "\x65"+u32(1)+u32(3)),
	} {
		t.Run(name, func(t *testing.T) {
			cred := listen(t, serveSSH(withPassword(key), func(c ssh.Channel) {
				_, _ = c.Write([]byte(say))
				drain(c)
			}))
			_, err := client(0).Dial(context.Background(), cred)
			wantError(t, err, sftp.NotSFTP, "does not offer SFTP")
		})
	}
}

// The steps between login and SFTP.
func TestEvilOpening(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	cases := map[string]struct {
		serve func(ended <-chan struct{}) func(net.Conn)
		want  string
	}{
		"no word to the password": {func(ended <-chan struct{}) func(net.Conn) {
			cfg := withPassword(key)
			cfg.PasswordCallback = func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
				<-ended
				return nil, errors.New("wrong")
			}
			return serveSSH(cfg, honest)
		}, "time ran out while logging in"},
		"no word to the channel": {func(<-chan struct{}) func(net.Conn) {
			return unmoved(withPassword(key), func(ssh.NewChannel) {})
		}, "time ran out while opening SFTP"},
		"no word to the request": {func(<-chan struct{}) func(net.Conn) {
			return unmoved(withPassword(key), func(asked ssh.NewChannel) { _, _, _ = asked.Accept() })
		}, "time ran out while opening SFTP"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan struct{})
			cred := listen(t, c.serve(ended))
			_, err := client(time.Second).Dial(context.Background(), cred)
			close(ended)
			wantError(t, err, sftp.TimedOut, c.want)
		})
	}
}

// unmoved gives each channel that is asked for to meet, and does nothing else.
func unmoved(cfg *ssh.ServerConfig, meet func(ssh.NewChannel)) func(net.Conn) {
	return func(raw net.Conn) {
		_, channels, requests, err := ssh.NewServerConn(raw, cfg)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for asked := range channels {
			meet(asked)
		}
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
