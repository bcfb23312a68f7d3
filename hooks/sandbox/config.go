package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

// Runtime is the program that executes code in a worker.
type Runtime string

// These are the runtimes.
const (
	// QuickJS is part of this program.
	QuickJS Runtime = "quickjs"
	// Node must be installed. It is faster than QuickJS but needs more memory.
	Node Runtime = "node"
)

// Mode decides what happens if the system does not support a part of the sandbox.
type Mode string

// These are the modes.
const (
	// Strict does not start workers unless the system supports no_new_privs, seccomp and Landlock.
	// Users, namespaces and cgroups are used if the system allows them.
	Strict Mode = "strict"
	// BestEffort uses the parts that the system supports.
	BestEffort Mode = "best-effort"
)

// These are the defaults of a Config.
const (
	DefaultMemory       = 256 << 20
	DefaultCallTimeout  = 5 * time.Second
	DefaultIdleTimeout  = time.Minute
	DefaultStartTimeout = 10 * time.Second
	DefaultMaxRequest   = 64 << 20
	DefaultMaxAnswer    = 16 << 20
	DefaultIdleWorkers  = 1
	DefaultFirstUserID  = 64500
)

// maxScript is the maximum length of Config.Script in bytes, slightly below the Linux limit for
// a command-line argument.
const maxScript = 120 << 10

// Config configures a Pool. The zero Config works: QuickJS in a strict sandbox.
type Config struct {
	// Runtime is QuickJS by default.
	Runtime Runtime
	// Mode is Strict by default.
	Mode Mode
	// Command holds the arguments that make this program call Serve. Default: hook-worker.
	Command []string
	// NodePath is the path of the Node executable, version 20 or later. Default: node in PATH.
	NodePath string
	// Script is the program that Node runs. It must answer frames on descriptors 0 and 1.
	// The maximum length is 120 KiB.
	Script string
	// Setup is passed to each worker before its sandbox is complete. It must come from
	// this program, never from untrusted input.
	Setup []byte

	// Memory is the memory limit of a worker, in bytes. Default DefaultMemory. Without a cgroup,
	// the pool measures the memory every 20 ms, so a worker may exceed the limit for that long.
	Memory int64
	// CallTimeout is the time limit of calls that do not set one. Default DefaultCallTimeout.
	CallTimeout time.Duration
	// IdleTimeout is the maximum time that a worker in use may go without a call before it
	// is ended. Default DefaultIdleTimeout.
	IdleTimeout time.Duration
	// StartTimeout is the maximum time for a worker to start. Default DefaultStartTimeout.
	StartTimeout time.Duration
	// MaxRequest and MaxAnswer are the maximum lengths of payloads, in bytes. Defaults
	// DefaultMaxRequest and DefaultMaxAnswer.
	MaxRequest, MaxAnswer int

	// IdleWorkers is the number of idle workers that are started in advance. Default
	// DefaultIdleWorkers.
	IdleWorkers int
	// MaxWorkers is the maximum number of processes, including idle ones. Default: four per
	// processor.
	MaxWorkers int
	// Cgroup is a folder of the memory controller, version 1 or 2, in which the pool can
	// create cgroups. Default: none.
	Cgroup string
	// FirstUserID is the first of MaxWorkers consecutive user IDs that are not used for anything
	// else. They are used only if this program runs as root. Default DefaultFirstUserID.
	FirstUserID int

	nodeMajor int
}

// Limits are the limits of one worker. A limit that is zero, or larger than in the Config,
// is replaced by the one in the Config.
type Limits struct {
	// Memory and MaxAnswer are limits in bytes.
	Memory    int64
	MaxAnswer int
}

