package webhook

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/secrets"
)

// names gives a resolver for which all names but those below .invalid are this
// machine.
func names(t *testing.T) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	t.Cleanup(group.Wait)
	t.Cleanup(func() { _ = server.Close() })
	group.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := server.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(answerTo(buf[:n]), from)
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

func answerTo(query []byte) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	q := m.Questions[0]
	known := !strings.HasSuffix(q.Name.String(), ".invalid.")
	if !known {
		m.RCode = dnsmessage.RCodeNameError
	}
	if known && q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	out, _ := m.Pack()
	return out
}

// newDialer lets connections to this machine through.
func newDialer(t *testing.T) *egress.Dialer {
	t.Helper()
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return egress.New(egress.Config{Allow: allow, Resolver: names(t)})
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	a := authority{}
	made := a.issue(t, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.KeyUsage, c.Subject.CommonName = true, true, x509.KeyUsageCertSign, "Authority of the test"
	})
	cert, err := x509.ParseCertificate(made.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	key, ok := made.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		t.Fatal("no key")
	}
	return authority{cert, key}
}

func (a authority) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// issue gives a certificate for hooks.example that holds for an hour, changed as
// told. The zero authority lets it sign itself.
func (a authority) issue(t *testing.T, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "hooks.example"},
		DNSNames: []string{"hooks.example"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if change != nil {
		change(cert)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = cert, key
	}
	made, err := x509.CreateCertificate(rand.Reader, cert, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{made}, PrivateKey: key}
}

// serve gives the address of a receiver at host. A certificate makes it speak
// TLS, and HTTP/2 where it is told to.
func serve(t *testing.T, host string, cert *tls.Certificate, http2 bool, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewUnstartedServer(handle)
	server.Config.ErrorLog = quiet()
	t.Cleanup(server.Close)
	scheme := "http://"
	if cert == nil {
		server.Start()
	} else {
		scheme = "https://"
		server.EnableHTTP2, server.TLS = http2, &tls.Config{Certificates: []tls.Certificate{*cert}}
		server.StartTLS()
	}
	return scheme + net.JoinHostPort(host, portOf(t, server.Listener))
}

func portOf(t *testing.T, l net.Listener) string {
	t.Helper()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// raw gives the host and port of a receiver that does with connections what it
// is told; they are closed afterwards.
func raw(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	t.Cleanup(group.Wait)
	t.Cleanup(func() { _ = l.Close() })
	group.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer func() { _ = conn.Close() }()
				handle(trackedConn{conn, t.Context().Done()})
			})
		}
	})
	return net.JoinHostPort("hooks.example", portOf(t, l))
}

// trackedConn is a connection that knows when its test is over.
type trackedConn struct {
	net.Conn
	over <-chan struct{}
}

// idle neither reads nor writes until the test is over.
func idle(c net.Conn) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if l, ok := c.(trackedConn); ok {
		<-l.over
	}
}

// reset makes that the connection does not end in peace.
func reset(c net.Conn) {
	if l, ok := c.(trackedConn); ok {
		c = l.Conn
	}
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

var theSecret = secretOf(counting(32))

func delivery(url string) Delivery {
	return Delivery{
		URL: url, At: time.Unix(1_700_000_000, 0), Secrets: []secrets.Secret{theSecret},
		Message: Message{ID: "msg_1", Body: uploadForm("7df3a66d")},
	}
}

// send makes an attempt that must be one.
func send(t *testing.T, s *Sender, url string) Outcome {
	t.Helper()
	out, err := s.Send(context.Background(), delivery(url))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantOutcome(t *testing.T, out Outcome, kind Kind, words ...string) {
	t.Helper()
	if out.Kind != kind || out.Delivered() != (kind == Delivered) {
		t.Errorf("got the outcome %s %q (%v), want %s", out.Kind, out.Text, out.Err, kind)
	}
	for _, word := range words {
		if !strings.Contains(out.Text.String(), word) {
			t.Errorf("the outcome says %q, want %q in it (%v)", out.Text, word, out.Err)
		}
	}
}

// uploadForm is the body that the setting webhookUrl asks for.
func uploadForm(uploadID string) Body {
	return Body{ContentType: "application/x-www-form-urlencoded", Bytes: []byte("uploadId=" + uploadID)}
}
