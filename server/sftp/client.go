// Package sftp is an SFTP client for customers' servers.
//
// A [Client] connects with a [Credential], which contains the server's address, the user name,
// a password, a private key or both, and the pinned host key. A [Session] is one connection that lists directories,
// fetches files and uploads files. A [File] is one version of a file: a path, a size and a
// modification time. A [Schedule] determines when to look for files, and [PlanFetch] determines
// which of the listed files are new and no longer changing. Both are pure.
//
// Servers are untrusted: the time and the bytes of every operation are limited, and messages for
// people quote no text from the server except file names, which are validated and escaped.
// Listing and fetching change nothing on the server. The package does not use an SSH agent, a
// known_hosts file or settings of the machine. It stores nothing: the caller remembers the host
// key and which files were fetched.
package sftp

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"math"
	"net"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/secrets"
)

// These are the defaults of Config.
const (
	DefaultTimeout     = 15 * time.Second
	DefaultPatience    = 30 * time.Second
	DefaultListTimeout = 2 * time.Minute
	DefaultKeepAlive   = 30 * time.Second
)

// maxUser is the maximum length of a user name, in bytes.
const maxUser = 255

// Credential contains the address of a server and the login. Password, PrivateKey or both are set.
// With both, the login succeeds if the server requires both or accepts one of them.
type Credential struct {
	// Org is the id of the organization, which may have networks of its own in egress.Config.
	Org string
	// Hostname is a host name or an IP address that satisfies ValidHostname.
	Hostname string
	// Port is the TCP port, from 1 to 65535.
	Port int
	User string
	// Password is also the answer if a server asks a single question whose answer is not echoed.
	Password secrets.Secret
	// PrivateKey is a private key in OpenSSH format, without a passphrase.
	PrivateKey secrets.Secret
	// HostKey is the pinned host key as a line of an authorized_keys file
	// ("ssh-ed25519 AAAA…"). "" means that any key is accepted.
	HostKey string
}

// Report describes the server after a successful connection.
type Report struct {
	// HostKey is the key that the server presented, as a line of an authorized_keys file.
	HostKey string
	// HostKeyFingerprint is the fingerprint of HostKey in the format of OpenSSH: "SHA256:…".
	HostKeyFingerprint string
}

// Config configures a Client. The zero Config uses the defaults.
type Config struct {
	// Timeout is the maximum time to connect, from the DNS lookup to the first
	// response over SFTP. Default DefaultTimeout.
	Timeout time.Duration
	// Patience is the maximum time to wait for one response, or for 32 KiB of a
	// file. Default DefaultPatience.
	Patience time.Duration
	// ListTimeout is the maximum time to list one directory. Default DefaultListTimeout.
	ListTimeout time.Duration
	// KeepAlive is the interval between keep-alive requests. Default DefaultKeepAlive.
	KeepAlive time.Duration
	// Rand is the source of randomness for temporary file names. Default crypto/rand.
	Rand io.Reader
}

// Client connects to SFTP servers. It is safe for concurrent use.
type Client struct {
	dialer *egress.Dialer
	cfg    Config
}

// New returns a client that connects through the dialer.
func New(dialer *egress.Dialer, cfg Config) *Client {
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), DefaultTimeout)
	cfg.Patience = cmp.Or(max(cfg.Patience, 0), DefaultPatience)
	cfg.ListTimeout = cmp.Or(max(cfg.ListTimeout, 0), DefaultListTimeout)
	cfg.KeepAlive = cmp.Or(max(cfg.KeepAlive, 0), DefaultKeepAlive)
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	return &Client{dialer: dialer, cfg: cfg}
}

// Test connects like Dial, closes the session and returns its report. Its errors
// are those of Dial.
func (c *Client) Test(ctx context.Context, cred Credential) (Report, error) {
	s, err := c.Dial(ctx, cred)
	if err != nil {
		return Report{}, err
	}
	s.Close()
	return s.Report(), nil
}

