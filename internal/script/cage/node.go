package cage

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

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
