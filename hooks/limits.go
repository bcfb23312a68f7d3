package hooks

import (
	"time"

	"github.com/intraydata/intray/hooks/jsruntime"
	"github.com/intraydata/intray/hooks/sandbox"
)

// The default limits of hooks. The flags --hook-memory, --hook-timeout-per-1000 and
// --hook-call-timeout set the first three.
const (
	// DefaultMemory is what one worker process may hold, in bytes.
	DefaultMemory = sandbox.DefaultMemory
	// DefaultBatchTimeout is how long hooks may take for 1,000 rows.
	DefaultBatchTimeout = sandbox.DefaultCallTimeout
	// DefaultCallTimeout is how long one call of a hook may take, however many rows it
	// has.
	DefaultCallTimeout = time.Minute
	// DefaultMaxAnswer is how much hooks may change in one call, in bytes.
	DefaultMaxAnswer = jsruntime.DefaultMaxAnswer
)
