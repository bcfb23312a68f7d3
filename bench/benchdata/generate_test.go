package benchdata_test

import (
	"encoding/csv"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/bench/benchdata"
)

func generated(t *testing.T, rows int, seed uint64) string {
	t.Helper()
	var b strings.Builder
	if err := benchdata.Write(&b, rows, seed); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRowsAreAsPromised reads a generated file with encoding/csv and checks that its size and
// its irregular cells are as documented.
func TestRowsAreAsPromised(t *testing.T) {
	const rows = 20_000
	text := generated(t, rows, 1)
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(benchdata.Header, all[0]); diff != "" || len(all) != rows+1 {
		t.Errorf("%d records, header (-want +got):\n%s", len(all), diff)
	}
	bad, special := 0, 0
	for _, record := range all[1:] {
		if !strings.Contains(record[3], "@") {
			bad++
		}
		if strings.ContainsAny(record[8], ",\"\n") {
			special++
		}
	}
	for what, c := range map[string]struct{ got, least, most int }{
		"malformed addresses": {bad, rows / 60, rows / 40},
		"notes with signs":    {special, rows / 7, rows / 5},
		"bytes a row":         {len(text) / rows, 130, 160},
	} {
		if c.got < c.least || c.got > c.most {
			t.Errorf("%s: %d, want %d to %d", what, c.got, c.least, c.most)
		}
	}
}

func TestRowsAreTheSameEachTime(t *testing.T) {
	first, again := generated(t, 500, 3), generated(t, 500, 3)
	if first != again {
		t.Error("one seed gives two files")
	}
	if first == generated(t, 500, 4) {
		t.Error("two seeds give one file")
	}
	if !strings.HasPrefix(first, strings.TrimSuffix(generated(t, 10, 3), "\n")) {
		t.Error("a longer file does not start with the shorter one")
	}
	if got := generated(t, 0, 1); got != strings.Join(benchdata.Header, ",")+"\n" {
		t.Errorf("a file without rows is %q", got)
	}
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestFullDiskIsReported(t *testing.T) {
	for _, rows := range []int{1, 50_000} {
		if err := benchdata.Write(full{}, rows, 1); !errors.Is(err, errFull) {
			t.Errorf("%d rows: error %v", rows, err)
		}
	}
}
