package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray/internal/egress"
)

// Kind says how an attempt ended, for programs.
type Kind string

// The kinds.
const (
	// Delivered: the receiver answered with a status from 200 to 299.
	Delivered Kind = "delivered"
	// Rejected: it answered with another status.
	Rejected Kind = "rejected"
	// Redirected: it pointed to another address, which was not called.
	Redirected Kind = "redirected"
	// Gone: it answered 410, which asks for no more calls. It is up to the
	// caller to heed it; it is a failure like others.
	Gone Kind = "gone"
	// Invalid: the address is none that can be called.
	Invalid Kind = "invalid_address"
	// Refused: the door to the outside stayed shut; nothing was connected.
	Refused Kind = "egress_refused"
	// Unreachable: no connection came about.
	Unreachable Kind = "unreachable"
	// Untrusted: the handshake of TLS failed; nothing was sent.
	Untrusted Kind = "tls_failed"
	// TimedOut: the receiver was too slow.
	TimedOut Kind = "timed_out"
	// NotHTTP: what came back was no answer of HTTP, or had no end.
	NotHTTP Kind = "not_http"
	// Dropped: the receiver hung up before it answered.
	Dropped Kind = "connection_lost"
)

// judge says what an answer means.
func judge(out *Outcome, head http.Header) (Kind, string) {
	said := "The receiver answered " + strings.TrimSpace(strconv.Itoa(out.Status)+" "+http.StatusText(out.Status))
	switch {
	case out.Status >= 200 && out.Status < 300 && out.Err != nil:
		return Delivered, said + ", and its body did not come to its end"
	case out.Status >= 200 && out.Status < 300:
		return Delivered, said
	case out.Status == http.StatusGone:
		return Gone, said + ": it wants no more calls at this address. Disable the webhook or correct its address"
	case out.Status >= 300 && out.Status < 400:
		return Redirected, said + pointing(head.Get("Location")) + ". Redirects are not followed: give the webhook the final address"
	}
	if out.RetryAfter > 0 {
		said += fmt.Sprintf(" and asks to be left alone for %s", out.RetryAfter.Round(time.Second))
	}
	return Rejected, said
}

// shownLocation is how much of a redirect's aim is quoted, in bytes.
const shownLocation = 200

func pointing(location string) string {
	if location == "" {
		return ""
	}
	if len(location) > shownLocation {
		cut := shownLocation
		for !utf8.RuneStart(location[cut]) {
			cut--
		}
		location = location[:cut] + "…"
	}
	return " and points to " + strconv.QuoteToGraphic(location)
}

// explain turns what a library said into what a person can act on.
func (a *attempt) explain(ctx context.Context, err error) (Kind, string) {
	var refused *egress.RefusedError
	var slow net.Error
	switch {
	case errors.As(err, &refused):
		return Refused, sentence(refused.Reason)
	case a.raw != nil && a.raw.Exhausted():
		return NotHTTP, fmt.Sprintf("The receiver sent more than %d KiB without coming to an answer", maxRead>>10)
	case a.stage == connecting:
		return a.explainDial(ctx, err)
	case ctx.Err() != nil, errors.As(err, &slow) && slow.Timeout():
		return TimedOut, fmt.Sprintf("The receiver was too slow: %s ran out while %s", a.timeout, a.stage)
	case a.stage == handshaking:
		return a.explainTLS(err)
	}
	return explainAnswer(err)
}

func (a *attempt) explainDial(ctx context.Context, err error) (Kind, string) {
	var name *net.DNSError
	var slow net.Error
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return Unreachable, fmt.Sprintf("There is no host name %s", a.to.host)
	case errors.As(err, &name):
		return Unreachable, fmt.Sprintf("The host name %s cannot be looked up just now", a.to.host)
	case errors.Is(err, syscall.ECONNREFUSED):
		return Unreachable, fmt.Sprintf("Nothing listens at %s", a.to.dial)
	case ctx.Err() != nil, errors.As(err, &slow) && slow.Timeout():
		return TimedOut, fmt.Sprintf("The receiver was too slow: %s let nobody connect within %s", a.to.dial, a.timeout)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return Unreachable, fmt.Sprintf("There is no way from here to %s", a.to.dial)
	}
	return Unreachable, fmt.Sprintf("%s cannot be reached", a.to.dial)
}

