package sandbox

import (
	"runtime"

	"github.com/intraydata/intray"
)

// Capabilities are what the system has to build a sandbox with.
type Capabilities struct {
	// System and Processor name it as Go does.
	System, Processor string
	// NoNewPrivs: a process can give up ever getting more rights.
	NoNewPrivs bool
	// Seccomp: a process can be bound to a list of system calls, and this
	// program has the list for this processor.
	Seccomp bool
	// Landlock is the version in which files can be closed to a process, and 0
	// where there is none.
	Landlock int
	// Users: each worker has a user id of its own.
	Users bool
	// Namespaces: each worker has a network of its own, which is empty. Only
	// trying tells: it is known once a pool is made.
	Namespaces bool
	// Cgroup is "v1" or "v2" where the kernel bounds the memory of each worker,
	// else empty: it is then looked at from outside. Of Probe it is the version
	// whose memory controller there is.
	Cgroup string
}

// missingRequired are the walls without which a strict sandbox is none.
func (a Capabilities) missingRequired() (lacks []intray.Message) {
	if a.System != "linux" {
		return []intray.Message{intray.NewMessage("sandbox.linux_only", intray.Params{"system": a.System})}
	}
	if !a.NoNewPrivs {
		lacks = append(lacks, intray.NewMessage("sandbox.no_new_privs", nil))
	}
	if !a.Seccomp {
		lacks = append(lacks, intray.NewMessage("sandbox.no_seccomp", intray.Params{"processor": a.Processor}))
	}
	if a.Landlock == 0 {
		lacks = append(lacks, intray.NewMessage("sandbox.no_landlock", nil))
	}
	return lacks
}

// Missing lists for a log, as parts of sentences, what a pool does without.
func (a Capabilities) Missing() []string {
	lacks := intray.RenderAll(a.missingRequired())
	if !a.Users {
		lacks = append(lacks, "hook workers run as the user of this program (each has its own where it is started as root)")
	}
	if !a.Namespaces {
		lacks = append(lacks, "hook workers have no empty network of their own")
	}
	if a.Cgroup == "" {
		lacks = append(lacks, "the memory of hook workers is looked at every 20 ms (a cgroup would bound it without gaps)")
	}
	return lacks
}

// baseCapabilities are the abilities of a system of which nothing is known.
func baseCapabilities() Capabilities {
	return Capabilities{System: runtime.GOOS, Processor: runtime.GOARCH}
}
