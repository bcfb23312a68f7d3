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
	good := sftp.Credential{Hostname: "sftp.example.com", Port: 22, User: "anna", Password: secrets.NewSecret("right")}
	cases := map[string]struct {
		change func(*sftp.Credential)
		want   string
	}{
		"no host":         {func(c *sftp.Credential) { c.Hostname = "" }, "hostname.empty"},
		"port 0":          {func(c *sftp.Credential) { c.Port = 0 }, "sftp.invalid_port"},
		"port 65536":      {func(c *sftp.Credential) { c.Port = 65536 }, "sftp.invalid_port"},
		"negative port":   {func(c *sftp.Credential) { c.Port = -1 }, "sftp.invalid_port"},
		"no user":         {func(c *sftp.Credential) { c.User = "" }, "sftp.invalid_user"},
		"odd user":        {func(c *sftp.Credential) { c.User = "a\nb" }, "sftp.invalid_user"},
		"long user":       {func(c *sftp.Credential) { c.User = strings.Repeat("a", 256) }, "sftp.invalid_user"},
		"no secret":       {func(c *sftp.Credential) { c.Password = secrets.Secret{} }, "sftp.one_secret"},
		"a bad key, too":  {func(c *sftp.Credential) { c.PrivateKey = secrets.NewSecret("nonsense") }, "private_key.not_openssh"},
		"not a pin":       {func(c *sftp.Credential) { c.HostKey = "SHA256:abc" }, "host_key.unreadable"},
		"pin and options": {func(c *sftp.Credential) { c.HostKey = "no-pty " + authorizedKey(t) }, "host_key.more_than_key"},
		"two pins":        {func(c *sftp.Credential) { c.HostKey = authorizedKey(t) + "\n" + authorizedKey(t) }, "host_key.more_than_key"},
		"not a key": {func(c *sftp.Credential) {
			c.Password, c.PrivateKey = secrets.Secret{}, secrets.NewSecret("nonsense")
		}, "private_key.not_openssh"},
	}
	for name, c := range cases {
		cred := good
		c.change(&cred)
		_, err := newClient(long).Test(context.Background(), cred)
		t.Run(name, func(t *testing.T) { wantError(t, err, sftp.Invalid, c.want) })
	}
}

func TestRefusedByEgress(t *testing.T) {
	reached := make(chan struct{}, 1)
	cred := listen(t, func(net.Conn) { reached <- struct{}{} })
	strict := sftp.New(egress.New(egress.Config{}), sftp.Config{})
	_, err := strict.Test(context.Background(), cred)
	wantError(t, err, sftp.Refused, "egress.not_public", "egress.loopback_address")
	var refused *egress.RefusedError
	if !errors.As(err, &refused) {
		t.Errorf("got %v, want it to wrap a RefusedError", err)
	}
	select {
	case <-reached:
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
	_, err = newClient(long).Test(context.Background(), cred)
	wantError(t, err, sftp.Unreachable, "sftp.connection_refused")
}

// emptyDNS returns a resolver that resolves no name.
func emptyDNS(t *testing.T) *net.Resolver {
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
			// The response is the query itself, marked as a response with the code NXDOMAIN.
			buf[2], buf[3] = 0x81, 0x83
			_, _ = server.WriteTo(buf[:n], from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func TestNoSuchHost(t *testing.T) {
	c := sftp.New(egress.New(egress.Config{Resolver: emptyDNS(t)}), sftp.Config{})
	cred := sftp.Credential{Hostname: "sftp.example.com", Port: 22, User: "anna", Password: secrets.NewSecret("right")}
	_, err := c.Dial(context.Background(), cred)
	wantError(t, err, sftp.NoSuchHost, "sftp.no_such_host", "sftp.example.com:22")
}

func TestOpenSSH(t *testing.T) {
	t.Parallel()
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
				t.Errorf("with a pin, Test returned %+v, want %+v", again, report)
			}
		})
	}
}

// A session outlives the context of Dial and can be closed twice.
func TestSessionOutlivesDial(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	f := &fakeFS{entries: names("a.csv")}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	s, err := newClient(long).Dial(ctx, listen(t, serveSSH(withPassword(key), f.serve)))
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
	_, err := newClient(long).Test(ctx, cred)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
}

func sendAndDrain(text string) func(net.Conn) {
	return func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		drain(c)
	}
}

func drain0(c net.Conn) { drain(c) }

// floodIgnored sends SSH_MSG_IGNORE, which a client must skip, until the client closes the
// connection.
func floodIgnored(c net.Conn, greeting string) {
	_, _ = io.WriteString(c, greeting)
	const padding = 4
	payload := "\x02" + "\x00\x00\x07\xd0" + strings.Repeat("e", 2000)
	fill := 8 - (5+len(payload)+padding)%8 + padding
	repeat(c, packet(uint32(1+len(payload)+fill), string([]byte{byte(fill)})+payload+strings.Repeat("p", fill)))
}

