package webui_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
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

// pages returns a handler for all pages, and the paths of the assets.
func pages(t *testing.T) (http.Handler, []string) {
	t.Helper()
	routes, err := webui.Pages(func(context.Context) ([]string, bool, error) { return []string{"https://app.example.com"}, false, nil }, "")
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
		t.Fatalf("the only assets are %v", assets)
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
	response := w.Result()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(text)
}

func TestLinksOfPages(t *testing.T) {
	h, _ := pages(t)
	links := regexp.MustCompile(`(?:src|href)="([^"]*)"`)
	for _, path := range []string{"/", review} {
		response, text := get(t, h, "GET", path)
		if response.StatusCode != http.StatusOK || !strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
			t.Fatalf("%s: status %d, %s", path, response.StatusCode, response.Header.Get("Content-Type"))
		}
		found := links.FindAllStringSubmatch(text, -1)
		if len(found) < 2 {
			t.Errorf("%s has only the links %v", path, found)
		}
		for _, link := range found {
			target := link[1]
			if !strings.HasPrefix(target, "/") || strings.HasPrefix(target, "//") {
				t.Errorf("%s refers to %s, which is not an absolute path of this service", path, target)
				continue
			}
			if response, _ := get(t, h, "GET", target); strings.HasPrefix(target, "/assets/") && response.StatusCode != http.StatusOK {
				t.Errorf("%s loads %s: status %d", path, target, response.StatusCode)
			}
		}
	}
}

// The pages must not contain anything that their content security policy forbids.
func TestPagesFollowTheirPolicy(t *testing.T) {
	inline := regexp.MustCompile(`(?is)<script(?:\s[^>]*)?>\s*[^\s<]|<style|\sstyle=|\son[a-z]+=|javascript:|<iframe|<object|<embed|<base|<form`)
	h, assets := pages(t)
	for _, path := range []string{"/", review} {
		_, text := get(t, h, "GET", path)
		if found := inline.FindString(text); found != "" {
			t.Errorf("%s contains %q, which the policy forbids", path, found)
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
		response, _ := get(t, h, "GET", path)
		caching := "no-cache"
		if strings.HasPrefix(path, "/assets/") {
			caching = "public, max-age=31536000, immutable"
		}
		for name, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow", "Cache-Control": caching, "Cross-Origin-Opener-Policy": "same-origin", "Vary": "Accept-Encoding",
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		policy := response.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "script-src 'self'", "require-trusted-types-for 'script'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy %q has no %s", path, policy, part)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy %q allows unsafe sources", path, policy)
		}
	}
}

// Asset names must contain a hash, because browsers cache assets for a year.
func TestNamesOfAssets(t *testing.T) {
	_, assets := pages(t)
	hashed := regexp.MustCompile(`-[\w-]{8}\.(js|css|svg)$`)
	for _, path := range assets {
		if !hashed.MatchString(path) {
			t.Errorf("%s has no hash in its name", path)
		}
	}
}

func TestCompression(t *testing.T) {
	h, assets := pages(t)
	for _, path := range append([]string{"/", review}, assets...) {
		_, plain := get(t, h, "GET", path)
		response, compressed := get(t, h, "GET", path, "Accept-Encoding", "br, gzip;q=0.5")
		if response.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s is not compressed", path)
			continue
		}
		r, err := gzip.NewReader(bytes.NewReader([]byte(compressed)))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || string(text) != plain {
			t.Errorf("%s differs when decompressed: %v", path, err)
		}
		tag := response.Header.Get("ETag")
		if again, text := get(t, h, "GET", path, "Accept-Encoding", "gzip", "If-None-Match", tag); again.StatusCode != http.StatusNotModified || text != "" {
			t.Errorf("%s is sent again with the ETag %s: status %d", path, tag, again.StatusCode)
		}
	}
	for accepted, want := range map[string]string{"": "", "br": "", "gzip;q=0": "", "gzip;q=0.0": "", "GZIP": "gzip", "deflate, gzip;q=1.0": "gzip"} {
		if response, _ := get(t, h, "GET", review, "Accept-Encoding", accepted); response.Header.Get("Content-Encoding") != want {
			t.Errorf("Accept-Encoding %q: the encoding is %q, want %q", accepted, response.Header.Get("Content-Encoding"), want)
		}
	}
}

