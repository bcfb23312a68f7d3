package server

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"

	"github.com/intraydata/intray/server/model"
)

// oomKills returns the OOM kills on this machine since it was started. The count is that of the
// kernel and includes kills in all memory cgroups, so it survives the end of a container.
func oomKills() model.OOMKills {
	machine := bootID()
	if machine == "" {
		return model.OOMKills{}
	}
	counters, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return model.OOMKills{}
	}
	return parseOOMKills(machine, counters)
}

// bootID returns the random identifier of this machine since it was started, or "" if it is unknown.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

func parseOOMKills(machine string, counters []byte) model.OOMKills {
	lines := bufio.NewScanner(bytes.NewReader(counters))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if n, err := strconv.ParseInt(value, 10, 64); name == "oom_kill" && err == nil {
			return model.OOMKills{Machine: machine, Count: n}
		}
	}
	return model.OOMKills{}
}

// availableMemory returns the memory that this process may use, and where that is set.
func availableMemory() (int64, string) { return memoryLimit(os.DirFS("/")) }
