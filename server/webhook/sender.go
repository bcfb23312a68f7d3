package webhook

import (
	"cmp"
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

// These are the defaults of Config.
const (
	DefaultTimeout = 10 * time.Second
	DefaultPerHost = 4
)

const userAgent = "Intray-Webhooks/1"

// ErrBusy reports that Config.PerHost attempts to the same host and port are already in
// progress. Nothing was sent, and the attempt does not count. Try again soon.
var ErrBusy = errors.New("too many deliveries to this host are in progress")

// Config configures a Sender. The zero Config uses the defaults.
type Config struct {
	// Timeout is the maximum duration of an attempt, from the DNS lookup to the
	// last byte of the response. Default DefaultTimeout.
	Timeout time.Duration
	// PerHost is the maximum number of concurrent attempts to one host and port.
	// Default DefaultPerHost.
	PerHost int
	// Roots are the trusted certificate authorities. Default: those of the operating system.
	Roots *x509.CertPool
}

// Sender makes delivery attempts through a dialer. Each attempt opens its own connection, so
// that the dialer checks every address and no receiver can respond in advance to a later
// request. A Sender is safe for concurrent use.
type Sender struct {
	dialer  *egress.Dialer
	timeout time.Duration
	tls     *tls.Config
	perHost int

	mu   sync.Mutex
	busy map[string]int
}

// New returns a sender that connects through the dialer.
func New(dialer *egress.Dialer, cfg Config) *Sender {
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), DefaultTimeout)
	cfg.PerHost = cmp.Or(max(cfg.PerHost, 0), DefaultPerHost)
	return &Sender{
		dialer: dialer, timeout: cfg.Timeout, perHost: cfg.PerHost, busy: map[string]int{},
		tls: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: cfg.Roots, NextProtos: []string{"h2", "http/1.1"}},
	}
}

// Delivery is one message for one receiver.
type Delivery struct {
	// Org is the id of the organization, which may have networks of its own in egress.Config.
	Org string
	// URL is the receiver's http or https URL.
	URL     string
	Message Message
	// At is the time of the attempt. The signature covers it.
	At time.Time
	// Secrets are the signing secrets. Each one adds a signature.
	Secrets []secrets.Secret
}

// Send makes one attempt: a POST request that ends within Config.Timeout. Whatever the receiver
// does is reported in the Outcome. An error means that the attempt does not count: it is
// ErrBusy, wraps the error of ctx, or reports that the message cannot be signed.
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
	outcome := a.run(bounded, s.dialer.ForOrg(d.Org), to.tlsConfig(s.tls))
	if ctx.Err() != nil && outcome.Status == 0 {
		return Outcome{}, fmt.Errorf("deliver the message %s: %w", d.Message.ID, ctx.Err())
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

// Outcome is the result of an attempt to deliver a message.
type Outcome struct {
	Kind Kind
	// Text describes the outcome to the owner of the webhook. It quotes only the
	// status of the response and the location of a redirect, shortened and escaped.
	Text intray.Message
	// Status is the status code, or 0 without a response.
	Status int
	// Protocol is "HTTP/1.1" or "HTTP/2.0", or "" without a response.
	Protocol string
	// Head contains at most 8 KiB of the response headers, without cookies.
	Head http.Header
	// Body contains at most the first 16 KiB of the response body, not
	// decompressed. BodyCut is true if the body was longer or may have been.
	Body    []byte
	BodyCut bool
	// RetryAfter is the delay that the receiver requested, at most MaxRetryAfter. 0
	// means that it requested none.
	RetryAfter time.Duration
	Timing     Timing
	// Err is the cause, for logs, or nil. It may quote the receiver.
	Err error
}

// Delivered reports whether the receiver accepted the message.
func (o Outcome) Delivered() bool { return o.Kind == Delivered }

// Timing contains durations since the start of an attempt. A step that the attempt
// did not reach is 0.
type Timing struct {
	// Connected is the time until the connection was ready, including the TLS handshake.
	Connected time.Duration
	// Answered is the time until the end of the response's head arrived.
	Answered time.Duration
	Total    time.Duration
}

// maxAddress is the maximum length of a URL, in bytes.
const maxAddress = 2048

// address is the parsed URL of a receiver.
type address struct {
	url *url.URL
	// host is the name in ASCII or the IP address. dial is the address to dial, as host:port.
	host, dial string
}

// CheckAddress returns an error if text is not a valid URL of a receiver. The error message
// completes a sentence about the URL. CheckAddress does not resolve the host.
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

// tlsConfig returns the TLS configuration for the host, or nil for an http URL.
func (a address) tlsConfig(base *tls.Config) *tls.Config {
	if a.url.Scheme != "https" {
		return nil
	}
	cfg := base.Clone()
	cfg.ServerName = a.host
	return cfg
}
