//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// errNode is for a program that could not be killed with what it started.
var errNode = errors.New("node runs hooks on Linux only: choose the hook runtime quickjs")

// ProbeCapabilities finds nothing: sandboxes are built on Linux only.
func ProbeCapabilities() Capabilities { return baseCapabilities() }

// launcher is none here: a process of its own, without environment, that is killed
// when it is late. Its memory is not bounded.
type launcher struct {
	cfg       *Config
	available Capabilities
}

func newLauncher(cfg *Config, has Capabilities) (*launcher, error) {
	if cfg.Mode == Strict {
		return nil, &RefusedError{Lacks: has.missingRequired()}
	}
	if cfg.Runtime == Node {
		return nil, errNode
	}
	return &launcher{cfg: cfg, available: has}, nil
}

func (j *launcher) capabilities() Capabilities { return j.available }

func (j *launcher) close() {}

func (j *launcher) restrictions() restrictions {
	return restrictions{Memory: j.cfg.Memory}
}

func (j *launcher) startProcess(int) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("starting a hook worker: %w", err)
	}
	ends, err := openPipes()
	if err != nil {
		return nil, fmt.Errorf("starting a hook worker: %w", err)
	}
	child := exec.Command(self, j.cfg.Command...)
	child.Env, child.Dir = environment(), os.TempDir()
	child.Stdin, child.Stdout, child.Stderr = ends.in.read, ends.out.write, ends.err.write
	if err := child.Start(); err != nil {
		ends.close()
		return nil, fmt.Errorf("starting a hook worker: %w", err)
	}
	ends.closeChildEnds()
	return &process{os: child.Process, in: ends.in.write, out: ends.out.read, err: ends.err.read, gone: make(chan struct{})}, nil
}

// gauge shows nothing here.
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

// execConfined is never reached: newLauncher refuses Node.
func execConfined(restrictions) error { return errNode }
