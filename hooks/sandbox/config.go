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

// Runtime is what executes code in a worker.
type Runtime string

// Runtimes.
const (
	// QuickJS is part of this program.
	QuickJS Runtime = "quickjs"
	// Node must be installed. It is faster and needs more memory.
	Node Runtime = "node"
)

// Mode decides what happens if the system lacks a part of the sandbox.
type Mode string

// Modes.
const (
	// Strict does not start workers without the whole sandbox.
	Strict Mode = "strict"
	// BestEffort uses the parts that the system has.
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

// maxScript is the most bytes of one argument of a program.
const maxScript = 120 << 10

// Config configures a Pool. The zero Config works: QuickJS in a strict sandbox.
type Config struct {
	// Runtime is QuickJS by default.
	Runtime Runtime
	// Mode is Strict by default.
	Mode Mode
	// Command are the arguments that make this program call Serve. Default: hook-worker.
	Command []string
	// NodePath is the Node program, of version 20 or later. Default: node in PATH.
	NodePath string
	// Script is the program that Node runs. It answers frames on descriptors 0 and 1. At
	// most 120 KiB.
	Script string
	// Setup is passed to each worker before its sandbox is complete. It must come from
	// this program, never from untrusted input.
	Setup []byte

	// Memory is the memory limit of a worker, in bytes. Default DefaultMemory. Without a
	// cgroup, the pool measures it every 20 ms, so a worker may exceed it for that long.
	Memory int64
	// CallTimeout is the budget of calls that do not set one. Default DefaultCallTimeout.
	CallTimeout time.Duration
	// IdleTimeout is how long a worker in use may go without a call before it is ended.
	// Default DefaultIdleTimeout.
	IdleTimeout time.Duration
	// StartTimeout is how long a worker may take to start. Default DefaultStartTimeout.
	StartTimeout time.Duration
	// MaxRequest and MaxAnswer are the longest payloads, in bytes. Defaults
	// DefaultMaxRequest and DefaultMaxAnswer.
	MaxRequest, MaxAnswer int

	// IdleWorkers is the number of workers that are started ahead. Default
	// DefaultIdleWorkers.
	IdleWorkers int
	// MaxWorkers is the most processes, including idle ones. Default: four for each
	// processor.
	MaxWorkers int
	// Cgroup is a folder of the memory controller, version 1 or 2, in which cgroups can
	// be created. Default: none.
	Cgroup string
	// FirstUserID is the first of MaxWorkers user ids that nothing else uses. They are
	// used if this program runs as root. Default DefaultFirstUserID.
	FirstUserID int

	nodeMajor int
}

// Limits are the limits of one worker. Members that are zero, or larger than in the
// Config, have the value of the Config.
type Limits struct {
	// Memory and MaxAnswer are in bytes.
	Memory    int64
	MaxAnswer int
}

// withDefaults sets defaults and checks the values.
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

// minNodeVersion is the first version that has the flags.
const minNodeVersion = 20

// nodeArgs make Node small and disable what hooks must not use. The sandbox is the security
// boundary, not these flags.
var nodeArgs = []string{
	"--disable-proto=delete", "--no-addons", "--disallow-code-generation-from-strings", "--frozen-intrinsics",
	"--no-deprecation", "--no-warnings",
	// The young generation fits into the processor caches, because most of what hooks
	// allocate is short-lived. With half the size, the texts of a call would be promoted.
	"--max-semi-space-size=4", "--single-threaded-gc", "--v8-pool-size=0", "--stack-size=800",
}

// newNodeCommand returns the command that a worker executes. Half of the memory is for
// the heap; the program, buffers and garbage collection need the rest.
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
		// Without OPENSSL_CONF, Node fails because it cannot open a file in the sandbox.
		Env: append(environment(), "OPENSSL_CONF=/dev/null"),
	}
}

// findNode resolves the path, because workers have another working directory, and checks
// the version.
func (cfg *Config) findNode() error {
	setDefault(&cfg.NodePath, "node")
	path, err := exec.LookPath(cfg.NodePath)
	if err != nil {
		return fmt.Errorf("find Node for hooks: %w; install Node %d or later, or use the hook runtime quickjs", err, minNodeVersion)
	}
	if path, err = filepath.Abs(path); err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return fmt.Errorf("find Node for hooks: %w", err)
	}
	cfg.NodePath = path
	cfg.nodeMajor, err = nodeMajorVersion(path, cfg.StartTimeout)
	if err == nil && cfg.nodeMajor < minNodeVersion {
		err = fmt.Errorf("%s has version %d: install Node %d or later, or use the hook runtime quickjs", path, cfg.nodeMajor, minNodeVersion)
	}
	return err
}

// nodeMajorVersion runs the program with --version only.
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