// clientFor returns a client with a short timeout if kind is TimedOut, and with a long one
// otherwise.
func clientFor(kind sftp.Kind, short time.Duration) *sftp.Client {
	if kind == sftp.TimedOut {
		return newClient(sftp.Config{Timeout: short})
	}
	return newClient(long)
}

func TestEvilBeforeLogin(t *testing.T) {
	t.Parallel()
	const greeting = "SSH-2.0-evil\r\n"
	cases := map[string]struct {
		serve func(net.Conn)
		kind  sftp.Kind
		want  string
	}{
		"hangs after accept":      {drain0, sftp.TimedOut, "sftp.greeting"},
		"hangs after greeting":    {sendAndDrain(greeting), sftp.TimedOut, "sftp.time_ran_out"},
		"closes at once":          {func(net.Conn) {}, sftp.NotSFTP, "sftp.not_ssh"},
		"closes after greeting":   {func(c net.Conn) { _, _ = io.WriteString(c, greeting) }, sftp.NotSFTP, "sftp.not_ssh"},
		"speaks HTTP":             {sendAndDrain("HTTP/1.1 400 evil\r\n\r\n"), sftp.TimedOut, "sftp.time_ran_out"},
		"speaks HTTP and closes":  {func(c net.Conn) { _, _ = io.WriteString(c, "HTTP/1.1 400 evil\r\n\r\n") }, sftp.NotSFTP, "sftp.not_ssh"},
		"random bytes":            {func(c net.Conn) { _, _ = io.CopyN(c, rand.Reader, 1<<20) }, sftp.NotSFTP, "sftp.not_ssh"},
		"endless line":            {func(c net.Conn) { repeat(c, "evil") }, sftp.NotSFTP, "sftp.not_ssh"},
		"endless lines":           {func(c net.Conn) { repeat(c, "evil\r\n") }, sftp.NotSFTP, "sftp.not_ssh"},
		"endless empty lines":     {func(c net.Conn) { repeat(c, "\n") }, sftp.NotSFTP, "sftp.not_ssh"},
		"old protocol":            {sendAndDrain("SSH-1.5-evil\r\n"), sftp.TimedOut, "sftp.time_ran_out"},
		"huge packet length":      {sendAndDrain(greeting + packet(0xffffffff, strings.Repeat("x", 100))), sftp.NotSFTP, "sftp.not_ssh"},
		"long packet length":      {sendAndDrain(greeting + packet(0x7fffffff, strings.Repeat("x", 100))), sftp.NotSFTP, "sftp.not_ssh"},
		"packet of no length":     {sendAndDrain(greeting + packet(0, strings.Repeat("x", 100))), sftp.NotSFTP, "sftp.not_ssh"},
		"endless ignored packets": {func(c net.Conn) { floodIgnored(c, greeting) }, sftp.NotSFTP, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := clientFor(c.kind, time.Second/2).Test(context.Background(), listen(t, c.serve))
			wantError(t, err, c.kind, c.want, "127.0.0.1:")
		})
	}
}

func TestEvilAtLogin(t *testing.T) {
	t.Parallel()
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
		}, sftp.NotSFTP, "sftp.opening_too_large"},
		"endless questions": {func(cfg *ssh.ServerConfig) {
			cfg.PasswordCallback = nil
			cfg.KeyboardInteractiveCallback = func(_ ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
				for {
					if _, err := ask("evil", strings.Repeat("evil ", 1_000), nil, nil); err != nil {
						return nil, err
					}
				}
			}
		}, sftp.NotSFTP, "sftp.opening_too_large"},
		"no way to log in": {func(cfg *ssh.ServerConfig) {
			cfg.PasswordCallback = nil
			cfg.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) { return nil, errors.New("evil") }
		}, sftp.Denied, "anna"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := withPassword(key)
			c.change(cfg)
			_, err := newClient(long).Test(context.Background(), listen(t, serveSSH(cfg, honest)))
			wantError(t, err, c.kind, c.want)
		})
	}
}

