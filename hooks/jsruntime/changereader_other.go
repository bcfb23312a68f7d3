//go:build !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package jsruntime

import "modernc.org/quickjs"

// registerChangeReader does nothing on machines with another memory layout: there the
// prelude reads changes in JavaScript.
func registerChangeReader(*quickjs.VM) error { return nil }
