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
)

// Runtime is what runs the code in a worker.
type Runtime string

// The runtimes.
const (
	// QuickJS is in this program.
	QuickJS Runtime = "quickjs"
	// Node must be installed. It is faster, and larger.
	Node Runtime = "node"
)

// Mode says what to do where the system cannot build the whole sandbox.
type Mode string

// The sandboxes.
const (
	// Strict refuses to run a worker that is not sandboxed.
	Strict Mode = "strict"
	// BestEffort builds of the sandbox what the system has.
	BestEffort Mode = "best-effort"
)

// Defaults of a Config.
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

// maxScript is the most text that fits into one argument of a program.
const maxScript = 120 << 10

// Config holds the choices of a Pool. The zero Config works: QuickJS in a
// strict sandbox.
type Config struct {
	// Runtime is QuickJS by default.
	Runtime Runtime
	// Mode is Strict by default.
	Mode Mode
	// Command are the arguments with which this program becomes a worker, that
	// is calls Serve. Default: hook-worker.
	Command []string
	// NodePath is the program Node, of version 20 or later. Default: node in
	// PATH.
	NodePath string
	// Script is what Node runs: it answers the frames on the descriptors 0 and
	// 1. At most 120 KiB.
	Script string
	// Setup is given to each worker before it is sandboxed wholly. It comes from
	// this program and never from a stranger.
	Setup []byte

	// Memory is the most that one worker may hold, in bytes. Default
	// DefaultMemory. Without a cgroup it is looked at every 20 ms, so that a
	// worker can hold more for that long.
	Memory int64
	// CallTimeout is the budget of a Call that names none. Default DefaultCallTimeout.
	CallTimeout time.Duration
	// IdleTimeout is how long a worker may be held without a call before it counts as
	// forgotten and is ended. Default DefaultIdleTimeout.
	IdleTimeout time.Duration
	// StartTimeout is how long a worker may take to start. Default DefaultStartTimeout.
	StartTimeout time.Duration
	// Request and Answer are the longest payloads, in bytes. Defaults
	// DefaultMaxRequest and DefaultMaxAnswer.
	MaxRequest, MaxAnswer int

	// IdleWorkers is how many workers wait to be taken. Default DefaultIdleWorkers.
	IdleWorkers int
	// MaxWorkers is how many processes there may be, the spares counted. Default:
	// four for each processor.
	MaxWorkers int
	// Cgroup is a folder of the memory controller, of version 1 or 2, in which
	// a folder for each worker can be made. None by default.
	Cgroup string
	// FirstUserID is the first of as many user ids as there are Workers; nobody
	// else may have them. They are used where this program runs as root.
	// Default DefaultFirstUserID.
	FirstUserID int

	nodeMajor int
}

// Limits are those of one worker. What is zero or larger than in the Config is
// as in the Config.
type Limits struct {
	// Memory and Answer are in bytes.
	Memory    int64
	MaxAnswer int
}

// withDefaults fills in the defaults and refuses what makes no sense.
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
		return fmt.Errorf("there is no hook runtime %q: choose quickjs or node", cfg.Runtime)
	case cfg.Mode != Strict && cfg.Mode != BestEffort:
		return fmt.Errorf("there is no hook sandbox mode %q: choose strict or best-effort", cfg.Mode)
	case cfg.IdleWorkers < 0 || cfg.MaxWorkers < cfg.IdleWorkers:
		return fmt.Errorf("%d spare hook workers do not fit into %d workers", cfg.IdleWorkers, cfg.MaxWorkers)
	case cfg.Memory < 0 || cfg.MaxRequest < 0 || cfg.MaxAnswer < 0 || cfg.CallTimeout < 0 || cfg.IdleTimeout < 0 || cfg.StartTimeout < 0:
		return fmt.Errorf("the limits of a hook worker cannot be negative")
	case cfg.MaxRequest > maxFrame || cfg.MaxAnswer > maxFrame:
		return fmt.Errorf("a frame of a hook worker holds at most %d bytes", maxFrame)
	case len(cfg.Script) > maxScript:
		return fmt.Errorf("the script for Node has %d bytes, and may have %d", len(cfg.Script), maxScript)
	}
	return nil
}

// minNodeVersion is the first that has the flags.
const minNodeVersion = 20

// nodeArgs keep Node small, and take from it what a hook must not have. They
// are no wall: that is the sandbox.
var nodeArgs = []string{
	"--disable-proto=delete", "--no-addons", "--disallow-code-generation-from-strings", "--frozen-intrinsics",
	"--no-deprecation", "--no-warnings",
	// Young objects take no more room than fits into the caches of a processor: what a
	// busy hook leaves behind goes by in there. With half of it the texts of a call
	// would be taken for what lasts.
	"--max-semi-space-size=4", "--single-threaded-gc", "--v8-pool-size=0", "--stack-size=800",
}

// newNodeCommand tells a worker to become Node. Half of its memory is for the heap:
// the rest is for the program, for buffers and for what is being collected.
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
		// Without the second Node looks for a file that the sandbox has closed, and
		// ends.
		Env: append(environment(), "OPENSSL_CONF=/dev/null"),
	}
}

// findNode makes the path absolute, because the folder of a worker is another
// one, and asks for the version.
func (cfg *Config) findNode() error {
	setDefault(&cfg.NodePath, "node")
	path, err := exec.LookPath(cfg.NodePath)
	if err != nil {
		return fmt.Errorf("finding Node for the hooks: %w. Install Node %d or later, or choose the hook runtime quickjs", err, minNodeVersion)
	}
	if path, err = filepath.Abs(path); err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return fmt.Errorf("finding Node for the hooks: %w", err)
	}
	cfg.NodePath = path
	cfg.nodeMajor, err = nodeMajorVersion(path, cfg.StartTimeout)
	if err == nil && cfg.nodeMajor < minNodeVersion {
		err = fmt.Errorf("%s has the version %d: install Node %d or later, or choose the hook runtime quickjs", path, cfg.nodeMajor, minNodeVersion)
	}
	return err
}

// nodeMajorVersion runs the program that the operator chose, and no code.
func nodeMajorVersion(path string, patience time.Duration) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ask := exec.CommandContext(ctx, path, "--version")
	ask.Env = []string{}
	out, err := ask.Output()
	if err != nil {
		return 0, fmt.Errorf("asking Node for its version: %w", err)
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	major, err := strconv.Atoi(first)
	if err != nil {
		return 0, fmt.Errorf("asking Node for its version: %s says %.100q", path, out)
	}
	return major, nil
}
