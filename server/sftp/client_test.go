package sftp_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sftp"
)

func TestPassword(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	cred := listen(t, serveSSH(withPassword(key), honest))
	report := mustTest(t, cred)
	want := sftp.Report{
		HostKey:            strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey()))),
		HostKeyFingerprint: ssh.FingerprintSHA256(key.PublicKey()),
	}
	if report != want {
		t.Errorf("the report is %+v, want %+v", report, want)
	}
	cred.HostKey = report.HostKey
	if again := mustTest(t, cred); again != want {
		t.Errorf("the report with a pin is %+v, want %+v", again, want)
	}
	cred.Password = secrets.NewSecret("wrong")
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, `does not let user "anna" in with this password`)
	cred.Password, cred.User = secrets.NewSecret("right"), "berta"
	_, err = client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, `does not let user "berta" in`)
}

// A server that hangs up at the login has not refused the secret.
func TestLoginCutOff(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	cfg := withPassword(key)
	hangUp := make(chan net.Conn, 1)
	cfg.PasswordCallback = func(ssh.ConnMetadata, []byte) (*ssh.Permissions, error) {
		_ = (<-hangUp).Close()
		return nil, errors.New("gone")
	}
	serve := serveSSH(cfg, honest)
	cred := listen(t, func(c net.Conn) {
		hangUp <- c
		serve(c)
	})
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, `ended the connection while user "anna" logged in`)
}

func TestKeyRefused(t *testing.T) {
	key, _ := newKey(t, "ed25519")
	_, mine := newKey(t, "ed25519")
	cfg := withPassword(key)
	cfg.PublicKeyCallback = func(ssh.ConnMetadata, ssh.PublicKey) (*ssh.Permissions, error) {
		return nil, errors.New("unknown")
	}
	cred := listen(t, serveSSH(cfg, honest))
	cred.Password, cred.PrivateKey = secrets.Secret{}, mine
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "in with this private key")
}

// ask makes a server that asks questions in place of taking a password.
func ask(t *testing.T, rounds ...[]string) sftp.Credential {
	key, _ := newKey(t, "ed25519")
	cfg := &ssh.ServerConfig{
		KeyboardInteractiveCallback: func(_ ssh.ConnMetadata, question ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			right := false
			for _, questions := range rounds {
				echo := make([]bool, len(questions))
				for i, q := range questions {
					echo[i] = strings.HasPrefix(q, "shown")
				}
				answers, err := question("", "", questions, echo)
				if err != nil {
					return nil, err
				}
				for _, answer := range answers {
					right = right || answer == "right"
				}
			}
			if right {
				return nil, nil
			}
			return nil, errors.New("wrong")
		},
	}
	cfg.AddHostKey(key)
	return listen(t, serveSSH(cfg, honest))
}

func TestQuestions(t *testing.T) {
	mustTest(t, ask(t, []string{"Password: "}))
	mustTest(t, ask(t, nil, []string{"Password: "}, nil))
	more := map[string][][]string{
		"two at once":     {{"Password: ", "Code: "}},
		"a code as well":  {{"Password: "}, {"Code: "}},
		"a shown answer":  {{"shown name: "}},
		"the same thrice": {{"Password: "}, {"Password: "}, {"Password: "}},
	}
	for name, rounds := range more {
		t.Run(name, func(t *testing.T) {
			_, err := client(0).Test(context.Background(), ask(t, rounds...))
			wantError(t, err, sftp.Denied, "for more than a password")
		})
	}
	cred := ask(t, []string{"Password: "})
	cred.Password = secrets.NewSecret("wrong")
	_, err := client(0).Test(context.Background(), cred)
	wantError(t, err, sftp.Denied, "in with this password")
}

// A server with several keys must show the pinned one, not the one that is
// first in its own or the library's list.
func TestPinOfEveryType(t *testing.T) {
	kinds := []string{"rsa", "ecdsa", "ed25519"}
	var keys []ssh.Signer
	for _, kind := range kinds {
		key, _ := newKey(t, kind)
		keys = append(keys, key)
	}
	cred := listen(t, serveSSH(withPassword(keys...), honest))
	for i, key := range keys {
		cred.HostKey = string(ssh.MarshalAuthorizedKey(key.PublicKey()))
		report := mustTest(t, cred)
		if report.HostKeyFingerprint != ssh.FingerprintSHA256(key.PublicKey()) {
			t.Errorf("with a pin of type %s the server showed %s", kinds[i], report.HostKey)
		}
	}
}

func TestHostKeyChanged(t *testing.T) {
	for _, kinds := range [][2]string{{"ed25519", "ed25519"}, {"rsa", "rsa"}, {"ed25519", "rsa"}, {"rsa", "ecdsa"}} {
		old, _ := newKey(t, kinds[0])
		now, _ := newKey(t, kinds[1])
		var asked atomic.Bool
		// The server has ended when this runs: what is registered last is first.
		t.Cleanup(func() {
			if asked.Load() {
				t.Errorf("%v: the client tried to log in", kinds)
			}
		})
		cfg := withPassword(now)
		cfg.AuthLogCallback = func(ssh.ConnMetadata, string, error) { asked.Store(true) }
		cred := listen(t, serveSSH(cfg, honest))
		cred.HostKey = string(ssh.MarshalAuthorizedKey(old.PublicKey()))
		_, err := client(0).Test(context.Background(), cred)
		wantError(t, err, sftp.HostKeyChanged, "has changed", "make a new credential",
			"expected "+ssh.FingerprintSHA256(old.PublicKey()), "found "+ssh.FingerprintSHA256(now.PublicKey()))
		var changed *sftp.HostKeyError
		want := sftp.HostKeyError{Want: ssh.FingerprintSHA256(old.PublicKey()), Found: ssh.FingerprintSHA256(now.PublicKey())}
		if !errors.As(err, &changed) || *changed != want {
			t.Errorf("%v: the fingerprints are %+v, want %+v", kinds, changed, want)
		}
	}
}

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

func line(t *testing.T) string {
	key, _ := newKey(t, "ed25519")
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey())))
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
