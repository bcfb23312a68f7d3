package sandbox

import (
	"runtime"

	"github.com/intraydata/intray"
)

// Capabilities are the operating system features that a sandbox uses.
type Capabilities struct {
	// System and Processor are GOOS and GOARCH.
	System, Processor string
	// NoNewPrivs: a process can give up the ability to gain privileges.
	NoNewPrivs bool
	// Seccomp: a process can be restricted to a list of system calls, and this program has
	// a list for this processor.
	Seccomp bool
	// Landlock is the version of Landlock, or 0 if the kernel does not support it.
	Landlock int
	// Users: each worker has a separate user ID.
	Users bool
	// Namespaces: each worker has a separate empty network. Only a pool can determine this.
	Namespaces bool
	// Cgroup is "v1" or "v2" if a cgroup limits the memory of each worker, and "" if the
	// pool measures the memory instead. In the result of ProbeCapabilities, it is the
	// version whose memory controller is mounted.
	Cgroup string
}

// missingRequired returns the missing features that a strict sandbox requires.
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

// Missing returns descriptions of the missing features, for a log.
func (a Capabilities) Missing() []string {
	lacks := intray.RenderAll(a.missingRequired())
	if !a.Users {
		lacks = append(lacks, "hook workers run as the user of this program (each has its own user if the program runs as root)")
	}
	if !a.Namespaces {
		lacks = append(lacks, "hook workers have no empty network namespace")
	}
	if a.Cgroup == "" {
		lacks = append(lacks, "the memory of hook workers is measured every 20 ms (a cgroup would limit it without gaps)")
	}
	return lacks
}

// baseCapabilities returns the capabilities that every system has.
func baseCapabilities() Capabilities {
	return Capabilities{System: runtime.GOOS, Processor: runtime.GOARCH}
}
