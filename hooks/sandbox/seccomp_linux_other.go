//go:build linux && !amd64 && !arm64

package sandbox

// There is no list for this processor, so there is no filter.
const (
	filterArch = 0
	goThread   = 0
)

var nodeOldCalls []uint32
