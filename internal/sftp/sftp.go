// Package sftp reaches the SFTP servers of customers.
//
// A Credential says where a server is, who logs in and with which secret, and
// which host key the server showed before (the pin). A Report says what a
// successful connection found.
//
// Servers are strangers here: everything they do is bounded in time and bytes,
// and what they say is never shown to people. The package fetches no files. It
// uses no agent, no known_hosts file and no settings of the machine, and keeps
// nothing: the caller stores the host key.
package sftp

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	pkgsftp "github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray/internal/egress"
	"github.com/intraydata/intray/internal/seal"
)

// DefaultTimeout bounds a test from the first look at the name to the end.
const DefaultTimeout = 15 * time.Second

// maxRead is how many bytes a test takes from a server. An honest one needs
// about 4 KiB.
const maxRead = 4 << 20

// maxUser is the longest user name, in bytes.
const maxUser = 255

// Credential is what is needed to log in. Exactly one of Password and PrivateKey
// is set.
type Credential struct {
	// Hostname is a name or an IP address that ValidHostname accepts.
	Hostname string
	// Port is from 1 to 65535.
	Port int
	User string
	// Password is also the answer where a server asks one hidden question.
	Password seal.Secret
	// PrivateKey is a key in OpenSSH format without a passphrase.
	PrivateKey seal.Secret
	// HostKey is the pinned key of the server as one line of an
	// authorized_keys file: "ssh-ed25519 AAAA…". The empty text accepts any.
	HostKey string
}

// Report is what a successful test found.
type Report struct {
	// HostKey is the key that the server showed, in the form of
	// Credential.HostKey.
	HostKey string
	// HostKeyFingerprint is its fingerprint as OpenSSH prints it: "SHA256:…".
	HostKeyFingerprint string
}

// Config holds the choices of a Client. The zero Config works.
type Config struct {
	// Timeout bounds each test as a whole. Default DefaultTimeout.
	Timeout time.Duration
}

// Client reaches SFTP servers through a door. It may be used by many goroutines.
type Client struct {
	door    *egress.Door
	timeout time.Duration
}

// New makes a client.
func New(door *egress.Door, cfg Config) *Client {
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	return &Client{door: door, timeout: cfg.Timeout}
}

// Test connects, checks the host key, logs in, opens SFTP, asks for the working
// directory, and hangs up. Its errors are of type *Error, except that the end of
// ctx by cancellation gives an error that wraps context.Canceled.
func (c *Client) Test(ctx context.Context, cred Credential) (Report, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	a, err := newAttempt(cred)
	if err != nil {
		return Report{}, err
	}
	if err := a.run(ctx, c.door); err != nil {
		return Report{}, a.explain(ctx, err)
	}
	return a.pin.report(), nil
}

// stage is how far an attempt has come.
type stage int

const (
	connecting stage = iota
	greeting
	loggingIn
	openingFiles
)

func (s stage) String() string {
	return [...]string{"connecting", "greeting it", "logging in", "opening SFTP"}[s]
}

// attempt is one connection to one server.
type attempt struct {
	cred    Credential
	address string
	auth    []ssh.AuthMethod
	pin     *pin
	conn    *limitedConn
	opening bool
}

func newAttempt(cred Credential) (*attempt, error) {
	if err := checkPlace(cred); err != nil {
		return nil, &Error{Kind: Invalid, Text: err.Error()}
	}
	auth, err := authOf(cred)
	if err != nil {
		return nil, &Error{Kind: Invalid, Text: err.Error()}
	}
	p, err := parsePin(cred.HostKey)
	if err != nil {
		return nil, &Error{Kind: Invalid, Text: err.Error()}
	}
	address := net.JoinHostPort(cred.Hostname, strconv.Itoa(cred.Port))
	return &attempt{cred: cred, address: address, auth: auth, pin: p}, nil
}

func checkPlace(cred Credential) error {
	if err := ValidHostname(cred.Hostname); err != nil {
		return err
	}
	if cred.Port < 1 || cred.Port > 65535 {
		return fmt.Errorf("the port is %d, it must be from 1 to 65535", cred.Port)
	}
	odd := strings.ContainsFunc(cred.User, func(r rune) bool { return r < ' ' || r == 0x7f })
	if cred.User == "" || len(cred.User) > maxUser || odd {
		return fmt.Errorf("the user name must have 1 to %d bytes and no control characters", maxUser)
	}
	return nil
}

func (a *attempt) run(ctx context.Context, door *egress.Door) error {
	raw, err := door.DialSFTP(ctx, "tcp", a.address)
	if err != nil {
		return err
	}
	a.conn = limit(raw, maxRead)
	defer func() { _ = raw.Close() }()
	// Neither library knows contexts: when ctx ends the connection goes.
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	conn, channels, requests, err := ssh.NewClientConn(a.conn, a.address, a.config())
	if err != nil {
		return err
	}
	client := ssh.NewClient(conn, channels, requests)
	defer func() { _ = client.Wait() }()
	defer func() { _ = client.Close() }()
	a.opening = true
	return lookAround(client)
}

func lookAround(client *ssh.Client) error {
	files, err := pkgsftp.NewClient(client)
	if err != nil {
		return err
	}
	_, err = files.Getwd()
	// A server that keeps its end open would keep Close waiting: hang up first.
	_ = client.Close()
	_ = files.Close()
	return err
}

func (a *attempt) config() *ssh.ClientConfig {
	safe := ssh.SupportedAlgorithms()
	return &ssh.ClientConfig{
		Config:            ssh.Config{KeyExchanges: safe.KeyExchanges, Ciphers: safe.Ciphers, MACs: safe.MACs},
		User:              a.cred.User,
		Auth:              a.auth,
		HostKeyCallback:   a.pin.check,
		HostKeyAlgorithms: a.pin.algorithms(),
		ClientVersion:     "SSH-2.0-Intray",
	}
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
