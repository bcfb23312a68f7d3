package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/term"

	"github.com/intraydata/intray/server"
)

// storeFlags are the flags that select the data folder, the database and the blob store.
type storeFlags struct {
	Data        string `help:"Store all data in this folder. Default: ./intray-data." default:"./intray-data" placeholder:"DIR"`
	DatabaseURL string `name:"database-url" help:"Use this PostgreSQL database instead of SQLite in the data folder: postgres://…" placeholder:"URL"`
	BlobURL     string `name:"blob-url" help:"Store files in this bucket of an S3-compatible store instead of the data folder: s3://BUCKET/PREFIX. Requires --database-url." placeholder:"URL"`
}

func (f storeFlags) config(s streams) server.Config {
	return server.Config{
		Data: f.Data, DatabaseURL: f.DatabaseURL, BlobURL: f.BlobURL, MasterKey: os.Getenv("INTRAY_MASTER_KEY"), NewMasterKey: os.Getenv("INTRAY_NEW_MASTER_KEY"),
		Version: version(), Out: s.out, Log: logger(s),
	}
}

// logger returns a logger that writes to stderr: text if stderr is a terminal, and
// otherwise JSON lines.
func logger(s streams) *slog.Logger {
	if file, ok := s.err.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return slog.New(slog.NewTextHandler(s.err, nil))
	}
	return slog.New(slog.NewJSONHandler(s.err, nil))
}

// serveFlags are the settings of the server.
type serveFlags struct {
	storeFlags
	DirectUploads bool   `help:"Let browsers and the JavaScript client send files over 8 MiB directly to the bucket. Requires --blob-url and a CORS rule for the bucket."`
	Listen        string `help:"Listen on this address. Default: 127.0.0.1:8080." default:"127.0.0.1:8080" placeholder:"ADDR"`
	BaseURL       string `name:"base-url" help:"URL at which clients reach the server, without a path, such as https://intray.example.org. Default: as they called it." placeholder:"URL"`
	MetricsListen string `help:"Serve Prometheus metrics on this address at /metrics, and profiles at /debug/pprof/. Default: off." placeholder:"ADDR"`
	TLSCert       string `name:"tls-cert" help:"TLS certificate in PEM format." placeholder:"FILE"`
	TLSKey        string `name:"tls-key" help:"Private key of the certificate in PEM format." placeholder:"FILE"`
	TrustedProxy  string `help:"Trust X-Forwarded headers from these networks, separated by commas." placeholder:"CIDR"`
	RateCreate    int    `help:"Maximum number of imports that a key can create in a minute. 0 means no limit." default:"0" placeholder:"N"`
	RatePoll      int    `help:"Maximum number of times that an import can be retrieved in a minute. 0 means no limit." default:"0" placeholder:"N"`
	RateAuthFail  int    `name:"rate-auth-failures" help:"Maximum number of failed authentications per client address in a minute. 0 means no limit." default:"600" placeholder:"N"`
	MaxPerAddress int    `name:"max-connections-per-address" help:"Maximum number of connections of a client address, except trusted proxies. 0 means a quarter of all connections." default:"0" placeholder:"N"`
	MaxRequests   int    `name:"max-requests" help:"Maximum number of requests in progress at the same time. 0 means 4 per CPU core with SQLite, at least 8, and twice as many with PostgreSQL." default:"0" placeholder:"N"`
	MaxRuns       int    `name:"max-runs" help:"Maximum number of imports that run at the same time in this process. 0 means up to 4, depending on the available memory." default:"0" placeholder:"N"`
	MaxRunsPerOrg int    `name:"max-runs-per-org" help:"Maximum number of imports of one organization that run at the same time in all processes." default:"2" placeholder:"N"`
	MaxUploads    int    `name:"max-large-uploads" help:"Maximum number of files over 8 MiB that are received at the same time. 0 means no limit." default:"32" placeholder:"N"`
	MaxFileSize   int64  `help:"Maximum size of a file in bytes, whatever its schema allows. Default and maximum: 1073741824." default:"1073741824" placeholder:"N"`
	Quota         string `help:"Limits of each organization, such as imports=2000000,stored-bytes=50000000000, separated by commas. 0 means no limit. ORG_ID:NAME=N sets a limit of one organization." placeholder:"NAME=N"`
	EgressAllow   string `help:"Allow connections to SFTP servers and webhooks in these private networks, separated by commas. ORG_ID=CIDR allows a network for one organization." placeholder:"CIDR"`
	hookFlags
	KeyHeaders     string        `help:"Accept the API key in these headers, separated by commas. Default: X-Service-License-Key and X-Dromo-License-Key." placeholder:"NAMES"`
	ReviewLinkLife time.Duration `help:"Lifetime of review links." default:"720h" placeholder:"D"`
	ScrubDays      int           `help:"Verify every stored file once in this number of days. 0 means never. Default: 30, or 0 with --blob-url." default:"-1" placeholder:"N"`
	StallTimeout   time.Duration `help:"Time after which an import that makes no progress fails." default:"30m" placeholder:"D"`
}

type serveCommand struct{ serveFlags }

