package httpapi

import (
	"net/url"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
)

func TestUploadWindow(t *testing.T) {
	for _, c := range []struct {
		query      url.Values
		start, end int64
		wrong      bool
	}{
		{query(), 0, 10000, false},
		{query("start", "5"), 5, 10000, false},
		{query("end", "5"), 0, 5, false},
		{query("start", "5", "end", "5"), 5, 5, false},
		{query("end", "20000"), 0, 10000, false},
		{query("start", "15000"), 15000, 25000, false},
		{query("start", "15000", "end", "90000"), 15000, 25000, false},
		{query("start", "6", "end", "5"), 0, 0, true},
		{query("start", "-1"), 0, 0, true},
		{query("end", "-1"), 0, 0, true},
		{query("start", "1.5"), 0, 0, true},
		{query("start", "x"), 0, 0, true},
		{query("start", " 1"), 0, 0, true},
		{query("end", "9223372036854775808"), 0, 0, true},
	} {
		start, end, err := uploadWindow(c.query)
		if (err != nil) != c.wrong || err == nil && (start != c.start || end != c.end) {
			t.Errorf("%v: [%d, %d), error %v; want [%d, %d), an error: %v", c.query, start, end, err, c.start, c.end, c.wrong)
		}
	}
}

// TestUploadWindowIsOne checks that the window is valid for start and end numbers of all sizes.
func TestUploadWindowIsOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.Int64Min(0).Draw(t, "start")
		q := query("start", strconv.FormatInt(start, 10))
		end := int64(-1)
		if rapid.Bool().Draw(t, "with an end") {
			end = rapid.Int64Min(start).Draw(t, "end")
			q.Set("end", strconv.FormatInt(end, 10))
		}
		from, to, err := uploadWindow(q)
		if err != nil {
			t.Fatal(err)
		}
		if from != start || to < from || to-from > imports.MaxUploads || end >= 0 && to > end {
			t.Fatalf("the window is [%d, %d)", from, to)
		}
	})
}

func TestDateFilter(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for _, c := range []struct {
		from, to string
		want     model.UploadFilter
	}{
		{"", "", model.UploadFilter{}},
		{"2026-11-21", "", model.UploadFilter{From: at("2026-11-21T00:00:00Z")}},
		{"", "2026-11-21", model.UploadFilter{To: at("2026-11-21T23:59:59.999999Z")}},
		{"2026-11-21T09:30:00Z", "2026-11-21T09:30:00Z", model.UploadFilter{From: at("2026-11-21T09:30:00Z"), To: at("2026-11-21T09:30:00Z")}},
		{"2026-11-21T09:30:00+02:00", "", model.UploadFilter{From: at("2026-11-21T07:30:00Z")}},
		{"2026-11-21T09:30:00.123456", "", model.UploadFilter{From: at("2026-11-21T09:30:00.123456Z")}},
		{"2026-11-21T09:30", "", model.UploadFilter{From: at("2026-11-21T09:30:00Z")}},
		{"2026-11-21T09:30Z", "", model.UploadFilter{From: at("2026-11-21T09:30:00Z")}},
	} {
		got, err := dateFilter(query("start_date", c.from, "end_date", c.to))
		if err != nil || !got.From.Equal(c.want.From) || !got.To.Equal(c.want.To) {
			t.Errorf("%q to %q: %v, error %v; want %v", c.from, c.to, got, err, c.want)
		}
	}
	for _, text := range []string{"x", "21.11.2026", "2026-13-01", "2026-02-30", "2026-11-21 09:30", "1700000000"} {
		for _, name := range []string{"start_date", "end_date"} {
			if _, err := dateFilter(query(name, text)); err == nil {
				t.Errorf("%s=%q was accepted", name, text)
			}
		}
	}
}
