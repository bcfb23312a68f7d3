// Package sftp reaches the SFTP servers of customers.
//
// A Credential says where a server is, who logs in and with which secret, and
// which host key the server showed before (the pin). A Report says what a
// successful connection found. A Session is one connection: it lists a
// directory, fetches files and puts files. A File is one version of a file
// there: a path, a size and a modification time.
//
// A Schedule says when to look, Decide says which of the files that were listed
// are new and at rest. Both are pure: the time is given to them.
//
// Servers are strangers here: everything they do is bounded in time and bytes,
// and what they say is never shown to people, except the names of files, after
// those were checked. The protocol is spoken by this package itself, see wire.go
// for why. Listing and fetching change nothing on the server. The package uses
// no agent, no known_hosts file and no settings of the machine, and keeps
// nothing: the caller stores the host key and what was taken.
package sftp

import (
	"context"
	"crypto/rand"
	"io"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/egress"
	"github.com/intraydata/intray/server/secrets"
)

// The defaults of Config.
const (
	// DefaultTimeout bounds connecting, from the first look at the name until
	// SFTP answers.
	DefaultTimeout = 15 * time.Second
	// DefaultPatience bounds waiting for one answer.
	DefaultPatience = 30 * time.Second
	// DefaultListTimeout bounds listing one directory.
	DefaultListTimeout = 2 * time.Minute
	// DefaultKeepAlive is the time between two signs of life.
	DefaultKeepAlive = 30 * time.Second
)

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
	Password secrets.Secret
	// PrivateKey is a key in OpenSSH format, without a passphrase.
	PrivateKey secrets.Secret
	// HostKey is the pinned key of the server: one line of an authorized_keys
	// file ("ssh-ed25519 AAAA…"). The empty text accepts any key.
	HostKey string
}

// Report is what a successful connection found.
type Report struct {
	// HostKey is the key that the server showed, as one line of an
	// authorized_keys file.
	HostKey string
	// HostKeyFingerprint is its fingerprint as OpenSSH prints it: "SHA256:…".
	HostKeyFingerprint string
}

// Config holds the choices of a Client. The zero Config works.
type Config struct {
	// Timeout bounds each connecting as a whole. Default DefaultTimeout.
	Timeout time.Duration
	// Patience bounds waiting for one answer of the server, and for each 32 KiB
	// of a file: whoever is slower than that is hung up on. Default
	// DefaultPatience.
	Patience time.Duration
	// ListTimeout bounds listing one directory. Default DefaultListTimeout.
	ListTimeout time.Duration
	// KeepAlive is the time between two signs of life on a session. Default
	// DefaultKeepAlive.
	KeepAlive time.Duration
	// Rand names unfinished files. Default crypto/rand.
	Rand io.Reader
}

func (cfg Config) withDefaults() Config {
	for field, value := range map[*time.Duration]time.Duration{
		&cfg.Timeout: DefaultTimeout, &cfg.Patience: DefaultPatience,
		&cfg.ListTimeout: DefaultListTimeout, &cfg.KeepAlive: DefaultKeepAlive,
	} {
		if *field <= 0 {
			*field = value
		}
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	return cfg
}

// Client reaches SFTP servers through a door. It may be used by many goroutines.
type Client struct {
	dialer *egress.Dialer
	cfg    Config
}

// New makes a client.
func New(dialer *egress.Dialer, cfg Config) *Client {
	return &Client{dialer: dialer, cfg: cfg.withDefaults()}
}

// Test connects, checks the host key, logs in, opens SFTP, asks for the working
// directory, and hangs up. Its errors are those of Dial.
func (c *Client) Test(ctx context.Context, cred Credential) (Report, error) {
	s, err := c.Dial(ctx, cred)
	if err != nil {
		return Report{}, err
	}
	s.Close()
	return s.Report(), nil
}

// Dial connects, checks the host key, logs in, opens SFTP and asks for the
// working directory. The caller closes the session. Errors are of type *Error,
// except that the end of ctx by cancellation gives an error that wraps
// context.Canceled. The session outlives ctx.
func (c *Client) Dial(ctx context.Context, cred Credential) (*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	a, err := newAttempt(cred, c.cfg)
	if err != nil {
		return nil, err
	}
	s, err := a.connect(ctx, c.dialer)
	if err != nil {
		return nil, a.explain(ctx, err)
	}
	return s, nil
}

func validateCredential(cred Credential) error {
	if err := ValidHostname(cred.Hostname); err != nil {
		return err
	}
	if cred.Port < 1 || cred.Port > 65535 {
		return &intray.MessageError{Message: intray.NewMessage("sftp.invalid_port", intray.Params{"port": strconv.Itoa(cred.Port)})}
	}
	odd := strings.ContainsFunc(cred.User, func(r rune) bool { return r < ' ' || r == 0x7f })
	if cred.User == "" || len(cred.User) > maxUser || odd {
		return &intray.MessageError{Message: intray.NewMessage("sftp.invalid_user", intray.Params{"n": maxUser})}
	}
	return nil
}

func (cred Credential) address() string {
	return net.JoinHostPort(cred.Hostname, strconv.Itoa(cred.Port))
}

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
	// auth are the ways to log in, authNames their names in the protocol.
	auth      []ssh.AuthMethod
	authNames []string
	hostKey   *hostKeyPin
	conn      *egress.LimitedConn
	isOpening bool
	// refused says that the server took none of the methods that there are.
	refused bool
}

func newAttempt(cred Credential, cfg Config) (*attempt, error) {
	if err := validateCredential(cred); err != nil {
		return nil, &Error{Kind: Invalid, Text: intray.MessageOf(err)}
	}
	auth, authNames, err := authMethods(cred)
	if err != nil {
		return nil, &Error{Kind: Invalid, Text: intray.MessageOf(err)}
	}
	p, err := parsePin(cred.HostKey)
	if err != nil {
		return nil, &Error{Kind: Invalid, Text: intray.MessageOf(err)}
	}
	return &attempt{cred: cred, cfg: cfg, address: cred.address(), auth: auth, authNames: authNames, hostKey: p}, nil
}

func (a *attempt) connect(ctx context.Context, dialer *egress.Dialer) (*Session, error) {
	raw, err := dialer.DialSFTP(ctx, "tcp", a.address)
	if err != nil {
		return nil, err
	}
	a.conn = egress.LimitReads(raw, maxOpening)
	// The library knows no contexts: when ctx ends the connection goes.
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
		Auth:              a.auth,
		AuthCallback:      a.tried,
		HostKeyCallback:   func(_ string, _ net.Addr, key ssh.PublicKey) error { return a.hostKey.verify(key) },
		HostKeyAlgorithms: a.hostKey.algorithms(),
		ClientVersion:     "SSH-2.0-Intray",
	}
}

// tried is called after each method. It leaves the choice of the next one to the
// library, and notes that there is none: the library has no type of error for that.
func (a *attempt) tried(about *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	a.refused = !slices.ContainsFunc(a.authNames, func(method string) bool {
		return slices.Contains(about.AllowedMethods, method) && !slices.Contains(about.TriedMethods, method)
	})
	return nil, nil
}

func (a *attempt) currentStage() stage {
	switch {
	case a.isOpening:
		return openingFiles
	case a.hostKey.serverKey() != nil:
		return loggingIn
	case a.conn != nil:
		return greeting
	}
	return connecting
}
