package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

type object = map[string]any

// told is an import as the API tells it to the page.
func told(status string, bad int, notices ...object) object {
	return object{
		"id": "x", "title": "Contacts", "status": status, "original_filename": "people.csv",
		"num_data_rows": 45, "num_rows_with_error": bad, "import_errors": append([]object{}, notices...),
	}
}

func badCell(row int) object {
	return object{"type": "VALIDATION", "level": "error", "message": "This is not an e-mail address.", "rowIndex": row, "header": "E-Mail", "value": "<b>nobody"}
}

func times(n int, make func(int) object) (list []object) {
	for i := range n {
		list = append(list, make(i))
	}
	return list
}

// TestReviewPage looks at the page in each state with a browser: what it must
// show, and what not.
func TestReviewPage(t *testing.T) {
	warning := object{"type": "X", "level": "warning", "message": "The column feeds no field."}
	note := object{"type": "TRUNCATED", "level": "info", "message": "9 of 99 notices are listed here."}
	question := object{"type": "COLUMN_CONFLICT", "level": "error", "message": "2 columns fit."}
	for name, c := range map[string]struct {
		status     int
		it         object
		want, lack []string
	}{
		"awaiting": {200, told("AWAITING_UPLOAD", 0), []string{"Waiting for the file", "nothing to review until it arrives. This page updates by itself."}, []string{"Data row", "At most"}},
		"cells":    {200, told("NEEDS_REVIEW", 2, badCell(1), badCell(40)), []string{"2 of 45 rows have an error.", "correct the file as described below", "Data row 2 · E-Mail · &lt;b&gt;nobody", "Data row 41 ", "first row below the header"}, []string{"<b>nobody", "At most"}},
		"question": {200, told("NEEDS_REVIEW", 0, question, warning, note), []string{"One question is open.", "feeds no field"}, []string{"9 of 99", "Data row"}},
		"49":       {200, told("NEEDS_REVIEW", 49, times(49, badCell)...), []string{"Data row 49 "}, []string{"At most"}},
		"50":       {200, told("NEEDS_REVIEW", 50, times(50, badCell)...), []string{"Data row 50 ", "At most 50 problems are listed here."}, nil},
		"failed":   {200, told("FAILED", 0, object{"type": "UNREADABLE_FILE", "level": "error", "message": "It is no table."}), []string{"The reason is below. Correct the file", "It is no table."}, nil},
		"complete": {200, told("SUCCESSFUL", 0), []string{"The import is complete.", "45 rows read, none with an error."}, []string{"Data row"}},
		"token":    {403, nil, []string{"This link does not open the import."}, []string{"Try again"}},
		"gone":     {404, nil, []string{"This import no longer exists."}, nil},
		"broken":   {500, nil, []string{"The import could not be looked up.", "Try again"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			page, _ := browse(t, c.status, c.it, "", 1000)
			for _, text := range c.want {
				if !strings.Contains(page, text) {
					t.Errorf("the page lacks %q:\n%s", text, page)
				}
			}
			for _, text := range c.lack {
				if strings.Contains(page, text) {
					t.Errorf("the page shows %q:\n%s", text, page)
				}
			}
		})
	}
}

// TestReviewPageAsksInOneChain changes the fragment while the page waits for
// its next question.
func TestReviewPageAsksInOneChain(t *testing.T) {
	const steps = `for (let i = 1; i <= 5; i++) setTimeout(() => { location.hash = "t" + i; }, 100 * i);`
	_, asked := browse(t, 200, told("RUNNING", 0), steps, 9000)
	// Six questions at the beginning, then one every 2 s.
	if asked < 8 || asked > 11 {
		t.Errorf("the page asked %d times in 9 s, want 8 to 11", asked)
	}
}

var (
	hidden = regexp.MustCompile(`(?s)<(p|ul|button)[^>]* hidden=""[^>]*>.*?</(p|ul|button)>`)
	markup = regexp.MustCompile(`</?(code|span)[^>]*>`)
)

// browse opens the page for so many milliseconds of the browser's own time, and
// gives what is shown and how often the API was asked. Steps are run in the
// page.
func browse(t *testing.T, status int, it object, steps string, milliseconds int) (string, int64) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIPPED: there is no chromium in PATH; apt-get install chromium")
	}
	var asked atomic.Int64
	mux, all := http.NewServeMux(), pages(t)
	mux.Handle("/", all)
	mux.HandleFunc("GET /assets/review.js", func(w http.ResponseWriter, r *http.Request) {
		script, text := get(t, all, "GET", r.URL.Path)
		w.Header().Set("Content-Type", script.Header.Get("Content-Type"))
		_, _ = io.WriteString(w, text+steps)
	})
	mux.HandleFunc("GET /api/review/v1/{id}/", func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(it)
	})
	mux.HandleFunc("POST /api/review/v1/{id}/session/", func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); !strings.HasPrefix(got, "Bearer t") {
			t.Errorf("the page asks with %q", got)
		}
		asked.Add(1)
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(it)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		fmt.Sprintf("--virtual-time-budget=%d", milliseconds), "--dump-dom", server.URL+review+"#t")
	page, err := command.Output()
	if err != nil {
		t.Fatalf("the browser: %v", err)
	}
	return markup.ReplaceAllString(hidden.ReplaceAllString(string(page), ""), ""), asked.Load()
}
