package savedwork_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray/test/apitest"
	"github.com/intraydata/intray/test/livetest"
)

const (
	schema = `"fields":[{"key":"name","label":"Name"},{"key":"email","label":"E-mail","type":"email"}],` +
		`"settings":{"importIdentifier":"contacts","backendSyncMode":"FULL_DATA","invalidDataBehavior":"BLOCK_SUBMIT"},"development_mode":true`
	header = "Name,E-mail\n"

	sessionsPath = "/api/widget/session/v2/"
	startPath    = "/api/widget/v1/imports/"
	keyHeader    = "X-Service-License-Key"
)

// gone contains the statuses of calls whose session or import is gone.
var gone = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}

// maxDelay is the maximum time between the start of a call and the kill that interrupts it.
const maxDelay = 6 * time.Millisecond

var columns = []string{"name", "email"}

// isInvalid reports whether a row has an invalid e-mail address.
func isInvalid(cells []string) bool { return !strings.Contains(cells[1], "@") }

// history is a session, and the tabs in which a person works on it.
type history struct {
	t      *testing.T
	site   *site
	random *rand.Rand
	// address is the address of the client.
	address string
	// log describes the operations.
	log []string
	// kill is set if the current operation kills the server.
	kill bool

	session, hydration string
	state              state
	tabs               []*tab
	// held contains the tokens of all tabs.
	held []tab
	// known contains the ids of all imports.
	known map[string]bool
	// names counts the names that newName returned.
	names int
}

func (h *history) run() {
	h.t.Cleanup(func() {
		if h.t.Failed() {
			h.t.Logf("operations:\n%s", strings.Join(h.log, "\n"))
		}
	})
	h.operation(0, func() {
		made := h.site.Call(h.t, "POST", sessionsPath+"auth/", map[string]any{"import_identifier": "contacts"}).WantStatus(http.StatusCreated)
		h.session, h.hydration = made.String("sessionId"), made.String("hydrationId")
	})
	for range 8 + h.random.IntN(13) {
		if !h.state.deleted {
			h.operation(0.15, h.step)
		}
	}
	h.operation(0, func() { h.reload(&tab{}) })
	h.operation(0.15, h.deleteSession)
	h.operation(0, h.checkDeleted)
	h.site.mu.Lock()
	defer h.site.mu.Unlock()
	for _, one := range h.state.submitted {
		h.site.submitted = append(h.site.submitted, one.id)
	}
}

// operation calls do while no other history kills the server. With the given probability, the server is
// killed during the change that do makes or, if there is none, afterward.
func (h *history) operation(kills float64, do func()) {
	if h.kill = h.random.Float64() < kills; !h.kill {
		h.site.running.RLock()
		defer h.site.running.RUnlock()
		do()
		return
	}
	h.site.running.Lock()
	defer h.site.running.Unlock()
	h.site.kills++
	if do(); h.kill {
		h.logf("kill the server")
		h.site.Kill()
		h.site.Restart()
	}
}

// step runs a random operation that is possible.
func (h *history) step() {
	n := h.random.IntN(40)
	if len(h.tabs) == 0 || n < 12 && len(h.tabs) < 2 {
		h.logf("open a tab")
		h.tabs = append(h.tabs, &tab{})
		h.reload(h.tabs[len(h.tabs)-1])
		return
	}
	at := h.random.IntN(len(h.tabs))
	page := h.tabs[at]
	h.logf("in tab %d, which shows %v:", at, page)
	switch {
	case n < 5:
		h.logf("reload")
		h.reload(page)
	case n < 7:
		h.logf("close")
		h.tabs = slices.Delete(h.tabs, at, at+1)
	case n < 8:
		h.deleteSession()
	case n < 10 || page.id == "":
		h.startImport(page)
	case n < 18:
		h.saveStep(page)
	case n < 24 && !h.keeps(page):
		h.startImport(page)
	case page.rows == nil:
		h.sendFile(page)
	case n < 29:
		h.edit(page)
	case n < 33:
		h.undo(page)
	default:
		h.submit(page)
	}
}

// reload opens the importer, and checks that it shows what was saved.
func (h *history) reload(page *tab) {
	h.t.Helper()
	*page = h.open()
	if got, want := page.String(), h.state.String(); got != want {
		h.t.Fatalf("the importer opens with %s; want %s", got, want)
	}
	h.checkResults()
}

// startImport creates an import. It takes the place of one whose file was not sent, and is refused if the
// session keeps another one.
func (h *history) startImport(page *tab) {
	file := h.newName("list-%d.csv")
	c := change{
		name: "start an import of " + file, method: "POST", path: startPath, headers: bearer(page.widget),
		body: `{` + schema + `,"original_filename":"` + file + `"}`, want: []int{http.StatusCreated},
		next: state{kept: &work{id: newID, file: file}, submitted: h.state.submitted},
	}
	if h.state.kept != nil && h.state.kept.rows != nil {
		c.want, c.next = []int{http.StatusConflict}, h.state
	}
	reply := h.change(page, c)
	if reply != nil && reply.Status == http.StatusCreated {
		*page = tab{widget: page.widget, id: reply.String("id"), file: file, upload: reply.String("upload"), invitation: reply.String("reviewToken")}
		h.openReview(page)
	}
}

