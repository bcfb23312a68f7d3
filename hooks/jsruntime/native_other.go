//go:build !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package jsruntime

// registerNatives does nothing on machines with a different memory layout. On these machines,
// the prelude does the same in JavaScript.
func (r *Runtime) registerNatives() error { return nil }
