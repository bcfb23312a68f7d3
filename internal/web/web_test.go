package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/web"
)

func pages(t *testing.T) http.Handler {
	t.Helper()
	routes, err := web.Pages()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	for route, handler := range routes {
		mux.Handle(route, handler)
	}
	return mux
}

func get(t *testing.T, h http.Handler, method, path string) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	answer := w.Result()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

const review = "/review/0f8fad5b-d9cb-469f-a165-70867728950e"

func TestPagesLoadOnlyWhatIsThere(t *testing.T) {
	h := pages(t)
	links := regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	for _, path := range []string{"/", review} {
		answer, text := get(t, h, "GET", path)
		if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			t.Fatalf("%s: status %d, %s", path, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
		found := links.FindAllStringSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s loads nothing", path)
		}
		for _, link := range found {
			target := link[1]
			if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") {
				t.Errorf("%s refers to %s, which is not an absolute path of this service", path, target)
				continue
			}
			if answer, _ := get(t, h, "GET", target); strings.HasPrefix(target, "/assets/") && answer.StatusCode != http.StatusOK {
				t.Errorf("%s loads %s: status %d", path, target, answer.StatusCode)
			}
		}
	}
}

// TestPagesObeyTheirPolicy looks for what the policy would keep from working.
func TestPagesObeyTheirPolicy(t *testing.T) {
	inline := regexp.MustCompile(`(?is)<script(?:\s[^>]*)?>\s*[^\s<]|<style|\sstyle=|\son[a-z]+=|javascript:|<iframe|<object|<embed|<base|<form`)
	h := pages(t)
	for _, path := range []string{"/", review} {
		_, text := get(t, h, "GET", path)
		if found := inline.FindString(text); found != "" {
			t.Errorf("%s holds %q, which the policy forbids", path, found)
		}
	}
	script := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function`)
	routes, err := web.Pages()
	if err != nil {
		t.Fatal(err)
	}
	for route := range routes {
		path := strings.TrimPrefix(route, "GET ")
		if !strings.HasSuffix(path, ".js") {
			continue
		}
		if _, text := get(t, h, "GET", path); script.FindString(text) != "" {
			t.Errorf("%s uses %q, which trusted types forbid", path, script.FindString(text))
		}
	}
}

func TestHeadersOfPages(t *testing.T) {
	h := pages(t)
	for _, path := range []string{"/", review, "/assets/page.css", "/assets/review.js"} {
		answer, _ := get(t, h, "GET", path)
		for name, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow", "Cache-Control": "no-cache", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		policy := answer.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "script-src 'self'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q has no %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy %q lets unsafe things pass", path, policy)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	h := pages(t)
	for _, path := range []string{"/assets/", "/assets", "/dist/index.html", "/index.html", "/review.html", "/review/", "/assets/missing.js", "/web.go"} {
		if answer, text := get(t, h, "GET", path); answer.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d, %.100s", path, answer.StatusCode, text)
		}
	}
	if answer, _ := get(t, h, "POST", "/"); answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST to a page: status %d", answer.StatusCode)
	}
	if answer, text := get(t, h, "HEAD", review); answer.StatusCode != http.StatusOK || text != "" {
		t.Errorf("HEAD of a page: status %d, %q", answer.StatusCode, text)
	}
}

func TestTypesOfAssets(t *testing.T) {
	h := pages(t)
	for path, want := range map[string]string{"/assets/page.css": "text/css", "/assets/review.js": "text/javascript", "/assets/mark.svg": "image/svg+xml"} {
		answer, _ := get(t, h, "GET", path)
		if got := answer.Header.Get("Content-Type"); !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q, want %s", path, got, want)
		}
	}
}
