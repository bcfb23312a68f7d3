package server

import (
	"errors"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// good returns a valid minimal configuration.
func good() Config {
	return Config{Data: "data", Listen: "127.0.0.1:8080", MaxFileSize: 1 << 30, KeyHeaders: []string{"X-Service-License-Key"}}
}

func TestConfigIsChecked(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(c *Config)
		word  string
	}{
		"nothing":                   {func(*Config) {}, ""},
		"every address":             {func(c *Config) { c.Listen = ":0" }, ""},
		"an IPv6 address":           {func(c *Config) { c.Listen = "[::1]:8080" }, ""},
		"a base address":            {func(c *Config) { c.BaseURL = "https://intray.example.org/" }, ""},
		"a database":                {func(c *Config) { c.DatabaseURL = "postgresql://localhost/x" }, ""},
		"no port":                   {func(c *Config) { c.Listen = "127.0.0.1" }, "--listen"},
		"a port too high":           {func(c *Config) { c.Listen = "127.0.0.1:65536" }, "--listen"},
		"a port by name":            {func(c *Config) { c.Listen = "127.0.0.1:http" }, "--listen"},
		"no address":                {func(c *Config) { c.Listen = "" }, "--listen"},
		"a certificate without key": {func(c *Config) { c.TLSCert = "x" }, "--tls-key"},
		"a key without certificate": {func(c *Config) { c.TLSKey = "x" }, "--tls-cert"},
		"a negative rate":           {func(c *Config) { c.RatePoll = -1 }, "--rate-poll"},
		"another negative rate":     {func(c *Config) { c.RateCreate = -1 }, "--rate-create"},
		"a negative lifetime":       {func(c *Config) { c.ReviewLinkLife = -1 }, "--review-link-life"},
		"negative runs":             {func(c *Config) { c.Memory.Imports = -1 }, "--max-runs "},
		"negative runs of one":      {func(c *Config) { c.MaxRunsPerOrg = -1 }, "--max-runs-per-org"},
		"no size":                   {func(c *Config) { c.MaxFileSize = 0 }, "--max-file-size"},
		"too large a size":          {func(c *Config) { c.MaxFileSize = 1<<30 + 1 }, "1 to 1073741824 bytes"},
		"default headers":           {func(c *Config) { c.KeyHeaders = nil }, ""},
		"no header":                 {func(c *Config) { c.KeyHeaders = []string{} }, "--key-headers"},
		"another database":          {func(c *Config) { c.DatabaseURL = "mysql://localhost/x" }, "--database-url"},
		"an unescaped password":     {func(c *Config) { c.DatabaseURL = "postgres://u:p@ss@localhost/x" }, "write @ as %40"},
		"another bucket":            {func(c *Config) { c.DatabaseURL, c.BlobURL = "postgres://localhost/x", "gs://bucket" }, "s3://BUCKET"},
		"a bucket without database": {func(c *Config) { c.BlobURL = "s3://bucket" }, "--database-url"},
		"direct uploads": {func(c *Config) {
			c.DatabaseURL, c.BlobURL, c.DirectUploads = "postgres://localhost/x", "s3://bucket", true
		}, ""},
		"direct uploads to disk":   {func(c *Config) { c.DirectUploads = true }, "--direct-uploads requires --blob-url"},
		"a master key too short":   {func(c *Config) { c.MasterKey = "AAAA" }, "INTRAY_MASTER_KEY"},
		"a base without a scheme":  {func(c *Config) { c.BaseURL = "intray.example.org" }, "--base-url"},
		"a base of another scheme": {func(c *Config) { c.BaseURL = "ftp://intray.example.org" }, "--base-url"},
		"a base with a path":       {func(c *Config) { c.BaseURL = "https://intray.example.org/intray/" }, "root of a host name"},
		"a base with a query":      {func(c *Config) { c.BaseURL = "https://intray.example.org/?a" }, "--base-url"},
		"a base with a fragment":   {func(c *Config) { c.BaseURL = "https://intray.example.org/#a" }, "--base-url"},
	} {
		cfg := good()
		c.spoil(&cfg)
		err := cfg.validate()
		var usage UsageError
		switch {
		case c.word == "" && err != nil:
			t.Errorf("%s: error %v, want none", name, err)
		case c.word != "" && (!errors.As(err, &usage) || !strings.Contains(err.Error(), c.word)):
			t.Errorf("%s: error %v, want a UsageError about %s", name, err, c.word)
		}
		if strings.HasSuffix(cfg.BaseURL, "/") && err == nil {
			t.Errorf("%s: the base URL %q ends with a slash", name, cfg.BaseURL)
		}
	}
}

