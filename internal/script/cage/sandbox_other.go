//go:build !linux

package cage

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// errNode is for a program that could not be killed with what it started.
var errNode = errors.New("node runs hooks on Linux only: choose the hook runtime quickjs")

// Probe finds nothing: jails are built on Linux only.
func Probe() Abilities { return nowhere() }

// jail is none here: a process of its own, without environment, that is killed
// when it is late. Its memory is not bounded.
type jail struct {
	cfg *Config
	has Abilities
}

func newJail(cfg *Config, has Abilities) (*jail, error) {
	if cfg.Jail == Strict {
		return nil, &RefusedError{Lacks: has.essential()}
	}
	if cfg.Runtime == Node {
		return nil, errNode
	}
	return &jail{cfg: cfg, has: has}, nil
}

func (j *jail) abilities() Abilities { return j.has }

func (j *jail) close() {}

func (j *jail) order() order {
	return order{Memory: j.cfg.Memory}
}

func (j *jail) spawn(int) (*process, error) {
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
	ends.closeTheirs()
	return &process{os: child.Process, in: ends.in.write, out: ends.out.read, err: ends.err.read, gone: make(chan struct{})}, nil
}

// gauge shows nothing here.
type gauge struct{}

func (gauge) close() {}

func (gauge) usage() (held int64, threads int, ok bool) { return 0, 0, false }

func (p *process) wait() ending {
	state, _ := p.os.Wait()
	p.mu.Lock()
	p.buried = true
	p.mu.Unlock()
	close(p.gone)
	return exited(state)
}

func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.buried {
		_ = p.os.Kill()
	}
}

func standard() (io.Reader, io.Writer) { return os.Stdin, os.Stdout }

func (o order) outerWalls() error { return nil }

func (o order) innerWall() error { return nil }

// become is never reached: newJail refuses Node.
func become(order) error { return errNode }
