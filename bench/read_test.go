package bench

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
)

// tally summarizes the data that was found in a file.
type tally struct {
	Rows int64 `json:"rows"`
	// Bytes is the total size of the cells of each column, in bytes.
	Bytes []int64 `json:"bytes"`
	// Sums contains, for each column, the sum of the last eight bytes of the MD5 of each
	// cell that is not empty, because others read an empty cell as null. It is computed only
	// for a check.
	Sums []uint64 `json:"sums"`
}

// count counts a cell of a length in bytes.
func (t *tally) count(column, length int) {
	if column == len(t.Bytes) {
		t.Bytes = append(t.Bytes, 0)
		t.Sums = append(t.Sums, 0)
	}
	t.Bytes[column] += int64(length)
}

// add counts one cell and, with check, adds its checksum.
func (t *tally) add(column int, cell []byte, check bool) {
	t.count(column, len(cell))
	if check && len(cell) > 0 {
		sum := md5.Sum(cell)
		t.Sums[column] += binary.LittleEndian.Uint64(sum[8:])
	}
}

// errUsage reports invalid arguments of a child process that reads a file.
var errUsage = errors.New("want time or check, and a file")

// openFor opens the file named in the arguments of a child process that reads it.
func openFor(args []string) (file *os.File, check bool, err error) {
	if len(args) != 2 || args[0] != "time" && args[0] != "check" {
		return nil, false, errUsage
	}
	file, err = os.Open(args[1])
	return file, args[0] == "check", err
}

// readWithIntray reads a file as an import does. It detects the format, reads every batch
// and visits each cell.
func readWithIntray(args []string) (any, error) {
	file, check, err := openFor(args)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	state, err := file.Stat()
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	in := source.Input{Name: filepath.Base(file.Name()), ReaderAt: file, Size: state.Size()}
	book, err := source.Open(ctx, in, formats.Formats(""), source.Options{})
	if err != nil {
		return nil, err
	}
	defer book.Close()
	var t tally
	for sheet := range book.Sheets() {
		reader, err := book.Open(ctx, sheet)
		if err != nil {
			return nil, err
		}
		err = t.pull(ctx, reader, check)
		reader.Close()
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// pull counts the records of a sheet.
func (t *tally) pull(ctx context.Context, reader source.Reader, check bool) error {
	var batch intray.Records
	for {
		err := reader.Next(ctx, &batch)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the records from %d: %w", t.Rows, err)
		}
		t.Rows += int64(batch.Len())
		for i := range batch.Len() {
			for c, cell := range batch.Cells(i) {
				if check {
					t.add(c, cell, true)
				} else {
					t.count(c, len(cell)) // inlined, unlike add
				}
			}
		}
	}
}

// readWithStandard reads a CSV file with encoding/csv and ReuseRecord.
func readWithStandard(args []string) (any, error) {
	file, check, err := openFor(args)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.ReuseRecord = true
	if _, err := reader.Read(); err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	var t tally
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.Rows++
		for i, cell := range record {
			t.addText(i, cell, check)
		}
	}
}

func (t *tally) addText(column int, cell string, check bool) {
	if check {
		t.add(column, []byte(cell), true)
		return
	}
	t.count(column, len(cell))
}

func TestReadingChildren(t *testing.T) {
	fine := filepath.Join(t.TempDir(), "fine.csv")
	if err := os.WriteFile(fine, []byte("name,note\nAnna,\"a \"\"b\"\"\"\nBen,\nCem,d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "broken.csv")
	if err := os.WriteFile(broken, []byte("\x00\x01\x02\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func([]string) (any, error){"intray": readWithIntray, "encoding/csv": readWithStandard} {
		got, err := read([]string{"time", fine})
		want := tally{Rows: 3, Bytes: []int64{10, 6}, Sums: []uint64{0, 0}}
		if diff := cmp.Diff(any(want), got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
		for _, args := range [][]string{nil, {"look", fine}, {"time"}, {"check", fine + ".not"}, {"time", broken}} {
			if got, err := read(args); err == nil {
				t.Errorf("%s reads %q: %v", name, args, got)
			}
		}
	}
	var sum tally
	sum.add(0, []byte("abc"), true) // its MD5 is 900150983cd24fb0d6963f7d28e17f72
	if want := uint64(0x727fe1287d3f96d6); sum.Sums[0] != want {
		t.Errorf("the sum of abc is %x, want %x", sum.Sums[0], want)
	}
}
