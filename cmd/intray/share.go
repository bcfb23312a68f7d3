package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/intraydata/intray/internal/wire"
)

type shareCommand struct {
	Schema    string `arg:"" help:"Schema file." placeholder:"SCHEMA.json"`
	File      string `help:"Upload this file first, and print the link to its review." placeholder:"FILE"`
	Out       string `help:"Write results to this folder." default:"." placeholder:"DIR"`
	Listen    string `help:"Address to listen on. Default: a free port of this machine." default:"127.0.0.1:0" placeholder:"ADDR"`
	NoBrowser bool   `help:"Do not open a browser."`
	hookFlags
}

// Help returns the text that --help prints after the flags.
func (shareCommand) Help() string {
	return `Starts a server in a temporary folder and prints a link to a page where people
upload a file for the schema, check it and submit it. Each submitted file is written
to the folder in --out as NAME.result.json; existing files are never replaced. The
server runs until you press Ctrl+C; then the folder is deleted.`
}

// Run starts a server and writes the results of submitted imports until it is interrupted.
func (c *shareCommand) Run(ctx context.Context, s streams) error {
	schema, extensions, err := readSharedSchema(c.Schema)
	if err != nil {
		return usageError{err}
	}
	if stat, err := os.Stat(c.Out); err != nil || !stat.IsDir() {
		return usageError{fmt.Errorf("--out: %s is not a folder", c.Out)}
	}
	server := temporaryServer{name: "share", listen: c.Listen, hooks: c.hookConfig()}
	return server.run(ctx, s, func(ctx context.Context, api apiClient, folder string) error {
		share := &share{api: api, out: s.out, folder: c.Out, saved: map[string]bool{}}
		fmt.Fprintf(s.out, "All data is in %s and is deleted when you press Ctrl+C.\n\n", folder)
		address, err := share.open(ctx, schema, extensions, c.File)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "Link: %s\n\nSubmitted files are written to %s. Press Ctrl+C to stop.\n", address, c.Out)
		if isTerminal(s.out) && !c.NoBrowser {
			openBrowser(ctx, address)
		}
		return share.collect(ctx)
	})
}

// readSharedSchema reads a schema file and returns the bodies that save the schema and its
// extensions. If the file has no name, the schema is named after it.
func readSharedSchema(name string) (schema, extensions []byte, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, nil, fmt.Errorf("%s: expected a JSON object with a schema: %w", name, err)
	}
	extensions = doc["extensions"]
	delete(doc, "extensions")
	if doc["name"] == nil {
		base := filepath.Base(name)
		if doc["name"], err = json.Marshal(strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), ".schema")); err != nil {
			return nil, nil, err
		}
	}
	if doc["settings"] == nil {
		doc["settings"] = json.RawMessage(`{}`)
	}
	schema, err = json.Marshal(doc)
	return schema, extensions, err
}

// share collects the files that people send through a link.
type share struct {
	api    apiClient
	out    io.Writer
	folder string
	// saved holds the ids of the imports whose results were written.
	saved map[string]bool
}

// open saves the schema and creates a link. It returns the address of the link or, if file is not
// "", that of the review of the file.
func (s *share) open(ctx context.Context, schema, extensions []byte, file string) (string, error) {
	var saved wire.Schema
	if err := s.api.call(ctx, "POST", "/api/v1/schemas/", schema, &saved); err != nil {
		return "", err
	}
	if extensions != nil {
		if err := s.api.call(ctx, "PUT", "/api/v1/schemas/"+saved.ID+"/extensions/", extensions, nil); err != nil {
			return "", err
		}
	}
	body, err := json.Marshal(map[string]any{"schema_id": saved.ID})
	if err != nil {
		return "", err
	}
	var link wire.ImportLink
	if err := s.api.call(ctx, "POST", "/api/v1/import-links/", body, &link); err != nil {
		return "", err
	}
	if file == "" {
		return link.URL, nil
	}
	return s.send(ctx, link, file)
}

// send uploads a file through a link, like the page does, and returns the address of its review.
func (s *share) send(ctx context.Context, link wire.ImportLink, file string) (string, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	visitor := s.api
	visitor.bearer = link.URL[strings.LastIndex(link.URL, "/")+1:]
	var page wire.LinkPage
	if err := visitor.call(ctx, "POST", "/api/in/v1/session/", nil, &page); err != nil {
		return "", err
	}
	visitor.bearer = page.Session
	body, err := json.Marshal(map[string]any{"original_filename": filepath.Base(file)})
	if err != nil {
		return "", err
	}
	var started wire.StartedImport
	if err := visitor.call(ctx, "POST", "/api/in/v1/imports/", body, &started); err != nil {
		return "", err
	}
	if err := visitor.send(ctx, "PUT", started.Upload, "application/octet-stream", content, nil); err != nil {
		return "", err
	}
	return s.api.server + "/review/" + started.ID + "/#" + started.ReviewToken, nil
}

// collect writes the results of submitted imports until ctx is done.
func (s *share) collect(ctx context.Context) error {
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
		var page wire.Page[wire.ImportSummary]
		if err := s.api.call(ctx, "GET", "/api/v1/headless/imports/?limit=1000", nil, &page); err != nil {
			return err
		}
		for _, one := range page.Results {
			if one.Status != "SUCCESSFUL" || s.saved[one.ID] {
				continue
			}
			name, err := s.save(ctx, one)
			if err != nil {
				return err
			}
			s.saved[one.ID] = true
			fmt.Fprintf(s.out, "Received %s: %s\n", visible(one.OriginalFilename), name)
		}
	}
}

// save writes the result of an import to a new file and returns its name.
func (s *share) save(ctx context.Context, one wire.ImportSummary) (string, error) {
	var address wire.PresignedURL
	if err := s.api.call(ctx, "GET", "/api/v1/headless/imports/"+one.ID+"/url/", nil, &address); err != nil {
		return "", err
	}
	file, err := s.createResult(one.OriginalFilename)
	if err != nil {
		return "", err
	}
	err = s.api.download(ctx, address.URL, file)
	return file.Name(), errors.Join(err, file.Close())
}

// createResult creates the file for the result of a file that somebody sent. Its name comes from
// another person, so only the last element is used.
func (s *share) createResult(sent string) (*os.File, error) {
	base := filepath.Base(strings.ReplaceAll(sent, `\`, "/"))
	stem := strings.TrimLeft(strings.TrimSuffix(base, filepath.Ext(base)), ".")
	if stem == "" || stem == "/" {
		stem = "import"
	}
	for n := 1; ; n++ {
		name := stem + ".result.json"
		if n > 1 {
			name = fmt.Sprintf("%s.%d.result.json", stem, n)
		}
		file, err := os.OpenFile(filepath.Join(s.folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}
