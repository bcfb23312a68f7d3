package service_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/imports"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/servertest"
)

const crm = `{"importIdentifier":"crm"}`

// importFile creates an import of a file and runs it.
func (f *fixture) importFile(org, fields, settings, file string) model.Import {
	f.Helper()
	imp, err := f.CreateImport(f.ctx, org, imports.Draft{Doc: doc(f.T, fields, settings)})
	must(f.T, err)
	must(f.T, f.upload(imp, file))
	f.runAll()
	return f.reload(imp)
}

// importAndAnswer imports a file, answers questions, and runs the import again.
func (f *fixture) importAndAnswer(fields, settings, file string, answers intray.Answers) model.Import {
	f.Helper()
	imp := f.importFile(f.org, fields, settings, file)
	f.answerAll(imp, answers)
	f.runAll()
	return f.reload(imp)
}

func (f *fixture) answerAll(imp model.Import, answers intray.Answers) {
	f.Helper()
	given := map[string]*string{}
	for id, value := range answers {
		given[id] = &value
	}
	_, err := f.AnswerQuestions(f.ctx, imp.Org, imp.ID, given, false)
	must(f.T, err)
}

// wantMemory checks that exactly these mappings, such as "column name Name", were
// learned for an identifier, in any order.
func (f *fixture) wantMemory(identifier string, want ...string) {
	f.Helper()
	list, total, err := servertest.Split(f.Memory(f.ctx, f.org, identifier, model.PageRequest{Limit: 100}))
	must(f.T, err)
	var got []string
	for _, r := range list {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Kind, r.Field, r.Text, r.Value)))
		if r.Org != f.org || r.ImportIdentifier != identifier {
			f.Errorf("a mapping belongs to %s of %s", r.ImportIdentifier, r.Org)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || total != int64(len(want)) {
		f.Errorf("%d learned mappings (-want +got):\n%s", total, diff)
	}
}

// Later imports of the same organization with the same identifier use the learned columns.
func TestLearnedColumns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const result = `[{"email":"ada@example.org","name":"A."}]`
	f.wantResult(f.importAndAnswer(contacts, crm, ambiguousName, intray.Answers{"column:name": "2"}), result)
	f.wantMemory("crm", "column name name")
	f.Clock.Advance(10 * 24 * time.Hour)

	again := f.importFile(f.org, contacts, crm, ambiguousName)
	f.wantResult(again, result)
	if diff := cmp.Diff([]string{`you chose the column "name" on 2026-03-04`}, intray.RenderAll(again.Outcome.Mapping.Fields[1].Reasons)); diff != "" {
		t.Error(diff)
	}
	other, err := f.CreateOrg(f.ctx, "Other")
	must(t, err)
	for name, imp := range map[string]model.Import{
		"another identifier":   f.importFile(f.org, contacts, `{"importIdentifier":"erp"}`, ambiguousName),
		"no identifier":        f.importFile(f.org, contacts, "", ambiguousName),
		"another organization": f.importFile(other.ID, contacts, crm, ambiguousName),
	} {
		if imp.Status != model.NeedsReview {
			t.Errorf("with %s the import is %s", name, imp.Status)
		}
	}

	must(t, f.DeleteImport(f.ctx, f.org, again.ID))
	f.wantMemory("crm", "column name name")
	must(t, f.ForgetMemory(f.ctx, f.org, "crm"))
	f.wantMemory("crm")
	f.wantStatus(f.importFile(f.org, contacts, crm, ambiguousName), model.NeedsReview)
}

// sameNameFields is a schema in which two fields match the same column.
const sameNameFields = `[{"key":"email","label":"E-Mail","type":"email"},{"key":"first","label":"Name"},{"key":"last","label":"Name"}]`

// tags is a schema with a many-to-one field.
const tags = `[{"key":"email","label":"E-Mail","type":"email"},{"key":"tags","label":"Tag","manyToOne":true,"requireMapping":true}]`

// longSelect is a schema with an option whose value has n bytes.
func longSelect(n int) string {
	return fmt.Sprintf(`[{"key":"size","label":"Size","type":"select","selectOptions":[{"label":"Long","value":"%s"}]}]`, strings.Repeat("v", n))
}

func TestLearnedFromAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", 1025)
	for _, c := range []struct {
		name, fields, file string
		answers            intray.Answers
		want               []string
	}{
		{"a column", contacts, ambiguousName, intray.Answers{"column:name": "1"}, []string{"column name Name"}},
		{"a field", sameNameFields, "E-Mail,Name\na@example.org,A\n", intray.Answers{"field:1": "last"}, []string{"column last Name"}},
		{"no column", contacts, ambiguousName, intray.Answers{"column:name": "none"}, nil},
		{"no field", sameNameFields, "E-Mail,Name\na@example.org,A\n", intray.Answers{"field:1": "none"}, nil},
		{"a header of two columns", contacts, "E-Mail,Name,Name\na@example.org,A,B\n", intray.Answers{"column:name": "1"}, nil},
		{"a column without a header", contacts, "E-Mail,Name,name,\na@example.org,A,B,C\n", intray.Answers{"column:name": "3"}, nil},
		{"a long header", contacts, "E-Mail,Name,name," + long + "\na@example.org,A,B,C\n", intray.Answers{"column:name": "3"}, nil},
		{"the longest header", contacts, "E-Mail,Name,name," + long[1:] + "\na@example.org,A,B,C\n", intray.Answers{"column:name": "3"}, []string{"column name " + long[1:]}},
		{"the longest value", longSelect(1024), "Size,size\nx,y\n", intray.Answers{"column:size": "0", "value:size:x": strings.Repeat("v", 1024)}, []string{"column size Size", "value size x " + strings.Repeat("v", 1024)}},
		{"a long value", longSelect(1025), "Size,size\nx,y\n", intray.Answers{"column:size": "0", "value:size:x": strings.Repeat("v", 1025)}, []string{"column size Size"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.wantStatus(f.importAndAnswer(c.fields, crm, c.file, c.answers), model.Successful)
			f.wantMemory("crm", c.want...)
		})
	}
}

// If an answer selects several columns for one field, those with a unique header are learned.
func TestLearnedManyToOneColumns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const file = "E-Mail,Q7,Z3,X9,X9\na@example.org,A,B,C,D\n"
	imp := f.importAndAnswer(tags, crm, file, intray.Answers{"column:tags": "4,1,2"})
	f.wantResult(imp, `[{"email":"a@example.org","tags":["A","B","D"]}]`)
	f.wantMemory("crm", "column tags Q7", "column tags Z3") // two columns have the header X9
	f.wantResult(f.importFile(f.org, tags, crm, file), `[{"email":"a@example.org","tags":["A","B"]}]`)
}

// Later answers that contradict learned mappings replace them.
func TestLaterAnswersReplaceMappings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, fields, file string
		answers            intray.Answers
		want               []string
	}{
		{"another column of a field", contacts, "E-Mail,Name,Name,Other\na@example.org,A,B,C\n", intray.Answers{"column:name": "3"},
			[]string{"column name Other", "column name Gone", "value email x y"}},
		{"no column for a field", contacts, "E-Mail,Name,Name,Other\na@example.org,A,B,C\n", intray.Answers{"column:name": "none"},
			[]string{"column email Other", "column name Gone", "value email x y"}},
		{"another field of a column", sameNameFields, "E-Mail,Name,Other\na@example.org,A,b@example.org\n", intray.Answers{"field:1": "first"},
			[]string{"column first Name", "column email Other", "column name Gone", "value email x y"}},
		{"a field without a column", `[{"key":"name","label":"Gone","hidden":true},{"key":"email","label":"E-Mail","type":"email"},{"key":"surname","label":"Surname"}]`,
			"E-Mail,Name,Surname,surname\na@example.org,A,B,C\n", intray.Answers{"column:surname": "3"},
			[]string{"column surname surname", "column name Name", "column email Other", "column name Gone", "value email x y"}},
		{"no field for a column", sameNameFields, "E-Mail,Name\na@example.org,A\n", intray.Answers{"field:1": "none"},
			[]string{"column email Other", "column name Gone", "value email x y"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.saveMemory(
				model.LearnedMapping{Kind: model.ColumnMemory, Field: "name", Text: "Name", On: servertest.Started.Add(-1 * time.Hour)},
				model.LearnedMapping{Kind: model.ColumnMemory, Field: "email", Text: "Other", On: servertest.Started.Add(-2 * time.Hour)},
				model.LearnedMapping{Kind: model.ColumnMemory, Field: "name", Text: "Gone", On: servertest.Started.Add(-3 * time.Hour)},
				model.LearnedMapping{Kind: model.ValueMemory, Field: "email", Text: "x", Value: "y", On: servertest.Started.Add(-4 * time.Hour)},
			)
			f.wantStatus(f.importAndAnswer(c.fields, crm, c.file, c.answers), model.Successful)
			f.wantMemory("crm", c.want...)
		})
	}
}

