//go:build !linux

package server

import "github.com/intraydata/intray/server/model"

// oomKills returns no count: the system has none.
func oomKills() model.OOMKills { return model.OOMKills{} }
