package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/service"
)

// importStatuses are the values of --status.
const importStatuses = "AWAITING_UPLOAD,PENDING,RUNNING,NEEDS_REVIEW,SUCCESSFUL,FAILED"

type importsListCommand struct {
	storeFlags
	reportFlags
	Org       string        `help:"Only imports of this organization." placeholder:"NAME"`
	Status    string        `help:"Only imports with this status: ${statuses}." enum:",${statuses}" default:"" placeholder:"STATUS"`
	OlderThan time.Duration `help:"Only imports that were created longer ago, such as 24h." placeholder:"D"`
	Limit     int           `help:"Maximum number of imports. Default: 100." default:"100" placeholder:"N"`
}

// Help returns the text that --help prints after the flags.
func (importsListCommand) Help() string {
	return `Lists imports, newest first. ATTEMPT is the number of times that the import was started,
and NEXT the time from which it may be started again. NODE is the process that runs it;
intray nodes lists the processes.`
}

// listedImport is the JSON form of an import in a list.
type listedImport struct {
	ID           string    `json:"id"`
	Organization string    `json:"organization"`
	Status       string    `json:"status"`
	Created      time.Time `json:"created"`
	// Rows is the number of data rows, or null before the first attempt has ended.
	Rows *int64 `json:"rows"`
	// Attempt is the number of attempts so far, and Lost the number of those that crashed or failed for
	// another reason than the file.
	Attempt int    `json:"attempt"`
	Lost    int    `json:"lost"`
	Node    string `json:"node"`
	// NextAttempt is null unless the import is PENDING.
	NextAttempt *time.Time `json:"nextAttempt"`
	// Error states why the import has failed, or is "".
	Error string `json:"error"`
}

// listImport returns the JSON form of an import.
func listImport(imp model.Import, org string) listedImport {
	listed := listedImport{ID: imp.ID, Organization: org, Status: string(imp.Status), Created: imp.Created, Attempt: imp.Run, Lost: imp.Lost, Node: imp.Node, Error: importError(imp)}
	if imp.Outcome != nil {
		listed.Rows = &imp.Outcome.DataRows
	}
	if imp.Status == model.Pending {
		listed.NextAttempt = &imp.Queued
	}
	return listed
}

// importError returns the reason why an import has failed, or "". The message of a hook can contain cell
// values, so only its code is returned.
func importError(imp model.Import) string {
	if imp.Status != model.Failed || imp.Outcome == nil {
		return ""
	}
	for _, n := range imp.Outcome.Notices {
		if n.Level == intray.LevelError {
			return noticeText(n)
		}
	}
	return ""
}

// noticeText returns the message of a notice, or only its code if the text could contain cell values.
func noticeText(n intray.Notice) string {
	if n.Type == intray.HookFailed || n.Value != nil {
		return cmp.Or(n.Text.Code, string(n.Type))
	}
	return n.Text.String()
}

// Run lists the imports.
func (c *importsListCommand) Run(ctx context.Context, s streams) error {
	if c.Limit < 1 || c.OlderThan < 0 {
		return usageError{errors.New("--limit must be at least 1, and --older-than cannot be negative")}
	}
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		found, names, err := selectImports(ctx, svc, c.Org, model.Status(c.Status), c.OlderThan, c.Limit)
		if err != nil {
			return err
		}
		list := []listedImport{}
		for _, imp := range found {
			list = append(list, listImport(imp, names[imp.Org]))
		}
		return c.write(s.out, list, func(w io.Writer) error { return writeImports(w, list) })
	})
}

// selectImports returns the imports that match the flags, and the names of the organizations by id.
func selectImports(ctx context.Context, svc *service.Service, org string, status model.Status, olderThan time.Duration, limit int) ([]model.Import, map[string]string, error) {
	orgs, err := svc.OrgUsages(ctx, org)
	if err != nil {
		return nil, nil, err
	}
	filter, names := model.ImportFilter{Status: status}, map[string]string{}
	for _, o := range orgs {
		names[o.ID] = o.Name
		if org != "" {
			filter.Org = o.ID
		}
	}
	if olderThan > 0 {
		filter.Before = time.Now().Add(-olderThan)
	}
	list, err := svc.SelectImports(ctx, filter, limit)
	return list, names, err
}

