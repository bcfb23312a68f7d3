package deploy

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// These variables start this test program again in a copy of the root folder.
const (
	// variableRoot is an empty folder for the copy.
	variableRoot = "INTRAY_TEST_DEPLOY_ROOT"
	// variableInit is a program that replaces the test program in the copy.
	variableInit = "INTRAY_TEST_DEPLOY_INIT"
	// variablePrograms lists programs to install in the copy, separated by colons.
	variablePrograms = "INTRAY_TEST_DEPLOY_PROGRAMS"
)

// needRoot skips the test unless it can create a copy of the root folder.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can mount file systems")
	}
	needPrograms(t, "unshare", "mount")
	const try = `mkdir "$1/up" "$1/work" "$1/root" && mount -t tmpfs tmpfs "$1/up" && mkdir "$1/up/up" "$1/up/work" && mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up/up,workdir=$1/up/work" "$1/root" && mount -t cgroup2 cgroup2 "$1/root/mnt"`
	if out, err := exec.Command("unshare", "--mount", "--pid", "--fork", "--net", "--cgroup", "sh", "-c", try, "sh", t.TempDir()).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: this system does not allow root to create namespaces and mount file systems: %v: %s", err, out)
	}
}

// rootCommand returns a command that starts this test program in new namespaces, with a copy of
// the root folder and with programs in /usr/bin. Changes to the copy stay in memory and disappear
// when the command ends, as do all processes that it has started.
func rootCommand(t *testing.T, namespaces uintptr, args []string, programs ...string) *exec.Cmd {
	t.Helper()
	command := exec.Command(os.Args[0], args...)
	command.Env = append(os.Environ(), variableRoot+"="+t.TempDir(), variablePrograms+"="+strings.Join(programs, ":"))
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWCGROUP | namespaces,
		Pdeathsig:  syscall.SIGKILL,
	}
	return command
}

// enterRoot makes a copy of the root folder the root folder of this process.
func enterRoot(folder string) error {
	root := filepath.Join(folder, "root")
	source, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	up := filepath.Join(folder, "up")
	if err := os.MkdirAll(up, 0o755); err != nil {
		return err
	}
	steps := []func() error{
		func() error { return syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "") },
		func() error { return mountAt("tmpfs", up, "mode=755") },
		func() error { return mkdirs(filepath.Join(up, "up"), filepath.Join(up, "work"), root) },
		func() error {
			return mountAt("overlay", root, fmt.Sprintf("lowerdir=/,upperdir=%s/up,workdir=%s/work", up, up))
		},
		func() error { return mountAt("proc", filepath.Join(root, "proc"), "") },
		func() error { return mountAt("sysfs", filepath.Join(root, "sys"), "") },
		func() error { return mountAt("cgroup2", filepath.Join(root, "sys/fs/cgroup"), "") },
		func() error { return mountAt("tmpfs", filepath.Join(root, "run"), "mode=755") },
		func() error { return installPrograms(root) },
		// The copy does not contain other file systems.
		func() error { return bind("/dev", filepath.Join(root, "dev")) },
		func() error { return bind(source, filepath.Join(root, source)) },
		func() error { return mkdirs(filepath.Join(root, "old")) },
		func() error { return syscall.PivotRoot(root, filepath.Join(root, "old")) },
		func() error { return os.Chdir(filepath.Join(source, "test/deploy")) },
		func() error { return syscall.Unmount("/old", syscall.MNT_DETACH) },
		func() error { return mountAt("tmpfs", "/tmp", "mode=1777") },
	}
	for i, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	if init := os.Getenv(variableInit); init != "" {
		args := strings.Fields(init)
		return syscall.Exec(args[0], args, []string{"container=other", "PATH=" + os.Getenv("PATH")})
	}
	return nil
}

func mountAt(kind, folder, options string) error {
	if err := syscall.Mount(kind, folder, kind, 0, options); err != nil {
		return fmt.Errorf("mount %s: %w", kind, err)
	}
	return nil
}

func bind(from, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	return syscall.Mount(from, to, "", syscall.MS_BIND|syscall.MS_REC, "")
}

func mkdirs(folders ...string) error {
	for _, folder := range folders {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// installPrograms copies programs to /usr/bin, because other users may not have access to their
// folders.
func installPrograms(root string) error {
	for _, path := range filepath.SplitList(os.Getenv(variablePrograms)) {
		name, _, _ := strings.Cut(filepath.Base(path), "-v") // versitygw-v1.8.0
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(root, "usr/bin", name), text, 0o755)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