// saveMemory saves learned mappings for the identifier crm.
func (f *fixture) saveMemory(all ...model.LearnedMapping) {
	f.Helper()
	must(f.T, f.Store.Update(f.ctx, func(tx model.Tx) error {
		for _, r := range all {
			r.Org, r.ImportIdentifier = f.org, "crm"
			if err := tx.Memory.Upsert(f.ctx, r); err != nil {
				return err
			}
		}
		return nil
	}))
}

// When the limit is reached, the oldest mapping is dropped.
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var all []model.LearnedMapping
	for n := range imports.MaxMemory {
		all = append(all, model.LearnedMapping{Kind: model.ValueMemory, Field: "f", Text: fmt.Sprint(n), On: servertest.Started.Add(-time.Duration(n+1) * time.Hour)})
	}
	f.saveMemory(all...)
	f.wantStatus(f.importAndAnswer(contacts, crm, ambiguousName, intray.Answers{"column:name": "1"}), model.Successful)
	list, total, err := servertest.Split(f.Memory(f.ctx, f.org, "crm", model.PageRequest{Limit: imports.MaxMemory}))
	must(t, err)
	if last := list[len(list)-1].Text; total != imports.MaxMemory || list[0].Field != "name" || last != fmt.Sprint(imports.MaxMemory-2) {
		t.Errorf("%d mappings, the newest is %+v and the oldest %s", total, list[0], last)
	}
}

// A mapping is learned between two runs of the same import. The second run must not use it, even in
// another process.
func TestRunsUseTheSameMemory(t *testing.T) {
	t.Parallel()
	const both = "E-Mail,Name,name\nada@example.org,Ada,A.\n"
	f := newFixture(t)
	f.saveMemory(model.LearnedMapping{Kind: model.ColumnMemory, Field: "email", Text: "Mail", On: servertest.Started})
	imp := f.importFile(f.org, contacts, crm, both)
	f.wantStatus(imp, model.NeedsReview)
	must(t, f.Leave(f.ctx))
	f.Service = f.newNode("folder/two")
	must(t, f.Join(f.ctx))
	f.saveMemory(model.LearnedMapping{Kind: model.ColumnMemory, Field: "name", Text: "Name", On: servertest.Started})
	_, err := f.UpdateLayout(f.ctx, imp.Org, imp.ID, map[string]*string{"header_row": new("1")})
	must(t, err)
	f.runAll()
	again := f.reload(imp)
	f.wantStatus(again, model.NeedsReview)
	if again.Run != imp.Run+1 || len(again.Memory.Columns) != 1 || again.Memory.Columns[0].Field != "email" {
		t.Errorf("run %d used %+v", again.Run, again.Memory)
	}

	later := f.importFile(f.org, contacts, `{"importIdentifier":"crm","invalidDataBehavior":"BLOCK_SUBMIT"}`, both+"nobody,x,y\n")
	f.wantStatus(later, model.NeedsReview)
	if len(later.OpenQuestions()) > 0 || len(later.Memory.Columns) != 2 {
		t.Errorf("the questions are %v with %+v", questionIDs(later), later.Memory)
	}
	if ended := f.importFile(f.org, contacts, crm, both); ended.Memory != nil || ended.Status != model.Successful {
		t.Errorf("the import is %s, with %+v", ended.Status, ended.Memory)
	}
}