// withDefaults returns cfg with defaults set, or an error if a value is invalid.
func (cfg Config) withDefaults() (Config, error) {
	setDefault(&cfg.Runtime, QuickJS)
	setDefault(&cfg.Mode, Strict)
	setDefault(&cfg.Memory, DefaultMemory)
	setDefault(&cfg.CallTimeout, DefaultCallTimeout)
	setDefault(&cfg.IdleTimeout, DefaultIdleTimeout)
	setDefault(&cfg.StartTimeout, DefaultStartTimeout)
	setDefault(&cfg.MaxRequest, DefaultMaxRequest)
	setDefault(&cfg.MaxAnswer, DefaultMaxAnswer)
	setDefault(&cfg.IdleWorkers, DefaultIdleWorkers)
	setDefault(&cfg.MaxWorkers, max(4*runtime.NumCPU(), cfg.IdleWorkers))
	setDefault(&cfg.FirstUserID, DefaultFirstUserID)
	if cfg.Command == nil {
		cfg.Command = []string{"hook-worker"}
	}
	if err := cfg.validate(); err != nil {
		return cfg, err
	}
	if cfg.Runtime == Node {
		return cfg, cfg.findNode()
	}
	return cfg, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (cfg *Config) validate() error {
	switch {
	case cfg.Runtime != QuickJS && cfg.Runtime != Node:
		return fmt.Errorf("unknown hook runtime %q: use quickjs or node", cfg.Runtime)
	case cfg.Mode != Strict && cfg.Mode != BestEffort:
		return fmt.Errorf("unknown hook sandbox mode %q: use strict or best-effort", cfg.Mode)
	case cfg.IdleWorkers < 0 || cfg.MaxWorkers < cfg.IdleWorkers:
		return fmt.Errorf("%d idle hook workers exceed the maximum of %d", cfg.IdleWorkers, cfg.MaxWorkers)
	case cfg.Memory < 0 || cfg.MaxRequest < 0 || cfg.MaxAnswer < 0 || cfg.CallTimeout < 0 || cfg.IdleTimeout < 0 || cfg.StartTimeout < 0:
		return fmt.Errorf("the limits of hook workers must not be negative")
	case cfg.MaxRequest > maxFrame || cfg.MaxAnswer > maxFrame:
		return fmt.Errorf("requests and answers of hook workers are limited to %d bytes", maxFrame)
	case len(cfg.Script) > maxScript:
		return fmt.Errorf("the script for Node has %d bytes, more than %d", len(cfg.Script), maxScript)
	}
	return nil
}

// minNodeVersion is the first Node version that supports nodeArgs.
const minNodeVersion = 20

// nodeArgs reduce the memory use of Node and disable features that hooks must not use. The
// sandbox is the security boundary, not these flags.
var nodeArgs = []string{
	"--disable-proto=delete", "--no-addons", "--disallow-code-generation-from-strings", "--frozen-intrinsics",
	"--no-deprecation", "--no-warnings",
	// Most objects that hooks allocate are short-lived, so the young generation is small enough
	// for the processor caches. With half the size, the strings of a call would be promoted.
	"--max-semi-space-size=4", "--single-threaded-gc", "--v8-pool-size=0", "--stack-size=800",
}

// newNodeCommand returns the command that a worker executes. The heap gets half of the
// memory; the program, buffers and garbage collection need the rest.
func newNodeCommand(cfg *Config) *nodeCommand {
	permission := "--permission"
	if cfg.nodeMajor < 24 {
		permission = "--experimental-permission"
	}
	args := append([]string{"node", permission}, nodeArgs...)
	args = append(args, fmt.Sprintf("--max-old-space-size=%d", max(cfg.Memory>>21, 16)), "-e", cfg.Script)
	return &nodeCommand{
		Path: cfg.NodePath,
		Args: args,
		// Without OPENSSL_CONF, Node fails because the sandbox does not let it open the default
		// OpenSSL configuration file.
		Env: append(environment(), "OPENSSL_CONF=/dev/null"),
	}
}

// Check returns an error if a value is invalid, or a *RuntimeError if Node is the runtime and cannot be
// used. It does not check whether the system supports the sandbox.
func (cfg Config) Check() error {
	_, err := cfg.withDefaults()
	return err
}

// findNode makes the path of Node absolute, because workers have a different working
// directory, and checks the version. It returns a *RuntimeError if Node cannot be used.
func (cfg *Config) findNode() error {
	if runtime.GOOS != "linux" { // elsewhere, the processes of Node could not be killed
		return &RuntimeError{Reason: intray.NewMessage("sandbox.node_linux_only", intray.Params{"system": runtime.GOOS})}
	}
	setDefault(&cfg.NodePath, "node")
	path, err := exec.LookPath(cfg.NodePath)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return &RuntimeError{Reason: intray.NewMessage("sandbox.node_missing", intray.Params{"required": minNodeVersion}), Cause: err}
	}
	cfg.NodePath = path
	cfg.nodeMajor, err = nodeMajorVersion(path, cfg.StartTimeout)
	if err != nil {
		return nodeFailed(err)
	}
	if cfg.nodeMajor < minNodeVersion {
		return &RuntimeError{Reason: intray.NewMessage("sandbox.node_too_old", intray.Params{"version": cfg.nodeMajor, "required": minNodeVersion})}
	}
	return nil
}

