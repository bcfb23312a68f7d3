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

// names returns a resolver that resolves every name to this machine, except for
// names under .invalid.
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

// newDialer returns a dialer that may connect to this machine.
func newDialer(t *testing.T) *egress.Dialer {
	t.Helper()
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return egress.New(egress.Config{Allow: allow, Resolver: names(t)})
}

// authority is a certificate authority.
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
		t.Fatal("the certificate has no ECDSA key")
	}
	return authority{cert, key}
}

func (a authority) roots() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// issue issues a certificate for hooks.example that is valid for an hour. change can modify it
// before it is signed. The zero authority issues a self-signed certificate.
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

// serve starts a receiver and returns its URL. If cert is not nil, the receiver
// uses TLS, and HTTP/2 if http2 is set.
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

// listen starts a receiver and returns its host and port. handle handles each
// connection, which is closed after handle returns.
func listen(t *testing.T, handle func(net.Conn)) string {
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

// trackedConn is a connection with a channel that is closed at the end of the test.
type trackedConn struct {
	net.Conn
	over <-chan struct{}
}

// idle waits until the end of the test without reading or writing.
func idle(c net.Conn) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if l, ok := c.(trackedConn); ok {
		<-l.over
	}
}

// reset makes the connection send a TCP reset when it is closed.
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

// send makes an attempt and fails the test if it returns an error.
func send(t *testing.T, s *Sender, url string) Outcome {
	t.Helper()
	out, err := s.Send(context.Background(), delivery(url))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// wantOutcome checks the kind of an outcome, and that its message contains all the
// given codes and parameters.
func wantOutcome(t *testing.T, out Outcome, kind Kind, parts ...string) {
	t.Helper()
	if out.Kind != kind || out.Delivered() != (kind == Delivered) {
		t.Errorf("got the outcome %s %q (%v), want %s", out.Kind, out.Text, out.Err, kind)
	}
	message := out.Text.Encode()
	for _, part := range parts {
		if !strings.Contains(message, part) {
			t.Errorf("the message is %s, want %q in it (%v)", message, part, out.Err)
		}
	}
}

// uploadForm returns the body that is sent to the URL in the setting webhookUrl.
func uploadForm(uploadID string) Body {
	return Body{ContentType: "application/x-www-form-urlencoded", Bytes: []byte("uploadId=" + uploadID)}
}
