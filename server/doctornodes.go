package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray/server/doctor"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/sqlstore"
)

// takeoverLimit is the time in which other processes remove a dead process. They need NodeTimeout and
// 2 s if they are not overloaded.
const takeoverLimit = 30 * time.Second

// nodes returns the processes that share the database. Those without a recent heartbeat are dead.
func (d *diagnosis) nodes(ctx context.Context, store *sqlstore.Store) (live, dead []sqlstore.NodeState, err error) {
	states, err := store.NodeStates(ctx, d.version)
	for _, state := range states {
		if state.Silent < imports.NodeTimeout {
			live = append(live, state)
		} else {
			dead = append(dead, state)
		}
	}
	return live, dead, err
}

// checkProcesses checks the processes that share the database.
func (d *diagnosis) checkProcesses(ctx context.Context, r *doctor.Result) {
	where := filepath.Join(d.cfg.Data, folderIDName)
	store, err := d.open(ctx)
	if errors.Is(err, errNoDatabase) || err == nil && d.version == 0 {
		r.Detail = "none"
		return
	}
	if err != nil {
		skipWithoutDatabase(r, "")
		return
	}
	live, dead, err := d.nodes(ctx, store)
	if err != nil {
		d.explainOpenError(r, d.databaseWhere(), err)
		return
	}
	r.Detail = fmt.Sprintf("%d running", len(live))
	own := 0
	id, err := os.ReadFile(where)
	for _, node := range live {
		if folder, _, _ := strings.Cut(node.ID, "/"); err == nil && folder == string(id) {
			own++
		}
	}
	switch running := d.isRunning(); {
	case running && own == 0:
		r.Warn(d.databaseWhere(), "The server that runs with this data folder writes no heartbeats to this database.", "If it did not start just now, use the --database-url of that server, and read its log.")
	case own > 1 || own == 1 && !running && d.cfg.DatabaseURL != "":
		r.Warn(where, "Another process has a data folder with the same folder.id, so it could lose its imports to the process of this folder.", "If you copied the data folder, stop the process of the copy, delete folder.id from it, and start the process again.")
	}
	// The check of the address compares the version of a server that is alone.
	d.checkVersions(r, live, len(live) == 1 && own == 1)
	d.checkNodeClocks(r, live)
	d.checkDead(r, dead, len(live) > 0)
}

// machineOf returns the name of the machine of a process.
func machineOf(node sqlstore.NodeState) string { return cmp.Or(node.Host, "an unknown machine") }

// checkVersions checks that all live processes have the same version. alone means that the only process is
// that of this data folder, whose version is not compared with that of this program.
func (d *diagnosis) checkVersions(r *doctor.Result, live []sqlstore.NodeState, alone bool) {
	hosts := map[string][]string{}
	for _, node := range live {
		if node.Version != "" {
			hosts[node.Version] = append(hosts[node.Version], machineOf(node))
		}
	}
	versions := make([]string, 0, len(hosts))
	for _, version := range slices.Sorted(maps.Keys(hosts)) {
		versions = append(versions, fmt.Sprintf("%s on %s", version, strings.Join(slices.Compact(slices.Sorted(slices.Values(hosts[version]))), ", ")))
	}
	switch {
	case len(versions) > 1:
		r.Warn(d.databaseWhere(), "The processes have different versions: "+strings.Join(versions, "; ")+".", "Finish the rolling upgrade: restart each process with the newest version. To list the processes, run: intray nodes")
	case len(versions) == 1 && !alone && hosts[d.cfg.Version] == nil:
		r.Warn(d.databaseWhere(), fmt.Sprintf("This program has version %s, but the processes have version %s.", d.cfg.Version, versions[0]), "Finish the rolling upgrade, or run the intray doctor of the version of the processes.")
	}
}

// checkNodeClocks compares the clocks of the live processes with the clock of the database.
func (d *diagnosis) checkNodeClocks(r *doctor.Result, live []sqlstore.NodeState) {
	for _, node := range live {
		if node.Ahead.Abs() > doctor.MaxSkew {
			r.Warn(d.databaseWhere(), fmt.Sprintf("The clock of the process on %s is %s the clock of the database.", machineOf(node), doctor.ClockText(node.Ahead)), "Synchronize the clocks of both machines with NTP.")
		}
	}
}

// checkDead reports processes that have ended without leaving, unless other processes are about to remove
// them.
func (d *diagnosis) checkDead(r *doctor.Result, dead []sqlstore.NodeState, othersLive bool) {
	for _, node := range dead {
		silent := node.Silent.Round(time.Second)
		switch {
		case !othersLive:
			r.Warn(d.databaseWhere(), fmt.Sprintf("The process on %s was not stopped properly: its last heartbeat was %s ago. Its imports continue when a server starts.", machineOf(node), silent), "Read the log of the process, and the system log for processes that were killed for lack of memory.")
		case node.Silent > takeoverLimit:
			r.Warn(d.databaseWhere(), fmt.Sprintf("The process on %s is dead: its last heartbeat was %s ago. The other processes have not taken over its imports.", machineOf(node), silent), "Read the logs of the other processes.")
		}
	}
}