// hookFlags are the flags that configure the runtime and the sandbox of hooks.
type hookFlags struct {
	HookRuntime        string        `help:"JavaScript runtime for hooks: quickjs is built in, node must be installed." default:"quickjs" enum:"quickjs,node"`
	HookSandbox        string        `help:"strict: refuse to run hooks unless they can be fully sandboxed; best-effort: run them anyway." default:"strict" enum:"strict,best-effort" aliases:"hook-jail" former:"INTRAY_HOOK_JAIL"`
	HookTimeoutPer1000 time.Duration `name:"hook-timeout-per-1000" help:"Maximum time that hooks can take for 1,000 rows." default:"5s" placeholder:"D" aliases:"hook-batch" former:"INTRAY_HOOK_BATCH"`
	HookCallTimeout    time.Duration `help:"Maximum duration of one hook call." default:"60s" placeholder:"D" aliases:"hook-quiet" former:"INTRAY_HOOK_QUIET"`
	HookCgroup         string        `help:"Limit the memory of hooks with groups in this folder, a memory cgroup of version 1 or 2. Default: check their memory every 20 ms." placeholder:"DIR"`
	HookMemory         int64         `help:"Maximum memory of a process that runs hooks, in bytes." default:"268435456" placeholder:"N"`
}

func (f hookFlags) hookConfig() server.HookConfig {
	return server.HookConfig{Runtime: f.HookRuntime, Sandbox: f.HookSandbox, TimeoutPer1000: f.HookTimeoutPer1000, CallTimeout: f.HookCallTimeout, Memory: f.HookMemory, Cgroup: f.HookCgroup}
}

// Help returns the text that --help prints after the flags.
func (serveCommand) Help() string {
	return `With an empty data folder, the server creates the organization "default" with a
backend and a frontend key, and prints both keys once. If INTRAY_BACKEND_KEY and
INTRAY_FRONTEND_KEY are set, it uses them instead.

Secrets are encrypted with the key in INTRAY_MASTER_KEY (base64 of 32 bytes) or, if
it is not set, with the key in the file master.key, which the first start creates in
the data folder. Keep a copy: without the key, the secrets are lost.

The server adapts to the memory limit of its cgroup, or to the memory of the machine:
with less than 1 GiB, fewer than 4 imports run at the same time. GOMEMLIMIT sets a
lower limit, and --max-runs another number of imports. At most --max-runs-per-org imports of
one organization run at the same time, and one import fewer than the server can run if there
are other organizations.

On SIGTERM, the server accepts no new work, finishes or returns running imports, and
exits within 10 seconds.`
}

// limitMemory sets the memory limit of the Go runtime to that of the returned budget, unless
// GOMEMLIMIT is set. If maxRuns is 0, the number of imports is derived from the memory.
func limitMemory(maxRuns int) server.MemoryBudget {
	budget := server.NewMemoryBudget(debug.SetMemoryLimit(-1)).WithImports(maxRuns)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(budget.Soft)
	}
	return budget
}

// collectOften runs the garbage collector twice as often as usual, unless GOGC is set. A run
// produces so little garbage that this costs hardly any time, but it saves a third of the memory.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// config returns the configuration of the server. Flags that cannot be parsed are missing in it, and
// their errors are joined.
func (f serveFlags) config(s streams) (server.Config, error) {
	cfg := f.storeFlags.config(s)
	var errs [3]error
	if cfg.TrustedProxies, errs[0] = server.ParseNetworks(f.TrustedProxy); errs[0] != nil {
		errs[0] = usageError{flagError("--trusted-proxy", errs[0])}
	}
	if cfg.EgressAllow, cfg.EgressAllowByOrg, errs[1] = server.ParseEgress(f.EgressAllow); errs[1] != nil {
		errs[1] = usageError{flagError("--egress-allow", errs[1])}
	}
	if cfg.Quotas, errs[2] = server.ParseQuotas(f.Quota); errs[2] != nil {
		errs[2] = usageError{flagError("--quota", errs[2])}
	}
	cfg.Listen, cfg.BaseURL, cfg.MetricsListen = f.Listen, f.BaseURL, f.MetricsListen
	cfg.TLSCert, cfg.TLSKey = f.TLSCert, f.TLSKey
	cfg.RateCreate, cfg.RatePoll, cfg.RateAuthFailures = f.RateCreate, f.RatePoll, f.RateAuthFail
	cfg.MaxConnectionsPerAddress = f.MaxPerAddress
	cfg.MaxRequests, cfg.MaxLargeUploads, cfg.DirectUploads = f.MaxRequests, f.MaxUploads, f.DirectUploads
	cfg.MaxFileSize, cfg.Hooks = f.MaxFileSize, f.hookConfig()
	cfg.ReviewLinkLife, cfg.StallTimeout = f.ReviewLinkLife, f.StallTimeout
	cfg.ScrubDays, cfg.MaxRunsPerOrg = f.ScrubDays, f.MaxRunsPerOrg
	if f.KeyHeaders != "" {
		cfg.KeyHeaders = splitNames(f.KeyHeaders)
	}
	cfg.BackendKey, cfg.FrontendKey = os.Getenv("INTRAY_BACKEND_KEY"), os.Getenv("INTRAY_FRONTEND_KEY")
	return cfg, errors.Join(errs[:]...)
}

// Run serves until it is interrupted.
func (c *serveCommand) Run(ctx context.Context, s streams) error {
	cfg, err := c.config(s)
	if err != nil {
		return err
	}
	for _, v := range unusedVariables(newProgram(), os.Environ()) {
		cfg.Log.Warn(v.problem()+" "+v.fix(), "variable", v.name)
	}
	cfg.Memory, cfg.NotifySocket = limitMemory(c.MaxRuns), os.Getenv("NOTIFY_SOCKET")
	served := false
	cfg.Serving = func(string) { served = true }
	err = server.Serve(ctx, cfg)
	if err != nil && !served && ctx.Err() == nil {
		fmt.Fprintln(s.err, "To check the installation, run intray doctor with the same settings.")
	}
	return err
}
