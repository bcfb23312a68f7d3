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

// descriptor is a file descriptor that is read and written without the poller of the Go
// runtime, because the poller needs more system calls than the sandbox allows.
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

// restrictOuter applies the restrictions that still allow a runtime to be set up.
func (o restrictions) restrictOuter() error {
	// Fix the number of processors: otherwise, the Go runtime would update it by reading files
	// that are closed below.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(50)
	debug.SetMemoryLimit(o.Memory / 4)
	// As in Serve, this creates the poller.
	time.Sleep(time.Nanosecond)
	if err := eachInheritedFile(unix.Close); err != nil {
		return err
	}
	if err := o.setResourceLimits(16, true); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("protect the memory of a hook worker: %w", err)
	}
	return o.restrictFiles()
}

// restrictSyscalls applies the last restriction: the system call filter.
func (o restrictions) restrictSyscalls() error {
	if !o.Seccomp {
		return nil
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return installFilter(quickJSPolicy().compile(), unix.SECCOMP_FILTER_FLAG_TSYNC)
}

// maxUserThreads is the maximum number of threads of a worker that has a separate user. Two
// programs may use the same users, and Node starts ten threads.
const maxUserThreads = 128

// setResourceLimits limits resources that the other restrictions do not cover.
func (o restrictions) setResourceLimits(files uint64, heap bool) error {
	all := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 0, unix.RLIMIT_NOFILE: files,
		unix.RLIMIT_MEMLOCK: 0, unix.RLIMIT_MSGQUEUE: 0,
	}
	if o.Threads {
		all[unix.RLIMIT_NPROC] = maxUserThreads
	}
	if heap && !raceEnabled {
		// The runtime reserves about 90 MiB more address space than it uses.
		all[unix.RLIMIT_DATA] = uint64(o.Memory) + 128<<20
	}
	for which, most := range all {
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("set the resource limit %d of a hook worker to %d: %w", which, most, err)
		}
	}
	return nil
}

// eachInheritedFile calls the function do for each file that this process inherited but does not
// need. It skips the files of the Go runtime's poller.
func eachInheritedFile(do func(fd int) error) error {
	files, err := listOpenFiles()
	if err != nil {
		return fmt.Errorf("list the open files of a hook worker: %w", err)
	}
	for _, fd := range files {
		link, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		if fd <= 2 || err != nil || strings.HasPrefix(link, "anon_inode:[event") {
			continue
		}
		if err := do(fd); err != nil {
			return fmt.Errorf("close the file %d of a hook worker: %w", fd, err)
		}
	}
	return nil
}

// listOpenFiles returns the descriptors of all open files. It uses only system calls,
// because package os would start the poller.
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

// landlockVersions are the restrictions for each version of Landlock, starting with version
// 1. The last one is used for newer kernels.
var landlockVersions = []landlock.Config{
	landlock.V1, landlock.V2, landlock.V3, landlock.V4, landlock.V5, landlock.V6,
	landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
}

// restrictFiles denies all threads access to all files except the given ones. It passes the
// exact Landlock version to the library, which then fails instead of silently restricting less.
func (o restrictions) restrictFiles(open ...landlock.Rule) error {
	if o.NoNewPrivs {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("drop new privileges of a hook worker: %w", err)
		}
	}
	if o.Landlock == 0 {
		return nil
	}
	lock := landlockVersions[min(o.Landlock, len(landlockVersions))-1]
	if err := lock.Restrict(open...); err != nil {
		return fmt.Errorf("restrict the files of a hook worker: %w", err)
	}
	return nil
}

// execConfined restricts this process so that it can start only one program, and then
// executes that program. Descriptors 0 to 2 stay open.
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
		// The other threads end when the program starts.
		if err := installFilter(nodePolicy().compile(), 0); err != nil {
			return err
		}
	}
	err = syscall.Exec(o.Node.Path, o.Node.Args, o.Node.Env)
	return fmt.Errorf("execute Node as a hook worker: %w", err)
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

// fileRules returns rules for the files that a program needs to start: the program itself,
// its loader, its libraries and sources of random bytes.
func fileRules(program string) ([]landlock.Rule, error) {
	loader, err := elfInterpreter(program)
	if err != nil {
		return nil, fmt.Errorf("read the program %s: %w", program, err)
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

// elfInterpreter returns the path of a program's loader, or "" if it has none.
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
