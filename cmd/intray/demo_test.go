package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/internal/wire"
)

// TestDemoNotices checks that the demo prints three notices, errors first, with row numbers
// that are counted from 1.
func TestDemoNotices(t *testing.T) {
	row, value := int64(6), "nobody"
	infos := wire.Notice{Level: "info", Message: wire.Message{Text: "Fine."}}
	failed := wire.Notice{Level: "error", Message: wire.Message{Text: "Not an address."}, RowIndex: &row, Header: "E-Mail", Value: &value}
	for _, c := range []struct {
		notices []wire.Notice
		want    string
	}{
		{nil, ""},
		{[]wire.Notice{infos, failed}, "     data row 7, E-Mail: nobody: Not an address.\n     Fine.\n"},
		{[]wire.Notice{infos, failed, infos, infos, failed}, "     data row 7, E-Mail: nobody: Not an address.\n     data row 7, E-Mail: nobody: Not an address.\n     Fine.\n     … and more: 0 errors, 2 other notices\n"},
	} {
		var out strings.Builder
		(&demo{out: &out}).printNotices(c.notices)
		if diff := cmp.Diff(c.want, out.String()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}

// TestDemo starts the demo, reads its output up to the link, and stops the demo.
// The demo must delete its folder.
func TestDemo(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	from, to := io.Pipe()
	var said strings.Builder
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, []string{"demo", "--no-browser"}, streams{strings.NewReader(""), to, io.Discard})
		_ = to.Close()
	}()
	link := regexp.MustCompile(`^Review: http://127\.0\.0\.1:[0-9]+/review/[0-9a-f-]{36}/#\S+$`)
	found := false
	for lines := bufio.NewScanner(from); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		found = found || link.MatchString(lines.Text())
		if strings.HasPrefix(lines.Text(), "Press Ctrl+C") {
			cancel()
		}
	}
	if got := <-status; got != exitDone || !found {
		t.Errorf("status %d, output:\n%s", got, said.String())
	}
	for _, want := range []string{"180 rows, 10 with an error", "NEEDS_REVIEW", "row "} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, said.String())
		}
	}
	if strings.Contains(said.String(), "\x1b") {
		t.Error("the output has colors, but is not a terminal")
	}
	left, err := filepath.Glob(filepath.Join(temp, "intray-demo-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("folders left: %v, error %v", left, err)
	}
	if _, err := os.Stat(temp); err != nil {
		t.Fatal(err)
	}
}
