package formats

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/mapping"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/test/suite"
)

const (
	// maxReaderMemory is the maximum amount of memory that reading a file may add to a process,
	// in bytes.
	maxReaderMemory = 256 << 20
	// readerMemoryLimit is the memory limit of the Go runtime in the process that reads a file,
	// in bytes. Garbage would otherwise double the amount that is measured.
	readerMemoryLimit = 200 << 20
	// hostileFileVariable names the file that the process reads.
	hostileFileVariable = "INTRAY_TEST_HOSTILE_FILE"
)

// TestMain reads one file and reports its peak memory if the process was started by
// measureMemory. Otherwise it runs the tests.
func TestMain(m *testing.M) {
	name := os.Getenv(hostileFileVariable)
	if name == "" {
		os.Exit(m.Run())
	}
	debug.SetMemoryLimit(readerMemoryLimit)
	before := peakMemory()
	err := readLikeService(context.Background(), name)
	fmt.Printf("%d\n%v\n%v", peakMemory()-before, isReason(err), err)
}

// isReason reports whether err is nil or describes a problem of the file.
func isReason(err error) bool {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	return err == nil || errors.As(err, &unreadable) || errors.As(err, &limit)
}

// readLikeService opens a file and reads every sheet to its end, as the service does. It returns
// the first error.
func readLikeService(ctx context.Context, name string) (err error) {
	file, err := source.OpenFile(name)
	if err != nil {
		return err
	}
	defer file.Close()
	fields := []intray.Field{{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}}, {Key: "n", Label: "Number", Type: intray.FieldType{Name: intray.TypeNumber}}}
	book, err := source.Open(ctx, file.Input, Formats(""), source.Options{HeaderScore: mapping.NewHeaderRow(fields).Score})
	if err != nil {
		return err
	}
	defer book.Close()
	for sheet := range book.Sheets() {
		if over := readSheet(ctx, book, sheet); err == nil {
			err = over
		}
	}
	return err
}

func readSheet(ctx context.Context, book source.Book, sheet int) error {
	reader, err := book.Open(ctx, sheet)
	if err != nil {
		return err
	}
	defer reader.Close()
	_ = reader.Evidence()
	batch := &intray.Records{Width: len(reader.Columns())}
	for {
		err := reader.Next(ctx, batch)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// peakMemory returns the largest resident set size of this process so far, in bytes.
func peakMemory() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kibibytes, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				panic(err)
			}
			return kibibytes << 10
		}
	}
	panic("the system does not report the peak memory of a process")
}

// reading is the result of reading one file in its own process.
type reading struct {
	// peak is the amount of memory that reading added to the process, in bytes.
	peak int
	// explained reports whether problem is "<nil>" or describes a problem of the file.
	explained bool
	problem   string
	// cpu is the CPU time of the process in seconds.
	cpu float64
}

// measureMemory reads a file in its own process.
func measureMemory(t *testing.T, name string) (r reading) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), hostileFileVariable+"="+name, "TMPDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("read %s: %v", filepath.Base(name), err)
	}
	peak, rest, _ := strings.Cut(string(out), "\n")
	explained, problem, _ := strings.Cut(rest, "\n")
	r = reading{explained: explained == "true", problem: problem, cpu: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	if r.peak, err = strconv.Atoi(peak); err != nil {
		t.Fatalf("read %s: %s", filepath.Base(name), out)
	}
	return r
}

// content writes the content of a file.
type content func(t *testing.T, w io.Writer)

// hostileFile is a file that is meant to exhaust the memory of its reader. The extension of its
// name is part of the attack.
type hostileFile struct {
	name string
	// content returns the content. The contents of all files do not fit into memory at once.
	content func() content
	// refused reports whether the file exceeds a limit. Other files are read completely.
	refused bool
}

// sampledFiles is the interval of the files that are read unless the suite [suite.Hostile] is selected.
// All files take several minutes.
const sampledFiles = 12

// TestHostileFilesUseBoundedMemory reads files of every format that are meant to exhaust
// memory, each in its own process. Whatever the file, reading must add less than
// maxReaderMemory to the process, and a file that is not read must be refused with a reason.
func TestHostileFilesUseBoundedMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the peak memory of a process is read from /proc")
	}
	if testing.Short() {
		t.Skip("the files have several gigabytes")
	}
	folder := t.TempDir()
	seen := map[string]bool{}
	for i, f := range hostileFiles() {
		if seen[f.name] {
			t.Fatalf("two files have the name %s", f.name)
		}
		if seen[f.name] = true; i%sampledFiles != 0 && !suite.Selected(suite.Hostile) {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			path := filepath.Join(folder, f.name)
			writeHostileFile(t, path, f)
			defer os.Remove(path)
			r := measureMemory(t, path)
			size, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%4d MiB peak, %5.1f s CPU, file of %d KiB: %.150s", r.peak>>20, r.cpu, size.Size()>>10, r.problem)
			if r.peak > maxReaderMemory {
				t.Errorf("reading takes %d MiB", r.peak>>20)
			}
			if refused := r.problem != "<nil>"; refused != f.refused || !r.explained {
				t.Errorf("refused %v, want %v: %s", refused, f.refused, r.problem)
			}
		})
	}
}

func writeHostileFile(t *testing.T, path string, f hostileFile) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	f.content()(t, out)
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		t.Fatal(err)
	}
}
