package apiclients_test

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray/test/apitest"
)

// rehydration is the argument of DromoUploader.rehydrateHeadless.
type rehydration struct {
	LicenseKey       string
	HeadlessImportID string `json:"headlessImportId"`
	Fields           []any
	Settings         object
	Hooks            object
	RehydrateState   object
}

// rehydrate gets the argument of rehydrateHeadless and checks the properties that this function
// reads. The hooks must be lists if they are there, because it iterates over them.
func (p program) rehydrate(id string) (r rehydration) {
	p.t.Helper()
	text := p.send("GET", p.api+"/headless/imports/"+id+"/rehydration/", nil, "Content-Type", jsonType, keyHeader, p.key)
	members := decode[map[string]json.RawMessage](p.t, text)
	for _, name := range []string{"licenseKey", "headlessImportId", "fields", "settings", "hooks", "rehydrateState"} {
		if value := members[name]; len(value) == 0 || string(value) == "null" {
			p.t.Errorf("%s is %q: %s", name, value, text)
		}
	}
	r = decode[rehydration](p.t, text)
	if r.LicenseKey == "" || r.LicenseKey == p.key || r.HeadlessImportID != id {
		p.t.Errorf("the rehydration of %s is %s", id, text)
	}
	if diff := cmp.Diff(people(), r.Fields); diff != "" {
		p.t.Errorf("the fields: %s", diff)
	}
	if r.Settings["importIdentifier"] != "people" || r.Settings["invalidDataBehavior"] != "BLOCK_SUBMIT" {
		p.t.Errorf("the settings are %v", r.Settings)
	}
	for _, name := range []string{"columnHooks", "rowHooks", "batchRowHooks", "bulkRowHooks", "rowDeleteHooks", "stepHooks", "fileParsers"} {
		if list, given := r.Hooks[name]; given {
			if _, is := list.([]any); !is {
				p.t.Errorf("the hooks are %v", r.Hooks)
			}
		}
	}
	return r
}

// importer sends the requests of the importer that rehydrateHeadless opens.
type importer struct {
	program
	path    string
	headers []string
}

// openImporter opens the importer with a rehydration.
func (p program) openImporter(r rehydration) importer {
	p.t.Helper()
	path := p.site.URL + "/api/review/v1/" + r.HeadlessImportID + "/"
	visit := decode[struct{ ID, Session string }](p.t, p.send("POST", path+"session/", nil, "Authorization", "Bearer "+r.LicenseKey))
	if visit.ID != r.HeadlessImportID || visit.Session == "" {
		p.t.Fatalf("the visit is %+v", visit)
	}
	return importer{p, path, []string{"Authorization", "Bearer " + visit.Session}}
}

func (i importer) get(call string) []byte {
	i.t.Helper()
	return i.send("GET", i.path+call, nil, i.headers...)
}

func (i importer) post(call string, body any) []byte {
	i.t.Helper()
	if body == nil {
		return i.send("POST", i.path+call, nil, i.headers...)
	}
	return i.send("POST", i.path+call, encode(i.t, body), append([]string{"Content-Type", jsonType}, i.headers...)...)
}

// chooseSheet answers the question of which sheet to import, and waits until there are rows.
func (i importer) chooseSheet(name string) {
	i.t.Helper()
	type choice struct{ Value, Label string }
	asked := decode[struct {
		Questions []struct {
			ID      string
			Choices []choice
		}
	}](i.t, i.get("questions/"))
	if len(asked.Questions) != 1 || asked.Questions[0].ID != "sheet" || len(asked.Questions[0].Choices) != 2 {
		i.t.Fatalf("the questions are %+v", asked)
	}
	for _, c := range asked.Questions[0].Choices {
		if strings.Contains(c.Label, name) {
			i.post("questions/", object{"answers": object{"sheet": c.Value}})
		}
	}
	apitest.Eventually(i.t, "the sheet is read", func() bool {
		return decode[struct{ HasRows bool }](i.t, i.get("")).HasRows
	})
}

// fix replaces the only invalid email address, and checks that no invalid row remains.
func (i importer) fix(email string) {
	i.t.Helper()
	type row struct {
		ID      string
		Version int64
		Cells   []struct{ Text string }
	}
	table := decode[struct{ Columns []struct{ Key string } }](i.t, i.get("table/"))
	wrong := decode[struct{ Rows []row }](i.t, i.get("rows/?show=errors&from=0&count=100"))
	if len(wrong.Rows) != 1 || len(table.Columns) != 3 || table.Columns[2].Key != "email" {
		i.t.Fatalf("the columns are %+v, the rows with errors %+v", table.Columns, wrong.Rows)
	}
	one := wrong.Rows[0]
	cell := object{"id": one.ID, "key": "email", "text": email, "version": one.Version, "seen": one.Cells[2].Text}
	made := decode[struct{ Cells, Invalid int64 }](i.t, i.post("edits/", object{"op": "1", "kind": "set", "cells": []any{cell}}))
	if made.Cells != 1 || made.Invalid != 0 {
		i.t.Fatalf("the change is %+v", made)
	}
}

// submit submits the review and returns the rows that the importer hands to onResults.
func (i importer) submit() (rows []object) {
	i.t.Helper()
	if ready := decode[struct{ Blocked bool }](i.t, i.get("submit/")); ready.Blocked {
		i.t.Fatal("the submission is blocked")
	}
	if done := decode[struct{ Status string }](i.t, i.post("submit/", nil)); done.Status != "SUCCESSFUL" {
		i.t.Fatalf("after it is submitted, the import is %s", done.Status)
	}
	for line := range bytes.Lines(i.get("result/")) {
		rows = append(rows, decode[object](i.t, line))
	}
	i.get("result/metadata/")
	return rows
}
