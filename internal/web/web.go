// Package web holds the pages that people see, and the headers that go with
// them. The pages are files in dist, built from the folder ui and embedded into
// the program; they hold no facts of any import and ask the API for those. The
// package knows no import, no key and no organization.
package web

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
)

//go:embed dist
var dist embed.FS

const (
	// checked lets a browser keep a page, and ask before it shows it again.
	checked = "no-cache"
	// forGood is for what has a hash of its bytes in its name.
	forGood = "public, max-age=31536000, immutable"
)

// Pages gives what serves each route: the start page, the review page of any
// import, and each file that they load.
func Pages() (map[string]http.Handler, error) {
	pages := map[string]http.Handler{}
	put := func(route, name, caching string) error {
		f, err := open("dist/"+name, caching)
		pages["GET "+route] = f
		return err
	}
	if err := put("/{$}", "index.html", checked); err != nil {
		return nil, err
	}
	if err := put("/review/{id}", "review.html", checked); err != nil {
		return nil, err
	}
	assets, err := fs.ReadDir(dist, "dist/assets")
	if err != nil {
		return nil, fmt.Errorf("list the files of the pages: %w", err)
	}
	for _, asset := range assets {
		if err := put("/assets/"+asset.Name(), "assets/"+asset.Name(), forGood); err != nil {
			return nil, err
		}
	}
	return pages, nil
}
