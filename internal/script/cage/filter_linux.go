package cage

import (
	"fmt"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// calls are the system calls of a jail. All others kill the process.
type calls struct {
	allow []uint32
	// refuse fail with EPERM, absent with ENOSYS, as if the kernel were older.
	refuse, absent []uint32
	// plain are allowed unless they ask for memory that can be executed.
	plain []uint32
	// threads are the flags with which a thread, and nothing else, is made.
	threads []uint32
}

// Offsets in what the kernel shows to a filter, least byte first: the number,
// the processor, the place of the instruction, six arguments.
const (
	atNumber   = 0
	atArch     = 4
	atArgument = 16
	perWord    = 8
)

// otherNumbers is where the numbers of a second way to call begin on amd64.
const otherNumbers = 0x40000000

// argument gives the lower half of an argument; the calls that are looked at
// have nothing in the upper.
func argument(i uint32) bpf.Instruction {
	return bpf.LoadAbsolute{Off: atArgument + perWord*i, Size: 4}
}

func verdict(action uint32) bpf.Instruction { return bpf.RetConstant{Val: action} }

// program writes the filter. Every rule jumps over itself where it does not
// apply, so that no jump is long.
func (c calls) program() []bpf.Instruction {
	kill := verdict(unix.SECCOMP_RET_KILL_PROCESS)
	out := []bpf.Instruction{
		bpf.LoadAbsolute{Off: atArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: filterArch, SkipTrue: 1}, kill,
		bpf.LoadAbsolute{Off: atNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: otherNumbers, SkipTrue: 1}, kill,
	}
	rule := func(numbers []uint32, then ...bpf.Instruction) {
		for _, number := range numbers {
			out = append(out, bpf.JumpIf{Cond: bpf.JumpEqual, Val: number, SkipFalse: uint8(len(then))})
			out = append(out, then...)
		}
	}
	allowed := verdict(unix.SECCOMP_RET_ALLOW)
	rule(c.allow, allowed)
	rule(c.plain, argument(2), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.PROT_EXEC, SkipFalse: 1}, kill, allowed)
	for _, flags := range c.threads {
		rule([]uint32{unix.SYS_CLONE}, argument(0), bpf.JumpIf{Cond: bpf.JumpEqual, Val: flags, SkipFalse: 1}, allowed,
			bpf.LoadAbsolute{Off: atNumber, Size: 4})
	}
	rule(c.refuse, verdict(unix.SECCOMP_RET_ERRNO|uint32(unix.EPERM)))
	rule(c.absent, verdict(unix.SECCOMP_RET_ERRNO|uint32(unix.ENOSYS)))
	return append(out, kill)
}

// loadFilter puts a filter on this thread, and by flag on all others.
func loadFilter(filter []bpf.Instruction, flags uintptr) error {
	raw, err := bpf.Assemble(filter)
	if err != nil {
		return fmt.Errorf("writing the filter of system calls: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, one := range raw {
		code[i] = unix.SockFilter{Code: one.Op, Jt: one.Jt, Jf: one.Jf, K: one.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new rights for a hook worker: %w", err)
	}
	left, _, failed := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&program)))
	switch {
	case failed != 0:
		return fmt.Errorf("closing the jail of a hook worker: %w", failed)
	case left != 0:
		return fmt.Errorf("closing the jail of a hook worker: thread %d stayed outside", left)
	}
	return nil
}
