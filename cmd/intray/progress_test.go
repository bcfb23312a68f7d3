package main

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/source"
)

// TestProgressReader checks that reading a table reports all of its rows.
func TestProgressReader(t *testing.T) {
	text := "a,b\n" + strings.Repeat("1,2\n", 50_000)
	in, fraction := server.TrackReads(source.Input{Name: "a.csv", ReaderAt: strings.NewReader(text), Size: int64(len(text))})
	table, closeTable, err := openTable(t.Context(), in, func() error { return nil }, source.Options{}, readFlags{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer closeTable()
	var last server.RunProgress
	var printed strings.Builder
	reader := &progressReader{Reader: table, w: &printed, fraction: fraction, show: func(p server.RunProgress) { last = p }}
	var batch intray.Records
	for err == nil {
		err = reader.Next(t.Context(), &batch)
	}
	if !errors.Is(err, io.EOF) || last.Rows != 50_000 || last.Fraction != 1 || printed.String() != clearLine {
		t.Errorf("%v, %+v, printed %q", err, last, printed.String())
	}
}

func TestProgressLine(t *testing.T) {
	var printed strings.Builder
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	line := &progressLine{w: &printed, now: func() time.Time { return now }}
	for _, step := range []struct {
		after time.Duration
		p     server.RunProgress
	}{
		{0, server.RunProgress{Rows: 1000, Fraction: 0.01}},
		{50 * time.Millisecond, server.RunProgress{Rows: 2000, Fraction: 0.02}},
		{450 * time.Millisecond, server.RunProgress{Rows: 50_000, Fraction: 0.1}},
		{1500 * time.Millisecond, server.RunProgress{Rows: 1_234_567, Fraction: 0.25}},
		{time.Second, server.RunProgress{Rows: 1_500_000, Fraction: server.UnknownFraction}},
		{time.Second, server.RunProgress{Writing: true, Rows: 16384, Fraction: 0.01}},
		{2 * time.Second, server.RunProgress{Writing: true, Rows: 800_000, Fraction: 0.5}},
		{2 * time.Second, server.RunProgress{Writing: true, Rows: 1_600_000, Fraction: 1}},
		{time.Second, server.RunProgress{Rows: 1000, Fraction: 0.01}}, // the import runs again
		{time.Second, server.RunProgress{Rows: 2000, Fraction: 0.02}},
	} {
		now = now.Add(step.after)
		line.show(step.p)
	}
	want := []string{
		"Reading 10%, 50,000 rows, 100,000 rows/s",
		"Reading 25%, 1,234,567 rows, 617,283 rows/s, 6s left",
		"Reading 1,500,000 rows, 500,000 rows/s",
		"Writing 50%, 800,000 rows, 400,000 rows/s, 2s left",
		"Writing 100%, 1,600,000 rows, 400,000 rows/s",
		"Reading 2%, 2,000 rows, 2,000 rows/s, 49s left",
	}
	if diff := cmp.Diff(want, strings.Split(printed.String(), "\r\x1b[K")[1:]); diff != "" {
		t.Error(diff)
	}
	if progress(&printed) != nil {
		t.Error("progress is shown although the output is not a terminal")
	}
}
