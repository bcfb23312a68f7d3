package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

type nodesCommand struct {
	storeFlags
	reportFlags
}

// Help returns the text that --help prints after the flags.
func (nodesCommand) Help() string {
	return `Lists the server processes that share the database, and what each of them runs. Each
process records a heartbeat every 2 seconds. After 7 seconds without one, a process is
dead, and the other processes run its imports again and remove it from the list. A
process that was stopped properly is not listed.

CLOCK is how far the clock of the machine is ahead of that of the database.`
}

// listedNode is the JSON form of a process.
type listedNode struct {
	ID      string `json:"id"`
	Host    string `json:"host"`
	Version string `json:"version"`
	// State is "alive" or "dead".
	State     string     `json:"state"`
	Started   *time.Time `json:"started"`
	Heartbeat time.Time  `json:"heartbeat"`
	// SilentSeconds is the time since the last heartbeat.
	SilentSeconds float64 `json:"silentSeconds"`
	// ClockSeconds is how far the clock of the process is ahead of the clock of the database.
	ClockSeconds float64 `json:"clockSeconds"`
	// Imports are the ids of the imports that the process runs. Connectors and Deliveries are the
	// numbers of connectors and webhook messages that it is working on.
	Imports    []string `json:"imports"`
	Connectors int64    `json:"connectors"`
	Deliveries int64    `json:"deliveries"`
}

// Run lists the processes.
func (c *nodesCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		nodes, err := svc.Nodes(ctx)
		if err != nil {
			return err
		}
		list := []listedNode{}
		for _, n := range nodes {
			list = append(list, listNode(n))
		}
		return c.write(s.out, list, func(w io.Writer) error { return writeNodes(w, list) })
	})
}

func listNode(n imports.NodeStatus) listedNode {
	state := "alive"
	if n.IsDead {
		state = "dead"
	}
	return listedNode{
		ID: n.ID, Host: n.Host, Version: n.Version, State: state, Started: timeOrNull(n.Started), Heartbeat: n.Last,
		SilentSeconds: n.Silent.Seconds(), ClockSeconds: -n.ClockSkew.Seconds(), Imports: importIDs(n.Imports), Connectors: n.Connectors, Deliveries: n.Deliveries,
	}
}

func importIDs(refs []model.ImportRef) []string {
	ids := []string{}
	for _, ref := range refs {
		ids = append(ids, ref.ID)
	}
	return ids
}

func writeNodes(w io.Writer, nodes []listedNode) error {
	if len(nodes) == 0 {
		_, err := fmt.Fprintln(w, "No server is running.")
		return err
	}
	list := table{header: true}
	list.append("ID", "HOST", "VERSION", "STATE", "STARTED", "HEARTBEAT", "CLOCK", "CONNECTORS", "DELIVERIES", "IMPORTS")
	for _, n := range nodes {
		started := "unknown"
		if n.Started != nil {
			started = n.Started.Format("2006-01-02 15:04")
		}
		list.append(n.ID, cmp.Or(visible(n.Host), "unknown"), cmp.Or(visible(n.Version), "unknown"), n.State, started, shortDuration(seconds(n.SilentSeconds))+" ago",
			fmt.Sprintf("%+.3fs", n.ClockSeconds), strconv.FormatInt(n.Connectors, 10), strconv.FormatInt(n.Deliveries, 10), cmp.Or(strings.Join(n.Imports, " "), "-"))
	}
	// IDs are copied, so they must not be wrapped.
	return list.write(w, 0, colorsOf(w))
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// shortDuration returns a duration in its largest suitable unit: "42s", "12m", "5h" or "3d".
func shortDuration(d time.Duration) string {
	switch d = max(d, 0); {
	case d < 2*time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", int(d.Hours()))
	}
	return fmt.Sprintf("%dd", int(d.Hours()/24))
}
