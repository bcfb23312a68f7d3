package resources_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/apitest"
)

// fiveUploads returns the ids and times of five uploads, newest first.
func (c client) fiveUploads() (ids, times []string) {
	c.T.Helper()
	for i := range 5 {
		done := c.importFile(fmt.Sprintf("email\nrow%d@example.org\n", i), m{})
		ids = append([]string{done.upload}, ids...)
		times = append([]string{c.metadata(done.upload)["created_date"].(string)}, times...)
	}
	return ids, times
}

// window returns the ids in the list of uploads for a query, and the start, end and total of the
// list.
func (c client) window(query string) (ids []string, start, end, total float64) {
	c.T.Helper()
	reply := c.Call("GET", uploadsPath+query, nil).WantStatus(http.StatusOK)
	body := reply.Object()
	return idsIn(reply.Body), body["start"].(float64), body["end"].(float64), body["total_num_uploads"].(float64)
}

func TestUploadWindows(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		if _, start, end, total := c.window(""); start != 0 || end != 10000 || total != 0 {
			t.Errorf("the empty list shows %v to %v of %v", start, end, total)
		}
		all, _ := c.fiveUploads()
		for query, want := range map[string]struct {
			start, end float64
			ids        []string
		}{
			"": {0, 10000, all}, "?start=0&end=2": {0, 2, all[:2]}, "?start=2&end=4": {2, 4, all[2:4]}, "?start=3": {3, 10000, all[3:]},
			"?end=1": {0, 1, all[:1]}, "?end=0": {0, 0, nil}, "?start=2&end=2": {2, 2, nil}, "?start=5&end=9": {5, 9, nil}, "?start=4&end=10004": {4, 10004, all[4:]},
			"?start=0&end=10001": {0, 10000, all}, "?start=3&end=50000": {3, 10003, all[3:]}, "?end=9223372036854775807": {0, 10000, all},
			"?start=100000&end=200000": {100000, 110000, nil},
		} {
			ids, start, end, total := c.window(query)
			if !slices.Equal(ids, want.ids) || start != want.start || end != want.end || total != 5 {
				t.Errorf("%q returns %v to %v of %v: %v, want %+v", query, start, end, total, ids, want)
			}
		}
		_, start, end, _ := c.window("?start=9223372036854775807&end=9223372036854775807")
		if start < 9e18 || end < start {
			t.Errorf("the last window there is: %v to %v", start, end)
		}
	})
}

// followLinks returns the ids on a page and on those to which the header Link leads.
func (c client) followLinks(address string) (ids []string) {
	c.T.Helper()
	for range 10 {
		reply := c.Call("GET", address, nil).WantStatus(http.StatusOK)
		ids = append(ids, idsIn(reply.Body)...)
		link := reply.Header.Get("Link")
		next, isLink := strings.CutSuffix(strings.TrimPrefix(link, "<"), `>; rel="next"`)
		if !isLink {
			return ids
		}
		address = next
	}
	c.T.Fatal("the links lead to no last page")
	return nil
}

// TestCursors follows the links in the headers of lists, also while elements are added, and sends
// cursors that are not cursors of the list.
func TestCursors(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		all, times := c.fiveUploads()
		for query, want := range map[string][]string{"?end=2": all, "?start=1&end=3": all[1:], "?end=5": all, "?end=1&start_date=" + times[3]: all[:4]} {
			if got := c.followLinks(uploadsPath + query); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
		var saved []string
		for i := range 5 {
			saved = append(saved, c.Call("POST", schemasPath, schemaNamed(fmt.Sprint("cursor ", i))).WantStatus(http.StatusCreated).String("id"))
		}
		if got := c.followLinks(schemasPath + "?limit=2"); !slices.Equal(got, saved) {
			t.Errorf("schemas: %v, want %v", got, saved)
		}
		cursor := func() string {
			link := c.Call("GET", uploadsPath+"?end=2", nil).WantStatus(http.StatusOK).Header.Get("Link")
			u, err := url.Parse(strings.Trim(strings.Split(link, ";")[0], "<>"))
			if err != nil {
				t.Fatal(err)
			}
			return u.Query().Get("cursor")
		}()
		c.importFile("email\nnew@example.org\n", m{})
		if ids, _, _, total := c.window("?start=2&end=9&cursor=" + cursor); !slices.Equal(ids, all[2:]) || total != 6 {
			t.Errorf("after another upload, the cursor leads to %v of %v, want %v of 6", ids, total, all[2:])
		}
		for _, path := range []string{uploadsPath, schemasPath, "/api/v1/headless/imports/", credentialsPath} {
			for _, wrong := range []string{"x", "%00", "W10", "bnVsbA", strings.Repeat("A", 5000), cursor[:len(cursor)-3]} {
				if reply := c.Call("GET", path+"?cursor="+wrong, nil); reply.Status != http.StatusBadRequest || !strings.Contains(reply.Text(), "cursor") {
					t.Errorf("%s with the cursor %.20s: %d %s", path, wrong, reply.Status, reply.Body)
				}
			}
		}
	})
}

func TestWrongUploadWindows(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, query := range []string{
			"start=-1", "end=-1", "start=x", "end=x", "start=1.5", "end=1e3", "start=1.0", "start=3&end=2", "start=99999999999999999999", "end=0x10",
			"start=%20", "start=1%2C000", "end=null", "start=-0.5", "start=--1", "start=%D9%A1",
		} {
			if reply := backend(t, s).Call("GET", uploadsPath+"?"+query, nil); reply.Status != http.StatusBadRequest {
				t.Errorf("%s: %d %.200s", query, reply.Status, reply.Body)
			}
		}
	})
}