func writeImports(w io.Writer, imports []listedImport) error {
	list := table{header: true}
	list.append("ID", "ORGANIZATION", "STATUS", "AGE", "ROWS", "ATTEMPT", "NODE", "NEXT", "ERROR")
	for _, i := range imports {
		rows, next := "-", "-"
		if i.Rows != nil {
			rows = strconv.FormatInt(*i.Rows, 10)
		}
		if i.NextAttempt != nil {
			next = "now"
			if wait := time.Until(*i.NextAttempt); wait > 0 {
				next = "in " + shortDuration(wait)
			}
		}
		list.append(i.ID, visible(i.Organization), i.Status, shortDuration(time.Since(i.Created)), rows, strconv.Itoa(i.Attempt), cmp.Or(i.Node, "-"), next, cmp.Or(visibleLong(i.Error), "-"))
	}
	return list.write(w, 0, colorsOf(w))
}

type importsShowCommand struct {
	storeFlags
	reportFlags
	ID string `arg:"" help:"Id of the import."`
}

// Help returns the text that --help prints after the flags.
func (importsShowCommand) Help() string {
	return `Shows what a support question needs: status, times, attempts, files, numbers of problems and
webhook messages. It never shows cell values, or messages that can contain them.`
}

// shownImport is the JSON form of an import with its details.
type shownImport struct {
	listedImport
	Schema   string     `json:"schema"`
	Upload   string     `json:"upload"`
	Modified time.Time  `json:"modified"`
	Finished *time.Time `json:"finished"`
	// Alone means that the import runs alone, because a process that ran it lacked memory.
	Alone bool `json:"alone"`
	// Received and Result are null if there is no file.
	Received *shownFile `json:"received"`
	Result   *shownFile `json:"result"`
	// Staged means that the rows of the last attempt are stored.
	Staged     bool            `json:"staged"`
	ErrorRows  int64           `json:"errorRows"`
	OutputRows int64           `json:"outputRows"`
	Problems   int64           `json:"problems"`
	Questions  int             `json:"questions"`
	Messages   []string        `json:"messages"`
	Deliveries []shownDelivery `json:"deliveries"`
}

type shownFile struct {
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

type shownDelivery struct {
	ID      string     `json:"id"`
	Event   string     `json:"event"`
	Status  string     `json:"status"`
	Tries   int        `json:"tries"`
	Created time.Time  `json:"created"`
	Due     *time.Time `json:"due"`
}

func showFile(f model.File) *shownFile {
	if f.Key == "" {
		return nil
	}
	return &shownFile{f.Size, f.SHA256}
}

func showImport(imp model.Import, org string, deliveries []model.Delivery) shownImport {
	shown := shownImport{
		listedImport: listImport(imp, org), Schema: imp.SchemaID, Upload: imp.UploadID, Modified: imp.Modified, Alone: imp.Alone,
		Received: showFile(imp.Raw), Result: showFile(imp.Result), Staged: imp.Stage != "", Messages: []string{}, Deliveries: []shownDelivery{},
	}
	if o := imp.Outcome; o != nil {
		shown.Finished, shown.ErrorRows, shown.OutputRows, shown.Problems = &o.Finished, o.ErrorRows, o.OutputRows, o.Problems
		shown.Questions = len(imp.OpenQuestions())
		for _, n := range o.Notices {
			shown.Messages = append(shown.Messages, n.Level.String()+": "+noticeText(n))
		}
	}
	for _, d := range deliveries {
		shown.Deliveries = append(shown.Deliveries, shownDelivery{d.ID, d.Event, string(d.Status), d.Tries, d.Created, timeOrNull(d.Due)})
	}
	return shown
}

// Run shows the import.
func (c *importsShowCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		id, isID := model.ParseID(c.ID)
		found, err := svc.SelectImports(ctx, model.ImportFilter{ID: cmp.Or(id, "none")}, 1)
		if err != nil {
			return err
		}
		if !isID || len(found) == 0 {
			return model.NotFoundError(model.ImportMissing)
		}
		orgs, err := svc.OrgUsages(ctx, "")
		if err != nil {
			return err
		}
		name := ""
		for _, o := range orgs {
			if o.ID == found[0].Org {
				name = o.Name
			}
		}
		deliveries, err := svc.ImportDeliveries(ctx, id)
		if err != nil {
			return err
		}
		shown := showImport(found[0], name, deliveries)
		return c.write(s.out, shown, shown.writeText)
	})
}