func (a *attempt) explainTLS(err error) (Kind, string) {
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var plain tls.RecordHeaderError
	var ended *net.OpError
	switch {
	case errors.As(err, &name):
		return Untrusted, fmt.Sprintf("The certificate is for %s, not for %s", namesOf(name.Certificate), a.to.host)
	case errors.As(err, &invalid):
		return Untrusted, a.explainInvalid(invalid)
	case errors.As(err, &unknown):
		return Untrusted, explainUnknown(unknown.Cert)
	case errors.As(err, &plain):
		return Untrusted, "The receiver does not speak TLS on this port. Does the address begin with http:// rather than https://?"
	case errors.As(err, &ended) && ended.Op == "remote error":
		return Untrusted, "The receiver broke the TLS handshake off: " + strings.TrimPrefix(ended.Err.Error(), "tls: ")
	case hungUp(err):
		return Dropped, "The receiver hung up during the TLS handshake"
	}
	return Untrusted, "The receiver and Intray cannot agree on TLS: its certificate or its way of speaking is not sound"
}

func (a *attempt) explainInvalid(invalid x509.CertificateInvalidError) string {
	switch now := time.Now(); {
	case invalid.Reason != x509.Expired:
		return "The certificate is not one for a web server"
	case now.Before(invalid.Cert.NotBefore):
		return "The certificate is valid only from " + invalid.Cert.NotBefore.UTC().Format(time.DateOnly)
	}
	return "The certificate expired on " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly)
}

func explainUnknown(cert *x509.Certificate) string {
	if cert != nil && bytes.Equal(cert.RawIssuer, cert.RawSubject) {
		return "The certificate is signed by the receiver itself: no authority that is known here vouches for it"
	}
	return "The certificate is signed by an authority that is not known here, or the receiver does not send the certificates between"
}

// shownNames is how many names of a certificate are told.
const shownNames = 3

// namesOf lists the names of a certificate. A stranger chose them.
func namesOf(cert *x509.Certificate) string {
	names := cert.DNSNames
	for _, ip := range cert.IPAddresses {
		names = append(names, ip.String())
	}
	var shown []string
	for _, name := range names[:min(len(names), shownNames)] {
		text := strconv.QuoteToASCII(name)
		shown = append(shown, text[1:min(len(text)-1, 1+shownLocation)])
	}
	switch {
	case len(names) == 0:
		return "no host"
	case len(names) > shownNames:
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), len(names)-shownNames)
	}
	return strings.Join(shown, ", ")
}

// explainAnswer is for failures between the request and the end of the answer's
// head.
func explainAnswer(err error) (Kind, string) {
	switch text := err.Error(); {
	// The library has no types for most of them.
	case strings.Contains(text, "headers exceeded"), strings.Contains(text, "header list"):
		return NotHTTP, fmt.Sprintf("The head of the receiver's answer is longer than %d KiB", maxHead>>10)
	case strings.Contains(text, "received from peer"), strings.Contains(text, "GOAWAY"):
		return Dropped, "The receiver broke the request off before it answered"
	case strings.Contains(text, `malformed HTTP response "\x15\x03`):
		return NotHTTP, "The receiver speaks TLS on this port. Does the address begin with https:// rather than http://?"
	case hungUp(err), strings.Contains(text, "server closed idle connection"):
		return Dropped, "The receiver hung up before it answered"
	}
	return NotHTTP, "The receiver does not answer as a web server does"
}

func hungUp(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// sentence begins with a capital letter where it begins with a word.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(first)) + text[size:]
}
