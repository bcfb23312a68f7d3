// Package web holds the pages that people see, and the headers that go with
// them. The pages are files in dist, embedded into the program; they hold no
// facts of any import and ask the API for those. The package knows no import,
// no key and no organization.
package web

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
)

//go:embed dist
var dist embed.FS

// policy lets the pages load what this service itself serves and nothing else,
// run no inline script, and stand in no frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// Pages gives what serves each route: the start page, the review page of any
// import, and each file that they load.
func Pages() (map[string]http.Handler, error) {
	pages := map[string]http.Handler{
		"GET /{$}":         file("index.html"),
		"GET /review/{id}": file("review.html"),
	}
	assets, err := fs.ReadDir(dist, "dist/assets")
	if err != nil {
		return nil, fmt.Errorf("list the files of the pages: %w", err)
	}
	for _, asset := range assets {
		pages["GET /assets/"+asset.Name()] = file("assets/" + asset.Name())
	}
	return pages, nil
}

func file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Robots-Tag", "noindex, nofollow")
		h.Set("Cache-Control", "no-cache")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		http.ServeFileFS(w, r, dist, "dist/"+name)
	}
}