func (i shownImport) writeText(w io.Writer) error {
	list := table{}
	stamp := func(t *time.Time) string {
		if t == nil {
			return "-"
		}
		return t.Format(time.RFC3339)
	}
	file := func(f *shownFile) string {
		if f == nil {
			return "-"
		}
		return fmt.Sprintf("%d bytes, SHA-256 %s", f.Size, cmp.Or(f.SHA256, "not complete"))
	}
	rows := int64(0)
	if i.Rows != nil {
		rows = *i.Rows
	}
	for _, row := range [][]string{
		{"ID", i.ID}, {"Organization", visible(i.Organization)}, {"Schema", i.Schema}, {"Upload", i.Upload}, {"Status", i.Status},
		{"Created", stamp(&i.Created)}, {"Modified", stamp(&i.Modified)}, {"Last attempt ended", stamp(i.Finished)}, {"Next attempt", stamp(i.NextAttempt)},
		{"Attempts", fmt.Sprintf("%d, of which %d were lost", i.Attempt, i.Lost)}, {"Runs alone", strconv.FormatBool(i.Alone)}, {"Node", cmp.Or(i.Node, "-")},
		{"Received file", file(i.Received)}, {"Result", file(i.Result)}, {"Staged rows", strconv.FormatBool(i.Staged)},
		{"Rows", fmt.Sprintf("%d, of which %d have an error; %d in the result", rows, i.ErrorRows, i.OutputRows)},
		{"Problems", strconv.FormatInt(i.Problems, 10)}, {"Open questions", strconv.Itoa(i.Questions)},
	} {
		list.append(row...)
	}
	for _, message := range i.Messages {
		list.append("Message", visibleLong(message))
	}
	for _, d := range i.Deliveries {
		list.append("Webhook message", fmt.Sprintf("%s %s %s, %s, created %s", d.ID, d.Event, d.Status, pluralize(int64(d.Tries), "attempt"), stamp(&d.Created)))
	}
	return list.write(w, 0, colorsOf(w))
}

// selectedImports are the arguments and flags of commands that change imports.
type selectedImports struct {
	ID     []string `arg:"" optional:"" help:"Ids of the imports."`
	All    bool     `help:"All imports with --status, of --org or of all organizations." env:"-"`
	Status string   `help:"With --all: only imports with this status: ${statuses}." enum:",${statuses}" default:"" placeholder:"STATUS"`
	Org    string   `help:"With --all: only imports of this organization." placeholder:"NAME"`
	Yes    bool     `help:"With --all: do not ask." env:"-"`
}

// mostSelected is the maximum number of imports that a command changes.
const mostSelected = 10_000

