package sandbox

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ProbeCapabilities determines the features of the kernel. It does not change anything.
func ProbeCapabilities() Capabilities {
	has := baseCapabilities()
	_, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	has.NoNewPrivs = err == nil
	has.Seccomp = filterArch != 0 && canKillProcess()
	has.Landlock = landlockVersion()
	has.Users = canChangeUser()
	has.Cgroup = cgroupVersion()
	return has
}

// canKillProcess reports whether a seccomp filter can kill a whole process.
func canKillProcess() bool {
	action := uint32(unix.SECCOMP_RET_KILL_PROCESS)
	_, _, code := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return code == 0
}

func landlockVersion() int {
	version, _, code := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if code != 0 {
		return 0
	}
	return int(version)
}

// canChangeUser reports whether this process can change its user. Root in a container may
// not have the required capabilities.
func canChangeUser() bool {
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if os.Geteuid() != 0 || unix.Capget(&head, &sets[0]) != nil {
		return false
	}
	const need = 1<<unix.CAP_SETUID | 1<<unix.CAP_SETGID
	return sets[0].Effective&need == need
}

// cgroupVersion returns the cgroup version of the mounted memory controller, or "" if there
// is none.
func cgroupVersion() string {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(text)) {
		_, kind, _ := strings.Cut(line, " - ")
		fields := strings.Fields(kind)
		if len(fields) < 3 {
			continue
		}
		if fields[0] == "cgroup" && strings.Contains(","+fields[2]+",", ",memory,") {
			return "v1"
		}
		if where := strings.Fields(line); fields[0] == "cgroup2" && hasMemoryController(where[4]) {
			return "v2"
		}
	}
	return ""
}

func hasMemoryController(folder string) bool {
	text, _ := os.ReadFile(folder + "/cgroup.controllers")
	return strings.Contains(" "+strings.TrimSpace(string(text))+" ", " memory ")
}
