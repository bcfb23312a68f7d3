//go:build !race

package formats

const (
	wideColumns = 8000
	lookStep    = 1
)
