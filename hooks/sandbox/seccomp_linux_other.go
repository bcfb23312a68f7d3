//go:build linux && !amd64 && !arm64

package sandbox

// This processor has no list of system calls, so workers have no filter.
const (
	filterArch = 0
	goThread   = 0
)

var nodeOldCalls []uint32
