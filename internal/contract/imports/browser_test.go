package imports_test

import (
	"context"
	"html"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/internal/contract/site"
)

// hostile is text that must stay text.
const hostile = `<img src=x onerror="document.title='owned'"><script>document.title="owned"</script>'"&amp;`

// dom opens an address in a browser and gives the page as it is after its
// scripts have run.
func dom(t *testing.T, address string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("SKIPPED: there is no browser, the program chromium is not in PATH")
	}
	ctx, cancel := context.WithTimeout(context.Background(), site.Patience)
	defer cancel()
	command := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(),
		"--virtual-time-budget=8000", "--dump-dom", address)
	command.WaitDelay = 5 * time.Second
	page, err := command.Output()
	if err != nil {
		t.Fatalf("the browser failed: %v", err)
	}
	return string(page)
}

// shown is a page and what it must show.
type shown struct {
	state, address string
	badge, title   string
	texts          []string
}

// TestReviewPageInBrowser opens the review page of imports in each state, with
// names and cells that try to be more than text.
func TestReviewPageInBrowser(t *testing.T) {
	c := onSQLite(t)
	body := func(behaviour string) m {
		return inline(people(), settings(m{"title": hostile, "invalidDataBehavior": behaviour}), m{"original_filename": hostile})
	}
	cell := `"` + strings.ReplaceAll(hostile, `"`, `""`) + `"`
	file := "email,name\n" + cell + ",A\n" + goodRow
	title := hostile + " · review"
	done := c.run(body("REMOVE_INVALID_ROWS"), file).want("SUCCESSFUL")
	open := c.run(body("BLOCK_SUBMIT"), file).want("NEEDS_REVIEW")
	double := c.run(body("BLOCK_SUBMIT"), "email,"+cell+",name,name\n").want("NEEDS_REVIEW")
	failed := c.run(body("BLOCK_SUBMIT"), "[{\"email\":\"x\"},\n\n"+hostile).want("FAILED")
	awaits := c.create(body("BLOCK_SUBMIT")).String("review_url")
	review := open.doc["review_url"].(string)
	bare, _, _ := strings.Cut(review, "#")
	for _, page := range []shown{
		{"NEEDS_REVIEW", review, "Needs review", title, []string{hostile, "Data row 1"}},
		{"NEEDS_REVIEW for its columns", double.doc["review_url"].(string), "Needs review", title, []string{hostile, "name"}},
		{"SUCCESSFUL", done.doc["review_url"].(string), "Done", title, []string{hostile, "complete"}},
		{"FAILED", failed.doc["review_url"].(string), "Failed", title, []string{hostile, "line 3"}},
		{"AWAITING_UPLOAD", awaits, "Waiting for the file", title, []string{"nothing to review"}},
		{"another token", bare + "#" + c.address(awaits).Fragment, "Not shown", "Review an import", []string{"does not open"}},
		{"no token", bare, "Not shown", "Review an import", []string{"does not open"}},
	} {
		t.Run(page.state, func(t *testing.T) { page.check(t, dom(t, page.address)) })
	}
}

var (
	titleText = regexp.MustCompile(`(?s)<title>(.*?)</title>`)
	badgeText = regexp.MustCompile(`(?s)id="badge"[^>]*>(.*?)<`)
	handlers  = regexp.MustCompile(`<[a-z]+[^>]*\son[a-z]+=`)
)

func (want shown) check(t *testing.T, page string) {
	t.Helper()
	if got := firstOf(titleText, page); got != want.title {
		t.Errorf("the title is %q", got)
	}
	if got := firstOf(badgeText, page); got != want.badge {
		t.Errorf("the badge is %q", got)
	}
	text := html.UnescapeString(page)
	for _, part := range want.texts {
		if !strings.Contains(text, part) {
			t.Errorf("the page does not show %q: %s", part, page)
		}
	}
	// What was text in a file is no element now.
	if strings.Count(page, "<script") != 1 || strings.Count(page, "<img") != 1 || handlers.MatchString(page) {
		t.Errorf("the page has elements that are not its own: %s", page)
	}
}

func firstOf(form *regexp.Regexp, page string) string {
	match := form.FindStringSubmatch(page)
	if match == nil {
		return ""
	}
	return html.UnescapeString(match[1])
}