// resolve returns the ids of the imports to change. With --all, it asks on a terminal.
func (c *selectedImports) resolve(ctx context.Context, s streams, svc *service.Service, verb string) ([]string, error) {
	switch {
	case !c.All && (c.Status != "" || c.Org != "" || c.Yes):
		return nil, usageError{errors.New("--status, --org and --yes require --all")}
	case !c.All && len(c.ID) == 0:
		return nil, usageError{errors.New("name the imports, or use --all --status STATUS")}
	case !c.All:
		return c.ID, nil
	case len(c.ID) > 0:
		return nil, usageError{errors.New("either name the imports or use --all")}
	case c.Status == "":
		return nil, usageError{errors.New("--all requires --status")}
	}
	found, _, err := selectImports(ctx, svc, c.Org, model.Status(c.Status), 0, mostSelected)
	if err != nil {
		return nil, err
	}
	if !c.Yes {
		if !isTerminal(s.in) || !isTerminal(s.err) {
			return nil, usageError{fmt.Errorf("nothing was changed: --all needs --yes to %s %s", verb, pluralize(int64(len(found)), "import"))}
		}
		fmt.Fprintf(s.err, "To %s %s, type yes: ", verb, pluralize(int64(len(found)), "import"))
		line, err := bufio.NewReader(s.in).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read the confirmation: %w", err)
		}
		if strings.TrimSpace(line) != "yes" {
			return nil, usageError{errors.New("nothing was changed")}
		}
	}
	ids := make([]string, len(found))
	for i, imp := range found {
		ids[i] = imp.ID
	}
	return ids, nil
}

// changedImport is the JSON form of what a command did with an import. Error is "" if it was changed.
type changedImport struct {
	ID    string `json:"id"`
	Error string `json:"error"`
}

// changeImports changes the selected imports one by one. If one cannot be changed, it continues with the
// others, and the exit status is 1.
func changeImports(ctx context.Context, s streams, flags reportFlags, ids []string, done string, change func(ctx context.Context, id string) error) error {
	list, refused := []changedImport{}, false
	for _, text := range ids {
		id, isID := model.ParseID(text)
		err := error(model.NotFoundError(model.ImportMissing))
		if isID {
			err = change(ctx, id)
		}
		changed := changedImport{ID: text}
		if err != nil {
			var known *model.Error
			if !errors.As(err, &known) || known.Kind == model.Unavailable {
				return err
			}
			changed.Error, refused = known.Message.String(), true
		}
		list = append(list, changed)
	}
	err := flags.write(s.out, list, func(w io.Writer) error {
		for _, i := range list {
			fmt.Fprintf(w, "%s: %s\n", i.ID, cmp.Or(i.Error, done))
		}
		return nil
	})
	if err == nil && refused {
		return exit(exitFault)
	}
	return err
}

type importsRequeueCommand struct {
	storeFlags
	reportFlags
	selectedImports
}

// Help returns the text that --help prints after the flags.
func (importsRequeueCommand) Help() string {
	return `Runs PENDING imports now whose next attempt is later, because earlier ones have failed.

A FAILED or SUCCESSFUL import cannot run again: this status is final, and clients and
webhooks may have received it. Create a new import instead. An import that NEEDS_REVIEW
can be run again on its review page.

The exit status is 1 if an import was refused. The others are changed anyway.`
}

// Run requeues the imports.
func (c *importsRequeueCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		ids, err := c.resolve(ctx, s, svc, "requeue")
		if err != nil {
			return err
		}
		return changeImports(ctx, s, c.reportFlags, ids, "requeued", svc.RequeueImport)
	})
}

type importsCancelCommand struct {
	storeFlags
	reportFlags
	selectedImports
}

// Help returns the text that --help prints after the flags.
func (importsCancelCommand) Help() string {
	return `Ends PENDING and RUNNING imports as FAILED, with the message that the operator canceled
them. Clients and webhooks receive this status, and it is final. The process that runs an
import stops it within about a second.

The exit status is 1 if an import was refused. The others are changed anyway.`
}

// Run cancels the imports.
func (c *importsCancelCommand) Run(ctx context.Context, s streams) error {
	return c.runAdmin(ctx, s, openKeys, func(svc *service.Service) error {
		ids, err := c.resolve(ctx, s, svc, "cancel")
		if err != nil {
			return err
		}
		return changeImports(ctx, s, c.reportFlags, ids, "canceled", svc.CancelImport)
	})
}
