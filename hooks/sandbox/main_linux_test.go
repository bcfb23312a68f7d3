package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// TestMain runs the test binary as a helper program if a test or a pool started it as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "hook-worker":
			_ = Serve(newTestHandler)
			os.Exit(0)
		case "hook-parent":
			runParent(os.Args[2:])
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

// newTestHandler returns a handler that runs commands by name.
func newTestHandler(first []byte) (Handler, error) {
	switch string(first) {
	case "refuse":
		return nil, errors.New("no such runtime")
	case "die":
		os.Exit(7)
	case "sleep":
		time.Sleep(time.Hour)
	}
	return func(request []byte) ([]byte, error) {
		name, rest, _ := bytes.Cut(request, []byte(" "))
		command, known := commands[string(name)]
		if !known {
			return nil, fmt.Errorf("unknown command %q", name)
		}
		return command(rest)
	}, nil
}

// commands are the commands that the test workers can run.
var commands = map[string]func(rest []byte) ([]byte, error){
	"note":     sendNotes,
	"echo":     func(rest []byte) ([]byte, error) { return bytes.Clone(rest), nil },
	"spin":     func([]byte) ([]byte, error) { spin(); return nil, nil },
	"sleep":    func([]byte) ([]byte, error) { time.Sleep(time.Hour); return nil, nil },
	"fault":    func(rest []byte) ([]byte, error) { return nil, errors.New(string(rest)) },
	"panic":    func(rest []byte) ([]byte, error) { panic(string(rest)) },
	"exit":     func([]byte) ([]byte, error) { syscall.Exit(3); return nil, nil },
	"size":     func(rest []byte) ([]byte, error) { return fmt.Append(nil, len(rest)), nil },
	"env":      func([]byte) ([]byte, error) { return fmt.Append(nil, os.Environ()), nil },
	"allocate": allocate,
	"threads":  startThreads,
	"flood":    floodStderr,
	"stderr":   func(rest []byte) ([]byte, error) { _, _ = syscall.Write(2, rest); syscall.Exit(4); return nil, nil },
	"raw":      func(rest []byte) ([]byte, error) { _, err := syscall.Write(1, rest); spin(); return nil, err },
	"hangup":   func([]byte) ([]byte, error) { _ = syscall.Close(1); spin(); return nil, nil },
	"deaf":     func([]byte) ([]byte, error) { _ = syscall.Close(0); return []byte("deaf"), nil },
	"large":    func([]byte) ([]byte, error) { return make([]byte, 2<<20), nil },
	"open":     func([]byte) ([]byte, error) { return formatResult(os.ReadFile("/etc/hostname")) },
	"create":   func([]byte) ([]byte, error) { return formatResult(nil, os.WriteFile(escape, []byte("x"), 0o600)) },
	"self":     func([]byte) ([]byte, error) { return formatResult(os.ReadFile("/proc/self/environ")) },
	"tcp":      func([]byte) ([]byte, error) { _, err := net.Dial("tcp", "127.0.0.1:22"); return formatResult(nil, err) },
	"udp": func([]byte) ([]byte, error) {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if err == nil {
			err = unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrInet4{Port: 53, Addr: [4]byte{127, 0, 0, 1}})
		}
		return formatResult(nil, err)
	},
	"fork": fork,
	"start": func([]byte) ([]byte, error) {
		return formatResult(nil, exec.Command("/proc/self/exe", "hook-worker").Start())
	},
	"socket": func([]byte) ([]byte, error) {
		_, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		return formatResult(nil, err)
	},
	"exec": func([]byte) ([]byte, error) { return formatResult(nil, syscall.Exec("/bin/sh", []string{"sh"}, nil)) },
	"kill": func([]byte) ([]byte, error) { return formatResult(nil, syscall.Kill(syscall.Getppid(), 0)) },
	"code": func([]byte) ([]byte, error) {
		_, err := unix.Mmap(-1, 0, 4096, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE)
		return formatResult(nil, err)
	},
	"ptrace": func([]byte) ([]byte, error) { return formatResult(nil, syscall.PtraceAttach(syscall.Getppid())) },
}

// escape is the path of a file that no worker can write.
const escape = "/tmp/intray-sandbox-escape"

// formatResult returns the result of an action that a sandbox should not allow.
func formatResult(text []byte, err error) ([]byte, error) {
	if err == nil {
		return fmt.Appendf(nil, "done %d", len(text)), nil
	}
	refused := "refused: " + err.Error()
	return []byte(refused), nil
}

// fork creates a process that never ends and returns its ID.
func fork([]byte) ([]byte, error) {
	child, _, code := syscall.RawSyscall(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0)
	if code != 0 {
		return formatResult(nil, code)
	}
	for child == 0 {
		_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0)
	}
	return fmt.Append(nil, child), nil
}

// sendNotes sends each word as a note. If a word is "sleep", it sleeps for an hour.
func sendNotes(rest []byte) ([]byte, error) {
	for _, word := range strings.Fields(string(rest)) {
		if word == "sleep" {
			time.Sleep(time.Hour)
		}
		if err := SendNote(word); err != nil {
			return nil, err
		}
	}
	return []byte("noted"), nil
}

// spin never returns. The compiler must not be able to detect this.
func spin() {
	for n := uint64(1); n != 0; {
		n = n*6364136223846793005 + 1 | 1
	}
}

// allocate allocates and uses memory until an allocation fails. It never returns.
func allocate([]byte) ([]byte, error) {
	for {
		room, err := unix.Mmap(-1, 0, 4<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
		if err != nil {
			spin()
		}
		for i := 0; i < len(room); i += 4096 {
			room[i] = 1
		}
	}
}

// startThreads starts more threads than the pool allows, but fewer than the system allows.
func startThreads([]byte) ([]byte, error) {
	for range maxThreads + 4 {
		go func() { _ = unix.Nanosleep(&unix.Timespec{Sec: 3600}, nil) }()
	}
	time.Sleep(time.Hour)
	return nil, nil
}

// floodStderr writes to standard error endlessly. If rest is not empty, it writes one line
// and rest instead.
func floodStderr(rest []byte) ([]byte, error) {
	text := strings.Repeat("x", 1<<10) + "\n"
	if len(rest) > 0 {
		_, _ = syscall.Write(2, []byte(text+string(rest)))
		syscall.Exit(4)
	}
	for {
		if _, err := syscall.Write(2, []byte(text)); err != nil {
			return nil, err
		}
	}
}
