package storetest

import (
	"encoding/json"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/internal/service"
)

func anImport(n int, org string, status service.Status) service.Import {
	return service.Import{
		ID: id("import", n), Org: org, SchemaID: "schema", UploadID: id("upload", n),
		Status: status, Filename: "Ünïcode.csv", HasUser: true,
		User:    service.User{ID: "7", Name: "Ada", Email: "a@example.org", CompanyID: "c", CompanyName: "Co"},
		Schema:  service.Document{Fields: json.RawMessage(`[1]`), Settings: json.RawMessage(`{}`), Hooks: json.RawMessage(`{"a":1}`)},
		Created: after(n), Modified: after(n), Queued: after(n),
	}
}

func anOutcome() *service.Outcome {
	row, value := int64(1)<<40, "\x00<"
	return &service.Outcome{
		Outcome: engine.Outcome{
			Headers:       []string{"a", "", "ü"},
			Mapping:       intray.Mapping{Fields: []intray.Match{{Column: -1, Score: 0.25, Reasons: []intray.Message{intray.Literal("r")}}}, Unmapped: []int{2}},
			Evidence:      []intray.Evidence{{Choice: "format", Value: "csv", Reason: intray.Literal("x")}},
			DataRows:      1 << 40,
			RowsWithError: []int64{row},
			Notices:       []intray.Notice{{Type: intray.Validation, Level: intray.LevelWarning, Text: intray.Literal("t"), Row: &row, Value: &value}},
		},
		OutputRows: 12, Finished: after(50),
	}
}

// aRecollection is what an import was offered.
func aRecollection() *intray.Memory {
	return &intray.Memory{
		Columns: []intray.RememberedColumn{{Field: "f", Header: "ü\x00", On: after(3)}},
		Values:  []intray.RememberedValue{{Field: "f", Text: "t", Value: "", On: after(4)}},
	}
}

func (f *fixture) insertImports(all ...service.Import) {
	f.Helper()
	f.update(func(tx service.Tx) error {
		for _, i := range all {
			if err := tx.Imports.Insert(f.ctx, i); err != nil {
				return err
			}
		}
		return nil
	})
}

func (f *fixture) getImport(org, id string) service.Import {
	f.Helper()
	return read(f, func(tx service.Tx) (service.Import, error) { return tx.Imports.Get(f.ctx, org, id) })
}

func testImports(f *fixture) {
	bare := service.Import{ID: "bare", Org: "org-a", Status: service.AwaitingUpload}
	full := anImport(1, "org-a", service.Running)
	full.Run, full.Lost, full.Node, full.Inline, full.Stage = 3, 2, "node", true, "stage/1"
	full.Raw = service.File{Key: "raw/1", Size: 1 << 41, SHA256: "aa"}
	full.Result = service.File{Key: "result/1", Size: 5, SHA256: "bb"}
	full.Outcome, full.Memory, full.Answers = anOutcome(), aRecollection(), intray.Answers{"value:c:\x00": ""}
	f.insertImports(bare, full)
	f.same(f.getImport("org-a", "bare"), bare)
	f.same(f.getImport("org-a", full.ID), full)
	f.refused(service.Conflict, func(tx service.Tx) error {
		return tx.Imports.Insert(f.ctx, service.Import{ID: "bare", Org: "org-b"})
	})

	f.update(func(tx service.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", "bare") })
	f.missing(func(tx service.Tx) error { _, err := tx.Imports.Get(f.ctx, "org-a", "bare"); return err })
	f.refused(service.NotFound, func(tx service.Tx) error { return tx.Imports.Delete(f.ctx, "org-a", "bare") })
}

func testImportsListed(f *fixture) {
	var own []string
	for n := range 7 {
		imp := anImport(n, "org-a", service.Successful)
		// Two share a moment: the later id counts as newer.
		imp.Created = after(n / 2)
		imp.Outcome, imp.Memory = anOutcome(), aRecollection()
		f.insertImports(imp, anImport(n+100, "org-b", service.Pending))
		own = append([]string{imp.ID}, own...)
	}
	for _, c := range []struct {
		offset, limit int64
		want          []string
	}{
		{0, 3, own[:3]}, {3, 3, own[3:6]}, {6, 3, own[6:]}, {7, 3, nil}, {0, 0, nil}, {0, 1 << 40, own},
	} {
		var list []service.Import
		var total int64
		f.view(func(tx service.Tx) (err error) {
			list, total, err = tx.Imports.List(f.ctx, "org-a", c.offset, c.limit)
			return err
		})
		var got []string
		for _, imp := range list {
			got = append(got, imp.ID)
		}
		f.same(got, c.want)
		f.same(total, int64(7))
	}
	want := f.getImport("org-a", own[0])
	want.Schema, want.Outcome, want.Memory = service.Document{}, nil, nil
	f.view(func(tx service.Tx) error {
		list, _, err := tx.Imports.List(f.ctx, "org-a", 0, 1)
		f.same(list, []service.Import{want})
		return err
	})
}

func testImportsMoved(f *fixture) {
	before := anImport(1, "org-a", service.Running)
	before.Run = 4
	f.insertImports(before)

	want := before
	want.Status, want.Run, want.Lost, want.Node, want.Filename, want.HasUser = service.Successful, 5, 1, "n", "new", false
	want.Raw, want.Result = service.File{Key: "k", Size: 1, SHA256: "s"}, service.File{Key: "l", Size: 2, SHA256: "t"}
	want.Stage, want.Outcome, want.Modified, want.Queued = "stage", anOutcome(), after(70), after(71)
	want.Memory, want.Answers, want.User = aRecollection(), intray.Answers{"sheet": "A"}, service.User{ID: "8", Name: "Bo"}
	asked := want
	asked.SchemaID, asked.UploadID, asked.Inline, asked.Created = "x", "x", true, after(99)
	asked.Schema = service.Document{}

	move := func(imp service.Import, from service.Status, run int) func(service.Tx) error {
		return func(tx service.Tx) error { return tx.Imports.Move(f.ctx, imp, from, run) }
	}
	foreign := asked
	foreign.Org = "org-b"
	f.refused(service.Conflict, move(asked, service.Running, 3))
	f.refused(service.Conflict, move(asked, service.Pending, 4))
	f.refused(service.Conflict, move(foreign, service.Running, 4))
	f.same(f.getImport("org-a", before.ID), before)
	f.update(move(asked, service.Running, 4))
	f.same(f.getImport("org-a", before.ID), want)
	f.refused(service.Conflict, move(asked, service.Running, 4))
}

func testImportsInStatus(f *fixture) {
	for n := range 4 {
		imp := anImport(n, []string{"org-a", "org-b"}[n%2], service.Running)
		imp.Node = []string{"n1", "n2"}[n/2]
		imp.Created = after(10 - n)
		f.insertImports(imp, anImport(n+10, "org-a", service.Pending))
	}
	ref := func(n int) service.ImportRef {
		return service.ImportRef{Org: []string{"org-a", "org-b"}[n%2], ID: id("import", n)}
	}
	for _, c := range []struct {
		node  string
		limit int
		want  []service.ImportRef
	}{
		{"", 10, []service.ImportRef{ref(3), ref(2), ref(1), ref(0)}},
		{"", 1, []service.ImportRef{ref(3)}},
		{"n1", 10, []service.ImportRef{ref(1), ref(0)}},
		{"n3", 10, nil},
	} {
		f.same(read(f, func(tx service.Tx) ([]service.ImportRef, error) {
			return tx.Imports.InStatus(f.ctx, service.Running, c.node, c.limit)
		}), c.want)
	}
}
