package attacks

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray/source/sourcetest"
)

func gzipped(t testing.TB, name string, content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w.Name = name
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstded(t testing.TB, content []byte, options ...zstd.EOption) []byte {
	w, err := zstd.NewWriter(nil, append([]zstd.EOption{zstd.WithEncoderConcurrency(1)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(content, nil)
}

// gzippedZeros compresses n bytes without holding them in memory.
func gzippedZeros(t testing.TB, n int64) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	chunk := make([]byte, mib)
	for ; n > 0; n -= mib {
		if _, err := w.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// zipped returns an archive with n equal files.
func zipped(t testing.TB, n int, name, content string) []byte {
	var entries []sourcetest.Entry
	for i := range n {
		entries = append(entries, sourcetest.File(fmt.Sprintf(name, i), content))
	}
	return sourcetest.Zip(t, entries...)
}

// overlapping returns an archive whose directory lists its only file n times.
func overlapping(t testing.TB, n int) []byte {
	file := zipped(t, 1, "a%04d.csv", "name,n\n"+repeat("a,1\n", 8*mib))
	at := bytes.LastIndex(file, []byte("PK\x01\x02"))
	end := bytes.LastIndex(file, []byte("PK\x05\x06"))
	entry := file[at:end]
	out := bytes.Clone(file[:at])
	for i := range n {
		one := bytes.Replace(entry, []byte("a0000.csv"), fmt.Appendf(nil, "a%04d.csv", i), 1)
		out = append(out, one...)
	}
	tail := bytes.Clone(file[end:])
	binary.LittleEndian.PutUint16(tail[8:], uint16(n))
	binary.LittleEndian.PutUint16(tail[10:], uint16(n))
	binary.LittleEndian.PutUint32(tail[12:], uint32(n*len(entry)))
	return append(out, tail...)
}

// archiveAttacks returns attacks with compressed files and layers of them.
func archiveAttacks() []attack {
	binaryFile := func(name, target string, write func(t testing.TB) []byte) attack {
		return attack{name: name, target: target, file: write}
	}
	// commas expand to one record of 60 MB, just below the maximum compression ratio.
	commas := func() []byte {
		return []byte("name\n" + strings.ReplaceAll(noisy(",", 60*mib, "%s"), "\n", ""))
	}
	table := "name,n\n" + repeat("a,1\n", 4*mib)
	return []attack{
		binaryFile("commas.csv.gz", "records of compressed text", func(t testing.TB) []byte { return gzipped(t, "commas.csv", commas()) }),
		binaryFile("commas.csv.zst", "records of compressed text", func(t testing.TB) []byte { return zstded(t, commas()) }),
		binaryFile("zeros.csv.gz", "compression ratio", func(t testing.TB) []byte { return gzippedZeros(t, 5<<30) }),
		binaryFile("rows.csv.gz", "rows of compressed text", func(t testing.TB) []byte {
			return gzipped(t, "rows.csv", []byte("name,n\n"+noisy("a,1\n", 25_000_000, "%s,2\n")))
		}),
		binaryFile("empty-rows.csv.gz", "rows of compressed text", func(t testing.TB) []byte {
			return gzipped(t, "rows.csv", []byte("name\n"+noisy("\n", 150_000_000, "%s\n")))
		}),
		binaryFile("three-layers.gz", "layers", func(t testing.TB) []byte {
			return gzipped(t, "a.gz", gzipped(t, "a.gz", gzippedZeros(t, 1<<30)))
		}),
		binaryFile("gzip-in-zip.zip", "layers", func(t testing.TB) []byte {
			return zipped(t, 100, "%d.csv.gz", string(gzipped(t, "a.csv", []byte(table))))
		}),
		binaryFile("zip-in-gzip.gz", "layers", func(t testing.TB) []byte { return gzipped(t, "a.zip", zipped(t, 100, "%d.csv", table)) }),
		binaryFile("zip-in-zip.zip", "layers", func(t testing.TB) []byte {
			return zipped(t, 50, "%d.zip", string(zipped(t, 50, "%d.csv", table)))
		}),
		binaryFile("workbook-in-gzip.xlsx.gz", "layers", func(t testing.TB) []byte {
			return gzipped(t, "a.xlsx", xlsxParts(sheet(titled+noisy(`<row><c><v>1</v></c></row>`, 300_000, "<!--%s-->"), "")).zip(t))
		}),
		binaryFile("workbooks-in-zip.zip", "layers", func(t testing.TB) []byte {
			book := string(xlsxParts(sheet(titled+strings.Repeat(`<row><c><v>1</v></c></row>`, 2_000), "")).zip(t))
			return zipped(t, 900, "%d.xlsx", book)
		}),
		binaryFile("many-entries.zip", "entries", func(t testing.TB) []byte { return zipped(t, 100_000, "%d.csv", "name\n1\n") }),
		binaryFile("thousand-tables.zip", "sheets", func(t testing.TB) []byte { return zipped(t, 999, "%d.csv", "name,n\n"+repeat("a,1\n", 40_000)) }),
		binaryFile("wide-tables.zip", "columns of all sheets", func(t testing.TB) []byte {
			return zipped(t, 500, "%d.csv", "name"+strings.Repeat(",x", 16_383)+"\n"+strings.Repeat(",1", 16_383)+"\n")
		}),
		binaryFile("long-names.zip", "names of entries", func(t testing.TB) []byte {
			return zipped(t, 900, repeat("n", 60_000)+"%d.csv", "name\n1\n")
		}),
		binaryFile("overlapping.zip", "overlapping entries", func(t testing.TB) []byte { return overlapping(t, 900) }),
		binaryFile("empty-members.gz", "members", func(t testing.TB) []byte {
			return bytes.Repeat(gzipped(t, "", nil), 1_000_000)
		}),
		binaryFile("small-members.csv.gz", "members", func(t testing.TB) []byte {
			return append(gzipped(t, "a.csv", []byte("name,n\n")), bytes.Repeat(gzipped(t, "", []byte("a,1\n")), 500_000)...)
		}),
		binaryFile("long-name.gz", "header of gzip", func(t testing.TB) []byte {
			head := []byte{0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3}
			return append(head, repeat("n", 40*mib)...)
		}),
		binaryFile("zeros.zst", "compression ratio", func(t testing.TB) []byte { return zstded(t, make([]byte, 256*mib)) }),
		binaryFile("large-window.zst", "window", func(t testing.TB) []byte {
			return zstded(t, append([]byte("name,n\n"), repeat("a,1\n", 64*mib)...), zstd.WithWindowSize(256*mib))
		}),
		binaryFile("declared-window.zst", "window", func(testing.TB) []byte {
			// The descriptor declares a window of 3.75 TiB, and the block is a run of one byte.
			return []byte{0x28, 0xB5, 0x2F, 0xFD, 0, 0xFF, 0xFB, 0xFF, 0xFF, 'a'}
		}),
		binaryFile("empty-frames.zst", "frames", func(t testing.TB) []byte {
			return bytes.Repeat([]byte{0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0}, 4_000_000)
		}),
		binaryFile("declared-size.zip", "declared sizes", func(t testing.TB) []byte {
			file := zipped(t, 1, "%d.csv", table)
			at := bytes.LastIndex(file, []byte("PK\x01\x02"))
			binary.LittleEndian.PutUint32(file[at+24:], 0xFFFFFFF0)
			return file
		}),
		binaryFile("cut.csv.gz", "damage at the end", func(t testing.TB) []byte {
			file := gzipped(t, "a.csv", []byte("name,n\n"+noisy("a,1\n", 4_000_000, "%s,2\n")))
			return file[:len(file)-9]
		}),
		binaryFile("zip-comment.zip", "search for the directory", func(t testing.TB) []byte {
			return append(zipped(t, 1, "%d.csv", table), repeat("PK\x05\x06", 40*mib)...)
		}),
		binaryFile("rows-of-a-pipe.csv.gz", "flushed blocks", func(t testing.TB) []byte { return flushed(t, 100_000) }),
	}
}

// flushed returns a gzip file with n empty blocks.
func flushed(t testing.TB, n int) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, "name,n\na,1\n")
	for range n {
		if err == nil {
			err = w.Flush()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
