package cage

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

// Jail says what to do where the system cannot build the whole jail.
type Jail string

// The jails.
const (
	// Strict refuses to run a worker that is not jailed.
	Strict Jail = "strict"
	// BestEffort builds of the jail what the system has.
	BestEffort Jail = "best-effort"
)

// Defaults of a Config.
const (
	DefaultMemory  = 256 << 20
	DefaultBatch   = 5 * time.Second
	DefaultIdle    = time.Minute
	DefaultReady   = 10 * time.Second
	DefaultRequest = 64 << 20
	DefaultAnswer  = 16 << 20
	DefaultSpares  = 1
	DefaultUser    = 64500
)

// longestScript is the most text that fits into one argument of a program.
const longestScript = 120 << 10

// Config holds the choices of a Cage. The zero Config works: QuickJS in a
// strict jail.
type Config struct {
	// Runtime is QuickJS by default.
	Runtime Runtime
	// Jail is Strict by default.
	Jail Jail
	// Command are the arguments with which this program becomes a worker, that
	// is calls Serve. Default: hook-worker.
	Command []string
	// NodePath is the program Node, of version 20 or later. Default: node in
	// PATH.
	NodePath string
	// Script is what Node runs: it answers the frames on the descriptors 0 and
	// 1. At most 120 KiB.
	Script string
	// Setup is given to each worker before it is jailed wholly. It comes from
	// this program and never from a stranger.
	Setup []byte

	// Memory is the most that one worker may hold, in bytes. Default
	// DefaultMemory. Without a cgroup it is looked at every 20 ms, so that a
	// worker can hold more for that long.
	Memory int64
	// Batch is the budget of a Call that names none. Default DefaultBatch.
	Batch time.Duration
	// Idle is how long a worker may be held without a call before it counts as
	// forgotten and is ended. Default DefaultIdle.
	Idle time.Duration
	// Ready is how long a worker may take to start. Default DefaultReady.
	Ready time.Duration
	// Request and Answer are the longest payloads, in bytes. Defaults
	// DefaultRequest and DefaultAnswer.
	Request, Answer int

	// Spares is how many workers wait to be taken. Default DefaultSpares.
	Spares int
	// Workers is how many processes there may be, the spares counted. Default:
	// four for each processor.
	Workers int
	// Cgroup is a folder of the memory controller, of version 1 or 2, in which
	// a folder for each worker can be made. None by default.
	Cgroup string
	// FirstUser is the first of as many user ids as there are Workers; nobody
	// else may have them. They are used where this program runs as root.
	// Default DefaultUser.
	FirstUser int

	nodeMajor int
}

// Limits are those of one worker. What is zero or larger than in the Config is
// as in the Config.
type Limits struct {
	// Memory and Answer are in bytes.
	Memory int64
	Answer int
}

// complete fills in the defaults and refuses what makes no sense.
func (cfg Config) complete() (Config, error) {
	fill(&cfg.Runtime, QuickJS)
	fill(&cfg.Jail, Strict)
	fill(&cfg.Memory, DefaultMemory)
	fill(&cfg.Batch, DefaultBatch)
	fill(&cfg.Idle, DefaultIdle)
	fill(&cfg.Ready, DefaultReady)
	fill(&cfg.Request, DefaultRequest)
	fill(&cfg.Answer, DefaultAnswer)
	fill(&cfg.Spares, DefaultSpares)
	fill(&cfg.Workers, max(4*runtime.NumCPU(), cfg.Spares))
	fill(&cfg.FirstUser, DefaultUser)
	if cfg.Command == nil {
		cfg.Command = []string{"hook-worker"}
	}
	if err := cfg.check(); err != nil {
		return cfg, err
	}
	if cfg.Runtime == Node {
		return cfg, cfg.findNode()
	}
	return cfg, nil
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (cfg *Config) check() error {
	switch {
	case cfg.Runtime != QuickJS && cfg.Runtime != Node:
		return fmt.Errorf("there is no hook runtime %q: choose quickjs or node", cfg.Runtime)
	case cfg.Jail != Strict && cfg.Jail != BestEffort:
		return fmt.Errorf("there is no hook jail %q: choose strict or best-effort", cfg.Jail)
	case cfg.Spares < 0 || cfg.Workers < cfg.Spares:
		return fmt.Errorf("%d spare hook workers do not fit into %d workers", cfg.Spares, cfg.Workers)
	case cfg.Memory < 0 || cfg.Request < 0 || cfg.Answer < 0 || cfg.Batch < 0 || cfg.Idle < 0 || cfg.Ready < 0:
		return fmt.Errorf("the limits of a hook worker cannot be negative")
	case cfg.Request > longestFrame || cfg.Answer > longestFrame:
		return fmt.Errorf("a frame of a hook worker holds at most %d bytes", longestFrame)
	case len(cfg.Script) > longestScript:
		return fmt.Errorf("the script for Node has %d bytes, and may have %d", len(cfg.Script), longestScript)
	}
	return nil
}

// oldestNode is the first that has the flags.
const oldestNode = 20

// nodeArgs keep Node small, and take from it what a hook must not have. They
// are no wall: that is the jail.
var nodeArgs = []string{
	"--disable-proto=delete", "--no-addons", "--disallow-code-generation-from-strings", "--frozen-intrinsics",
	"--no-deprecation", "--no-warnings",
	// Young objects take no more room than fits into the caches of a processor: what a
	// busy hook leaves behind goes by in there. With half of it the texts of a call
	// would be taken for what lasts.
	"--max-semi-space-size=4", "--single-threaded-gc", "--v8-pool-size=0", "--stack-size=800",
}

// nodeOrder tells a worker to become Node. Half of its memory is for the heap:
// the rest is for the program, for buffers and for what is being collected.
func nodeOrder(cfg *Config) *node {
	permission := "--permission"
	if cfg.nodeMajor < 24 {
		permission = "--experimental-permission"
	}
	args := append([]string{"node", permission}, nodeArgs...)
	args = append(args, fmt.Sprintf("--max-old-space-size=%d", max(cfg.Memory>>21, 16)), "-e", cfg.Script)
	return &node{
		Path: cfg.NodePath,
		Args: args,
		// Without the second Node looks for a file that the jail has closed, and
		// ends.
		Env: append(environment(), "OPENSSL_CONF=/dev/null"),
	}
}

// findNode makes the path absolute, because the folder of a worker is another
// one, and asks for the version.
func (cfg *Config) findNode() error {
	fill(&cfg.NodePath, "node")
	path, err := exec.LookPath(cfg.NodePath)
	if err != nil {
		return fmt.Errorf("finding Node for the hooks: %w. Install Node %d or later, or choose the hook runtime quickjs", err, oldestNode)
	}
	if path, err = filepath.Abs(path); err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return fmt.Errorf("finding Node for the hooks: %w", err)
	}
	cfg.NodePath = path
	cfg.nodeMajor, err = majorOf(path, cfg.Ready)
	if err == nil && cfg.nodeMajor < oldestNode {
		err = fmt.Errorf("%s has the version %d: install Node %d or later, or choose the hook runtime quickjs", path, cfg.nodeMajor, oldestNode)
	}
	return err
}

// majorOf runs the program that the operator chose, and no code.
func majorOf(path string, patience time.Duration) (int, error) {
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
