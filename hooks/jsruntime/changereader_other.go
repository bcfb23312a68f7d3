//go:build !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package jsruntime

import "modernc.org/quickjs"

// registerChangeReader does nothing on machines with a different memory layout. On these
// machines, the prelude reads changes in JavaScript.
func registerChangeReader(*quickjs.VM) error { return nil }
