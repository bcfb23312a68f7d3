package main

import (
	"context"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/term"

	"github.com/intraydata/intray/server"
)

// storeFlags say where things are kept.
type storeFlags struct {
	Data        string `help:"Folder for all stored data. Default: ./intray-data." default:"./intray-data" placeholder:"DIR"`
	DatabaseURL string `name:"database-url" help:"PostgreSQL database in place of SQLite in the data folder: postgres://…" placeholder:"URL"`
}

func (f storeFlags) config(s streams) server.Config {
	return server.Config{
		Data: f.Data, DatabaseURL: f.DatabaseURL, MasterKey: os.Getenv("INTRAY_MASTER_KEY"),
		Version: version(), Out: s.out, Log: logger(s),
	}
}

// logger writes text for a terminal, else JSON lines.
func logger(s streams) *slog.Logger {
	if file, ok := s.err.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return slog.New(slog.NewTextHandler(s.err, nil))
	}
	return slog.New(slog.NewJSONHandler(s.err, nil))
}

type serveCommand struct {
	storeFlags
	Listen        string `help:"Address to listen on. Default: 127.0.0.1:8080." default:"127.0.0.1:8080" placeholder:"ADDR"`
	BaseURL       string `name:"base-url" help:"How clients reach the service, such as https://intray.example.org, without a path. Default: as they called it." placeholder:"URL"`
	MetricsListen string `help:"Address for Prometheus metrics at /metrics. Default: none." placeholder:"ADDR"`
	TLSCert       string `name:"tls-cert" help:"Certificate in PEM." placeholder:"FILE"`
	TLSKey        string `name:"tls-key" help:"Key of the certificate in PEM." placeholder:"FILE"`
	TrustedProxy  string `help:"Networks whose X-Forwarded headers count, separated by commas." placeholder:"CIDR"`
	RateCreate    int    `help:"How many imports a minute one key may make; 0 means no limit." default:"0" placeholder:"N"`
	RatePoll      int    `help:"How often a minute one import may be retrieved; 0 means no limit." default:"0" placeholder:"N"`
	MaxFileSize   int64  `help:"Most bytes of a file, whatever its schema allows: at most 1073741824, which is the default." default:"1073741824" placeholder:"N"`
	EgressAllow   string `help:"Private networks that SFTP may reach, separated by commas." placeholder:"CIDR"`
	hookFlags
	KeyHeaders string `help:"Headers that may carry the licence key, separated by commas. Default: X-Service-License-Key and X-Dromo-License-Key." placeholder:"NAMES"`
}

// hookFlags say how hooks are run.
type hookFlags struct {
	HookRuntime        string        `help:"What runs hooks: quickjs, which is built in, or node, which must be installed." default:"quickjs" enum:"quickjs,node"`
	HookSandbox        string        `help:"strict refuses hooks if this system cannot sandbox them fully; best-effort runs them anyway." default:"strict" enum:"strict,best-effort" aliases:"hook-jail"`
	HookTimeoutPer1000 time.Duration `name:"hook-timeout-per-1000" help:"Time that hooks may take for 1,000 rows." default:"5s" placeholder:"D" aliases:"hook-batch"`
	HookCallTimeout    time.Duration `help:"Maximum duration of one hook call." default:"60s" placeholder:"D" aliases:"hook-quiet"`
	HookCgroup         string        `help:"Folder of a memory cgroup, version 1 or 2, in which a group for each process of hooks can be made. Default: their memory is looked at every 20 ms." placeholder:"DIR"`
	HookMemory         int64         `help:"Most bytes of memory of a process that runs hooks." default:"268435456" placeholder:"N"`
}

func (f hookFlags) hookConfig() server.HookConfig {
	return server.HookConfig{Runtime: f.HookRuntime, Sandbox: f.HookSandbox, TimeoutPer1000: f.HookTimeoutPer1000, CallTimeout: f.HookCallTimeout, Memory: f.HookMemory, Cgroup: f.HookCgroup}
}

// Help is shown below the flags.
func (serveCommand) Help() string {
	return `On an empty data folder the organization "default" is made with one backend and
one frontend key, which are printed once. INTRAY_BACKEND_KEY and
INTRAY_FRONTEND_KEY, where set, are taken instead.

Secrets are sealed with the key in INTRAY_MASTER_KEY (base64 of 32 bytes), else
with the one in master.key in the data folder, which is made on the first start.
Without it they cannot be read: keep a copy.

Memory is collected harder from 200 MiB on; GOMEMLIMIT sets another limit.

On SIGTERM no new work is taken, what runs is finished or handed back, and the
program ends within 10 seconds.`
}

// softMemory is the memory, in bytes, from which on the collector works harder.
const softMemory = 200 << 20

// boundMemory sets softMemory where GOMEMLIMIT does not say otherwise.
func boundMemory() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
}

// collectOften lets the collector run twice as often as usual, where GOGC does
// not say otherwise: a run makes so little garbage that it costs next to nothing,
// and holds a third less memory.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// Run serves until the program is told to stop.
func (c *serveCommand) Run(ctx context.Context, s streams) error {
	cfg := c.config(s)
	proxies, err := server.ParseNetworks(c.TrustedProxy)
	if err != nil {
		return usageError{flagError("--trusted-proxy", err)}
	}
	egress, err := server.ParseNetworks(c.EgressAllow)
	if err != nil {
		return usageError{flagError("--egress-allow", err)}
	}
	cfg.Listen, cfg.BaseURL, cfg.MetricsListen = c.Listen, c.BaseURL, c.MetricsListen
	cfg.TLSCert, cfg.TLSKey, cfg.TrustedProxies = c.TLSCert, c.TLSKey, proxies
	cfg.RateCreate, cfg.RatePoll, cfg.EgressAllow = c.RateCreate, c.RatePoll, egress
	cfg.MaxFileSize, cfg.Hooks = c.MaxFileSize, c.hookConfig()
	if c.KeyHeaders != "" {
		cfg.KeyHeaders = splitNames(c.KeyHeaders)
	}
	cfg.BackendKey, cfg.FrontendKey = os.Getenv("INTRAY_BACKEND_KEY"), os.Getenv("INTRAY_FRONTEND_KEY")
	boundMemory()
	return server.Serve(ctx, cfg)
}
