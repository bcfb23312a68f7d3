package server

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
	"github.com/intraydata/intray/source"
)

// TestRunProgress checks that both phases of a run report their progress up to the last row.
func TestRunProgress(t *testing.T) {
	const rows = 200_000
	var text strings.Builder
	text.WriteString("E-Mail,Name\n")
	for i := range rows {
		fmt.Fprintf(&text, "a%d@example.org,Ada Lovelace the %dth\n", i, i)
	}
	file := filepath.Join(t.TempDir(), "people.csv")
	must(t, os.WriteFile(file, []byte(text.String()), 0o600))
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "email", Label: "E-Mail", Type: intray.FieldType{Name: intray.TypeEmail}},
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
	}}
	var reported []RunProgress
	_, err := Run(t.Context(), RunConfig{
		File: file, Schema: schema, Out: "-", Stdout: io.Discard, Format: output.CSV,
		Progress: func(p RunProgress) { reported = append(reported, p) },
	})
	must(t, err)
	last := map[bool]RunProgress{}
	for i, p := range reported {
		before := last[p.Writing]
		if p.Rows <= before.Rows || p.Fraction < before.Fraction || p.Fraction <= 0 || p.Fraction > 1 {
			t.Errorf("report %d of %d is %+v after %+v", i, len(reported), p, before)
		}
		if i > 0 && reported[i-1].Writing && !p.Writing {
			t.Errorf("report %d is about reading, but the one before is about writing", i)
		}
		last[p.Writing] = p
	}
	for _, writing := range []bool{false, true} {
		if p := last[writing]; p.Rows != rows || p.Fraction != 1 {
			t.Errorf("writing %v: the last report is %+v", writing, p)
		}
	}
	if first := reported[0]; first.Fraction > 0.9 {
		t.Errorf("the first report of %d is %+v", len(reported), first)
	}
}

func TestTrackReads(t *testing.T) {
	text := bytes.Repeat([]byte("x"), 100)
	read := func(in source.Input, from, to int64) {
		if _, err := in.ReadAt(make([]byte, to-from), from); err != nil {
			t.Fatal(err)
		}
	}
	in, fraction := TrackReads(source.Input{ReaderAt: bytes.NewReader(text), Size: 100})
	read(in, 90, 100) // such as the directory of a zip file
	read(in, 0, 20)
	for _, c := range []struct {
		from, to int64
		want     float64
	}{{20, 40, 0.4}, {10, 30, 0.4}, {40, 100, 1}} {
		read(in, c.from, c.to)
		if got := fraction(); got != c.want {
			t.Errorf("after reading %d to %d: %v, want %v", c.from, c.to, got, c.want)
		}
	}
	in, fraction = TrackReads(source.Input{ReaderAt: bytes.NewReader(text), Size: 100})
	read(in, 0, 100)
	if got := fraction(); got != UnknownFraction {
		t.Errorf("a file that was read before the first row: %v", got)
	}
	read(in, 0, 10)
	if got := fraction(); got != UnknownFraction {
		t.Errorf("later: %v", got)
	}
}
