package server

import (
	"bufio"
	"bytes"
	"io/fs"
	"log/slog"
	"math"
	"path"
	"strconv"
	"strings"
)

const (
	// importMemory is the maximum memory of one import, in bytes. Readers and the engine stay
	// below it, whatever the file contains.
	importMemory = 180 << 20
	// serviceMemory is the memory for everything except imports, in bytes: requests, reviews, the
	// database and the caches.
	serviceMemory = 200 << 20
	// mostImports is the maximum number of imports that run at the same time.
	mostImports = 4
	// twoImportsMemory is the memory from which two imports run at the same time, in bytes: 70 MiB
	// for a service with few requests, the maximum for one import, and 100 MiB for an ordinary
	// one. With a single one, any import would delay those of all other organizations.
	twoImportsMemory = 70<<20 + importMemory + 100<<20
)

// MemoryBudget is how the process uses the available memory.
type MemoryBudget struct {
	// Available is the memory of the machine or, if it is less, the limit of the cgroup, in
	// bytes. It is 0 if both are unknown. Source describes where it is set.
	Available int64
	Source    string
	// Soft is the memory above which the Go runtime collects garbage more often, in bytes.
	Soft int64
	// Imports is the maximum number of imports that run at the same time.
	Imports int

	// usable is the memory that the process may use, in bytes.
	usable int64
}

// WithImports returns the budget for at most n imports at the same time instead of the number that is
// derived from the memory. 0 does not change the budget.
func (b MemoryBudget) WithImports(n int) MemoryBudget {
	if n != 0 {
		b.Imports = n
		b.Soft = min(b.usable, serviceMemory+int64(n)*importMemory)
	}
	return b
}

// NewMemoryBudget returns the budget for the available memory. goLimit is the memory limit of the
// Go runtime, which the environment variable GOMEMLIMIT sets, or math.MaxInt64 if there is none.
func NewMemoryBudget(goLimit int64) MemoryBudget {
	available, source := availableMemory()
	return newMemoryBudget(available, source, goLimit)
}

func newMemoryBudget(available int64, source string, goLimit int64) MemoryBudget {
	b := MemoryBudget{Available: available, Source: source}
	usable := int64(math.MaxInt64)
	if available > 0 {
		usable = available / 10 * 9 // the rest is for memory that the Go runtime does not manage
	}
	usable = min(usable, goLimit)
	b.usable = usable
	return b.WithImports(int(min(mostImports, importsWithin(usable))))
}

// importsWithin returns how many imports can run at the same time in this memory, but at least 1.
func importsWithin(usable int64) int64 {
	n := max(1, (usable-serviceMemory)/importMemory)
	if usable >= twoImportsMemory {
		n = max(n, 2)
	}
	return n
}

// log logs the budget. If there is less memory than one import may need, it logs a warning.
func (b MemoryBudget) log(log *slog.Logger) {
	if b == (MemoryBudget{}) {
		return
	}
	args := []any{"available", b.Available, "source", b.Source, "soft_limit", b.Soft, "imports_at_a_time", b.Imports}
	recommended, tooMany := b.tooManyImports()
	switch {
	case tooMany:
		log.Warn("--max-runs is higher than the memory allows, and large imports may be killed", append(args, "recommended", recommended)...)
	case b.isLittle():
		log.Warn("there is little memory: imports run one after the other, and a large one may be killed; give the server at least 512 MiB", args...)
	default:
		log.Info("memory budget", args...)
	}
}

// tooManyImports reports whether more imports run at the same time than the available memory allows, and
// returns the number that it allows.
func (b MemoryBudget) tooManyImports() (allowed int64, tooMany bool) {
	if b.Available == 0 {
		return 0, false
	}
	allowed = importsWithin(b.Available / 10 * 9)
	return allowed, int64(b.Imports) > allowed
}

// isLittle reports whether there is less memory than one import may need.
func (b MemoryBudget) isLittle() bool {
	return b.Available > 0 && b.Available/10*9 < twoImportsMemory
}

// memoryLimit returns the lowest memory limit of the machine and of the cgroups that contain this
// process, and where it is set. files is the root of the file system.
func memoryLimit(files fs.FS) (limit int64, source string) {
	limit = math.MaxInt64
	lower := func(n int64, from string) {
		if n > 0 && n < limit {
			limit, source = n, from
		}
	}
	lower(machineMemory(files), "machine")
	groups, _ := fs.ReadFile(files, "proc/self/cgroup")
	mounts, _ := fs.ReadFile(files, "proc/self/mountinfo")
	for line := range strings.Lines(string(groups)) {
		// The fields are the number of the hierarchy, its controllers and the path of the group.
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		kind, names := "cgroup2", []string{"memory.max", "memory.high"}
		if fields[1] != "" {
			kind, names = "cgroup", []string{"memory.limit_in_bytes"}
			if !containsPart(fields[1], "memory") {
				continue
			}
		}
		for _, folder := range groupFolders(mounts, kind, fields[2]) {
			for _, name := range names {
				lower(readLimit(files, path.Join(folder, name)), "/"+path.Join(folder, name))
			}
		}
	}
	if source == "" {
		return 0, ""
	}
	return limit, source
}

func containsPart(list, part string) bool { return strings.Contains(","+list+",", ","+part+",") }

// groupFolders returns the folders of a cgroup and of the groups that contain it, as far as they
// are mounted.
func groupFolders(mounts []byte, kind, group string) (folders []string) {
	lines := bufio.NewScanner(bytes.NewReader(mounts))
	for lines.Scan() {
		mount, super, _ := strings.Cut(lines.Text(), " - ")
		fields, types := strings.Fields(mount), strings.Fields(super)
		if len(fields) < 5 || len(types) < 3 || types[0] != kind || kind == "cgroup" && !containsPart(types[2], "memory") {
			continue
		}
		root, point := fields[3], strings.TrimPrefix(fields[4], "/")
		below, mounted := strings.CutPrefix(path.Clean(group), strings.TrimSuffix(root, "/"))
		if !mounted || strings.HasPrefix(below, "/..") {
			below = "" // the group is outside of the mounted part
		}
		for ; below != "" && below != "/" && below != "."; below = path.Dir(below) {
			folders = append(folders, path.Join(point, below))
		}
		folders = append(folders, point)
	}
	return folders
}

// readLimit returns the limit in a file of a cgroup, or 0 if there is none.
func readLimit(files fs.FS, name string) int64 {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return 0
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil { // the limit is "max"
		return 0
	}
	return limit
}

// machineMemory returns the memory of the machine in bytes, or 0 if it is unknown.
func machineMemory(files fs.FS) int64 {
	text, err := fs.ReadFile(files, "proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "MemTotal:" && fields[2] == "kB" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err == nil {
				return kilobytes << 10
			}
		}
	}
	return 0
}