// sendFile sends a file of 2 to 5 rows. In one of three cases, the page does not wait until it was read.
func (h *history) sendFile(page *tab) {
	var rows [][]string
	file := header
	for range 2 + h.random.IntN(4) {
		cells := []string{h.newName("Person %d"), h.newEmail()}
		rows, file = append(rows, cells), file+strings.Join(cells, ",")+"\n"
	}
	c := h.inTab(page, change{name: "send a file", method: "PUT", path: page.upload, body: file}, http.StatusConflict)
	if h.keeps(page) && h.state.kept.rows == nil {
		c.accept(h.state.with(func(w *work) { w.rows = rows }))
	}
	switch reply := h.change(page, c); {
	case reply == nil:
	case reply.Status == http.StatusOK && h.random.IntN(3) > 0:
		h.loadRows(page)
	case reply.Status == http.StatusConflict:
		h.reload(page)
	}
}

func (h *history) saveStep(page *tab) {
	step := []string{"table", "columns", "values", "cells", "confirm"}[h.random.IntN(5)]
	c := h.inReview(page, change{name: "save the step " + step, method: "PUT", path: "progress/", body: map[string]any{"step": step}, repeat: true}, http.StatusOK)
	if h.keeps(page) {
		c.accept(h.state.with(func(w *work) { w.step = step }))
	}
	if reply := h.change(page, c); reply != nil {
		page.step = step
	}
}

// edit changes a cell, mostly of an invalid row. If another tab has changed the cell meanwhile, nothing
// must change.
func (h *history) edit(page *tab) {
	row, column, text := h.random.IntN(len(page.rows)), 0, h.newName("Name %d")
	invalid := slices.IndexFunc(page.rows, isInvalid)
	if invalid >= 0 && h.random.IntN(3) > 0 {
		row = invalid
	}
	if row == invalid || h.random.IntN(2) > 0 {
		column, text = 1, h.newEmail()
	}
	seen := page.rows[row][column]
	cell := map[string]any{"id": fmt.Sprint(row), "key": columns[column], "text": text, "version": page.versions[row], "seen": seen}
	c := h.inReview(page, change{
		name: fmt.Sprintf("change %q in row %d to %q", seen, row, text), method: "POST", path: "edits/",
		body: map[string]any{"op": h.newName("op %d"), "kind": "set", "cells": []any{cell}}, repeat: true,
	}, http.StatusConflict)
	if h.keeps(page) && h.state.kept.rows[row][column] == seen {
		c.accept(h.state.with(func(w *work) {
			w.undo, w.rows = append(slices.Clip(w.undo), w.rows), slices.Clone(w.rows)
			w.rows[row] = slices.Clone(w.rows[row])
			w.rows[row][column] = text
		}))
	}
	if reply := h.change(page, c); reply != nil && h.keeps(page) {
		h.loadRows(page)
	}
}

// undo undoes the last change, whichever tab made it.
func (h *history) undo(page *tab) {
	c := h.inReview(page, change{name: "undo", method: "POST", path: "undo/", body: map[string]any{"op": h.newName("op %d")}, repeat: true}, http.StatusConflict)
	if h.keeps(page) && len(h.state.kept.undo) > 0 {
		c.accept(h.state.with(func(w *work) {
			last := len(w.undo) - 1
			w.rows, w.undo = w.undo[last], w.undo[:last]
		}))
	}
	if reply := h.change(page, c); reply != nil && h.keeps(page) {
		h.loadRows(page)
	}
}

func (h *history) submit(page *tab) {
	c := h.inReview(page, change{name: "submit", method: "POST", path: "submit/"}, http.StatusConflict)
	if h.keeps(page) && !slices.ContainsFunc(h.state.kept.rows, isInvalid) {
		c.accept(state{submitted: append(slices.Clip(h.state.submitted), h.state.kept)})
	}
	h.change(page, c)
	h.checkResults()
}

func (h *history) deleteSession() {
	c := change{name: "delete the session", method: "DELETE", path: sessionsPath + h.session + "/", headers: []string{keyHeader, livetest.BackendKey}, repeat: true}
	c.accept(state{submitted: h.state.submitted, deleted: true})
	h.change(&tab{}, c)
}

// open opens the importer, and the import that the session keeps.
func (h *history) open() (page tab) {
	h.t.Helper()
	reply := h.send("POST", "/api/widget/v1/session/", `{`+schema+`,"origin":"https://app.example.com","hydration_id":"`+h.hydration+`"}`, keyHeader, livetest.FrontendKey)
	if slices.Contains(gone, reply.Status) {
		return tab{refused: true}
	}
	var setup struct {
		Session string
		Saved   *struct{ ID, Upload, ReviewToken, OriginalFilename, Step string }
	}
	decode(h.t, reply.WantStatus(http.StatusOK), &setup)
	page.widget = setup.Session
	if saved := setup.Saved; saved != nil {
		page.id, page.file, page.step, page.upload, page.invitation = saved.ID, saved.OriginalFilename, saved.Step, saved.Upload, saved.ReviewToken
	}
	h.openReview(&page)
	return page
}

