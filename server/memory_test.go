package server

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/fstest"
)

// TestS2MemoryLimit checks that the lowest limit of the machine and of all enclosing cgroups
// applies.
func TestS2MemoryLimit(t *testing.T) {
	const (
		meminfo = "MemTotal:       4096 kB\nMemFree: 1 kB\n"
		v2      = "36 25 0:30 / /sys/fs/cgroup rw,nosuid shared:1 - cgroup2 cgroup2 rw\n"
		v1      = "30 25 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n31 25 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	)
	for name, c := range map[string]struct {
		files  map[string]string
		limit  int64
		source string
	}{
		"nothing is known": {},
		"no cgroup":        {map[string]string{"proc/meminfo": meminfo}, 4 << 20, "machine"},
		"version 2, no limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 4 << 20, "machine"},
		"version 2, own group": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/a/b/memory.max": "1000\n", "sys/fs/cgroup/a/memory.max": "2000\n"}, 1000, "/sys/fs/cgroup/a/b/memory.max"},
		"version 2, enclosing group": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/a/b/memory.max": "max\n", "sys/fs/cgroup/a/memory.max": "2000\n"}, 2000, "/sys/fs/cgroup/a/memory.max"},
		"version 2, high": {map[string]string{"proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/a/memory.max": "3000\n", "sys/fs/cgroup/a/memory.high": "2500\n"}, 2500, "/sys/fs/cgroup/a/memory.high"},
		"version 2, container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/memory.max": "1500\n"}, 1500, "/sys/fs/cgroup/memory.max"},
		"version 1, own group": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "2:cpu:/x\n4:memory:/a/b\n0::/\n", "proc/self/mountinfo": v1,
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "700\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n"}, 700, "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes"},
		"version 1, enclosing group": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:cpu,memory:/a/b\n", "proc/self/mountinfo": v1,
			"sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": "9223372036854771712\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "800\n"}, 800, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes"},
		"version 1, container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "4:memory:/docker/1\n",
			"proc/self/mountinfo":                        "31 25 0:30 /docker/1 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes": "600\n"}, 600, "/sys/fs/cgroup/memory/memory.limit_in_bytes"},
		"outside of the mounted part": {map[string]string{"proc/self/cgroup": "0::/../other\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/memory.max": "1500\n"}, 1500, "/sys/fs/cgroup/memory.max"},
		"more than the machine": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a\n", "proc/self/mountinfo": v2,
			"sys/fs/cgroup/a/memory.max": "99999999999\n"}, 4 << 20, "machine"},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for name, text := range c.files {
				files[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if limit, source := memoryLimit(files); limit != c.limit || source != c.source {
				t.Errorf("%d from %q, want %d from %q", limit, source, c.limit, c.source)
			}
		})
	}
}

func TestMemoryBudget(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		available, goLimit, soft int64
		imports                  int
		warns                    bool
	}{
		{0, math.MaxInt64, 920 * mib, 4, false},
		{24 << 30, math.MaxInt64, 920 * mib, 4, false},
		{1030 * mib, math.MaxInt64, 920 * mib, 4, false},
		{1020 * mib, math.MaxInt64, 740 * mib, 3, false},
		{830 * mib, math.MaxInt64, 740 * mib, 3, false},
		{820 * mib, math.MaxInt64, 560 * mib, 2, false},
		{630 * mib, math.MaxInt64, 560 * mib, 2, false},
		{500 * mib, math.MaxInt64, 450 * mib, 2, false},
		{390 * mib, math.MaxInt64, 351 * mib, 2, false},
		{380 * mib, math.MaxInt64, 342 * mib, 1, true},
		{100 * mib, math.MaxInt64, 90 * mib, 1, true},
		{24 << 30, 200 * mib, 200 * mib, 1, false},
		{24 << 30, 350 * mib, 350 * mib, 2, false},
		{24 << 30, 800 * mib, 740 * mib, 3, false},
	} {
		b := newMemoryBudget(c.available, "machine", c.goLimit)
		if b.Soft != c.soft || b.Imports != c.imports {
			t.Errorf("%d MiB, Go limit %d: %d MiB for %d imports, want %d MiB for %d", c.available/mib, c.goLimit, b.Soft/mib, b.Imports, c.soft/mib, c.imports)
		}
		var log bytes.Buffer
		b.log(slog.New(slog.NewTextHandler(&log, nil)))
		if got := strings.Contains(log.String(), "level=WARN"); got != c.warns {
			t.Errorf("%d MiB: %s", c.available/mib, log.String())
		}
	}
}

func TestBudgetWithImports(t *testing.T) {
	const mib = 1 << 20
	for _, c := range []struct {
		available, soft int64
		runs, imports   int
		warns           bool
	}{
		{24 << 30, 920 * mib, 0, 4, false},
		{24 << 30, 380 * mib, 1, 1, false},
		{24 << 30, 2000 * mib, 10, 10, false},
		{830 * mib, 740 * mib, 3, 3, false},
		{830 * mib, 747 * mib, 4, 4, true},
		{830 * mib, 380 * mib, 1, 1, false},
		{300 * mib, 270 * mib, 2, 2, true},
		{20 << 30, 18380 * mib, 101, 101, false},
		{20 << 30, 18432 * mib, 102, 102, true},
	} {
		b := newMemoryBudget(c.available, "machine", math.MaxInt64).WithImports(c.runs)
		if b.Soft != c.soft || b.Imports != c.imports {
			t.Errorf("%d MiB, %d runs: %d MiB for %d imports, want %d MiB for %d", c.available/mib, c.runs, b.Soft/mib, b.Imports, c.soft/mib, c.imports)
		}
		var log bytes.Buffer
		b.log(slog.New(slog.NewTextHandler(&log, nil)))
		if got := strings.Contains(log.String(), "level=WARN msg=\"--max-runs is higher"); got != c.warns {
			t.Errorf("%d MiB, %d runs: %s", c.available/mib, c.runs, log.String())
		}
	}
}