func TestEvilAfterLogin(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	version := packet(5, "\x02\x00\x00\x00\x03")
	send := func(text string) func(ssh.Channel) {
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
		"no SFTP":            {nil, sftp.NotSFTP, "sftp.not_offered"},
		"hangs":              {func(c ssh.Channel) { drain(c) }, sftp.TimedOut, "sftp.opening_sftp"},
		"hangs later":        {send(version), sftp.TimedOut, "sftp.opening_sftp"},
		"closes":             {func(c ssh.Channel) { _ = c.Close() }, sftp.NotSFTP, "sftp.not_offered"},
		"a shell's greeting": {send("evil account is disabled\n"), sftp.NotSFTP, "sftp.not_offered"},
		"huge packet":        {send(packet(0xffffffff, "evil")), sftp.NotSFTP, "sftp.not_offered"},
		"long packet":        {send(packet(1<<20, "evil")), sftp.NotSFTP, "sftp.not_offered"},
		"empty packet":       {send(packet(0, "evil")), sftp.NotSFTP, "sftp.not_offered"},
		"unknown version":    {send(packet(5, "\x02\xff\xff\xff\xff")), sftp.NotSFTP, "sftp.not_offered"},
		"unknown response":   {send(version + packet(9, "\x65\xff\xff\xff\xff\x00\x00\x00\x00")), sftp.NotSFTP, "sftp.not_offered"},
		"endless responses":  {func(c ssh.Channel) { repeat(c, packet(200_000, strings.Repeat("\x68", 200_000))) }, sftp.NotSFTP, "sftp.not_offered"},
		"endless errors":     {func(c ssh.Channel) { repeat(c.Stderr(), "evil") }, sftp.NotSFTP, "sftp.opening_too_large"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cred := listen(t, serveSSH(withPassword(key), c.files))
			_, err := clientFor(c.kind, time.Second).Test(context.Background(), cred)
			wantError(t, err, c.kind, c.want)
		})
	}
}

func TestEvilGreetings(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	for name, sent := range map[string]string{
		"another version":     packet(5, "\x02"+u32(2)),
		"another kind":        packet(5, "\x65"+u32(3)),
		"cut short":           packet(9, "\x02"+u32(3)+u32(100)),
		"cut very short":      packet(2, "\x02\x00"),
		"answers another":     packet(5, "\x02"+u32(3)) + packet(5, "\x68"+u32(2)),
		"refuses to be asked": packet(5, "\x02"+u32(3)) + packet(9, "\x65"+u32(1)+u32(3)),
	} {
		t.Run(name, func(t *testing.T) {
			cred := listen(t, serveSSH(withPassword(key), func(c ssh.Channel) {
				_, _ = c.Write([]byte(sent))
				drain(c)
			}))
			_, err := newClient(long).Dial(context.Background(), cred)
			wantError(t, err, sftp.NotSFTP, "sftp.not_offered")
		})
	}
}

func TestEvilOpening(t *testing.T) {
	t.Parallel()
	key, _ := newKey(t, "ed25519")
	cases := map[string]struct {
		serve func(ended <-chan struct{}) func(net.Conn)
		want  string
	}{
		"no reply to the password": {func(ended <-chan struct{}) func(net.Conn) {
			cfg := withPassword(key)
			cfg.PasswordCallback = func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
				<-ended
				return nil, errors.New("wrong")
			}
			return serveSSH(cfg, honest)
		}, "sftp.logging_in"},
		"no reply to the channel": {func(<-chan struct{}) func(net.Conn) {
			return serveChannels(withPassword(key), func(ssh.NewChannel) {})
		}, "sftp.opening_sftp"},
		"no reply to the request": {func(<-chan struct{}) func(net.Conn) {
			return serveChannels(withPassword(key), func(offered ssh.NewChannel) { _, _, _ = offered.Accept() })
		}, "sftp.opening_sftp"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := make(chan struct{})
			cred := listen(t, c.serve(ended))
			_, err := newClient(sftp.Config{Timeout: time.Second}).Dial(context.Background(), cred)
			close(ended)
			wantError(t, err, sftp.TimedOut, c.want)
		})
	}
}

// serveChannels returns a handler that authenticates the client and calls handle
// with each channel that it opens.
func serveChannels(cfg *ssh.ServerConfig, handle func(ssh.NewChannel)) func(net.Conn) {
	return func(raw net.Conn) {
		_, channels, requests, err := ssh.NewServerConn(raw, cfg)
		if err != nil {
			return
		}
		go ssh.DiscardRequests(requests)
		for offered := range channels {
			handle(offered)
		}
	}
}

// A server cannot make the client allocate much more than it sends.
func TestEvilMemory(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	servers := map[string]func(net.Conn){
		"huge packet before login": sendAndDrain("SSH-2.0-evil\r\n" + packet(0xffffffff, strings.Repeat("e", 100))),
		"huge packet after login": serveSSH(withPassword(key), func(c ssh.Channel) {
			_, _ = io.WriteString(c, packet(0xffffffff, strings.Repeat("e", 100)))
			drain(c)
		}),
	}
	for name, serve := range servers {
		cred := listen(t, serve)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := newClient(long).Test(context.Background(), cred)
		runtime.ReadMemStats(&after)
		wantError(t, err, sftp.NotSFTP)
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
			t.Errorf("%s: %d bytes were allocated, want less than 8 MiB", name, took)
		}
	}
}
