// Package server assembles a running service from a [Config].
//
// Apart from test support, it is the only package that depends on the implementations of stores,
// blob stores and adapters. It contains no business rules.
package server

import (
	"cmp"
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
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/blob/disk"
	"github.com/intraydata/intray/server/blob/s3"
	"github.com/intraydata/intray/server/doctor"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/secrets"
	"github.com/intraydata/intray/server/sqlstore"
)

// Config configures the service. Data and Listen are required. The flags in cmd/intray/serve.go
// set its fields, so a new setting needs a field here and a flag there.
type Config struct {
	// Data is the path of the folder for all stored data.
	Data string
	// DatabaseURL is the URL of a PostgreSQL database. Default: SQLite in Data.
	DatabaseURL string
	// BlobURL is the URL of a bucket of an S3-compatible store, s3://BUCKET/PREFIX. Default: a
	// folder in Data.
	BlobURL string
	// DirectUploads allows clients to send files directly to the bucket. It requires BlobURL.
	DirectUploads bool
	// MasterKey is the key that encrypts the internal keys in the database:
	// 32 bytes in base64. Default: the key in the file master.key in Data, which the first
	// start creates.
	MasterKey string
	// NewMasterKey is the key that RotateMaster replaces MasterKey with. While it is set, Intray
	// starts with either of them.
	NewMasterKey string
	// Listen is the address of the API, such as 127.0.0.1:8080.
	Listen string
	// BaseURL is the URL at which clients reach the service, without a path.
	// Default: the URL in each request.
	BaseURL string
	// MetricsListen is the address at which the metrics are served. Default: no metrics.
	MetricsListen string
	// TLSCert and TLSKey are the paths of PEM files. Set both or neither. Default: no TLS.
	TLSCert, TLSKey string
	// TrustedProxies are the networks of proxies that may set X-Forwarded-… headers.
	TrustedProxies []netip.Prefix
	// RateCreate is the maximum number of imports that an API key may create per
	// minute. 0 means no limit.
	RateCreate int
	// RatePoll is the maximum number of times that an import may be retrieved per minute. 0
	// means no limit.
	RatePoll int
	// RateAuthFailures is the maximum number of failed authentications per client address and
	// minute. 0 means no limit.
	RateAuthFailures int
	// MaxConnectionsPerAddress is the maximum number of connections of a client address. 0 means
	// a quarter of all connections. It does not apply to TrustedProxies.
	MaxConnectionsPerAddress int
	// MaxRequests is the maximum number of requests in progress. 0 means 4 per CPU core with SQLite,
	// at least 8, and twice as many with PostgreSQL.
	MaxRequests int
	// MaxLargeUploads is the maximum number of files of more than 8 MiB that are received at the
	// same time. 0 means no limit.
	MaxLargeUploads int
	// Quotas limit what each organization uses.
	Quotas model.Quotas
	// EgressAllow lists private networks that the service may connect to for all organizations.
	// EgressAllowByOrg lists those for single organizations, by id.
	EgressAllow      []netip.Prefix
	EgressAllowByOrg map[string][]netip.Prefix
	// Hooks configures the runtime and the sandbox of hooks.
	Hooks HookConfig
	// KeyHeaders are the names of the headers that can contain the API key.
	// Default: those of package httpapi.
	KeyHeaders []string
	// MaxFileSize is the maximum size of the file of an import, in bytes. It must be from 1 byte
	// to 1 GiB.
	MaxFileSize int64
	// Memory is the budget of the process. Its zero value limits nothing, and 4 imports run at the
	// same time.
	Memory MemoryBudget
	// MaxRunsPerOrg is the maximum number of imports of one organization that run at the same time, in
	// all processes. 0 means 2.
	MaxRunsPerOrg int
	// ScrubDays is the number of days in which every stored file is verified once. 0 means never, and
	// a negative number means 30 days, or never if files are stored in a bucket.
	ScrubDays int
	// StallTimeout is the time after which an import that makes no progress fails. 0 means 30
	// minutes.
	StallTimeout time.Duration
	// ReviewLinkLife is the lifetime of review links. 0 means 30 days.
	ReviewLinkLife time.Duration
	// BackendKey and FrontendKey are the API keys that are created in an empty
	// store. Default: random keys.
	BackendKey, FrontendKey string
	// Serving is called with the address of the API once the service accepts connections.
	// Default: nothing is called.
	Serving func(address string)
	// NotifySocket is the socket at which systemd waits for messages that the service is ready or
	// stops. Default: none.
	NotifySocket string
	// Version appears in logs and in the API document.
	Version string
	// Out receives messages for the person who starts the service. Log receives all
	// other messages.
	Out io.Writer
	Log *slog.Logger

	// deletesFiles means that the process deletes files without serving. The files must belong to
	// the database.
	deletesFiles bool
	// moves means that the process completes a move to the database.
	moves bool
	// endedNode is the node of the process that last served from Data, or "" if it is unknown.
	endedNode string
	// metrics are the metrics of a process that serves, or nil. overQuota is called for each request
	// that a quota refuses. Default: nothing is called.
	metrics   *metrics
	overQuota func(org string, quota model.Quota)
	// shutdown holds shorter time limits for tests. Default defaultShutdown.
	shutdown shutdownLimits
	// maxConnections is a smaller number of connections for tests. Default: the number that the
	// limit on open files allows.
	maxConnections int
}

