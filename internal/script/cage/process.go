package cage

import (
	"os"
	"runtime"
	"sync"
	"time"
)

// process is a child of this program with three pipes.
type process struct {
	os   *os.Process
	in   *os.File
	out  *os.File
	err  *os.File
	gone chan struct{}

	mu     sync.Mutex
	buried bool
	gauge  gauge
}

// hangUp bounds how long the pipes of an ended process may still give bytes:
// a child of its own could hold them open.
func (p *process) hangUp(after time.Duration) {
	end := time.Now().Add(after)
	for _, file := range []*os.File{p.in, p.out, p.err} {
		_ = file.SetDeadline(end)
	}
}

func (p *process) close() {
	for _, file := range []*os.File{p.in, p.out, p.err} {
		_ = file.Close()
	}
	p.gauge.close()
}

// environment is all that a worker gets of it, so that what it computes does
// not depend on where it runs.
func environment() []string { return []string{"TZ=UTC"} }

// fork starts all processes in one thread that lives as long as the cage: Linux
// kills the children of a thread that ends.
func (c *Cage) fork() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range c.forks {
		job()
	}
}

// spawn starts a process in the thread for it.
func (c *Cage) spawn(slot int) (proc *process, err error) {
	done := make(chan struct{})
	c.forks <- func() {
		defer close(done)
		proc, err = c.jail.spawn(slot)
	}
	<-done
	return proc, err
}

// pipes are the three between this program and a child.
type pipes struct{ in, out, err pipe }

type pipe struct{ read, write *os.File }

func openPipes() (p pipes, err error) {
	for _, one := range []*pipe{&p.in, &p.out, &p.err} {
		if one.read, one.write, err = os.Pipe(); err != nil {
			p.close()
			return pipes{}, err
		}
	}
	return p, nil
}

// theirs are the ends of the child.
func (p *pipes) theirs() []*os.File { return []*os.File{p.in.read, p.out.write, p.err.write} }

func (p *pipes) closeTheirs() {
	for _, file := range p.theirs() {
		_ = file.Close()
	}
}

func (p *pipes) close() {
	for _, one := range []pipe{p.in, p.out, p.err} {
		_ = one.read.Close()
		_ = one.write.Close()
	}
}
