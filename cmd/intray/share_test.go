package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sharing is a running share command.
type sharing struct {
	lines  *bufio.Scanner
	cancel context.CancelFunc
	status chan int
	output strings.Builder
}

func startShare(t *testing.T, args ...string) *sharing {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	from, to := io.Pipe()
	s := &sharing{lines: bufio.NewScanner(from), cancel: cancel, status: make(chan int, 1)}
	go func() {
		s.status <- run(ctx, append([]string{"share", "--no-browser"}, args...), streams{strings.NewReader(""), to, io.Discard})
		_ = to.Close()
	}()
	return s
}

// waitFor reads lines until one matches, and returns its first group.
func (s *sharing) waitFor(t *testing.T, pattern string) string {
	t.Helper()
	for s.lines.Scan() {
		s.output.WriteString(s.lines.Text() + "\n")
		if match := regexp.MustCompile(pattern).FindStringSubmatch(s.lines.Text()); match != nil {
			return match[1]
		}
	}
	t.Fatalf("no line matches %s:\n%s", pattern, s.output.String())
	return ""
}

func (s *sharing) stop(t *testing.T) {
	t.Helper()
	s.cancel()
	for s.lines.Scan() {
		s.output.WriteString(s.lines.Text() + "\n")
	}
	if got := <-s.status; got != exitDone {
		t.Errorf("status %d:\n%s", got, s.output.String())
	}
}

const shareSchema = `{"fields":[{"key":"email","label":"Email","type":"email"}],"settings":{},"extensions":{"page":{"title":"Your list"}}}`

// TestShare sends a file through the link of a share command and submits it, as the page does. The
// command must write the result next to an existing file of the same name.
func TestShare(t *testing.T) {
	folder := t.TempDir()
	schema, file := filepath.Join(folder, "people.schema.json"), filepath.Join(folder, "people.csv")
	write(t, schema, shareSchema)
	write(t, file, "E-Mail\nada@example.org\n")
	write(t, filepath.Join(folder, "people.result.json"), "mine")
	s := startShare(t, schema, "--file", file, "--out", folder)
	address := s.waitFor(t, `^Link: (http://127\.0\.0\.1:[0-9]+/review/[0-9a-f-]{36}/#\S+)$`)
	submitReview(t, address)
	name := s.waitFor(t, `^Received people\.csv: (\S+)$`)
	s.stop(t)
	got, err := os.ReadFile(name)
	if err != nil || strings.TrimSpace(string(got)) != `[{"email":"ada@example.org"}]` {
		t.Errorf("%s is %q, error %v", name, got, err)
	}
	if mine, err := os.ReadFile(filepath.Join(folder, "people.result.json")); err != nil || string(mine) != "mine" {
		t.Errorf("the existing file is %q, error %v", mine, err)
	}
}

func TestShareLink(t *testing.T) {
	folder := t.TempDir()
	schema := filepath.Join(folder, "people.schema.json")
	write(t, schema, shareSchema)
	s := startShare(t, schema)
	address := s.waitFor(t, `^Link: (http://127\.0\.0\.1:[0-9]+/in/\S+)$`)
	at := strings.LastIndex(address, "/in/")
	page := request(t, "POST", address[:at]+"/api/in/v1/session/", "Authorization", "Bearer "+address[at+4:])
	if !strings.Contains(page, `"title":"Your list"`) {
		t.Errorf("the page is %s", page)
	}
	s.stop(t)
}

func TestShareUsage(t *testing.T) {
	folder := t.TempDir()
	schema := filepath.Join(folder, "s.json")
	write(t, schema, shareSchema)
	write(t, filepath.Join(folder, "broken.json"), "{")
	for _, args := range [][]string{
		{filepath.Join(folder, "none.json")}, {filepath.Join(folder, "broken.json")}, {schema, "--out", filepath.Join(folder, "none")},
	} {
		if got := run(t.Context(), append([]string{"share"}, args...), streams{strings.NewReader(""), io.Discard, io.Discard}); got != exitUsage {
			t.Errorf("share %v: status %d", args, got)
		}
	}
}

// TestCreateResult checks that the name of a file from another person cannot leave the folder or
// hide the result.
func TestCreateResult(t *testing.T) {
	s := &share{folder: t.TempDir()}
	var got []string
	for _, sent := range []string{"a.csv", "a.xlsx", "../../a.csv", `C:\files\b.csv`, ".hidden", "/", "", ".."} {
		file, err := s.createResult(sent)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(s.folder, file.Name())
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, name)
	}
	want := []string{"a.result.json", "a.2.result.json", "a.3.result.json", "b.result.json", "import.result.json", "import.2.result.json", "import.3.result.json", "import.4.result.json"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// submitReview waits until the import of a review link has been read, and submits it.
func submitReview(t *testing.T, address string) {
	t.Helper()
	path, token, _ := strings.Cut(address, "#")
	api := strings.Replace(path, "/review/", "/api/review/v1/", 1)
	for {
		r, err := http.NewRequestWithContext(t.Context(), "POST", api+"session/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		if err := response.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("open the review: %d %s, error %v", response.StatusCode, text, err)
		}
		if strings.Contains(string(text), `"status":"NEEDS_REVIEW"`) {
			cookie, _, _ := strings.Cut(response.Header.Get("Set-Cookie"), ";")
			request(t, "POST", api+"submit/", "Cookie", cookie)
			return
		}
	}
}

// request sends a request that must succeed, and returns the body of the response.
func request(t *testing.T, method, address, header, value string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(header, value)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s, error %v", method, address, response.StatusCode, text, err)
	}
	return string(text)
}