func TestOtherPaths(t *testing.T) {
	h, _ := pages(t)
	for _, path := range []string{"/assets/", "/assets", "/dist/index.html", "/index.html", "/review.html", "/review/", "/assets/missing.js", "/sources.sha256", "/.vite/manifest.json", "/web.go"} {
		if response, text := get(t, h, "GET", path); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d, %.100s", path, response.StatusCode, text)
		}
	}
	if response, _ := get(t, h, "POST", "/"); response.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST to a page: status %d", response.StatusCode)
	}
	if response, text := get(t, h, "HEAD", review); response.StatusCode != http.StatusOK || text != "" {
		t.Errorf("HEAD of a page: status %d, %q", response.StatusCode, text)
	}
}

func TestTypesOfAssets(t *testing.T) {
	h, assets := pages(t)
	for _, path := range assets {
		response, _ := get(t, h, "GET", path)
		want := map[string]string{"css": "text/css", ".js": "text/javascript", "svg": "image/svg+xml"}[path[len(path)-3:]]
		if got := response.Header.Get("Content-Type"); want == "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
}

// TestWidgetPage checks which pages may show the widget in a frame, and that a host name of its own
// serves it.
func TestWidgetPage(t *testing.T) {
	for _, c := range []struct {
		origins    []string
		everywhere bool
		err        error
		want       string
	}{
		{nil, false, nil, "frame-ancestors 'none'"},
		{[]string{"https://a.example", "http://b.example:8080"}, false, nil, "frame-ancestors https://a.example http://b.example:8080;"},
		{[]string{"https://a.example"}, true, nil, "frame-ancestors *;"},
		{nil, false, errors.New("no database"), ""},
	} {
		routes, err := webui.Pages(func(context.Context) ([]string, bool, error) { return c.origins, c.everywhere, c.err }, "")
		if err != nil {
			t.Fatal(err)
		}
		for route, host := range map[string]string{"GET /widget": "imports.example", "GET /{$}": "widget.imports.example"} {
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
			r.Host = host
			routes[route].ServeHTTP(w, r)
			policy := w.Header().Get("Content-Security-Policy")
			if c.err == nil && (w.Code != http.StatusOK || !strings.Contains(policy, c.want) || !strings.Contains(w.Body.String(), "/assets/widget-")) {
				t.Errorf("%s of %s: status %d, policy %q", route, host, w.Code, policy)
			}
			if c.err != nil && w.Code != http.StatusServiceUnavailable {
				t.Errorf("%s without a database: status %d", route, w.Code)
			}
		}
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		routes["GET /{$}"].ServeHTTP(w, r)
		if policy := w.Header().Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("the start page has the policy %q", policy)
		}
	}
}

// Only the pages that send files may connect to the bucket, and only if direct uploads are possible.
func TestUploadOrigin(t *testing.T) {
	for _, origin := range []string{"", "https://files.s3.eu-central-1.amazonaws.com"} {
		routes, err := webui.Pages(func(context.Context) ([]string, bool, error) { return nil, false, nil }, origin)
		if err != nil {
			t.Fatal(err)
		}
		for route, sends := range map[string]bool{"GET /in/{token}": true, "GET /widget": true, "GET /{$}": false, "GET /review/{id}": false} {
			response, _ := get(t, routes[route], "GET", "/")
			want := "; connect-src 'self'; "
			if sends && origin != "" {
				want = "; connect-src 'self' " + origin + "; "
			}
			if policy := response.Header.Get("Content-Security-Policy"); !strings.Contains(policy, want) {
				t.Errorf("%s has the policy %q, want %q", route, policy, want)
			}
		}
	}
}
