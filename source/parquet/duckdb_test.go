package parquet

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// duckTable is the query for the table that DuckDB writes.
const duckTable = `select i::integer as i, i % 2 = 0 as b, (i % 256)::utinyint as u8, (i * 1000000007)::ubigint as u64, i / 4.0::double as d,
	(i * 1.5)::decimal(9, 2) as d9, (i * 1.25)::decimal(18, 4) as d18, (-i * 1.125)::decimal(38, 6) as d38,
	date '2020-02-28' + i::integer as day, time '01:02:03.5' as t, timestamp '2020-01-01 00:00:00.123456' as ts,
	timestamp_ns '2020-01-01 00:00:00.123456789' as tns, uuid '00010203-0405-0607-0809-0a0b0c0d0e0f' as u, 'x' || i as s,
	case when i % 3 = 0 then null else i end as n, [i, null] as l, {'a': i, 'b': [1, 2], 'c': null::integer} as st,
	map {'k' || i: i} as m, [[i], [], null] as ll, [{'x': i, 'y': 'q'}] as ls, 'ab'::blob as bl, '\xFF'::blob as bx, interval 3 days as iv
	from range(5000) r(i)`

const duckScript = `
import sys, duckdb
path, table = sys.argv[1], sys.argv[2]
c = duckdb.connect()
for codec in ["snappy", "gzip", "zstd", "lz4_raw", "brotli", "uncompressed"]:
    for version in ["v1", "v2"]:
        c.execute(f"copy ({table}) to '{path}/{codec}-{version}.parquet' (format parquet, compression {codec}, parquet_version {version}, row_group_size 2048)")
`

// TestDuckDB checks the values in files that DuckDB wrote, with each of its codecs and both of
// its sets of encodings.
func TestDuckDB(t *testing.T) {
	if exec.Command("python3", "-c", "import duckdb").Run() != nil {
		t.Skip("SKIPPED: python3 has no duckdb")
	}
	folder := t.TempDir()
	if out, err := exec.Command("python3", "-c", duckScript, folder, duckTable).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	headers := []string{"i", "b", "u8", "u64", "d", "d9", "d18", "d38", "day", "t", "ts", "tns", "u", "s", "n", "l", "st.a", "st.b", "st.c", "m", "ll", "ls", "bl", "bx", "iv"}
	want := []string{"1", "false", "1", "1000000007", "0.25", "1.50", "1.2500", "-1.125000", "2020-02-29", "01:02:03.5", "2020-01-01T00:00:00.123456",
		"2020-01-01T00:00:00.123456789", "00010203-0405-0607-0809-0a0b0c0d0e0f", "x1", "1", "[1,null]", "1", "[1,2]", "", `{"k1":1}`, "[[1],[],null]",
		`[{"x":1,"y":"q"}]`, "ab", "ff", "P3D"}
	files, err := filepath.Glob(filepath.Join(folder, "*.parquet"))
	if err != nil || len(files) != 12 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	var first sourcetest.Sheet
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sheet, err := sourcetest.Read(t, Format{}, string(text), source.Options{})
		if err != nil || len(sheet.Records) != 5000 {
			t.Fatalf("%s: %d records, %v", filepath.Base(path), len(sheet.Records), err)
		}
		if diff := cmp.Diff(headers, sheet.Headers) + cmp.Diff(want, sheet.Records[1]); diff != "" {
			t.Errorf("%s: %s", filepath.Base(path), diff)
		}
		if first.Headers == nil {
			first = sheet
		}
		if !reflect.DeepEqual(first, sheet) {
			t.Errorf("%s has other cells than %s", filepath.Base(path), filepath.Base(files[0]))
		}
	}
}
