package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray/source/sourcetest"
)

const (
	// mutations is the number of files that a full test run converts.
	mutations = 10_000
	// mutationTime is the maximum time to convert one file. mutationMemory is the
	// maximum memory of a process that converts many files, in kilobytes.
	mutationTime   = 10 * time.Second
	mutationMemory = 512 << 10
	mutationSeed   = 20261121
	mutationsEnv   = "INTRAY_TEST_MUTATIONS"
)

// TestMutations converts damaged copies of the files in the corpora. Each file must be converted
// or refused, quickly and in bounded memory. Unless INTRAY_TORTURE is "full", only a tenth of
// the files is converted. The number of a copy determines its content, so that failures can be
// reproduced.
func TestMutations(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: the mutations take some seconds")
	}
	var folders []string
	for _, name := range []string{"messy-csv", "workbooks", "csv-spectrum", "json"} {
		folders = append(folders, sourcetest.Corpus(t, name))
	}
	total := mutations
	if os.Getenv("INTRAY_TORTURE") != "full" {
		total /= 10
	}
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		group.Go(func() {
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMutationsOfOne$", "-test.v")
			child.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %s", mutationsEnv, w*total/workers, (w+1)*total/workers, strings.Join(folders, "\n")))
			out, err := child.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, last(string(out), 4000))
				return
			}
			peak := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
			t.Logf("files %d to %d: peak memory %d MB", w*total/workers, (w+1)*total/workers, peak>>10)
			if peak > mutationMemory {
				t.Errorf("%d KB of memory, want at most %d", peak, mutationMemory)
			}
		})
	}
	group.Wait()
}

func last(text string, most int) string { return text[max(0, len(text)-most):] }

// TestMutationsOfOne converts files in a process that TestMutations started.
func TestMutationsOfOne(t *testing.T) {
	if os.Getenv(mutationsEnv) == "" {
		return // the test runs only as a part of TestMutations
	}
	from, to := 0, 0
	rest := os.Getenv(mutationsEnv)
	if _, err := fmt.Sscanf(rest, "%d %d", &from, &to); err != nil {
		t.Fatal(err)
	}
	names := corpusFiles(t, strings.Split(strings.SplitN(rest, " ", 3)[2], "\n"))
	folder := t.TempDir()
	for n := from; n < to && !t.Failed(); n++ {
		random := rand.New(rand.NewPCG(mutationSeed, uint64(n)))
		name, other := names[random.IntN(len(names))], names[random.IntN(len(names))]
		mutant := filepath.Join(folder, "mutant"+filepath.Ext(name))
		if err := os.WriteFile(mutant, mutate(random, read(t, name), read(t, other)), 0o600); err != nil {
			t.Fatal(err)
		}
		tryMutant(t, n, name, mutant, random)
	}
}

// tryMutant converts one file. If the conversion takes too long, tryMutant prints
// all stacks and ends the process.
func tryMutant(t *testing.T, n int, name, mutant string, random *rand.Rand) {
	late := time.AfterFunc(mutationTime, func() { panic(fmt.Sprintf("mutation %d of %s takes over %s", n, name, mutationTime)) })
	defer late.Stop()
	args := []string{"convert", mutant, "-"}
	args = append(args, [][]string{nil, {"--as-is"}, {"--display"}, {"--display", "--as-is"}}[random.IntN(4)]...)
	var stderr strings.Builder
	status := run(context.Background(), args, streams{strings.NewReader(""), io.Discard, &stderr})
	if status != exitDone && status != exitFailed || status == exitFailed && stderr.Len() == 0 {
		t.Errorf("mutation %d of %s: status %d: %s", n, filepath.Base(name), status, last(stderr.String(), 2000))
	}
}

// corpusFiles returns the paths of the files in folders, in an order that does not
// depend on where the folders are.
func corpusFiles(t *testing.T, folders []string) (names []string) {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				names = append(names, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(names) == 0 {
		t.Fatal("the corpora hold no file")
	}
	slices.SortStableFunc(names, func(a, b string) int { return strings.Compare(filepath.Base(a), filepath.Base(b)) })
	return names
}

func read(t *testing.T, name string) []byte {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// mutate makes one to four random changes to a file. In half of the zip files, it changes a
// member instead and creates the archive again, so that the checksums do not reveal the damage.
func mutate(random *rand.Rand, file, other []byte) []byte {
	if bytes.HasPrefix(file, []byte("PK\x03\x04")) && random.IntN(2) == 0 {
		if packed := mutatePart(random, file, other); packed != nil {
			return packed
		}
	}
	return mutateBytes(random, file, other)
}

func mutateBytes(random *rand.Rand, file, other []byte) []byte {
	out := bytes.Clone(file)
	for range 1 + random.IntN(4) {
		if len(out) == 0 {
			return out
		}
		out = change(random, out, other)
	}
	return out
}

// change makes one random change to the content of a file, which must not be empty.
func change(random *rand.Rand, out, other []byte) []byte {
	at := random.IntN(len(out))
	to := at + random.IntN(min(len(out)-at, 4096)+1)
	switch random.IntN(8) {
	case 0: // bits
		for range 1 + random.IntN(16) {
			out[random.IntN(len(out))] ^= 1 << random.IntN(8)
		}
	case 1: // a byte with a meaning
		out[at] = "\x00\xff\"',;\t\n\r<>&{}[]\\=\x1b"[random.IntN(19)]
	case 2: // the end is missing
		return out[:at]
	case 3: // the beginning is missing
		return out[at:]
	case 4: // something in the middle is missing
		return append(out[:at:at], out[to:]...)
	case 5: // something is there twice
		return bytes.Join([][]byte{out[:to], out[at:]}, nil)
	case 6: // a part of a different file
		if len(other) > 0 {
			from := random.IntN(len(other))
			until := from + random.IntN(min(len(other)-from, 4096)+1)
			return bytes.Join([][]byte{out[:at], other[from:until], out[at:]}, nil)
		}
	case 7: // a large number, or a long run
		copy(out[at:], bytes.Repeat([]byte{"\xff9\x7f0"[random.IntN(4)]}, 1+random.IntN(12)))
	}
	return out
}

// mutatePart changes one member of a zip file. It returns nil if the file is not a
// complete zip file.
func mutatePart(random *rand.Rand, file, other []byte) []byte {
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(r.File) == 0 {
		return nil
	}
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	victim := random.IntN(len(r.File))
	for i, f := range r.File {
		from, err := f.Open()
		if err != nil {
			return nil
		}
		text, err := io.ReadAll(from)
		if err != nil {
			return nil
		}
		if i == victim {
			text = mutateBytes(random, text, other)
		}
		to, err := w.Create(f.Name)
		if err == nil {
			_, err = to.Write(text)
		}
		if err != nil {
			return nil
		}
	}
	if w.Close() != nil {
		return nil
	}
	return packed.Bytes()
}