// TestInvalidSecretsAreNotRepeated checks that the error about a setting contains no part of its secrets.
func TestInvalidSecretsAreNotRepeated(t *testing.T) {
	for name, cfg := range map[string]Config{
		"master key":         {MasterKey: "tuna-fish"},
		"base URL":           {BaseURL: "https://user:tuna-fish@intray.example.org"},
		"base URL, escaped":  {BaseURL: "https://user:tuna/fish@intray.example.org"},
		"base URL, token":    {BaseURL: "https://intray.example.org/?token=tuna-fish"},
		"database":           {DatabaseURL: "mysql://user:tuna-fish@localhost/x"},
		"database, slash":    {DatabaseURL: "postgres://user:tuna/fish@localhost/x"},
		"database, at sign":  {DatabaseURL: "postgres://user:tuna@fish@localhost/x"},
		"database, both":     {DatabaseURL: "postgres://user:s@tuna/w#fish@localhost/x?sslmode=disable"},
		"database, port":     {DatabaseURL: "postgres://user:12/fish@localhost/x"},
		"database, question": {DatabaseURL: "postgres://user:s@tuna?fish=fish@localhost/x"},
		"database, percent":  {DatabaseURL: "postgres://user:tuna%fish@localhost/x"},
		"bucket":             {DatabaseURL: "postgres://localhost/x", BlobURL: "s3://user:tuna-fish@bucket"},
	} {
		valid := good()
		cfg.Listen, cfg.MaxFileSize, cfg.KeyHeaders = valid.Listen, valid.MaxFileSize, valid.KeyHeaders
		err := cfg.validate()
		if err == nil || strings.Contains(err.Error(), "tuna") || strings.Contains(err.Error(), "fish") {
			t.Errorf("%s: error %v, want one without the secret", name, err)
		}
		if text := cfg.databaseName(); cfg.DatabaseURL != "" && name != "bucket" && text != "PostgreSQL" {
			t.Errorf("%s: the name of the database is %s", name, text)
		}
	}
}

func TestExposed(t *testing.T) {
	for listen, want := range map[string]bool{
		"127.0.0.1:8080": false, "127.8.9.1:80": false, "[::1]:8080": false, "localhost:8080": false,
		":8080": true, "0.0.0.0:8080": true, "192.0.2.1:80": true, "[::]:80": true, "intray.example.org:80": true,
	} {
		c := Config{Listen: listen}
		if got := c.exposed(); got != want {
			t.Errorf("%s is exposed: %v, want %v", listen, got, want)
		}
		for _, safe := range []Config{{Listen: listen, TLSCert: "x"}, {Listen: listen, BaseURL: "https://x"}} {
			if safe.exposed() {
				t.Errorf("%s is exposed in spite of TLS: %+v", listen, safe)
			}
		}
	}
}

func TestParseNetworks(t *testing.T) {
	for text, want := range map[string][]string{
		"": nil, " , ": nil, "10.0.0.0/8": {"10.0.0.0/8"}, "10.1.2.3/8": {"10.0.0.0/8"},
		" 192.0.2.7 , ::1": {"192.0.2.7/32", "::1/128"}, "2001:db8::5/32": {"2001:db8::/32"},
	} {
		got, err := ParseNetworks(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		var networks []netip.Prefix
		for _, network := range want {
			networks = append(networks, netip.MustParsePrefix(network))
		}
		if diff := cmp.Diff(networks, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{"example.org", "10.0.0.0/33", "10.0.0.0/8 ::1", "10.0.0.0/8;::1"} {
		if got, err := ParseNetworks(text); err == nil {
			t.Errorf("%q is parsed as %v", text, got)
		}
	}
}

func TestWarningsOnly(t *testing.T) {
	var log strings.Builder
	logger := slog.New(warnings{slog.NewTextHandler(&log, nil)}).With("part", "queue").WithGroup("group")
	logger.Info("started")
	logger.Warn("slow", "job", 7)
	if got := log.String(); strings.Contains(got, "started") || !strings.Contains(got, "msg=slow part=queue group.job=7") {
		t.Errorf("the log is %q, want the warning only", got)
	}
}

// TestFindingS13ParseEgress checks networks for all organizations and for single ones.
func TestFindingS13ParseEgress(t *testing.T) {
	t.Parallel()
	const org = "025f399f-4370-4064-aed5-b8d16b597183"
	all, byOrg, err := ParseEgress("10.0.0.0/8, " + strings.ToUpper(org) + "=192.168.7.1/24," + org + "=::1,,127.0.0.1")
	want := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}
	wantByOrg := map[string][]netip.Prefix{org: {netip.MustParsePrefix("192.168.7.0/24"), netip.MustParsePrefix("::1/128")}}
	if err != nil || !slices.Equal(all, want) || !maps.EqualFunc(byOrg, wantByOrg, slices.Equal) {
		t.Errorf("got %v, %v, %v; want %v, %v", all, byOrg, err, want, wantByOrg)
	}
	for _, text := range []string{"Acme=10.0.0.0/8", "=10.0.0.0/8", org + "=", org + "=10.0.0.0/99", org + "=" + org + "=10.0.0.0/8"} {
		if _, _, err := ParseEgress(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
