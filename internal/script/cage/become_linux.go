package cage

import (
	"debug/elf"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// become puts this process into a jail in which it can start one program, and
// starts it. The descriptors 0 to 2 stay as they are.
func become(o order) error {
	runtime.LockOSThread()
	if err := eachForeign(closeLater); err != nil {
		return err
	}
	if err := o.limits(64, false); err != nil {
		return err
	}
	open, err := needed(o.Node.Path)
	if err != nil {
		return err
	}
	if err := o.closeFiles(open...); err != nil {
		return err
	}
	if o.Seccomp {
		// Other threads end when the program starts.
		if err := loadFilter(nodeCalls().program(), 0); err != nil {
			return err
		}
	}
	err = syscall.Exec(o.Node.Path, o.Node.Args, o.Node.Env)
	return fmt.Errorf("starting Node as a hook worker: %w", err)
}

func closeLater(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC)
	return err
}

const (
	run  = llsys.AccessFSExecute | llsys.AccessFSReadFile
	read = llsys.AccessFSReadFile
	list = llsys.AccessFSReadFile | llsys.AccessFSReadDir
)

// needed are the files with which a program starts: itself, what loads it, its
// libraries, and where randomness comes from.
func needed(program string) ([]landlock.Rule, error) {
	loader, err := loaderOf(program)
	if err != nil {
		return nil, fmt.Errorf("reading the program %s: %w", program, err)
	}
	rules := []landlock.Rule{landlock.PathAccess(run, program)}
	if loader != "" {
		rules = append(rules, landlock.PathAccess(run, loader))
	}
	folders := []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", filepath.Join(filepath.Dir(program), "../lib")}
	for _, folder := range folders {
		rules = append(rules, landlock.PathAccess(list, folder).IgnoreIfMissing())
	}
	files := []string{"/etc/ld.so.cache", "/dev/urandom", "/dev/random", "/dev/null"}
	return append(rules, landlock.PathAccess(read, files...).IgnoreIfMissing()), nil
}

// loaderOf gives what a program says loads it, and nothing for one that loads
// itself.
func loaderOf(program string) (string, error) {
	file, err := elf.Open(program)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	for _, part := range file.Progs {
		if part.Type != elf.PT_INTERP {
			continue
		}
		name, err := io.ReadAll(io.LimitReader(part.Open(), 4<<10))
		return strings.TrimRight(string(name), "\x00"), err
	}
	return "", nil
}
