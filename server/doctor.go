package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/intraydata/intray/internal/filesys"
	"github.com/intraydata/intray/server/doctor"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/sqlstore"
)

// diagnosis is the state that the checks of an installation share.
type diagnosis struct {
	cfg Config
	// settings are the findings of the command about flags and variables.
	settings []doctor.Finding

	runningOnce sync.Once
	running     bool

	openOnce sync.Once
	store    *sqlstore.Store
	// openErr is why the database cannot be used. Other checks do not repeat it.
	openErr error
	// version and supported are the versions of the tables and of this program.
	version, supported int64
}

// Diagnose checks an installation and names each problem with its fix. It changes nothing, except that it
// creates and deletes small files and objects. A server may be running at the same time. settings are
// the findings of the caller about flags and variables.
func Diagnose(ctx context.Context, cfg Config, settings []doctor.Finding) (doctor.Report, error) {
	ctx = model.AcrossOrgs(ctx)
	cfg.Log = slog.New(slog.DiscardHandler)
	d := &diagnosis{cfg: cfg, settings: settings}
	report, err := doctor.Run(ctx, cfg.Version, cfg.secrets(), d.checks())
	if err == nil && d.store != nil {
		// A check that did not end in time may still use the database. The report matters more than that.
		_ = callWithin(time.Second, "close the database", d.store.Close)
	}
	return report, err
}

// checks returns the checks in the order of the report.
func (d *diagnosis) checks() []doctor.Check {
	cfg := &d.cfg
	metrics := doctor.Address{Setting: doctor.Setting("metrics-listen"), Address: cfg.MetricsListen, Serves: doctor.ServesMetrics}
	api := doctor.Address{Setting: doctor.Setting("listen"), Address: cfg.Listen, TLS: cfg.TLSCert != "", Serves: doctor.ServesAPI}
	return []doctor.Check{
		{Name: "configuration", Run: d.checkSettings},
		{Name: "data folder", Run: func(_ context.Context, r *doctor.Result) {
			doctor.CheckFolder(r, doctor.Folder{Path: cfg.Data, HasDatabase: cfg.DatabaseURL == ""})
		}},
		{Name: "temporary files", Run: func(_ context.Context, r *doctor.Result) {
			if d.folderFails() {
				r.Skip("spool not checked, because the data folder cannot be used")
				doctor.CheckTemp(r, "")
				return
			}
			doctor.CheckTemp(r, cfg.tempDir())
		}},
		{Name: "server", Run: d.checkServer},
		{Name: "database", Run: d.checkDatabase},
		{Name: "master key", Run: d.checkMasterKey},
		{Name: "files", Run: d.checkFiles},
		{Name: "processes", Run: d.checkProcesses},
		{Name: "address", Run: d.checkAddress(api)},
		{Name: "metrics", Run: d.checkAddress(metrics)},
		{Name: "base URL", Run: d.checkBaseURL},
		{Name: "TLS", Run: func(_ context.Context, r *doctor.Result) {
			doctor.CheckTLS(r, cfg.TLSCert, cfg.TLSKey, cfg.baseHost(), time.Now())
		}},
		{Name: "proxies", Run: func(_ context.Context, r *doctor.Result) {
			doctor.CheckTrustedProxies(r, cfg.TrustedProxies, cfg.TLSCert == "" && strings.HasPrefix(cfg.BaseURL, "https://"))
		}},
		{Name: "hooks", Run: d.checkHooks},
		{Name: "limits", Run: d.checkLimits},
		{Name: "time", Run: func(_ context.Context, r *doctor.Result) { doctor.CheckTime(r, os.Getenv) }},
		{Name: "egress", Run: func(_ context.Context, r *doctor.Result) {
			doctor.CheckEgress(r, cfg.EgressAllow, os.Getenv, cfg.BlobURL != "")
		}},
	}
}

// secrets returns the texts that must not appear in a report.
func (c *Config) secrets() doctor.Secrets {
	list := doctor.Secrets{c.MasterKey, c.NewMasterKey, c.BackendKey, c.FrontendKey}
	for _, name := range []string{"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "PGPASSWORD"} {
		list = append(list, os.Getenv(name))
	}
	for _, address := range []string{c.DatabaseURL, c.BlobURL, c.BaseURL} {
		if u, err := url.Parse(address); err == nil && u.User != nil {
			password, _ := u.User.Password()
			if password != u.User.Username() { // which is no secret
				list = append(list, password)
			}
		}
	}
	if used, err := pgconn.ParseConfig(c.DatabaseURL); c.DatabaseURL != "" && err == nil && used.Password != used.User {
		list = append(list, used.Password)
	}
	if key, err := os.ReadFile(c.masterKeyPath()); err == nil {
		list = append(list, string(key))
	}
	return list
}

