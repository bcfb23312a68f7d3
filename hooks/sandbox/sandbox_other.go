//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// ProbeCapabilities returns no sandbox features, because sandboxes exist only on Linux.
func ProbeCapabilities() Capabilities { return baseCapabilities() }

// launcher starts a process without an environment, and kills it after its deadline. The
// memory of the process is not limited.
type launcher struct {
	cfg       *Config
	available Capabilities
}

func newLauncher(cfg *Config, has Capabilities) (*launcher, error) {
	if cfg.Mode == Strict {
		return nil, &RefusedError{Lacks: has.missingRequired()}
	}
	return &launcher{cfg: cfg, available: has}, nil
}

func (l *launcher) capabilities() Capabilities { return l.available }

func (l *launcher) close() {}

func (l *launcher) restrictions() restrictions {
	return restrictions{Memory: l.cfg.Memory}
}

func (l *launcher) startProcess(int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("start a hook worker: %w", err)
	}
	ends, err := openPipes()
	if err != nil {
		return nil, fmt.Errorf("start a hook worker: %w", err)
	}
	child := exec.Command(self, l.cfg.Command...)
	child.Env, child.Dir = environment(), os.TempDir()
	child.Stdin, child.Stdout, child.Stderr = ends.in.read, ends.out.write, ends.err.write
	if err := child.Start(); err != nil {
		ends.close()
		return nil, fmt.Errorf("start a hook worker: %w", err)
	}
	ends.closeChildEnds()
	return &process{os: child.Process, in: ends.in.write, out: ends.out.read, err: ends.err.read, gone: make(chan struct{})}, nil
}

// gauge does not measure anything on this system.
type gauge struct{}

func (gauge) close() {}

func (gauge) usage() (held int64, threads int, ok bool) { return 0, 0, false }

func (p *process) wait() exitStatus {
	state, _ := p.os.Wait()
	p.mu.Lock()
	p.reaped = true
	p.mu.Unlock()
	close(p.gone)
	return newExitStatus(state)
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = p.os.Kill()
	}
}

func stdio() (io.Reader, io.Writer) { return os.Stdin, os.Stdout }

func (o restrictions) restrictOuter() error { return nil }

func (o restrictions) restrictSyscalls() error { return nil }

// execConfined is never called, because Config refuses Node.
func execConfined(restrictions) error { return errors.ErrUnsupported }
