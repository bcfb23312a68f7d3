//go:build linux && !amd64 && !arm64

package sandbox

// There is no list of system calls for this processor, so workers have no filter.
const (
	filterArch = 0
	goThread   = 0
)

var nodeOldCalls []uint32