func nodeFailed(err error) *RuntimeError {
	return &RuntimeError{Reason: intray.NewMessage("sandbox.node_failed", intray.Params{"required": minNodeVersion}), Cause: err}
}

// nodeMajorVersion returns the major version of a Node executable. It runs the executable only
// with --version.
func nodeMajorVersion(path string, patience time.Duration) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ask := exec.CommandContext(ctx, path, "--version")
	ask.Env = []string{}
	out, err := ask.Output()
	if err != nil {
		return 0, fmt.Errorf("get the version of Node: %w", err)
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return 0, fmt.Errorf("get the version of Node: %s returned %.100q", path, out)
	}
	return major, nil
}

// Capabilities are the operating system features that a sandbox uses.
type Capabilities struct {
	// System and Processor are GOOS and GOARCH.
	System, Processor string
	// NoNewPrivs: a process can give up the ability to gain privileges.
	NoNewPrivs bool
	// Seccomp: a process can be restricted to a list of system calls, and this program has
	// a list for this processor.
	Seccomp bool
	// Landlock is the version of Landlock, or 0 if the kernel does not support it.
	Landlock int
	// LandlockBlocked means that the kernel is new enough for Landlock, but a seccomp filter of this
	// process, such as that of a container, probably blocks its system calls.
	LandlockBlocked bool
	// Users: each worker has a separate user ID.
	Users bool
	// Namespaces: each worker has a separate empty network. Only a pool can determine this.
	Namespaces bool
	// Cgroup is "v1" or "v2" if a cgroup limits the memory of each worker, and "" if the
	// pool measures the memory instead. In the result of ProbeCapabilities, it is the
	// version whose memory controller is mounted.
	Cgroup string
}

// missingRequired returns the missing features that a strict sandbox requires.
func (a Capabilities) missingRequired() (lacks []intray.Message) {
	if a.System != "linux" {
		return []intray.Message{intray.NewMessage("sandbox.linux_only", intray.Params{"system": a.System})}
	}
	if !a.NoNewPrivs {
		lacks = append(lacks, intray.NewMessage("sandbox.no_new_privs", nil))
	}
	if !a.Seccomp {
		lacks = append(lacks, intray.NewMessage("sandbox.no_seccomp", intray.Params{"processor": a.Processor}))
	}
	switch {
	case a.Landlock == 0 && a.LandlockBlocked:
		lacks = append(lacks, intray.NewMessage("sandbox.landlock_blocked", nil))
	case a.Landlock == 0:
		lacks = append(lacks, intray.NewMessage("sandbox.no_landlock", nil))
	}
	return lacks
}

// Missing returns descriptions of all missing features, for a log.
func (a Capabilities) Missing() []string {
	return append(a.MissingRequired(), a.MissingOptional()...)
}

// MissingRequired returns descriptions of the missing features that a strict sandbox requires.
func (a Capabilities) MissingRequired() []string { return intray.RenderAll(a.missingRequired()) }

// MissingOptional returns descriptions of the missing features that a sandbox uses in addition.
// Seccomp and Landlock already prevent access to the network, files and other processes.
func (a Capabilities) MissingOptional() (lacks []string) {
	if !a.Users {
		lacks = append(lacks, "hook workers run as the user of this program (each has its own user if the program runs as root)")
	}
	if !a.Namespaces {
		lacks = append(lacks, "hook workers have no empty network namespace")
	}
	if a.Cgroup == "" {
		lacks = append(lacks, "the memory of hook workers is measured every 20 ms (a cgroup would limit it without gaps)")
	}
	return lacks
}

// baseCapabilities returns the capabilities that every system has.
func baseCapabilities() Capabilities {
	return Capabilities{System: runtime.GOOS, Processor: runtime.GOARCH}
}
