// Package webui holds the pages that people see, and the headers that go with
// them. The pages are files in dist, built from the folder ui and embedded into
// the program; they hold no facts of any import and ask the API for those. The
// package knows no import, no key and no organization.
package webui

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed dist
var dist embed.FS

const (
	// cacheRevalidate lets a browser keep a page, and ask before it shows it again.
	cacheRevalidate = "no-cache"
	// cacheImmutable is for what has a hash of its bytes in its name.
	cacheImmutable = "public, max-age=31536000, immutable"
)

// Pages gives what serves each route: the start page, the review page of any
// import, and each file that they load.
func Pages() (map[string]http.Handler, error) {
	pages := map[string]http.Handler{}
	put := func(route, name, caching string) error {
		f, err := loadFile("dist/"+name, caching)
		pages["GET "+route] = f
		return err
	}
	if err := put("/{$}", "index.html", cacheRevalidate); err != nil {
		return nil, err
	}
	if err := put("/review/{id}", "review.html", cacheRevalidate); err != nil {
		return nil, err
	}
	assets, err := fs.ReadDir(dist, "dist/assets")
	if err != nil {
		return nil, fmt.Errorf("list the files of the pages: %w", err)
	}
	for _, asset := range assets {
		if err := put("/assets/"+asset.Name(), "assets/"+asset.Name(), cacheImmutable); err != nil {
			return nil, err
		}
	}
	return pages, nil
}

// contentSecurityPolicy lets the pages load what this service itself serves and nothing else,
// run no inline script, and stand in no frame.
const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// mediaTypes are the media types of what the pages are made of. The table of the
// machine is not asked: it may lack them, or have others.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// file is a file of the pages, as it is and packed.
type file struct {
	mediaType, cacheControl, tag string
	plain, gzipped               []byte
}

func loadFile(name, caching string) (*file, error) {
	plain, err := dist.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read a file of the pages: %w", err)
	}
	kind, known := mediaTypes[path.Ext(name)]
	if !known {
		return nil, fmt.Errorf("read a file of the pages: %s is of no kind that pages are made of", name)
	}
	packed, err := gzipBytes(plain)
	if err != nil {
		return nil, fmt.Errorf("pack %s: %w", name, err)
	}
	sum := sha256.Sum256(plain)
	return &file{mediaType: kind, cacheControl: caching, tag: hex.EncodeToString(sum[:12]), plain: plain, gzipped: packed}, nil
}

func gzipBytes(plain []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Cache-Control", f.cacheControl)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Type", f.mediaType)
	h.Set("Vary", "Accept-Encoding")
	body, tag := f.plain, f.tag
	if takesGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body, tag = f.gzipped, f.tag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// takesGzip reads Accept-Encoding (RFC 9110, 12.5.3); a weight of 0 is a no.
func takesGzip(accepted string) bool {
	for one := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(one, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			_, zero, _ := strings.Cut(weight, "=")
			return strings.Trim(strings.TrimSpace(zero), "0.") != "" || strings.TrimSpace(weight) == ""
		}
	}
	return false
}
