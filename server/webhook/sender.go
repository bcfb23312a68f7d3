package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/idna"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/secrets"
)

// Defaults of Config.
const (
	DefaultTimeout = 10 * time.Second
	DefaultPerHost = 4
)

const userAgent = "Intray-Webhooks/1"

// ErrBusy says that as many attempts as may be are on their way to the same host
// and port. Nothing was sent, and the attempt does not count: try again soon,
// and serve others meanwhile.
var ErrBusy = errors.New("too many deliveries are on their way to this host")

// Config holds the choices of a Sender. The zero Config works.
type Config struct {
	// Timeout bounds each attempt as a whole, from the look at the name to the
	// last byte of the answer. Default DefaultTimeout.
	Timeout time.Duration
	// PerHost is how many attempts may be on their way to one host and port.
	// Default DefaultPerHost.
	PerHost int
	// Roots are the authorities that certificates are checked against. Default:
	// those of the system.
	Roots *x509.CertPool
}

// Sender makes attempts through a door. It may be used by many goroutines, and
// keeps no connection from one attempt to the next: addresses are looked at
// every time, and no stranger has a line to lie in wait on.
type Sender struct {
	dialer  *egress.Dialer
	timeout time.Duration
	tls     *tls.Config
	perHost int

	mu   sync.Mutex
	busy map[string]int
}

// New makes a sender.
func New(dialer *egress.Dialer, cfg Config) *Sender {
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.PerHost <= 0 {
		cfg.PerHost = DefaultPerHost
	}
	return &Sender{
		dialer: dialer, timeout: cfg.Timeout, perHost: cfg.PerHost, busy: map[string]int{},
		tls: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.Roots, NextProtos: []string{"h2", "http/1.1"}},
	}
}

// Delivery is one message for one receiver.
type Delivery struct {
	// URL is the receiver's address, with http or https.
	URL     string
	Message Message
	// At is the time of the attempt, which is signed.
	At time.Time
	// Secrets sign the message, each for itself.
	Secrets []secrets.Secret
}

// Send makes one attempt: a POST on a connection of its own, that is over within
// Config.Timeout. Whatever the receiver does is an outcome. The error is ErrBusy,
// or wraps that of ctx where it ended the attempt, or says that the message
// cannot be signed; then there was no attempt that counts.
func (s *Sender) Send(ctx context.Context, d Delivery) (Outcome, error) {
	head, err := Sign(d.Message, d.At, d.Secrets...)
	if err != nil {
		return Outcome{}, err
	}
	to, err := parseAddress(d.URL)
	if err != nil {
		return Outcome{Kind: Invalid, Text: intray.NewMessage("webhook.invalid_url", intray.Params{"problem": intray.MessageOf(err)}), Err: err}, nil
	}
	if !s.acquireHost(to.dial) {
		return Outcome{}, ErrBusy
	}
	defer s.releaseHost(to.dial)
	head.Set("Content-Type", d.Message.ContentType)
	head.Set("User-Agent", userAgent)
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	a := attempt{target: to, header: head, body: d.Message.Bytes, signedAt: d.At, timeout: s.timeout}
	outcome := a.run(bounded, s.dialer, to.tlsConfig(s.tls))
	if ctx.Err() != nil && outcome.Status == 0 {
		return Outcome{}, fmt.Errorf("delivering the message %s: %w", d.Message.ID, ctx.Err())
	}
	return outcome, nil
}

func (s *Sender) acquireHost(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[host] >= s.perHost {
		return false
	}
	s.busy[host]++
	return true
}

func (s *Sender) releaseHost(host string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[host]--; s.busy[host] == 0 {
		delete(s.busy, host)
	}
}

// Outcome says how an attempt went.
type Outcome struct {
	Kind Kind
	// Text is a sentence for the person who owns the webhook. Of what the
	// receiver said it quotes the status and, cut and in quotes, the address
	// that a redirect points to.
	Text intray.Message
	// Status is that of the answer, 0 where there was none.
	Status int
	// Protocol is "HTTP/1.1" or "HTTP/2.0", "" where there was no answer.
	Protocol string
	// Head holds at most 8 KiB of the answer's headers, without cookies.
	Head http.Header
	// Body is at most the first 16 KiB of the answer as it came, and BodyCut
	// says that there was, or may have been, more.
	Body    []byte
	BodyCut bool
	// RetryAfter is for how long a busy receiver asked to be left alone, at most
	// MaxRetryAfter. Outcome.Next heeds it.
	RetryAfter time.Duration
	Timing     Timing
	// Err is the cause, for logs; it may quote the receiver. It can be nil.
	Err error
}

// Delivered says whether the receiver took the message.
func (o Outcome) Delivered() bool { return o.Kind == Delivered }

// Timing holds how long an attempt had taken when something was reached, 0 where
// it was not.
type Timing struct {
	// Connected: with the handshake of TLS.
	Connected time.Duration
	// Answered: the head of the answer was there.
	Answered time.Duration
	Total    time.Duration
}

// maxAddress is the longest address, in bytes.
const maxAddress = 2048

// address is where a receiver is.
type address struct {
	url *url.URL
	// host is the name in ASCII or the IP address, dial is host:port.
	host, dial string
}

// CheckAddress says why a text cannot be the address of a receiver, in a sentence
// without its subject, which is the address, and without a full stop. It looks nothing up: whether the address leads
// outside is known when it is called.
func CheckAddress(text string) error {
	_, err := parseAddress(text)
	return err
}

func parseAddress(text string) (address, error) {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxAddress:
		return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_too_long", intray.Params{"n": maxAddress})}
	case err != nil:
		return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_unreadable", nil)}
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.Hostname() == "":
		return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_without_host", nil)}
	case u.User != nil:
		return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_with_password", nil)}
	}
	host := strings.ToLower(u.Hostname())
	if strings.ContainsFunc(host, func(r rune) bool { return r > '~' }) {
		if host, err = idna.Lookup.ToASCII(host); err != nil {
			return address{}, &intray.MessageError{Message: intray.NewMessage("webhook.url_with_unknown_host", nil)}
		}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return address{url: u, host: host, dial: net.JoinHostPort(host, port)}, nil
}

// tlsConfig is nil where the address begins with http.
func (a address) tlsConfig(base *tls.Config) *tls.Config {
	if a.url.Scheme != "https" {
		return nil
	}
	cfg := base.Clone()
	cfg.ServerName = a.host
	return cfg
}
