package sandbox

import (
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// descriptor reads and writes without the poller of the runtime, which needs
// more system calls than the sandbox allows.
type descriptor int

func stdio() (io.Reader, io.Writer) { return descriptor(0), descriptor(1) }

func (d descriptor) Read(buf []byte) (int, error) {
	for {
		n, err := unix.Read(int(d), buf)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case n == 0 && len(buf) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (d descriptor) Write(buf []byte) (done int, err error) {
	for done < len(buf) {
		n, err := unix.Write(int(d), buf[done:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// restrictOuter are those under which a runtime can still be set up.
func (o restrictions) restrictOuter() error {
	// The runtime watches how many processors it may use through files that
	// are about to be closed, unless it is told.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(50)
	debug.SetMemoryLimit(o.Memory / 4)
	// As in Serve: the runtime has what it polls with from here on.
	time.Sleep(time.Nanosecond)
	if err := eachInheritedFile(unix.Close); err != nil {
		return err
	}
	if err := o.setResourceLimits(16, true); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hiding the memory of a hook worker: %w", err)
	}
	return o.restrictFiles()
}

// restrictSyscalls is the last one.
func (o restrictions) restrictSyscalls() error {
	if !o.Seccomp {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return installFilter(quickJSPolicy().compile(), unix.SECCOMP_FILTER_FLAG_TSYNC)
}

// maxUserThreads is how many a worker may have where its user has nothing else. Two
// programs may use the same users, and Node starts ten.
const maxUserThreads = 128

// setResourceLimits are those that hold where the other walls have gaps.
func (o restrictions) setResourceLimits(files uint64, heap bool) error {
	all := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_NOFILE: files,
		unix.RLIMIT_MEMLOCK: 0, unix.RLIMIT_MSGQUEUE: 0,
	}
	if o.Threads {
		all[unix.RLIMIT_NPROC] = maxUserThreads
	}
	if heap && !shadowed {
		// The runtime needs some 90 MiB more address space than it fills.
		all[unix.RLIMIT_DATA] = uint64(o.Memory) + 128<<20
	}
	for which, most := range all {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limiting a hook worker (%d to %d): %w", which, most, err)
		}
	}
	return nil
}

// eachInheritedFile does something to all files that this process was started with
// and that it does not need: someone may have left them open. What the runtime
// polls with is no such file, whenever it was made.
func eachInheritedFile(do func(fd int) error) error {
	files, err := listOpenFiles()
	if err != nil {
		return fmt.Errorf("listing the open files of a hook worker: %w", err)
	}
	for _, fd := range files {
		link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if fd <= 2 || err != nil || strings.HasPrefix(link, "anon_inode:[event") {
			continue
		}
		if err := do(fd); err != nil {
			return fmt.Errorf("closing the file %d of a hook worker: %w", fd, err)
		}
	}
	return nil
}

// listOpenFiles lists by system calls alone: package os would start polling.
func listOpenFiles() (list []int, err error) {
	folder, err := unix.Open("/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(folder) }()
	buf := make([]byte, 8<<10)
	for {
		n, err := unix.ReadDirent(folder, buf)
		if err != nil || n == 0 {
			return list, err
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			if fd, err := strconv.Atoi(name); err == nil && fd != folder {
				list = append(list, fd)
			}
		}
	}
}

// landlockVersions are what Landlock can close, by its version less one. Newer kernels
// close as much as the last.
var landlockVersions = []landlock.Config{
	landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6,
	landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
}

// restrictFiles closes all files to all threads, but those that are named. The
// library is told the exact version: with less it fails, and never does
// nothing in silence.
func (o restrictions) restrictFiles(open ...landlock.Rule) error {
	if o.NoNewPrivs {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("giving up new rights for a hook worker: %w", err)
		}
	}
	if o.Landlock == 0 {
		return nil
	}
	lock := landlockVersions[min(o.Landlock, len(landlockVersions))-1]
	if err := lock.Restrict(open...); err != nil {
		return fmt.Errorf("closing the files to a hook worker: %w", err)
	}
	return nil
}

// execConfined puts this process into a sandbox in which it can start one program, and
// starts it. The descriptors 0 to 2 stay as they are.
func execConfined(o restrictions) error {
	runtime.LockOSThread()
	if err := eachInheritedFile(setCloseOnExec); err != nil {
		return err
	}
	if err := o.setResourceLimits(64, false); err != nil {
		return err
	}
	open, err := fileRules(o.Node.Path)
	if err != nil {
		return err
	}
	if err := o.restrictFiles(open...); err != nil {
		return err
	}
	if o.Seccomp {
		// Other threads end when the program starts.
		if err := installFilter(nodePolicy().compile(), 0); err != nil {
			return err
		}
	}
	err = syscall.Exec(o.Node.Path, o.Node.Args, o.Node.Env)
	return fmt.Errorf("starting Node as a hook worker: %w", err)
}

func setCloseOnExec(fd int) error {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, unix.FD_CLOEXEC)
	return err
}

const (
	accessExec = llsys.AccessFSExecute | llsys.AccessFSReadFile
	accessRead = llsys.AccessFSReadFile
	accessList = llsys.AccessFSReadFile | llsys.AccessFSReadDir
)

// fileRules are the files with which a program starts: itself, what loads it, its
// libraries, and where randomness comes from.
func fileRules(program string) ([]landlock.Rule, error) {
	loader, err := elfInterpreter(program)
	if err != nil {
		return nil, fmt.Errorf("reading the program %s: %w", program, err)
	}
	rules := []landlock.Rule{landlock.PathAccess(accessExec, program)}
	if loader != "" {
		rules = append(rules, landlock.PathAccess(accessExec, loader))
	}
	folders := []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", filepath.Join(filepath.Dir(program), "../lib")}
	for _, folder := range folders {
		rules = append(rules, landlock.PathAccess(accessList, folder).IgnoreIfMissing())
	}
	files := []string{"/etc/ld.so.cache", "/dev/urandom", "/dev/random", "/dev/null"}
	return append(rules, landlock.PathAccess(accessRead, files...).IgnoreIfMissing()), nil
}

// elfInterpreter gives what a program says loads it, and nothing for one that loads
// itself.
func elfInterpreter(program string) (string, error) {
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
