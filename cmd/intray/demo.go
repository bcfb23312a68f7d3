package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/intraydata/intray/examples"
	"github.com/intraydata/intray/server"
)

type demoCommand struct {
	Listen    string `help:"Address to listen on. Default: a free port of this machine." default:"127.0.0.1:0" env:"INTRAY_DEMO_LISTEN" placeholder:"ADDR"`
	NoBrowser bool   `help:"Open no browser."`
	hookFlags
}

// Help is shown below the flags.
func (demoCommand) Help() string {
	return `Starts the service in a temporary folder, sends it a messy file as a program of
yours would, says what it does at each step, and prints the link with which a
person settles the rest. It stays up until you press Ctrl+C; then the folder goes.`
}

// Run serves and walks through an import.
func (c *demoCommand) Run(ctx context.Context, s streams) (err error) {
	folder, err := os.MkdirTemp("", "intray-demo-*")
	if err != nil {
		return fmt.Errorf("make a folder for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	key := "bk_" + rand.Text() + rand.Text()
	cfg := server.Config{
		Data: folder, Listen: c.Listen, BackendKey: key, FrontendKey: "fk_" + rand.Text() + rand.Text(),
		MaxFileSize: 1 << 30, Version: version(), Hooks: c.hookConfig(), Out: io.Discard,
		Log: slog.New(slog.NewTextHandler(s.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	walked := make(chan error, 1)
	cfg.Serving = func(address string) {
		d := &demo{out: s.out, folder: folder, address: address, key: key, withBrowser: isTerminal(s.out) && !c.NoBrowser}
		go func() {
			err := d.walk(ctx)
			if err != nil {
				stop(err)
			}
			walked <- err
		}()
	}
	boundMemory()
	if err := server.Serve(ctx, cfg); err != nil {
		return err
	}
	select {
	case err := <-walked:
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	default:
	}
	return nil
}

// demo walks through an import over HTTP, as a program of a customer would.
type demo struct {
	out                  io.Writer
	folder, address, key string
	// withBrowser says that a browser is to be opened.
	withBrowser bool
	steps       int
}

// demoImport is what the demo reads of an import.
type demoImport struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Upload string `json:"upload"`
	Review string `json:"review_url"`
	Result struct {
		Rows int64 `json:"numDataRows"`
		Bad  int64 `json:"numRowsWithError"`
	} `json:"result_metadata"`
	Notices []demoNotice `json:"import_errors"`
}

type demoNotice struct {
	Level   string `json:"level"`
	Message string `json:"message"`
	Row     *int64 `json:"rowIndex"`
	Value   string `json:"value"`
	Header  string `json:"header"`
}

// sortRank puts errors in front.
func (n demoNotice) sortRank() int {
	if n.Level == "error" {
		return 0
	}
	return 1
}

func (d *demo) walk(ctx context.Context) error {
	fmt.Fprintf(d.out, "Intray demo. Everything is kept in %s and goes when you press Ctrl+C.\n\n", d.folder)
	d.printStep("The service listens on %s.", d.address)
	schema, file, err := demoFiles()
	if err != nil {
		return err
	}
	var saved struct {
		ID     string            `json:"id"`
		Name   string            `json:"name"`
		Fields []json.RawMessage `json:"fields"`
	}
	if err := d.callAPI(ctx, "POST", "/api/v1/schemas/", schema, &saved); err != nil {
		return err
	}
	d.printStep("A schema is saved: %q, %s. (POST /api/v1/schemas/)", saved.Name, pluralize(int64(len(saved.Fields)), "field"))
	body, err := json.Marshal(map[string]any{
		"schema_id": saved.ID, "original_filename": "crm.csv",
		"settings": map[string]any{"invalidDataBehavior": "BLOCK_SUBMIT"},
	})
	if err != nil {
		return err
	}
	var made demoImport
	if err := d.callAPI(ctx, "POST", "/api/v1/headless/imports/", body, &made); err != nil {
		return err
	}
	d.printStep("An import is made. A person shall settle what is wrong: BLOCK_SUBMIT. (POST /api/v1/headless/imports/)")
	if err := d.send(ctx, "PUT", made.Upload, file, nil); err != nil {
		return err
	}
	d.printStep("crm.csv is sent, %d bytes: a report with titles above the header, phones of five nations and a total below. (PUT to the signed address)", len(file))
	return d.settle(ctx, made.ID)
}

// demoFiles are the schema, with a name, and the file.
func demoFiles() (schema, file []byte, err error) {
	text, err := examples.Demo.ReadFile("crm.schema.json")
	if err != nil {
		return nil, nil, err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, nil, err
	}
	doc["name"] = json.RawMessage(`"CRM contacts"`)
	if schema, err = json.Marshal(doc); err != nil {
		return nil, nil, err
	}
	file, err = examples.Demo.ReadFile("crm.csv")
	return schema, file, err
}

// settle waits until the import needs a person, gives the link, and waits until it
// is settled.
func (d *demo) settle(ctx context.Context, id string) error {
	it, err := d.pollUntil(ctx, id, "NEEDS_REVIEW", "SUCCESSFUL", "FAILED")
	if err != nil {
		return err
	}
	d.printStep("It was read in the background: %s, %d with an error. It is %s now. (GET /api/v1/headless/imports/{id}/)", pluralize(it.Result.Rows, "row"), it.Result.Bad, it.Status)
	slices.SortStableFunc(it.Notices, func(a, b demoNotice) int { return cmp.Compare(a.sortRank(), b.sortRank()) })
	for _, n := range it.Notices[:min(3, len(it.Notices))] {
		where := ""
		if n.Row != nil {
			where = fmt.Sprintf("row %d, %s: %s: ", *n.Row+1, n.Header, visible(n.Value))
		}
		fmt.Fprintf(d.out, "     %s%s\n", where, visibleLong(n.Message))
	}
	if len(it.Notices) > 3 {
		var errs, others int64
		for _, n := range it.Notices[3:] {
			if n.sortRank() == 0 {
				errs++
			} else {
				others++
			}
		}
		fmt.Fprintf(d.out, "     … and more: %s, %s\n", pluralize(errs, "error"), pluralize(others, "other notice"))
	}
	if it.Status != "NEEDS_REVIEW" {
		return nil
	}
	fmt.Fprintf(d.out, "\nOpen this link, as the person would who sent the file:\n\nReview: %s\n\nPress Ctrl+C to end.\n", it.Review)
	if d.withBrowser {
		openBrowser(ctx, it.Review)
	}
	if it, err = d.pollUntil(ctx, id, "SUCCESSFUL", "FAILED"); err != nil {
		return err
	}
	d.printStep("The import is %s.", it.Status)
	var result struct {
		URL string `json:"presigned_url"`
	}
	if it.Status == "SUCCESSFUL" && d.callAPI(ctx, "GET", "/api/v1/headless/imports/"+id+"/url/", nil, &result) == nil {
		fmt.Fprintf(d.out, "     The result, for 30 minutes: %s\n\nPress Ctrl+C to end.\n", result.URL)
	}
	return nil
}

// pollUntil asks for an import until it has one of the states.
func (d *demo) pollUntil(ctx context.Context, id string, states ...string) (it demoImport, err error) {
	ticker := time.NewTicker(300 * time.Millisecond)
	defer ticker.Stop()
	for {
		it = demoImport{}
		if err := d.callAPI(ctx, "GET", "/api/v1/headless/imports/"+id+"/", nil, &it); err != nil {
			return it, err
		}
		for _, state := range states {
			if it.Status == state {
				return it, nil
			}
		}
		select {
		case <-ctx.Done():
			return it, context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

func (d *demo) printStep(format string, args ...any) {
	d.steps++
	for i, line := range wrapText(fmt.Sprintf(format, args...), textWidth-5) {
		number := ""
		if i == 0 {
			number = fmt.Sprint(d.steps)
		}
		fmt.Fprintf(d.out, "%3s  %s\n", number, line)
	}
}

func (d *demo) callAPI(ctx context.Context, method, path string, body []byte, into any) error {
	return d.send(ctx, method, d.address+path, body, into)
}

// send makes a request to the service of the demo.
func (d *demo) send(ctx context.Context, method, address string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("X-Service-License-Key", d.key)
	if into != nil && body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := (&http.Client{Transport: &http.Transport{}}).Do(r) // no proxy: it is this process
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	switch {
	case err != nil:
		return err
	case answer.StatusCode >= http.StatusBadRequest:
		return fmt.Errorf("%s %s: %s: %s", method, r.URL.Path, answer.Status, strings.TrimSpace(string(text)))
	case into == nil:
		return nil
	}
	return json.Unmarshal(text, into)
}

// openBrowser shows an address where there is a desktop. That it does not work is
// no fault: the link is printed.
func openBrowser(ctx context.Context, address string) {
	var command *exec.Cmd
	switch {
	case runtime.GOOS == "darwin":
		command = exec.CommandContext(ctx, "open", address)
	case runtime.GOOS == "windows":
		command = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", address)
	case os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "":
		command = exec.CommandContext(ctx, "xdg-open", address)
	default:
		return
	}
	_ = command.Start()
}
