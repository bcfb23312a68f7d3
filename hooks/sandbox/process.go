package sandbox

import (
	"os"
	"runtime"
	"sync"
	"time"
)

// process is a child process, with the pipes to its standard input, output and error.
type process struct {
	os   *os.Process
	in   *os.File
	out  *os.File
	err  *os.File
	gone chan struct{}

	mu     sync.Mutex
	reaped bool
	gauge  gauge
}

// expirePipes limits how long the pipes of a process are read after its end, because a
// child of the process could keep them open.
func (p *process) expirePipes(after time.Duration) {
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

// environment returns the complete environment of a worker. It does not depend on the
// environment of this process.
func environment() []string { return []string{"TZ=UTC"} }

// runLaunches starts all processes from one thread that lives as long as the pool, because
// Linux kills a child when the thread that started it ends.
func (p *Pool) runLaunches() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for job := range p.launches {
		job()
	}
}

// startProcess starts a process from the thread of runLaunches.
func (p *Pool) startProcess(slot int) (proc *process, err error) {
	done := make(chan struct{})
	p.launches <- func() {
		defer close(done)
		proc, err = p.launcher.startProcess(slot)
	}
	<-done
	return proc, err
}

// pipes are the pipes between this program and a child.
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

// childEnds returns the pipe ends that the child uses.
func (p *pipes) childEnds() []*os.File { return []*os.File{p.in.read, p.out.write, p.err.write} }

func (p *pipes) closeChildEnds() {
	for _, file := range p.childEnds() {
		_ = file.Close()
	}
}

func (p *pipes) close() {
	for _, one := range []pipe{p.in, p.out, p.err} {
		_ = one.read.Close()
		_ = one.write.Close()
	}
}
