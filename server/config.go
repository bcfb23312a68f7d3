// Package server puts the parts together: a [Config] becomes a running service.
//
// It is the one place that names concrete stores, blobs and adapters. It holds
// no rules.
package server

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/secrets"
)

// Config says how the service runs. Data and Listen must be set. The flags of serve, in
// cmd/intray/serve.go, fill it in: a new setting needs a field here and a flag there.
type Config struct {
	// Data is the folder for all stored data.
	Data string
	// DatabaseURL is a PostgreSQL database; "" means SQLite in Data.
	DatabaseURL string
	// MasterKey is the key that all secrets hang on, base64 of 32 bytes; ""
	// means the file master.key in Data, made on the first start.
	MasterKey string
	// Listen is the address of the API, such as 127.0.0.1:8080.
	Listen string
	// BaseURL is how clients reach the service, without a path; "" means as
	// they called it.
	BaseURL string
	// MetricsListen is the address of the metrics; "" means none.
	MetricsListen string
	// TLSCert and TLSKey are files in PEM; both or none.
	TLSCert, TLSKey string
	// TrustedProxies may say with X-Forwarded-… how clients called.
	TrustedProxies []netip.Prefix
	// RateCreate is how many imports a minute one key may make; 0 means no
	// limit.
	RateCreate int
	// RatePoll is how often a minute one import may be retrieved; 0 means no
	// limit.
	RatePoll int
	// EgressAllow are private networks that may be reached.
	EgressAllow []netip.Prefix
	// Hooks says how hooks are run.
	Hooks HookConfig
	// KeyHeaders are the names of the header with the licence key. Default
	// those of package httpapi.
	KeyHeaders []string
	// MaxFileSize caps the files of all imports, in bytes: 1 to 1 GiB.
	MaxFileSize int64
	// BackendKey and FrontendKey are the first keys of an empty store; "" lets
	// them be made.
	BackendKey, FrontendKey string
	// Serving is called once the service serves, with its address. Default nobody
	// is told.
	Serving func(address string)
	// Version is told in logs and in the API document.
	Version string
	// Out takes what a person who starts the service should read. Log takes
	// the rest.
	Out io.Writer
	Log *slog.Logger
}

// UsageError is a value of the configuration that cannot be.
type UsageError struct{ error }

// Unwrap gives what is wrong.
func (e UsageError) Unwrap() error { return e.error }

func usageErrorf(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// validate finds what is wrong before anything is opened or made.
func (c *Config) validate() error {
	_, port, err := net.SplitHostPort(c.Listen)
	if _, number := strconv.ParseUint(port, 10, 16); err != nil || number != nil {
		return usageErrorf("--listen %q is no address such as 127.0.0.1:8080", c.Listen)
	}
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return usageErrorf("--tls-cert and --tls-key go together: give both or none")
	case c.RateCreate < 0 || c.RatePoll < 0:
		return usageErrorf("--rate-create and --rate-poll cannot be negative; 0 means no limit")
	case c.MaxFileSize < 1 || c.MaxFileSize > intray.MaxFileSize:
		return usageErrorf("--max-file-size must be 1 to %d bytes", intray.MaxFileSize)
	case c.KeyHeaders != nil && len(c.KeyHeaders) == 0:
		return usageErrorf("--key-headers needs the name of a header")
	}
	if err := c.Hooks.validate(); err != nil {
		return err
	}
	if err := c.checkStore(); err != nil {
		return err
	}
	return c.checkBaseURL()
}

func (c *Config) checkStore() error {
	if c.DatabaseURL != "" && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://") {
		return usageErrorf("--database-url must begin with postgres://")
	}
	if c.MasterKey == "" {
		return nil
	}
	if _, err := secrets.ParseMaster(c.MasterKey); err != nil {
		return usageErrorf("INTRAY_MASTER_KEY: %w", err)
	}
	return nil
}

func (c *Config) checkBaseURL() error {
	if c.BaseURL == "" {
		return nil
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return usageErrorf("--base-url %q is no address such as https://intray.example.org", c.BaseURL)
	}
	if strings.Trim(base.Path, "/") != "" {
		return usageErrorf("--base-url %q has a path: the service works at the root of a host name only, such as https://intray.example.org", c.BaseURL)
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	return nil
}

// exposed says whether the API is offered beyond this machine without TLS.
func (c *Config) exposed() bool {
	if c.TLSCert != "" || strings.HasPrefix(c.BaseURL, "https://") {
		return false
	}
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil || host == "localhost" {
		return false
	}
	address, err := netip.ParseAddr(host)
	return err != nil || !address.IsLoopback()
}

// ParseNetworks reads a list of networks, such as "10.0.0.0/8,::1", separated
// by commas.
func ParseNetworks(text string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		prefix, err := netip.ParsePrefix(part)
		if address, alone := netip.ParseAddr(part); alone == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no network such as 10.0.0.0/8", part)
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// emptySpool makes the spool, and removes what an earlier process left in it.
func emptySpool(cfg Config) error {
	if err := os.RemoveAll(cfg.tempDir()); err != nil {
		return fmt.Errorf("empty the spool: %w", err)
	}
	if err := os.MkdirAll(cfg.tempDir(), 0o700); err != nil {
		return fmt.Errorf("make the spool: %w", err)
	}
	return nil
}

// checkBlobsHaveRows refuses to begin a new SQLite database beside blobs of
// another one, whose files would lie there for ever without an owner.
func checkBlobsHaveRows(database, blobs string) error {
	stat, err := os.Stat(database)
	if err == nil && stat.Size() > 0 {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("look for the database: %w", err)
	}
	held, err := disk.HasOtherBlobs(blobs, "anchor")
	if err == nil && held {
		err = fmt.Errorf("%s is missing or empty, but %s holds files of its imports: "+
			"put the database back from its backup, or give another --data folder to begin anew", database, blobs)
	}
	return err
}

func (c *Config) blobDir() string { return filepath.Join(c.Data, "blobs") }

func (c *Config) tempDir() string { return filepath.Join(c.Data, "spool") }