// Dial connects, checks the host key, logs in, starts SFTP and requests the working
// directory. The session outlives ctx, and the caller must close it. Errors are of
// type *Error, except that after a cancellation the error wraps context.Canceled.
func (c *Client) Dial(ctx context.Context, cred Credential) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	a, err := newAttempt(cred, c.cfg)
	if err != nil {
		return nil, &Error{Kind: Invalid, Text: intray.MessageOf(err)}
	}
	s, err := a.connect(ctx, c.dialer.ForOrg(cred.Org))
	if err != nil {
		return nil, a.explain(ctx, err)
	}
	return s, nil
}

// maxOpening is the maximum number of bytes that a server may send before SFTP is
// ready. A well-behaved server sends about 4 KiB.
const maxOpening = 4 << 20

// stage is the progress of an attempt to connect.
type stage int

const (
	connecting stage = iota
	greeting
	loggingIn
	openingSFTP
)

// action returns a human-readable description of the stage.
func (s stage) action() intray.Message {
	return [...]intray.Message{
		intray.NewMessage("sftp.connecting", nil), intray.NewMessage("sftp.greeting", nil),
		intray.NewMessage("sftp.logging_in", nil), intray.NewMessage("sftp.opening_sftp", nil),
	}[s]
}

// attempt is an attempt to connect to one server.
type attempt struct {
	cred      Credential
	cfg       Config
	address   string
	hostKey   *hostKeyPin
	conn      *egress.LimitedConn
	login     *login
	isOpening bool
}

func newAttempt(cred Credential, cfg Config) (*attempt, error) {
	if err := ValidHostname(cred.Hostname); err != nil {
		return nil, err
	}
	if cred.Port < 1 || cred.Port > 65535 {
		return nil, &intray.MessageError{Message: intray.NewMessage("sftp.invalid_port", intray.Params{"port": strconv.Itoa(cred.Port)})}
	}
	control := strings.ContainsFunc(cred.User, func(r rune) bool { return r < ' ' || r == 0x7f })
	if cred.User == "" || len(cred.User) > maxUser || control {
		return nil, &intray.MessageError{Message: intray.NewMessage("sftp.invalid_user", intray.Params{"n": maxUser})}
	}
	a := &attempt{cred: cred, cfg: cfg, address: net.JoinHostPort(cred.Hostname, strconv.Itoa(cred.Port))}
	var err error
	if a.login, err = newLogin(cred); err != nil {
		return nil, err
	}
	a.hostKey, err = parsePin(cred.HostKey)
	return a, err
}

func (a *attempt) connect(ctx context.Context, dialer *egress.Dialer) (*Session, error) {
	raw, err := dialer.DialSFTP(ctx, "tcp", a.address)
	if err != nil {
		return nil, err
	}
	a.conn = egress.LimitReads(raw, maxOpening)
	// The SSH library does not support contexts, so canceling ctx closes the connection.
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer stop()
	conn, channels, requests, err := ssh.NewClientConn(a.conn, a.address, a.config())
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	s := newSession(a, raw, ssh.NewClient(conn, channels, requests))
	a.isOpening = true
	err = s.open()
	if err == nil && !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	a.conn.SetLimit(math.MaxInt64)
	s.startKeepAlive()
	return s, nil
}

func (a *attempt) config() *ssh.ClientConfig {
	safe := ssh.SupportedAlgorithms()
	return &ssh.ClientConfig{
		Config:            ssh.Config{KeyExchanges: safe.KeyExchanges, Ciphers: safe.Ciphers, MACs: safe.MACs},
		User:              a.cred.User,
		Auth:              a.login.methods,
		AuthCallback:      a.login.noteProgress,
		HostKeyCallback:   func(_ string, _ net.Addr, key ssh.PublicKey) error { return a.hostKey.verify(key) },
		HostKeyAlgorithms: a.hostKey.algorithms(),
		ClientVersion:     "SSH-2.0-Intray",
	}
}

func (a *attempt) stage() stage {
	switch {
	case a.isOpening:
		return openingSFTP
	case a.hostKey.accepted() != nil:
		return loggingIn
	case a.conn != nil:
		return greeting
	}
	return connecting
}
