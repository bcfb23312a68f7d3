package sftp

import (
	"context"
	"math"
	"net"
	"slices"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/egress"
)

// maxOpening is how many bytes connecting takes from a server. An honest one
// needs about 4 KiB.
const maxOpening = 4 << 20

// stage is how far an attempt has come.
type stage int

const (
	connecting stage = iota
	greeting
	loggingIn
	openingFiles
)

// doing says what is under way at a stage.
func (s stage) doing() intray.Message {
	return [...]intray.Message{
		intray.NewMessage("sftp.connecting", nil), intray.NewMessage("sftp.greeting", nil),
		intray.NewMessage("sftp.logging_in", nil), intray.NewMessage("sftp.opening_sftp", nil),
	}[s]
}

// attempt is connecting to one server.
type attempt struct {
	cred    Credential
	cfg     Config
	address string
	auth    func() []ssh.AuthMethod
	pin     *pin
	conn    *egress.Limited
	opening bool
	// refused says that the server took none of the methods that there are.
	refused bool
}

func newAttempt(cred Credential, cfg Config) (*attempt, error) {
	if err := checkPlace(cred); err != nil {
		return nil, &Error{Kind: Invalid, Text: intray.MessageOf(err)}
	}
	auth, err := authOf(cred)
	if err != nil {
		return nil, &Error{Kind: Invalid, Text: intray.MessageOf(err)}
	}
	p, err := parsePin(cred.HostKey)
	if err != nil {
		return nil, &Error{Kind: Invalid, Text: intray.MessageOf(err)}
	}
	return &attempt{cred: cred, cfg: cfg, address: cred.address(), auth: auth, pin: p}, nil
}

func (a *attempt) run(ctx context.Context, door *egress.Door) (*Session, error) {
	a.conn, a.opening, a.refused = nil, false, false
	raw, err := door.DialSFTP(ctx, "tcp", a.address)
	if err != nil {
		return nil, err
	}
	a.conn = egress.Limit(raw, maxOpening)
	// The library knows no contexts: when ctx ends the connection goes.
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	conn, channels, requests, err := ssh.NewClientConn(a.conn, a.address, a.config())
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	s := newSession(a, raw, ssh.NewClient(conn, channels, requests))
	a.opening = true
	err = s.open()
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	a.conn.Allow(math.MaxInt64)
	s.start()
	return s, nil
}

// again tells whether to connect once more, for another of the server's keys.
func (a *attempt) again(ctx context.Context) bool {
	return ctx.Err() == nil && a.pin.mismatch() != nil && a.pin.askForAnother()
}

func (a *attempt) config() *ssh.ClientConfig {
	safe := ssh.SupportedAlgorithms()
	return &ssh.ClientConfig{
		Config:            ssh.Config{KeyExchanges: safe.KeyExchanges, Ciphers: safe.Ciphers, MACs: safe.MACs},
		User:              a.cred.User,
		Auth:              a.auth(),
		AuthCallback:      a.tried,
		HostKeyCallback:   func(_ string, _ net.Addr, key ssh.PublicKey) error { return a.pin.check(key) },
		HostKeyAlgorithms: a.pin.algorithms(),
		ClientVersion:     "SSH-2.0-Intray",
	}
}

// tried is called after each method. It leaves the choice of the next one to the
// library, and notes that there is none: the library has no type of error for that.
func (a *attempt) tried(about *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	a.refused = !slices.ContainsFunc(methodsOf(a.cred), func(method string) bool {
		return slices.Contains(about.AllowedMethods, method) && !slices.Contains(about.TriedMethods, method)
	})
	return nil, nil
}

func (a *attempt) stage() stage {
	switch {
	case a.opening:
		return openingFiles
	case a.pin.shown() != nil:
		return loggingIn
	case a.conn != nil:
		return greeting
	}
	return connecting
}