// moved returns a timestamp shifted by d.
func moved(t *testing.T, at string, d time.Duration) string {
	t.Helper()
	parsed, err := time.Parse("2006-01-02T15:04:05.000000Z", at)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Add(d).Format("2006-01-02T15:04:05.000000Z")
}

func TestUploadDates(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c := fresh(t, s)
		all, times := c.fiveUploads()
		today := times[0][:10]
		if times[4][:10] != today {
			t.Skip("SKIPPED: midnight came while the uploads were made")
		}
		elsewhere, _ := time.Parse(time.RFC3339, times[2])
		for name, want := range map[string]struct {
			query string
			ids   []string
		}{
			"from the middle":         {"start_date=" + times[2], all[:3]},
			"after the middle":        {"start_date=" + moved(t, times[2], time.Microsecond), all[:2]},
			"up to the middle":        {"end_date=" + times[2], all[2:]},
			"before the middle":       {"end_date=" + moved(t, times[2], -time.Microsecond), all[3:]},
			"the middle":              {"start_date=" + times[2] + "&end_date=" + times[2], all[2:3]},
			"two":                     {"start_date=" + times[3] + "&end_date=" + times[2], all[2:4]},
			"in another zone":         {"start_date=" + url.QueryEscape(elsewhere.In(time.FixedZone("", 19800)).Format(time.RFC3339Nano)), all[:3]},
			"today":                   {"start_date=" + today + "&end_date=" + today, all},
			"to today":                {"end_date=" + today, all},
			"from tomorrow":           {"start_date=" + moved(t, times[0], 24*time.Hour)[:10], nil},
			"to yesterday":            {"end_date=" + moved(t, times[0], -24*time.Hour)[:10], nil},
			"without microseconds":    {"start_date=" + times[0][:10] + "T00:00:00Z", all},
			"long ago, and after all": {"start_date=0001-01-01&end_date=9999-12-31", all},
		} {
			ids, _, _, total := c.window("?" + want.query)
			if !slices.Equal(ids, want.ids) || int(total) != len(want.ids) {
				t.Errorf("%s, %s: %v of %v, want %v", name, want.query, ids, total, want.ids)
			}
		}
		// The window applies to the filtered list.
		if ids, _, _, total := c.window("?start=1&end=2&start_date=" + times[2]); !slices.Equal(ids, all[1:2]) || total != 3 {
			t.Errorf("the window in the dates: %v of %v, want %v of 3", ids, total, all[1:2])
		}
	})
}

func TestWrongUploadDates(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		for _, date := range []string{"x", "2026-13-01", "2026-02-30", "21.11.2026", "11/21/2026", "2026-11-21T25:00:00Z", "1795236718", "2026-11", "2026-11-21Z", "now"} {
			for _, name := range []string{"start_date", "end_date"} {
				reply := backend(t, s).Call("GET", uploadsPath+"?"+name+"="+url.QueryEscape(date), nil)
				if reply.Status != http.StatusBadRequest {
					t.Errorf("%s=%s: %d %.200s", name, date, reply.Status, reply.Body)
				}
			}
		}
	})
}

// TestSlowReaders starts many clients that request the list and stop reading. Other clients
// must not be delayed.
func TestSlowReaders(t *testing.T) {
	apitest.RunOnDatabases(t, func(t *testing.T, s *apitest.Site) {
		c, other := fresh(t, s), neighbor(t, s)
		c.largeList(24)
		for range 8 {
			c.readSlowly(t)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		for _, path := range []string{"/readyz", schemasPath, uploadsPath, credentialsPath} {
			reply, err := s.TryDo(t, other.Request("GET", path, nil).WithContext(ctx))
			if err != nil || reply.Status != http.StatusOK {
				t.Errorf("while others read slowly, GET %s returns %v %+v", path, err, reply)
			}
		}
	})
}

// largeList creates uploads whose list is larger than the socket buffers. Their errors quote
// characters, each of which JSON encodes as six characters.
func (c client) largeList(n int) {
	c.T.Helper()
	file := "email\n" + strings.Repeat("x"+strings.Repeat("\x01", 4000)+"\n", 12)
	ids := make([]string, n)
	for i := range ids {
		made := c.Call("POST", importsPath, m{"fields": contacts()}).WantStatus(http.StatusCreated)
		ids[i] = made.String("id")
		c.PutFile(made.String("upload"), file).WantStatus(http.StatusOK)
	}
	for _, id := range ids {
		c.await(id)
	}
	list := c.Site.Do(c.T, c.Request("GET", uploadsPath, nil)).WantStatus(http.StatusOK)
	if size := len(list.Body); size < n*200000 {
		c.T.Fatalf("the list has only %d bytes", size)
	}
}

// readSlowly requests the list and reads only the beginning of the response.
func (c client) readSlowly(t *testing.T) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.Site.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetDeadline(time.Now().Add(apitest.Patience))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: intray\r\nX-Service-License-Key: %s\r\n\r\n", uploadsPath, c.Key)
	// A blocked program does not respond at all.
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	_, _ = conn.Read(make([]byte, 1))
}
