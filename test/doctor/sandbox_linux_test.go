package doctor_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/intraydata/intray/test/livetest"
)

// withoutLandlock makes this test binary run its arguments under a filter that blocks Landlock.
const withoutLandlock = "INTRAY_TEST_WITHOUT_LANDLOCK"

// runWithoutLandlock replaces this process by its arguments, whose calls of Landlock fail as under the
// filters of old containers. It returns only if this fails.
func runWithoutLandlock() error {
	runtime.LockOSThread()
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the system call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LANDLOCK_CREATE_RULESET, Jt: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&filter)), 0, 0); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return syscall.Exec(os.Args[1], os.Args[1:], os.Environ())
}

func TestWithoutLandlock(t *testing.T) {
	i := install(t, nil)
	i.wrapper, i.env = []string{"/proc/self/exe"}, []string{withoutLandlock + "=1"}
	if self, err := os.Executable(); err == nil {
		i.wrapper = []string{self}
	}
	// A filter blocks Landlock in the same way as those of old containers.
	i.want("hooks", "failure", "probably because a filter of system calls (seccomp) blocks it", "--hook-sandbox (INTRAY_HOOK_SANDBOX): strict", "update Docker or Podman")
	i.want("hooks", "warning", "Landlock is not available, probably", "--hook-sandbox (INTRAY_HOOK_SANDBOX): best-effort", "landlock_restrict_self. Or make sure that you trust", "--hook-sandbox", "best-effort")
	folder := t.TempDir()
	must(t, os.WriteFile(filepath.Join(folder, "people.csv"), []byte("Name\nAda\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(folder, "schema.json"), []byte(`{"fields": [{"key": "name", "label": "Name"}], "hooks": {"rowHooks": ["(row) => row"]}}`), 0o600))
	command := exec.Command(i.wrapper[0], livetest.BuildBinary(t), "run", "people.csv", "--schema", "schema.json")
	command.Dir, command.Env = folder, append(cleanEnvironment(), i.env...)
	out, err := command.CombinedOutput()
	if text := strings.Join(strings.Fields(string(out)), " "); err == nil || !strings.Contains(text, "Hooks can't run: this system can't sandbox hooks fully: Landlock is not available") || !strings.Contains(text, "Update Docker or Podman") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// runAs makes a command run as another user, who can read the program.
func runAs(t *testing.T, command *exec.Cmd, user int) {
	t.Helper()
	folder, err := os.MkdirTemp("", "intray-doctor-*")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	must(t, os.Chmod(folder, 0o755))
	program, err := os.ReadFile(command.Path)
	must(t, err)
	command.Path = filepath.Join(folder, "intray")
	must(t, os.WriteFile(command.Path, program, 0o755))
	command.Dir = folder
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
}

// TestNotWritable checks an installation whose folder belongs to root. If root runs the test, another user
// runs the command.
func TestNotWritable(t *testing.T) {
	folder, err := os.MkdirTemp("", "intray-doctor-*")
	must(t, err)
	t.Cleanup(func() { _ = os.Chmod(folder, 0o700); _ = os.RemoveAll(folder) })
	i := &installation{t: t, data: filepath.Join(folder, "data")}
	must(t, os.Mkdir(i.data, 0o500))
	if os.Geteuid() == 0 {
		i.user = 64900
		must(t, os.Chmod(folder, 0o755))
		must(t, os.Chmod(i.data, 0o755))
	}
	i.want("data folder", "failure", "cannot write to the folder", i.data, "sudo chown")
	folder = i.data
	if i.user != 0 {
		must(t, os.Chown(folder, i.user, i.user))
		must(t, os.Chmod(folder, 0o500))
	}
	i.want("data folder", "failure", "because of its mode, 0500", folder, "chmod u+rwx "+folder)
	i.data = filepath.Join(i.data, "below")
	i.want("data folder", "failure", "does not exist and cannot be created", i.data, "Create the folder")
}

// TestOtherOwner checks an installation in which root has replaced the master key.
func TestOtherOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can create files of other users")
	}
	i := install(t, nil)
	must(t, os.Chown(i.data, 64900, 64900))
	i.want("data folder", "failure", "belongs to user 0, but the data folder to user 64900", filepath.Join(i.data, "master.key"), "sudo chown -R --reference=")
}

func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can mount a file system")
	}
	i := install(t, nil)
	small := t.TempDir()
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("SKIPPED: this system does not allow root to mount a file system: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(small, unix.MNT_DETACH) })
	data := filepath.Join(small, "data")
	must(t, os.CopyFS(data, os.DirFS(i.data)))
	must(t, os.Chmod(data, 0o700))
	i.data = data
	filler, err := os.Create(filepath.Join(small, "filler"))
	must(t, err)
	for block := make([]byte, 1<<16); err == nil; {
		_, err = filler.Write(block)
	}
	must(t, filler.Close())
	i.want("data folder", "failure", "The disk is full", data, "Free or add space")
	i.want("temporary files", "failure", "The disk is full", filepath.Join(data, "spool"), "Free or add space")
	if r := i.diagnose(); !strings.Contains(r.detail("temporary files"), filepath.Join(data, "spool")) {
		t.Errorf("the details do not name the folder: %+v", r)
	}
}

// TestHealthySQLite checks an installation while its server runs, and afterwards.
func TestHealthySQLite(t *testing.T) {
	metrics := freeAddress(t)
	server := livetest.Start(t, livetest.Config{Args: []string{"--metrics-listen", metrics}})
	i := &installation{t: t, data: server.DataDir(), args: []string{"--listen", server.URL[len("http://"):], "--base-url", server.URL, "--metrics-listen", metrics}}
	i.wantHealthy()
	stop(server)
	before := files(t, i.data)
	i.wantHealthy()
	wantSameFiles(t, before, files(t, i.data))
}
