package model

import "time"

// Heartbeat is what a process records about itself every 2 s.
type Heartbeat struct {
	// ID is the id of the process, which [Env] calls its node.
	ID string
	// Host is the name of its machine. Version is the version of the program. Both are "" if they
	// are unknown.
	Host, Version string
	// ClockSkew is how far the clock of the database was ahead of the clock of the process at the
	// previous heartbeat.
	ClockSkew time.Duration
	// Kills are the OOM kills on the machine.
	Kills OOMKills
}

// Node is a process that shares the store. All times are from the clock of the database.
type Node struct {
	Heartbeat
	// Started is the time of the first heartbeat. It is zero if it is unknown, because the process
	// has the previous version of the program.
	Started time.Time
	// Last is the time of the last heartbeat, and Silent the time since then.
	Last   time.Time
	Silent time.Duration
	// Connectors and Deliveries are the numbers of connectors and deliveries that the node has claimed.
	Connectors, Deliveries int64
}