// maxRequests returns the maximum number of requests in progress. With PostgreSQL, requests spend some of
// their time waiting for the network.
func (c *Config) maxRequests() int {
	most := max(8, 4*runtime.GOMAXPROCS(0))
	if c.DatabaseURL != "" {
		most *= 2
	}
	return cmp.Or(c.MaxRequests, most)
}

// defaultScrubDays is the default of ScrubDays for files in the data folder. A bucket usually belongs to
// a service that verifies its files itself, and charges for each request.
const defaultScrubDays = 30

// scrubPeriod returns the time in which every stored file is verified once, or 0.
func (c *Config) scrubPeriod() time.Duration {
	days := c.ScrubDays
	if days < 0 && c.BlobURL == "" {
		days = defaultScrubDays
	}
	return time.Duration(max(days, 0)) * 24 * time.Hour
}

// UsageError reports an invalid configuration value or argument.
type UsageError struct{ error }

// Unwrap returns the cause.
func (e UsageError) Unwrap() error { return e.error }

func usageErrorf(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// validate checks the configuration before anything is opened or created.
func (c *Config) validate() error {
	for _, err := range c.problems() {
		return err
	}
	return nil
}

// problems returns what is wrong with the configuration.
func (c *Config) problems() (list []error) {
	for _, rule := range []struct {
		broken  bool
		problem error
	}{
		{!c.hasValidListen(), usageErrorf("--listen %q is not an address such as 127.0.0.1:8080", c.Listen)},
		{(c.TLSCert == "") != (c.TLSKey == ""), usageErrorf("--tls-cert and --tls-key must be set together")},
		{c.RateCreate < 0 || c.RatePoll < 0 || c.RateAuthFailures < 0, usageErrorf("--rate-create, --rate-poll and --rate-auth-failures cannot be negative; 0 means no limit")},
		{c.MaxRequests < 0, usageErrorf("--max-requests cannot be negative; 0 means 4 per CPU core with SQLite, at least 8, and twice as many with PostgreSQL")},
		{c.Memory.Imports < 0, usageErrorf("--max-runs cannot be negative; 0 derives the number from the available memory")},
		{c.MaxRunsPerOrg < 0, usageErrorf("--max-runs-per-org cannot be negative; 0 means 2")},
		{c.MaxLargeUploads < 0, usageErrorf("--max-large-uploads cannot be negative; 0 means no limit")},
		{c.MaxConnectionsPerAddress < 0, usageErrorf("--max-connections-per-address cannot be negative; 0 means a quarter of all connections")},
		{c.MaxFileSize < 1 || c.MaxFileSize > intray.MaxFileSize, usageErrorf("--max-file-size must be 1 to %d bytes", intray.MaxFileSize)},
		{c.StallTimeout < 0, usageErrorf("--stall-timeout cannot be negative; 0 means 30 minutes")},
		{c.ReviewLinkLife < 0, usageErrorf("--review-link-life cannot be negative; 0 means 30 days")},
		{c.KeyHeaders != nil && len(c.KeyHeaders) == 0, usageErrorf("--key-headers needs a header name")},
	} {
		if rule.broken {
			list = append(list, rule.problem)
		}
	}
	for _, err := range []error{c.Hooks.validate(), c.checkStore(), c.checkBaseURL()} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

func (c *Config) hasValidListen() bool {
	_, port, err := net.SplitHostPort(c.Listen)
	_, number := strconv.ParseUint(port, 10, 16)
	return err == nil && number == nil
}

func (c *Config) connectionLimits() connectionLimits {
	return newConnectionLimits(cmp.Or(c.maxConnections, maxConnections(openFiles())), c.MaxConnectionsPerAddress, c.TrustedProxies)
}

func (c *Config) checkStore() error {
	if c.DatabaseURL != "" && !strings.HasPrefix(c.DatabaseURL, "postgres://") && !strings.HasPrefix(c.DatabaseURL, "postgresql://") {
		return usageErrorf("--database-url must begin with postgres://")
	}
	if c.DatabaseURL != "" {
		if err := sqlstore.CheckURL(c.DatabaseURL); err != nil {
			return usageErrorf("--database-url: %w", err)
		}
	}
	if c.BlobURL != "" {
		if _, _, err := s3.ParseURL(c.BlobURL); err != nil {
			return usageErrorf("--blob-url: %w", err)
		}
		if c.DatabaseURL == "" {
			return usageErrorf("--blob-url requires --database-url; with SQLite, Intray stores files in the data folder")
		}
	}
	if c.DirectUploads && c.BlobURL == "" {
		return usageErrorf("--direct-uploads requires --blob-url; without a bucket, clients send files to the server")
	}
	if err := checkMaster("INTRAY_MASTER_KEY", c.MasterKey, "set it to the key of this database. Only for a new database, generate one with: openssl rand -base64 32"); err != nil {
		return err
	}
	return checkMaster("INTRAY_NEW_MASTER_KEY", c.NewMasterKey, "generate one with: openssl rand -base64 32")
}

// checkMaster checks a master key in a variable, unless it is "".
func checkMaster(variable, text, advice string) error {
	if text == "" {
		return nil
	}
	if _, err := secrets.ParseMaster(text); err != nil {
		return usageErrorf("%s: %w; %s", variable, err, advice)
	}
	return nil
}

func (c *Config) checkBaseURL() error {
	if c.BaseURL == "" {
		return nil
	}
	base, err := url.Parse(c.BaseURL)
	if strings.Contains(c.BaseURL, "@") { // it could contain a password
		return usageErrorf("--base-url must not contain a user or password; enter a URL such as https://intray.example.org")
	}
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return usageErrorf("--base-url %q is not a URL such as https://intray.example.org", doctor.Secrets{}.Redact(c.BaseURL))
	}
	if strings.Trim(base.Path, "/") != "" {
		return usageErrorf("--base-url %q has a path: the service works at the root of a host name only, such as https://intray.example.org", c.BaseURL)
	}
	c.BaseURL = strings.TrimRight(c.BaseURL, "/")
	return nil
}

// exposed reports whether the API accepts connections from other machines without TLS.
func (c *Config) exposed() bool {
	if c.TLSCert != "" || strings.HasPrefix(c.BaseURL, "https://") {
		return false
	}
	return !c.listensOnLoopback()
}

// listensOnLoopback reports whether only this machine can reach the API.
func (c *Config) listensOnLoopback() bool {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil || host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// ParseNetworks parses a comma-separated list of networks, such as "10.0.0.0/8,::1".
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
			return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", part)
		}
		list = append(list, prefix.Masked())
	}
	return list, nil
}

