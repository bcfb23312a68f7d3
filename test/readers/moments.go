// Package readers checks that programs that people use read the result formats as written. Its
// tests run in the suite "readers", because they need Python and its packages.
package readers

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

// Formats returns all result formats.
func Formats() []output.Format {
	return []output.Format{output.JSON, output.NDJSON, output.CSV, output.XLSX, output.Parquet}
}

// Moment is one row: a date, a date with a time, and a time.
type Moment struct {
	Day  string `json:"day"`
	At   string `json:"at"`
	Time string `json:"time"`
}

// Moments returns the days on which conversions of dates have failed or may fail, and a
// seeded sample of 10,000 days from 0001-01-01 to 9999-12-31. Times are to the second.
func Moments() []Moment {
	var list []Moment
	add := func(t time.Time) {
		list = append(list, Moment{t.Format(time.DateOnly), t.Format("2006-01-02T15:04:05"), t.Format(time.TimeOnly)})
	}
	for _, day := range []string{
		"0001-01-01", "0001-12-31", "0004-02-29", "0099-12-31", "0100-01-01", "0999-12-31", "1000-01-01",
		"1582-10-04", "1582-10-15", "1677-09-20", "1677-09-21", "1677-09-22", // the first day in int64 nanoseconds
		"1700-02-28", "1752-09-14", "1899-12-29", "1899-12-30", "1899-12-31", "1900-01-01", "1900-02-28", "1900-03-01",
		"1901-12-13", "1903-12-31", "1904-01-01", "1904-01-02", "1969-12-31", "1970-01-01", "2000-02-29",
		"2038-01-19", "2038-01-20", "2079-06-06", "2106-02-07", "2106-02-08", // the last day in uint32 seconds
		"2192-04-07", "2192-04-08", "2192-04-09", // the last day within a time.Duration of 1899-12-30
		"2262-04-11", "2262-04-12", "2299-12-31", "2400-02-29", "4637-11-25", "9999-12-30", "9999-12-31",
	} {
		midnight, err := time.Parse(time.DateOnly, day)
		if err != nil {
			panic(err)
		}
		for _, second := range []int{0, 1, 43_199, 43_200, 86_399} {
			add(midnight.Add(time.Duration(second) * time.Second))
		}
	}
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC).Unix()
	random := rand.New(rand.NewPCG(21, 9))
	for range 10_000 {
		add(time.Unix(first+random.Int64N(last-first+1), 0).UTC())
	}
	return list
}

// MomentSchema returns the schema of the rows.
func MomentSchema() *intray.Schema {
	seconds := map[string]any{"withSeconds": true}
	return &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "day", Label: "Day", Type: intray.FieldType{Name: intray.TypeDate}},
		{Key: "at", Label: "At", Type: intray.FieldType{Name: intray.TypeDatetime, Options: seconds}},
		{Key: "time", Label: "Time", Type: intray.FieldType{Name: intray.TypeTime, Options: seconds}},
	}}
}

// WriteMoments returns the rows in a result format.
func WriteMoments(t *testing.T, format output.Format, list []Moment) []byte {
	t.Helper()
	b := &intray.Batch{Lines: make([]int64, len(list)), Fields: make([]intray.Cells, 3)}
	for _, m := range list {
		b.Fields[0].AppendValue([]byte(m.Day))
		b.Fields[1].AppendValue([]byte(m.At))
		b.Fields[2].AppendValue([]byte(m.Time))
	}
	var file bytes.Buffer
	if _, err := output.Write(t.Context(), &file, format, MomentSchema(), func(yield func(*intray.Batch, error) bool) { yield(b, nil) }); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// CheckMoments compares the rows that were written with those that a reader returned.
func CheckMoments(t *testing.T, want, got []Moment) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows were written, and %d were read", len(want), len(got))
	}
	wrong := 0
	for i := range want {
		if want[i] == got[i] {
			continue
		}
		if wrong++; wrong <= 5 {
			t.Errorf("row %d, written (-) and read (+):\n%s", i, cmp.Diff(want[i], got[i]))
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d rows differ", wrong, len(want))
	}
}