// Learned mappings are saved exactly when the end of an import is committed, even if the
// process crashes before or after the commit.
func TestMemoryIsSavedWithTheEnd(t *testing.T) {
	t.Parallel()
	for point, want := range map[string][]string{"run.result": nil, "run.finished": {"column name Name"}} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			imp := f.importFile(f.org, contacts, crm, ambiguousName)
			f.answerAll(imp, intray.Answers{"column:name": "1"})
			f.Service = f.newNode("folder/two", crashAt(point))
			must(t, f.Join(f.ctx))
			f.expectCrash(func() { _, _ = f.RunNext(f.ctx) })
			f.wantMemory("crm", want...)
			f.Service = f.newNode("folder/three")
			must(t, f.Join(f.ctx))
			f.runAll()
			f.wantResult(imp, `[{"email":"ada@example.org","name":"Ada"}]`)
			f.wantMemory("crm", "column name Name")
		})
	}
}

// TestForgottenWithImport checks that deleting an import deletes what was learned from it.
func TestForgottenWithImport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.importAndAnswer(contacts, crm, ambiguousName, intray.Answers{"column:name": "2"})
	other := f.importFile(f.org, contacts, crm, ambiguousName)
	must(t, f.DeleteImport(f.ctx, f.org, other.ID))
	f.wantMemory("crm", "column name name")
	must(t, f.DeleteImport(f.ctx, f.org, imp.ID))
	f.wantMemory("crm")
}

// TestLearnedSentinels checks that a decision about a sentinel is learned.
func TestLearnedSentinels(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const fields, file = `[{"key":"age","label":"Age","type":"number"}]`, "Age\n31\n18\n95\n44\n52\n67\n999\n999\n"
	const result = `[{"age":31},{"age":18},{"age":95},{"age":44},{"age":52},{"age":67},{"age":null},{"age":null}]`
	f.wantResult(f.importAndAnswer(fields, crm, file, intray.Answers{"value:age:999": ""}), result)
	f.wantMemory("crm", "value age 999")
	f.wantResult(f.importFile(f.org, fields, crm, file), result)
}

// TestLexicon checks that learned mappings can be exported, imported for another identifier, and
// expire.
func TestLexicon(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.importAndAnswer(contacts, crm, ambiguousName, intray.Answers{"column:name": "2"})
	exported, err := f.Lexicon(f.ctx, f.org, "crm")
	must(t, err)
	f.Clock.Advance(time.Hour)
	future := model.LearnedMapping{Kind: model.ValueMemory, Field: "country", Text: "Absurdistan", Value: "DE", On: f.Clock.Now().AddDate(1, 0, 0)}
	must(t, f.ReplaceLexicon(f.ctx, f.org, "erp", append(exported, future)))
	f.wantMemory("erp", "value country Absurdistan DE", "column name name")
	f.wantStatus(f.importFile(f.org, contacts, `{"importIdentifier":"erp"}`, ambiguousName), model.Successful)

	must(t, f.SetRetention(f.ctx, f.org, []model.Retention{{Learned: 2}}))
	f.Clock.Advance(2*24*time.Hour - 30*time.Minute)
	n, err := f.Expire(f.ctx)
	must(t, err)
	f.wantMemory("erp", "value country Absurdistan DE")
	f.wantMemory("crm")
	if n != 2 {
		t.Errorf("%d mappings expired, want 2", n)
	}
	must(t, f.ReplaceLexicon(f.ctx, f.org, "erp", nil))
	f.wantMemory("erp")

	long := model.LearnedMapping{Kind: model.ColumnMemory, Field: "name", Text: strings.Repeat("x", imports.MaxMemoryText+1)}
	f.wantError(f.ReplaceLexicon(f.ctx, f.org, "erp", []model.LearnedMapping{long}), model.Invalid, "invalid")
	f.wantError(f.ReplaceLexicon(f.ctx, f.org, "erp", make([]model.LearnedMapping, imports.MaxMemory+1)), model.Invalid, "invalid")
}