// openReview opens the review of the import that a page shows, and loads the rows if there are any.
func (h *history) openReview(page *tab) {
	h.t.Helper()
	if page.id != "" {
		review := h.send("POST", reviewPath(page)+"session/", nil, bearer(page.invitation)...).WantStatus(http.StatusOK)
		if page.review = review.String("session"); review.String("status") != "AWAITING_UPLOAD" {
			h.loadRows(page)
		}
		h.known[page.id] = true
	}
	h.held = append(h.held, *page)
}

func (h *history) loadRows(page *tab) {
	h.t.Helper()
	h.site.AwaitImport(h.t, page.id)
	var table struct {
		Rows []struct {
			Version int64
			Cells   []struct{ Text string }
		}
	}
	decode(h.t, h.send("GET", reviewPath(page)+"rows/", nil, bearer(page.review)...).WantStatus(http.StatusOK), &table)
	page.rows, page.versions = nil, nil
	for _, row := range table.Rows {
		var cells []string
		for _, cell := range row.Cells {
			cells = append(cells, cell.Text)
		}
		page.rows, page.versions = append(page.rows, cells), append(page.versions, row.Version)
	}
}

// checkResults checks that the organization can read the submitted rows.
func (h *history) checkResults() {
	h.t.Helper()
	for _, one := range h.state.submitted {
		var result []struct{ Name, Email string }
		decode(h.t, h.site.Result(h.t, one.id), &result)
		var got [][]string
		for _, row := range result {
			got = append(got, []string{row.Name, row.Email})
		}
		if !slices.EqualFunc(got, one.rows, slices.Equal[[]string]) {
			h.t.Fatalf("the submitted rows of %s are %q; want %q", one.id, got, one.rows)
		}
	}
}

// checkDeleted checks that no token of a tab gives access to the session or its import, and that all
// imports are gone, except submitted ones, which belong to the organization.
func (h *history) checkDeleted() {
	h.t.Helper()
	h.checkResults()
	refused := func(method, path string, body any, headers ...string) {
		h.t.Helper()
		if reply := h.send(method, path, body, headers...); !slices.Contains(gone, reply.Status) {
			h.t.Errorf("after the session was deleted, %s %s returns %d: %s", method, path, reply.Status, reply.Body)
		}
	}
	if page := h.open(); !page.refused {
		h.t.Errorf("after the session was deleted, the importer opens with %v", page)
	}
	refused("GET", sessionsPath+"state/?hydrationId="+h.hydration, nil)
	submitted := func(id string) bool {
		return slices.ContainsFunc(h.state.submitted, func(w *work) bool { return w.id == id })
	}
	for id := range h.known {
		if !submitted(id) {
			refused("GET", apitest.ImportsPath+id+"/", nil, keyHeader, livetest.BackendKey)
		}
	}
	for _, page := range h.held {
		refused("POST", startPath, `{`+schema+`}`, bearer(page.widget)...)
		if page.id == "" {
			continue
		}
		review, token := reviewPath(&page), bearer(page.review)
		refused("PUT", review+"progress/", `{"step":"cells"}`, token...)
		if submitted(page.id) {
			continue
		}
		refused("PUT", page.upload, header)
		refused("POST", review+"session/", nil, bearer(page.invitation)...)
		for _, path := range []string{"", "table/", "rows/", "layout/", "preview/", "result/"} {
			refused("GET", review+path, nil, token...)
		}
		refused("POST", review+"edits/", `{"op":"late edit","kind":"trim"}`, token...)
		refused("POST", review+"undo/", `{"op":"late undo"}`, token...)
		refused("POST", review+"submit/", nil, token...)
	}
}

func (h *history) logf(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// newName returns a name with a number that was not used before in this history.
func (h *history) newName(format string) string {
	h.names++
	return fmt.Sprintf(format, h.names)
}

// newEmail returns an e-mail address, which is invalid in one of four cases.
func (h *history) newEmail() string {
	if h.random.IntN(4) == 0 {
		return h.newName("no address %d")
	}
	return h.newName("user%d@example.org")
}

func (h *history) request(method, path string, body any, headers ...string) *http.Request {
	h.t.Helper()
	return h.site.Request(h.t, method, path, body, append([]string{keyHeader, "", "X-Forwarded-For", h.address}, headers...)...)
}

// send sends a request without the backend key, unless headers contains it.
func (h *history) send(method, path string, body any, headers ...string) *livetest.Reply {
	h.t.Helper()
	return h.site.Do(h.t, h.request(method, path, body, headers...))
}

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

func reviewPath(page *tab) string { return "/api/review/v1/" + page.id + "/" }

func decode(t *testing.T, reply *livetest.Reply, to any) {
	t.Helper()
	if err := json.Unmarshal(reply.Body, to); err != nil {
		t.Fatalf("status %d: %v: %s", reply.Status, err, reply.Body)
	}
}

// keeps reports whether the session keeps the import that a page shows.
func (h *history) keeps(page *tab) bool { return h.state.kept != nil && h.state.kept.id == page.id }
