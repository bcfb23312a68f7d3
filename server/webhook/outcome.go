package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/egress"
)

// Kind classifies an Outcome for programs.
type Kind string

const (
	// Delivered means that the receiver responded with a status from 200 to 299.
	Delivered Kind = "delivered"
	// Rejected means that the receiver responded with a status other than those of Delivered,
	// Redirected and Gone.
	Rejected Kind = "rejected"
	// Redirected means that the receiver responded with a status from 300 to 399. The redirect
	// was not followed.
	Redirected Kind = "redirected"
	// Gone means that the receiver responded with 410, which asks the sender to stop. The
	// caller should not send anything else to the URL.
	Gone Kind = "gone"
	// Invalid means that the URL cannot be called.
	Invalid Kind = "invalid_address"
	// Refused means that package egress refused the address, so no connection was made.
	Refused Kind = "egress_refused"
	// Unreachable means that no connection could be established.
	Unreachable Kind = "unreachable"
	// Untrusted means that the TLS handshake failed, so nothing was sent.
	Untrusted Kind = "tls_failed"
	// TimedOut means that the receiver was too slow.
	TimedOut Kind = "timed_out"
	// NotHTTP means that the response was not HTTP or exceeded a limit.
	NotHTTP Kind = "not_http"
	// Dropped means that the receiver closed the connection before it responded.
	Dropped Kind = "connection_lost"
)

// classify returns the kind and the message for a response.
func classify(out *Outcome, head http.Header) (Kind, intray.Message) {
	params := intray.Params{"status": strings.TrimSpace(strconv.Itoa(out.Status) + " " + http.StatusText(out.Status))}
	location := head.Get("Location")
	switch {
	case out.Status >= 200 && out.Status < 300 && out.Err != nil:
		return Delivered, intray.NewMessage("webhook.delivered_body_broken_off", params)
	case out.Status >= 200 && out.Status < 300:
		return Delivered, intray.NewMessage("webhook.delivered", params)
	case out.Status == http.StatusGone:
		return Gone, intray.NewMessage("webhook.gone", params)
	case out.Status >= 300 && out.Status < 400 && location == "":
		return Redirected, intray.NewMessage("webhook.redirected", params)
	case out.Status >= 300 && out.Status < 400:
		params["location"] = shown(location)
		return Redirected, intray.NewMessage("webhook.redirected_to", params)
	case out.RetryAfter > 0:
		params["time"] = out.RetryAfter.Round(time.Second).String()
		return Rejected, intray.NewMessage("webhook.rejected_for_a_time", params)
	}
	return Rejected, intray.NewMessage("webhook.rejected", params)
}

// shownLocation is the maximum length of the part of a redirect's location that a
// message quotes, in bytes.
const shownLocation = 200

// shown returns a redirect's location for a message, shortened and with invisible
// characters escaped.
func shown(location string) string {
	if len(location) > shownLocation {
		cut := shownLocation
		for !utf8.RuneStart(location[cut]) {
			cut--
		}
		location = location[:cut] + "…"
	}
	quoted := strconv.QuoteToGraphic(location)
	return quoted[1 : len(quoted)-1]
}

// explain returns the kind and the message for a failed attempt.
func (a *attempt) explain(ctx context.Context, err error) (Kind, intray.Message) {
	var refused *egress.RefusedError
	var slow net.Error
	switch {
	case errors.As(err, &refused):
		return Refused, refused.Reason
	case a.conn != nil && a.conn.Exhausted():
		return NotHTTP, intray.NewMessage("webhook.too_much_data", intray.Params{"size": maxRead >> 10})
	case a.stage == connecting:
		return a.explainDial(ctx, err)
	case ctx.Err() != nil, errors.As(err, &slow) && slow.Timeout():
		return TimedOut, intray.NewMessage("webhook.time_ran_out", intray.Params{"time": a.timeout.String(), "action": a.stage.action()})
	case a.stage == handshaking:
		return a.explainTLS(err)
	}
	return a.explainResponse(err)
}

func (a *attempt) explainDial(ctx context.Context, err error) (Kind, intray.Message) {
	var name *net.DNSError
	var slow net.Error
	switch {
	case errors.As(err, &name) && name.IsNotFound:
		return Unreachable, intray.NewMessage("webhook.no_such_host", intray.Params{"host": a.target.host})
	case errors.As(err, &name):
		return Unreachable, intray.NewMessage("webhook.lookup_failed", intray.Params{"host": a.target.host})
	case errors.Is(err, syscall.ECONNREFUSED):
		return Unreachable, intray.NewMessage("webhook.connection_refused", intray.Params{"address": a.target.dial})
	case ctx.Err() != nil, errors.As(err, &slow) && slow.Timeout():
		return TimedOut, intray.NewMessage("webhook.connecting_timed_out", intray.Params{"address": a.target.dial, "time": a.timeout.String()})
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return Unreachable, intray.NewMessage("webhook.no_route", intray.Params{"address": a.target.dial})
	}
	return Unreachable, intray.NewMessage("webhook.unreachable", intray.Params{"address": a.target.dial})
}