// ParseEgress parses a comma-separated list of networks for outgoing connections. "ORG=NETWORK"
// allows a network for the organization with this id only.
func ParseEgress(text string) (all []netip.Prefix, byOrg map[string][]netip.Prefix, err error) {
	byOrg = map[string][]netip.Prefix{}
	for part := range strings.SplitSeq(text, ",") {
		org, network, forOne := strings.Cut(part, "=")
		if !forOne {
			org, network = "", part
		}
		list, err := ParseNetworks(network)
		if err != nil {
			return nil, nil, err
		}
		id, isID := model.ParseID(strings.TrimSpace(org))
		switch {
		case !forOne:
			all = append(all, list...)
		case !isID:
			return nil, nil, fmt.Errorf("%q is not the id of an organization; the log of refused connections shows the id", org)
		case len(list) == 0:
			return nil, nil, fmt.Errorf("%q has no network", part)
		default:
			byOrg[id] = append(byOrg[id], list...)
		}
	}
	return all, byOrg, nil
}

// emptySpool creates the spool folder and deletes files that an earlier process left in it.
func emptySpool(cfg Config) error {
	if err := os.RemoveAll(cfg.tempDir()); err != nil {
		return fmt.Errorf("empty the spool: %w", err)
	}
	if err := os.MkdirAll(cfg.tempDir(), 0o700); err != nil {
		return fmt.Errorf("create the spool: %w", err)
	}
	return nil
}

// checkBlobsHaveRows returns an error if opening the database would create a new SQLite
// database even though blobs of an earlier one exist. Nothing would ever delete those blobs.
func checkBlobsHaveRows(database, blobs string) error {
	stat, err := os.Stat(database)
	if err == nil && stat.Size() > 0 {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("find the database: %w", err)
	}
	held, err := disk.HasOtherBlobs(blobs, "anchor")
	if err == nil && held {
		err = fmt.Errorf("%s is missing or empty, but %s holds files of its imports: "+
			"restore the database from its backup, or use another --data folder", database, blobs)
	}
	return err
}

func (c *Config) blobDir() string { return filepath.Join(c.Data, "blobs") }

func (c *Config) tempDir() string { return filepath.Join(c.Data, "spool") }
