package webui_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/intraydata/intray/server/webui"
)

const review = "/review/0f8fad5b-d9cb-469f-a165-70867728950e"

// pages serves all pages, and lists what they load.
func pages(t *testing.T) (http.Handler, []string) {
	t.Helper()
	routes, err := webui.Pages()
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	var assets []string
	for route, handler := range routes {
		mux.Handle(route, handler)
		if path := strings.TrimPrefix(route, "GET "); strings.HasPrefix(path, "/assets/") {
			assets = append(assets, path)
		}
	}
	slices.Sort(assets)
	if len(assets) < 5 {
		t.Fatalf("the pages load %v and no more", assets)
	}
	return mux, assets
}

func get(t *testing.T, h http.Handler, method, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	h.ServeHTTP(w, r)
	answer := w.Result()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

func TestPagesLoadOnlyWhatIsThere(t *testing.T) {
	h, _ := pages(t)
	links := regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	for _, path := range []string{"/", review} {
		answer, text := get(t, h, "GET", path)
		if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
			t.Fatalf("%s: status %d, %s", path, answer.StatusCode, answer.Header.Get("Content-Type"))
		}
		found := links.FindAllStringSubmatch(text, -1)
		if len(found) < 2 {
			t.Errorf("%s loads nothing but %v", path, found)
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
	h, assets := pages(t)
	for _, path := range []string{"/", review} {
		_, text := get(t, h, "GET", path)
		if found := inline.FindString(text); found != "" {
			t.Errorf("%s holds %q, which the policy forbids", path, found)
		}
	}
	script := regexp.MustCompile(`outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function`)
	for _, path := range assets {
		if _, text := get(t, h, "GET", path); strings.HasSuffix(path, ".js") && script.FindString(text) != "" {
			t.Errorf("%s uses %q, which trusted types forbid", path, script.FindString(text))
		}
	}
}

func TestHeadersOfPages(t *testing.T) {
	h, assets := pages(t)
	for _, path := range append([]string{"/", review}, assets...) {
		answer, _ := get(t, h, "GET", path)
		caching := "no-cache"
		if strings.HasPrefix(path, "/assets/") {
			caching = "public, max-age=31536000, immutable"
		}
		for name, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow", "Cache-Control": caching, "Cross-Origin-Opener-Policy": "same-origin", "Vary": "Accept-Encoding",
		} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		policy := answer.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "script-src 'self'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q has no %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy %q lets unsafe things pass", path, policy)
		}
	}
}

// TestNamesOfAssetsHaveTheirHash holds what may be kept for good against its name.
func TestNamesOfAssetsHaveTheirHash(t *testing.T) {
	_, assets := pages(t)
	hashed := regexp.MustCompile(`-[\w-]{8}\.(js|css|svg)$`)
	for _, path := range assets {
		if !hashed.MatchString(path) {
			t.Errorf("%s has no hash in its name and would be kept for good", path)
		}
	}
}

func TestPackedPages(t *testing.T) {
	h, assets := pages(t)
	for _, path := range append([]string{"/", review}, assets...) {
		_, plain := get(t, h, "GET", path)
		answer, packed := get(t, h, "GET", path, "Accept-Encoding", "br, gzip;q=0.5")
		if answer.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s is not packed", path)
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader([]byte(packed)))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || string(text) != plain {
			t.Errorf("%s is another one when packed: %v", path, err)
		}
		tag := answer.Header.Get("ETag")
		if again, text := get(t, h, "GET", path, "Accept-Encoding", "gzip", "If-None-Match", tag); again.StatusCode != http.StatusNotModified || text != "" {
			t.Errorf("%s is sent again to who has %s: status %d", path, tag, again.StatusCode)
		}
	}
	for accepted, want := range map[string]string{"": "", "br": "", "gzip;q=0": "", "gzip;q=0.0": "", "GZIP": "gzip", "deflate, gzip;q=1.0": "gzip"} {
		if answer, _ := get(t, h, "GET", review, "Accept-Encoding", accepted); answer.Header.Get("Content-Encoding") != want {
			t.Errorf("who takes %q is sent %q, want %q", accepted, answer.Header.Get("Content-Encoding"), want)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	h, _ := pages(t)
	for _, path := range []string{"/assets/", "/assets", "/dist/index.html", "/index.html", "/review.html", "/review/", "/assets/missing.js", "/sources.sha256", "/.vite/manifest.json", "/web.go"} {
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
	h, assets := pages(t)
	for _, path := range assets {
		answer, _ := get(t, h, "GET", path)
		want := map[string]string{"css": "text/css", ".js": "text/javascript", "svg": "image/svg+xml"}[path[len(path)-3:]]
		if got := answer.Header.Get("Content-Type"); want == "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}
