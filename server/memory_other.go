//go:build !linux

package server

import "github.com/intraydata/intray/server/model"

// oomKills returns no count: the system has none.
func oomKills() model.OOMKills { return model.OOMKills{} }

// availableMemory returns 0: the system has no files with the memory and its limits.
func availableMemory() (int64, string) { return 0, "" }

// bootID returns "": the system has no such identifier.
func bootID() string { return "" }