// baseHost returns the host name of the base URL, or "".
func (c *Config) baseHost() string {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return ""
	}
	return base.Hostname()
}

// splitAdvice splits a message at its first semicolon, into a problem and what to do about it. Without a
// semicolon, that is fix.
func splitAdvice(message, fix string) (problem, advice string) {
	problem, advice, found := strings.Cut(message, "; ")
	if !found {
		return sentence(problem), fix
	}
	return sentence(problem), sentence(advice)
}

// sentence makes a sentence of a text that begins in lower case and has no period. A path or flag at
// its beginning remains as it is.
func sentence(text string) string {
	text = strings.TrimSuffix(text, ".") + "."
	if word, _, _ := strings.Cut(text, " "); strings.Trim(word, "abcdefghijklmnopqrstuvwxyz,:") == "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// settingName matches the flags and variables in a message.
var settingName = regexp.MustCompile(`--[a-z][a-z0-9-]*|INTRAY_[A-Z0-9_]+`)

// settingIn returns the first setting in a message about the configuration.
func settingIn(message string) string {
	where := settingName.FindString(message)
	if flag, isFlag := strings.CutPrefix(where, "--"); isFlag {
		return doctor.Setting(flag)
	}
	return where
}

func (d *diagnosis) checkSettings(ctx context.Context, r *doctor.Result) {
	r.Detail = "flags and variables of intray serve"
	for _, f := range d.settings {
		r.Add(f)
	}
	cfg := d.cfg // checkBaseURL changes it
	for _, err := range cfg.problems() {
		problem, fix := splitAdvice(err.Error(), "Change the setting. For its meaning, run: intray serve --help")
		r.Fail(settingIn(problem), problem, fix)
	}
	d.checkInitialKeys(ctx, r)
	if cfg.MetricsListen != "" && cfg.MetricsListen == cfg.Listen {
		r.Fail(doctor.Setting("metrics-listen"), "The API and the metrics have the same address.", "Choose another port for --metrics-listen.")
	}
	// With PostgreSQL, an organization can also use the imports of other processes.
	if runs := cfg.Memory.Imports; cfg.DatabaseURL == "" && runs > 0 && cfg.MaxRunsPerOrg > max(runs, defaultRunsPerOrg) {
		r.Warn(doctor.Setting("max-runs-per-org"), fmt.Sprintf("--max-runs-per-org is %d, but the server runs at most %d imports at a time.", cfg.MaxRunsPerOrg, runs), "Lower --max-runs-per-org, or raise --max-runs if there is enough memory.")
	}
}

// defaultRunsPerOrg is the default of MaxRunsPerOrg, which may exceed the number of imports on a small
// machine.
const defaultRunsPerOrg = 2

// folderFails reports whether the files of the data folder cannot be examined, because it is a file or
// belongs to another user. The check of the data folder reports the reason.
func (d *diagnosis) folderFails() bool {
	stat, err := os.Stat(d.cfg.Data)
	if err == nil && !stat.IsDir() {
		return true
	}
	_, err = os.Stat(filepath.Join(d.cfg.Data, lockName))
	return err != nil && !errors.Is(err, fs.ErrNotExist)
}

// isRunning reports whether a server runs with the data folder.
func (d *diagnosis) isRunning() bool {
	d.runningOnce.Do(func() { d.running, _ = isFolderInUse(d.cfg.Data) })
	return d.running
}

// isFolderInUse reports whether a process has locked a data folder.
func isFolderInUse(folder string) (bool, error) {
	file, err := os.Open(filepath.Join(folder, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }()
	free, err := filesys.TryLock(file)
	return err == nil && !free, err
}

func (d *diagnosis) checkServer(_ context.Context, r *doctor.Result) {
	if d.folderFails() {
		r.Skip(skippedFolder)
		return
	}
	running, err := isFolderInUse(d.cfg.Data)
	switch {
	case err != nil:
		r.Fail(filepath.Join(d.cfg.Data, lockName), fmt.Sprintf("The lock of the data folder cannot be examined: %v.", doctor.Cause(err)), "Run intray doctor as the user of the server, and use a file system that supports locks.")
	case running:
		r.Detail = "a server runs with this data folder"
	default:
		r.Detail = "no server runs with this data folder"
	}
}

func (d *diagnosis) checkAddress(a doctor.Address) func(context.Context, *doctor.Result) {
	return func(ctx context.Context, r *doctor.Result) {
		if a.Address == "" {
			r.Detail = "off"
			return
		}
		if a.Address == d.cfg.Listen && !d.cfg.hasValidListen() {
			r.Skip(skippedInvalid)
			return
		}
		a.Running = d.isRunning()
		doctor.CheckAddress(ctx, r, a, d.cfg.Version)
	}
}

func (d *diagnosis) checkBaseURL(ctx context.Context, r *doctor.Result) {
	cfg, where := d.cfg, doctor.Setting("base-url")
	if cfg.exposed() {
		r.Warn(where, "Keys and files are sent unencrypted: other machines can reach the server without TLS.", "Set --tls-cert and --tls-key, or an https --base-url with a proxy.")
	}
	switch {
	case cfg.checkBaseURL() != nil:
		return // the check of the configuration reports it
	case cfg.BaseURL != "":
		doctor.CheckBaseURL(ctx, r, cfg.BaseURL, d.isRunning())
	case !cfg.listensOnLoopback() && len(cfg.TrustedProxies) == 0:
		r.Warn(where, "Requests by host name are refused, because a client could otherwise choose the host of upload and review links.", "Set --base-url to the URL at which clients reach the server.")
	default:
		r.Detail = "as clients called the server"
	}
}

func (d *diagnosis) checkLimits(_ context.Context, r *doctor.Result) {
	files, memory := openFiles(), d.cfg.Memory
	r.Detail = fmt.Sprintf("%d CPUs", runtime.GOMAXPROCS(0))
	if files > 0 {
		r.Detail += fmt.Sprintf(", %d open files", files)
	}
	const advice = "Raise the limit, for example with ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit."
	switch {
	case files == 0: // unknown
	case files < minOpenFiles:
		r.Fail("ulimit -n", fmt.Sprintf("This process may have only %d open files, but the server needs at least %d.", files, minOpenFiles), advice)
	case files < fewOpenFiles:
		r.Warn("ulimit -n", fmt.Sprintf("With %d open files, the server accepts only %d connections at a time.", files, maxConnections(files)), advice)
	case files < filesFor(memory.Imports):
		r.Warn("ulimit -n", fmt.Sprintf("With %d imports at a time, the server can need %d open files, but may have only %d.", memory.Imports, filesFor(memory.Imports), files), "Lower --max-runs. Or raise the limit, for example with ulimit -n 65536, or LimitNOFILE=65536 in the systemd unit.")
	}
	if memory.Available == 0 {
		return
	}
	r.Detail += fmt.Sprintf(", %s of memory (%s), %d imports at a time", doctor.FormatBytes(memory.Available), memory.Source, memory.Imports)
	allowed, tooMany := memory.tooManyImports()
	switch {
	case tooMany:
		r.Warn(doctor.Setting("max-runs"), fmt.Sprintf("The available memory is enough for %d imports at a time, not for %d, so large imports may be killed.", allowed, memory.Imports), fmt.Sprintf("Set --max-runs to at most %d, or give the server more memory.", allowed))
	case memory.isLittle():
		r.Warn(memory.Source, fmt.Sprintf("Only %s of memory are available, so imports run one after the other, and a large one may be killed.", doctor.FormatBytes(memory.Available)), "Give the server at least 512 MiB.")
	}
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 && limit > memory.Available {
		r.Warn("GOMEMLIMIT", fmt.Sprintf("GOMEMLIMIT exceeds the available memory, %s.", doctor.FormatBytes(memory.Available)), "Unset GOMEMLIMIT, or set a lower limit.")
	}
}

// These are the reasons why a check is skipped if the check of the configuration or of the data folder
// reports a failure.
const (
	skippedInvalid = "not checked, because the configuration is invalid"
	skippedFolder  = "not checked, because the data folder cannot be used"
)

// skipWithoutDatabase notes that a check could not examine everything, because the database cannot be
// used. The check of the database reports the reason. examined is what it examined, or "".
func skipWithoutDatabase(r *doctor.Result, examined string) {
	if examined != "" {
		r.Detail = examined
	}
	r.Skip("not checked completely, because the database cannot be used")
}