func (a *attempt) explainTLS(err error) (Kind, intray.Message) {
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	var plain tls.RecordHeaderError
	var ended *net.OpError
	switch {
	case errors.As(err, &name):
		return Untrusted, a.explainNames(name.Certificate)
	case errors.As(err, &invalid):
		return Untrusted, explainInvalid(invalid)
	case errors.As(err, &unknown):
		return Untrusted, explainUnknown(unknown.Cert)
	case errors.As(err, &plain):
		return Untrusted, intray.NewMessage("webhook.speaks_no_tls", nil)
	case errors.As(err, &ended) && ended.Op == "remote error":
		// An alert is recognized by its Op because it has no exported type:
		// tls.AlertError is only for QUIC.
		return Untrusted, intray.NewMessage("webhook.tls_broken_off", intray.Params{"reason": strings.TrimPrefix(ended.Err.Error(), "tls: ")})
	case isDisconnect(err):
		return Dropped, intray.NewMessage("webhook.tls_hung_up", nil)
	}
	return Untrusted, intray.NewMessage("webhook.tls_failed", nil)
}

func explainInvalid(invalid x509.CertificateInvalidError) intray.Message {
	switch now := time.Now(); {
	case invalid.Reason != x509.Expired:
		return intray.NewMessage("webhook.certificate_not_for_web", nil)
	case now.Before(invalid.Cert.NotBefore):
		return intray.NewMessage("webhook.certificate_not_yet_valid", intray.Params{"date": invalid.Cert.NotBefore.UTC().Format(time.DateOnly)})
	}
	return intray.NewMessage("webhook.certificate_expired", intray.Params{"date": invalid.Cert.NotAfter.UTC().Format(time.DateOnly)})
}

func explainUnknown(cert *x509.Certificate) intray.Message {
	if cert != nil && bytes.Equal(cert.RawIssuer, cert.RawSubject) {
		return intray.NewMessage("webhook.certificate_self_signed", nil)
	}
	return intray.NewMessage("webhook.certificate_of_unknown_authority", nil)
}

// shownNames is the maximum number of names in a certificate that a message lists.
const shownNames = 3

// explainNames returns the message for a certificate that is valid only for other
// hosts. Their names are untrusted input.
func (a *attempt) explainNames(cert *x509.Certificate) intray.Message {
	names := cert.DNSNames
	for _, ip := range cert.IPAddresses {
		names = append(names, ip.String())
	}
	shown := make([]string, 0, shownNames)
	for _, name := range names[:min(len(names), shownNames)] {
		text := strconv.QuoteToASCII(name)
		shown = append(shown, text[1:min(len(text)-1, 1+shownLocation)])
	}
	switch {
	case len(names) == 0:
		return intray.NewMessage("webhook.certificate_without_host", intray.Params{"host": a.target.host})
	case len(names) > shownNames:
		return intray.NewMessage("webhook.certificate_for_many_others", intray.Params{"names": shown, "n": len(names) - shownNames, "host": a.target.host})
	}
	return intray.NewMessage("webhook.certificate_for_others", intray.Params{"names": shown, "host": a.target.host})
}

// explainResponse returns the kind and the message for a failure between the
// request and the end of the response's head.
func (a *attempt) explainResponse(err error) (Kind, intray.Message) {
	found := a.head.inspectHTTP1()
	if a.http2 {
		found = a.head.inspectHTTP2()
	}
	switch {
	case found.tooLong:
		return NotHTTP, intray.NewMessage("webhook.head_too_long", intray.Params{"size": maxHead >> 10})
	case found.brokenOff:
		return Dropped, intray.NewMessage("webhook.request_broken_off", nil)
	case found.alert:
		return NotHTTP, intray.NewMessage("webhook.speaks_tls", nil)
	case isDisconnect(err), !found.begun && isDisconnect(a.head.failure):
		return Dropped, intray.NewMessage("webhook.hung_up", nil)
	}
	return NotHTTP, intray.NewMessage("webhook.not_a_web_server", nil)
}

func isDisconnect(err error) bool {
	return slices.ContainsFunc([]error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed}, func(end error) bool { return errors.Is(err, end) })
}
