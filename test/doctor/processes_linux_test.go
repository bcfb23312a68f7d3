package doctor_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// process is a row of the table of processes.
type process struct {
	host, version string
	// silent is the time since the last heartbeat. The tests take long, so a live process has one in the
	// future.
	silent time.Duration
	// ahead is how far its clock is ahead of the clock of the database.
	ahead time.Duration
}

// setProcesses replaces the processes in the SQLite database of an installation.
func setProcesses(t *testing.T, data string, list ...process) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(data, "intray.db"))
	must(t, err)
	defer func() { must(t, db.Close()) }()
	_, err = db.Exec(`DELETE FROM nodes`)
	must(t, err)
	for _, p := range list {
		beat := time.Now().Add(-p.silent).UnixMicro()
		_, err = db.Exec(`INSERT INTO nodes (id, started, beat, machine, oom_kills, host, version, clock_skew) VALUES ($1, $2, $2, '', 0, $3, $4, $5)`, "folder-of-"+p.host+"/1", beat, p.host, p.version, -p.ahead)
		must(t, err)
	}
}

// TestProcesses checks the findings about processes that share the database. They are rows only, so that
// no process removes another one.
func TestProcesses(t *testing.T) {
	i := install(t, nil)
	i.args = []string{"--listen", "127.0.0.1:0"}
	own := i.diagnose().Version
	const alive, dead = -time.Hour, time.Hour
	for name, healthy := range map[string][]process{
		"same version":    {{"a", own, alive, 0}, {"b", own, alive, 900 * time.Millisecond}},
		"unknown version": {{"a", own, alive, 0}, {"b", "", alive, 0}},
		"being removed":   {{"a", own, alive, 0}, {"b", own, 10 * time.Second, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			setProcesses(t, i.data, healthy...)
			if found := i.diagnose().of("processes"); len(found) > 0 {
				t.Errorf("findings %+v", found)
			}
		})
	}
	for name, c := range map[string]struct {
		processes    []process
		problem, fix string
	}{
		"different versions": {[]process{{"a", own, alive, 0}, {"b", "0.0.9", alive, 0}, {"c", "0.0.9", alive, 0}}, "different versions: 0.0.9 on b, c; " + own + " on a.", "Finish the rolling upgrade"},
		"older server":       {[]process{{"a", "0.0.9", alive, 0}}, "the processes have version 0.0.9 on a.", "Finish the rolling upgrade"},
		"clock ahead":        {[]process{{"a", own, alive, 0}, {"b", own, alive, 5 * time.Second}}, "on b is 5s ahead of the clock of the database", "NTP"},
		"clock behind":       {[]process{{"a", own, alive, 0}, {"b", own, alive, -5 * time.Second}}, "on b is 5s behind the clock of the database", "NTP"},
		"crashed":            {[]process{{"a", own, dead, 0}}, "on a was not stopped properly: its last heartbeat was 1h0m", "lack of memory"},
		"not taken over":     {[]process{{"a", own, alive, 0}, {"b", own, dead, 0}}, "on b is dead: its last heartbeat was 1h0m", "logs of the other processes"},
	} {
		t.Run(name, func(t *testing.T) {
			setProcesses(t, i.data, c.processes...)
			found := i.diagnose().of("processes")
			if len(found) != 1 || found[0].Status != "warning" || !strings.Contains(found[0].Problem, c.problem) || !strings.Contains(found[0].Fix, c.fix) {
				t.Errorf("want only a warning with %q and %q, got %+v", c.problem, c.fix, found)
			}
		})
	}
}

// TestNumbersOfImports checks that the number of imports at a time is compared with the limits.
func TestNumbersOfImports(t *testing.T) {
	i := install(t, nil)
	i.args = []string{"--listen", "127.0.0.1:0"}
	i.wantHealthy("--max-runs", "1", "--max-runs-per-org", "2")
	i.wantHealthy("--max-runs", "6", "--max-runs-per-org", "6")
	i.wrapper = []string{"sh", "-c", `ulimit -n 300; exec "$@"`, "sh"}
	i.wantHealthy("--max-runs", "4")
	i.want("limits", "warning", "With 8 imports at a time, the server can need 336 open files, but may have only 300.", "ulimit -n", "Lower --max-runs", "--max-runs", "8")
}
