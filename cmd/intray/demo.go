package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"time"

	"github.com/intraydata/intray/examples"
	"github.com/intraydata/intray/internal/wire"
)

type demoCommand struct {
	Listen    string `help:"Address to listen on. Default: a free port of this machine." default:"127.0.0.1:0" env:"INTRAY_DEMO_LISTEN" placeholder:"ADDR"`
	NoBrowser bool   `help:"Do not open a browser."`
	hookFlags
}

// Help returns the text that --help prints after the flags.
func (demoCommand) Help() string {
	return `Starts a server in a temporary folder, uploads a messy file through the API,
explains each step, and prints the link where you fix the rest. The server runs
until you press Ctrl+C; then the folder is deleted.`
}

// Run starts a server and walks through an import.
func (c *demoCommand) Run(ctx context.Context, s streams) error {
	server := temporaryServer{name: "demo", listen: c.Listen, hooks: c.hookConfig()}
	return server.run(ctx, s, func(ctx context.Context, api apiClient, folder string) error {
		d := &demo{out: s.out, folder: folder, api: api, withBrowser: isTerminal(s.out) && !c.NoBrowser}
		return d.walk(ctx)
	})
}

// demo walks through an import over HTTP, like a customer's program.
type demo struct {
	out         io.Writer
	folder      string
	api         apiClient
	withBrowser bool
	steps       int
}

func (d *demo) walk(ctx context.Context) error {
	fmt.Fprintf(d.out, "Intray demo. All data is in %s and is deleted when you press Ctrl+C.\n\n", d.folder)
	d.printStep("The server listens on %s.", d.api.server)
	schema, file, err := demoFiles()
	if err != nil {
		return err
	}
	var saved wire.Schema
	if err := d.api.call(ctx, "POST", "/api/v1/schemas/", schema, &saved); err != nil {
		return err
	}
	var fields []json.RawMessage
	if err := json.Unmarshal(saved.Fields, &fields); err != nil {
		return err
	}
	d.printStep("Saved the schema %q with %s. (POST /api/v1/schemas/)", saved.Name, pluralize(int64(len(fields)), "field"))
	body, err := json.Marshal(map[string]any{
		"schema_id": saved.ID, "original_filename": "crm.csv",
		"settings": map[string]any{"invalidDataBehavior": "BLOCK_SUBMIT"},
	})
	if err != nil {
		return err
	}
	var made wire.Import
	if err := d.api.call(ctx, "POST", "/api/v1/headless/imports/", body, &made); err != nil {
		return err
	}
	d.printStep("Created an import that must be free of errors before it can be submitted (BLOCK_SUBMIT). (POST /api/v1/headless/imports/)")
	if err := d.api.send(ctx, "PUT", made.Upload, "text/csv", file, nil); err != nil {
		return err
	}
	d.printStep("Uploaded crm.csv, %d bytes: a report with titles above the header, phone numbers from five countries and a total at the end. (PUT to the signed URL)", len(file))
	return d.review(ctx, made.ID)
}

// demoFiles returns the sample schema, with a name added, and the sample file.
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

// review waits until the import needs a review, prints the review link, and waits
// until the review ends.
func (d *demo) review(ctx context.Context, id string) error {
	it, err := d.pollUntil(ctx, id, "NEEDS_REVIEW", "SUCCESSFUL", "FAILED")
	if err != nil {
		return err
	}
	if m := it.ResultMetadata; m != nil {
		d.printStep("The server read the file in the background: %s, %d with an error. The import is %s. (GET /api/v1/headless/imports/{id}/)", pluralize(m.NumDataRows, "row"), m.NumRowsWithError, it.Status)
	}
	d.printNotices(it.ImportErrors)
	if it.Status != "NEEDS_REVIEW" {
		return nil
	}
	fmt.Fprintf(d.out, "\nOpen this link, as the person who sent the file would:\n\nReview: %s\n\nPress Ctrl+C to stop.\n", it.ReviewURL)
	if d.withBrowser {
		openBrowser(ctx, it.ReviewURL)
	}
	if it, err = d.pollUntil(ctx, id, "SUCCESSFUL", "FAILED"); err != nil {
		return err
	}
	d.printStep("The import is %s.", it.Status)
	var result wire.PresignedURL
	if it.Status == "SUCCESSFUL" && d.api.call(ctx, "GET", "/api/v1/headless/imports/"+id+"/url/", nil, &result) == nil {
		fmt.Fprintf(d.out, "     Download the result within 30 minutes: %s\n\nPress Ctrl+C to stop.\n", result.URL)
	}
	return nil
}

// printNotices prints the first notices, with errors before all other notices.
func (d *demo) printNotices(notices []wire.Notice) {
	var errs, others []wire.Notice
	for _, n := range notices {
		if n.Level == "error" {
			errs = append(errs, n)
		} else {
			others = append(others, n)
		}
	}
	shown := slices.Concat(errs, others)[:min(3, len(notices))]
	for _, n := range shown {
		where := ""
		if n.RowIndex != nil && n.Value != nil {
			where = fmt.Sprintf("data row %d, %s: %s: ", *n.RowIndex+1, n.Header, visible(*n.Value))
		}
		fmt.Fprintf(d.out, "     %s%s\n", where, visibleLong(n.Text))
	}
	if len(notices) > len(shown) {
		shownErrs := min(len(shown), len(errs))
		fmt.Fprintf(d.out, "     … and more: %s, %s\n", pluralize(int64(len(errs)-shownErrs), "error"), pluralize(int64(len(others)-len(shown)+shownErrs), "other notice"))
	}
}

// pollUntil retrieves an import repeatedly until it has one of the statuses.
func (d *demo) pollUntil(ctx context.Context, id string, statuses ...string) (it wire.Import, err error) {
	ticker := time.NewTicker(300 * time.Millisecond)
	defer ticker.Stop()
	for {
		it = wire.Import{}
		if err := d.api.call(ctx, "GET", "/api/v1/headless/imports/"+id+"/", nil, &it); err != nil {
			return it, err
		}
		if slices.Contains(statuses, it.Status) {
			return it, nil
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

// openBrowser opens a URL in a browser if the machine has a desktop. It ignores
// errors because the link is also printed.
func openBrowser(ctx context.Context, url string) {
	var command *exec.Cmd
	switch {
	case runtime.GOOS == "darwin":
		command = exec.CommandContext(ctx, "open", url)
	case runtime.GOOS == "windows":
		command = exec.CommandContext(ctx, "rundll32", "url.dll,FileProtocolHandler", url)
	case cmp.Or(os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY")) != "":
		command = exec.CommandContext(ctx, "xdg-open", url)
	default:
		return
	}
	_ = command.Start()
}
