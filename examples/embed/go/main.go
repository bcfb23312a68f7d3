// Command embed serves a page that embeds the importer, and receives the imported rows.
//
//	go run . -intray http://localhost:8080 -key fk_… -sdk ../../../sdk/importer/dist
package main

import (
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"log"
	"net/http"
	"path/filepath"
	"time"
)

//go:embed page.html app.js
var files embed.FS

// settings are the values that the page contains.
type settings struct {
	Intray string // address of the Intray server
	Key    string // frontend key
	Schema string // ID or name of a saved schema
}

func main() {
	var s settings
	flag.StringVar(&s.Intray, "intray", "http://localhost:8080", "the address of the Intray server")
	flag.StringVar(&s.Key, "key", "", "a frontend key")
	flag.StringVar(&s.Schema, "schema", "contacts", "the ID or name of a saved schema")
	sdk := flag.String("sdk", "../../../sdk/importer/dist", "the folder that contains intray.iife.js")
	listen := flag.String("listen", "localhost:8002", "the address to listen on")
	flag.Parse()

	server := &http.Server{Addr: *listen, Handler: handler(s, *sdk), ReadHeaderTimeout: 10 * time.Second}
	log.Printf("open http://%s", *listen)
	log.Fatal(server.ListenAndServe())
}

// handler returns the routes of the application.
func handler(s settings, sdk string) http.Handler {
	page := template.Must(template.ParseFS(files, "page.html"))
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		// The importer needs no more than frame-src: it uses no inline styles or scripts.
		w.Header().Set("Content-Security-Policy", "default-src 'self'; frame-src "+s.Intray)
		if err := page.Execute(w, s); err != nil {
			log.Print(err)
		}
	})
	mux.Handle("GET /app.js", http.FileServerFS(files))
	mux.HandleFunc("GET /intray.iife.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(sdk, "intray.iife.js"))
	})
	mux.HandleFunc("POST /contacts", receive)
	return mux
}

// receive accepts imported rows. An application would check that the user is logged in, validate
// the rows again, because they come from a browser, and store them.
func receive(w http.ResponseWriter, r *http.Request) {
	var rows []map[string]any
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 32<<20)).Decode(&rows); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%d rows", len(rows))
}
