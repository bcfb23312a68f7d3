package cage

import (
	"fmt"
	"runtime"
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
