// Package webui serves the pages of the user interface. They are built from the folder ui into
// dist, compressed into gzip, and embedded into the program. The pages contain no data. They load
// it from the API.
package webui

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// pages are the pages and assets, compressed. The test of the package writes the files with -update.
//
//go:embed gzip
var pages embed.FS

const (
	// cacheRevalidate lets browsers cache a page, but they must revalidate it before each use.
	cacheRevalidate = "no-cache"
	// cacheImmutable is for files whose names contain a hash of their content.
	cacheImmutable = "public, max-age=31536000, immutable"
)

// Embedders returns the origins of the pages that may embed the widget. everywhere reports whether all
// pages may.
type Embedders func(ctx context.Context) (origins []string, everywhere bool, err error)

// Pages returns the handlers of the start page, the review page, the import page, the widget and their
// assets, by route. A host name that begins with "widget." serves the widget as its start page. The pages
// that send files may also connect to uploadOrigin, unless it is "".
func Pages(embedders Embedders, uploadOrigin string) (map[string]http.Handler, error) {
	handlers := map[string]http.Handler{}
	addPage := func(route, name, caching string) error {
		f, err := loadFile(name, caching)
		handlers["GET "+route] = f
		return err
	}
	start, err := loadFile("index.html", cacheRevalidate)
	if err != nil {
		return nil, err
	}
	frame, err := loadFile("widget.html", cacheRevalidate)
	if err != nil {
		return nil, err
	}
	link, err := loadFile("import.html", cacheRevalidate)
	if err != nil {
		return nil, err
	}
	widget := &widgetPage{frame, embedders, uploadOrigin}
	handlers["GET /widget"] = widget
	handlers["GET /{$}"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Host, "widget.") {
			widget.ServeHTTP(w, r)
			return
		}
		start.ServeHTTP(w, r)
	})
	if err := addPage("/review/{id}", "review.html", cacheRevalidate); err != nil {
		return nil, err
	}
	handlers["GET /in/{token}"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		link.serve(w, r, policy{"'none'", "'none'", uploadOrigin})
	})
	assets, err := fs.ReadDir(pages, "gzip/assets")
	if err != nil {
		return nil, fmt.Errorf("list the assets: %w", err)
	}
	for _, asset := range assets {
		name := "assets/" + strings.TrimSuffix(asset.Name(), ".gz")
		if err := addPage("/"+name, name, cacheImmutable); err != nil {
			return nil, err
		}
	}
	return handlers, nil
}

// policy determines what a page may do besides using resources from this server.
type policy struct {
	// ancestors are the pages that may show the page in a frame.
	ancestors string
	// frames are the pages that the page may show in frames.
	frames string
	// connect is an origin to which the page may connect, or "".
	connect string
}

// strict is for pages that are not shown in frames, show none, and connect only to this server.
var strict = policy{"'none'", "'none'", ""}

// header returns the content security policy, which also forbids inline scripts.
func (p policy) header() string {
	connect := "'self'"
	if p.connect != "" {
		connect += " " + p.connect
	}
	return "default-src 'none'; script-src 'self'; style-src 'self'; connect-src " + connect + "; img-src 'self'; " +
		"base-uri 'none'; form-action 'none'; frame-src " + p.frames + "; frame-ancestors " + p.ancestors + "; require-trusted-types-for 'script'"
}

// widgetPage serves the widget. Pages of the origins of all frontend keys may show it in a frame. It
// does nothing until such a page has passed a key that allows the origin of the page.
type widgetPage struct {
	page         *file
	embedders    Embedders
	uploadOrigin string
}

func (p *widgetPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origins, everywhere, err := p.embedders(r.Context())
	ancestors := "'none'"
	switch {
	case err != nil:
		http.Error(w, "The importer is not available. Try again later.", http.StatusServiceUnavailable)
		return
	case everywhere:
		ancestors = "*"
	case len(origins) > 0:
		ancestors = strings.Join(origins, " ")
	}
	// The page that embeds the importer can add steps, which are pages of any address.
	p.page.serve(w, r, policy{ancestors, "http: https:", p.uploadOrigin})
}

// mediaTypes maps file name extensions to the media types of the assets. The media
// type table of the machine is not used, because it differs between machines.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// file is a page or an asset.
type file struct {
	mediaType, cacheControl, tag string
	gzipped                      []byte
}

func loadFile(name, caching string) (*file, error) {
	gzipped, err := pages.ReadFile("gzip/" + name + ".gz")
	if err != nil {
		return nil, fmt.Errorf("read an asset: %w", err)
	}
	kind, known := mediaTypes[path.Ext(name)]
	if !known {
		return nil, fmt.Errorf("read an asset: %s has an unknown media type", name)
	}
	sum := sha256.Sum256(gzipped)
	return &file{mediaType: kind, cacheControl: caching, tag: hex.EncodeToString(sum[:12]), gzipped: gzipped}, nil
}

// plain returns the content of the file. Only the rare clients that do not accept gzip need it.
func (f *file) plain() ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(f.gzipped))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.serve(w, r, strict) }

// serve sends the file with a content security policy.
func (f *file) serve(w http.ResponseWriter, r *http.Request, p policy) {
	h := w.Header()
	h.Set("Content-Security-Policy", p.header())
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Cache-Control", f.cacheControl)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Content-Type", f.mediaType)
	h.Set("Vary", "Accept-Encoding")
	body, tag := f.gzipped, f.tag+"-gzip"
	if acceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
	} else {
		plain, err := f.plain()
		if err != nil {
			http.Error(w, "The page is damaged. Install the program again.", http.StatusInternalServerError)
			return
		}
		body, tag = plain, f.tag
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// acceptsGzip reports whether the value of an Accept-Encoding header (RFC 9110,
// 12.5.3) accepts gzip with a weight above 0.
func acceptsGzip(accepted string) bool {
	for coding := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			_, value, _ := strings.Cut(weight, "=")
			return strings.Trim(strings.TrimSpace(value), "0.") != "" || strings.TrimSpace(weight) == ""
		}
	}
	return false
}
