package sandbox

import (
	"fmt"
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
	has.Landlock, has.LandlockBlocked = landlockVersion()
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

// landlockVersion returns the version of Landlock or, if it is 0, whether a seccomp filter probably blocks
// it.
func landlockVersion() (version int, blocked bool) {
	got, _, code := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if code == 0 {
		return int(got), false
	}
	// A kernel without Landlock returns ENOSYS, too.
	blocks := code == unix.ENOSYS || code == unix.EPERM
	return 0, blocks && hasSeccompFilter() && kernelHasLandlock()
}

// hasSeccompFilter reports whether a filter restricts the system calls of this process.
func hasSeccompFilter() bool {
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return err == nil && mode == unix.SECCOMP_MODE_FILTER
}

// kernelHasLandlock reports whether the version of the kernel is at least 5.13.
func kernelHasLandlock() bool {
	var name unix.Utsname
	if unix.Uname(&name) != nil {
		return false
	}
	var major, minor int
	_, err := fmt.Sscanf(unix.ByteSliceToString(name.Release[:]), "%d.%d", &major, &minor)
	return err == nil && (major > 5 || major == 5 && minor >= 13)
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
