package jsruntime_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/intraydata/intray"

	"github.com/intraydata/intray/hooks/jsruntime"
)

var update = flag.Bool("update", false, "write the results of QuickJS into cases without a want section")

// TestConform checks the results of all cases in both runtimes. Row hooks run three times: to
// learn which columns they use, with these columns, and without any column. Unless a case makes
// the worker unusable, it runs both with sparse and, unless -short is set, with complete records.
func TestConform(t *testing.T) {
	all := scenes(t)
	if len(all) < 120 {
		t.Errorf("found %d cases, want at least 120", len(all))
	}
	for _, runtime := range runtimes {
		t.Run(runtime.name, func(t *testing.T) {
			var w worker
			for _, s := range all {
				if s.only != "" && s.only != runtime.name {
					continue
				}
				if w == nil {
					w = runtime.open(t)
				}
				t.Run(filepath.Base(s.file)+"/"+s.title, func(t *testing.T) { conform(t, w, s, runtime.name) })
				if s.spoils || strings.Contains(s.want[""]+s.want[runtime.name], "fail memory") {
					w = nil
				}
			}
		})
	}
}

func conform(t *testing.T, w worker, s *scene, name string) {
	got := play(t, w, s, 1)
	if !s.spoils && !testing.Short() {
		if diff := cmp.Diff(got, play(t, w, s, 1000)); diff != "" {
			t.Errorf("sparse and complete rows differ (-sparse +complete):\n%s", diff)
		}
	}
	want, own := s.want[name]
	if !own {
		want = s.want[""]
	}
	text := strings.Join(got, "\n")
	if want == "" && *update {
		s.record(t, text)
		return
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func play(t *testing.T, w worker, s *scene, sparse int) (got []string) {
	t.Helper()
	fresh, err := parseScene(s.text())
	if err != nil {
		t.Fatal(err)
	}
	(&stage{t: t, w: w, scene: fresh, out: &got, sparse: sparse}).play()
	return got
}

// text returns the case as it is in its file. It reads the file again, because a run
// changes the rows.
func (s *scene) text() string {
	text, _ := os.ReadFile(s.file) // parseScene has read it
	_, rest, _ := strings.Cut("\n"+string(text), "\n=== "+s.title+"\n")
	body, _, _ := strings.Cut(rest, "\n=== ")
	return s.title + "\n" + body
}

func (s *scene) record(t *testing.T, got string) {
	text, err := os.ReadFile(s.file)
	if err != nil {
		t.Fatal(err)
	}
	whole := "\n" + string(text)
	old := "\n=== " + strings.TrimRight(s.text(), "\n")
	whole = strings.Replace(whole, old, strings.TrimSuffix(old, "\n--- want")+"\n--- want\n"+got, 1)
	if err := os.WriteFile(s.file, []byte(whole[1:]), 0o644); err != nil {
		t.Fatal(err)
	}
	s.want[""] = got
}

// stage runs a scene.
type stage struct {
	*scene
	t      *testing.T
	w      worker
	out    *[]string
	sparse int
}

func (s *stage) recordLine(format string, args ...any) {
	*s.out = append(*s.out, fmt.Sprintf(format, args...))
}

func (s *stage) play() {
	load := jsruntime.LoadCall{Fields: s.fields, Hooks: s.hooks, Pins: s.pins, Limit: s.limit, Sparse: s.sparse}
	faults := loadFaults(s.t, s.w, &load)
	for _, fault := range faults {
		message := fault.Message
		if fault.Name == "SyntaxError" {
			message = "SyntaxError"
		}
		s.recordLine("fault %s line %d: %s", fault.Hook, fault.Line, message)
	}
	if len(faults) > 0 {
		return
	}
	s.playColumns()
	for _, kind := range []jsruntime.HookKind{jsruntime.HookBulkRow, jsruntime.HookRow, jsruntime.HookRowDelete} {
		if s.count(kind) > 0 && !s.playRows(kind) {
			return
		}
	}
	s.playSteps()
}

func (s *stage) ask(request []byte) []byte {
	answer, err := s.w.Handle(request)
	if err != nil {
		s.t.Fatalf("%.300s: %v", request, err)
	}
	return answer
}

func (s *stage) read(raw []byte, learn bool) *answerWithChanges {
	answer, err := readAnswer(raw, jsruntime.Bounds{Rows: s.call.Count, Fields: s.fieldBounds(), Learn: learn, MaxChanges: 1000})
	if err != nil {
		s.t.Fatalf("%.300s: %v", raw, err)
	}
	return answer
}

func (s *stage) playColumns() {
	for _, hook := range s.hooks {
		if hook.Kind != jsruntime.HookColumn {
			continue
		}
		at := s.targets[hook.Name]
		call := jsruntime.ColumnCall{Hooks: []string{hook.Name}, Field: at.field, Part: at.part, Rows: s.call}
		call.Rows.Columns = make([]*jsruntime.Column, len(s.fields))
		call.Rows.Columns[at.field] = s.columns()[at.field]
		a := s.read(s.ask(call.Append(nil)), false)
		call.Lazy, call.Rows.Columns[at.field] = true, s.keep(at.field, call.Rows.Columns[at.field])
		s.same(a, s.read(s.ask(call.Append(nil)), false))
		s.applyAnswer(a)
	}
}

// playRows runs hooks over rows. It returns false after a failure.
func (s *stage) playRows(kind jsruntime.HookKind) bool {
	first := s.rowsWith(kind, s.columns(), true)
	if first.Used != nil && (kind == jsruntime.HookRow || kind == jsruntime.HookBulkRow) {
		var keys []string
		for _, f := range first.Used {
			keys = append(keys, s.fields[f].Key)
		}
		s.recordLine("used %s", strings.Join(keys, " "))
	}
	some, whole := make([]*jsruntime.Column, len(s.fields)), s.columns()
	for _, f := range first.Used {
		some[f] = whole[f]
	}
	for i, columns := range [][]*jsruntime.Column{some, make([]*jsruntime.Column, len(s.fields))} {
		again := s.rowsWith(kind, columns, false)
		if i == 0 && again.Missed != nil && first.Failure == nil {
			s.t.Errorf("%d columns were missed though all were learned", len(again.Missed))
		}
		if again.Missed != nil {
			again = s.rowsWith(kind, s.columns(), false)
		}
		if diff := cmp.Diff(s.lines(first), s.lines(again)); diff != "" {
			s.t.Errorf("run %d with fewer columns has another result (-learning +later):\n%s", i, diff)
		}
	}
	if kind == jsruntime.HookBulkRow {
		call := jsruntime.RowsCall{Kind: kind, Rows: s.call, Mode: s.mode, Fresh: true, Lazy: true, Budget: time.Minute}
		call.Rows.Columns = make([]*jsruntime.Column, len(s.fields))
		a := s.read(s.ask(call.Append(nil)), false)
		for a.Missed != nil {
			for _, f := range a.Missed {
				call.Rows.Columns[f] = s.keep(f, s.columns()[f])
			}
			a = s.read(s.ask(call.Append(nil)), false)
		}
		s.same(first, a)
	}
	s.applyAnswer(first)
	return first.Failure == nil
}

// packSize is the number of rows in a pack.
const packSize = 2

// keep sends a column ahead in packs.
func (s *stage) keep(field int, column *jsruntime.Column) *jsruntime.Column {
	kept := &jsruntime.Column{Kept: true}
	parts := []jsruntime.Column{*column}
	if column.Parts != nil {
		kept.Parts = make([]jsruntime.Column, len(column.Parts))
		parts = column.Parts
	}
	for p := range parts {
		for from := 0; from < s.call.Count; from += packSize {
			pack := cutColumn(&parts[p], from, min(from+packSize, s.call.Count))
			s.ask((&jsruntime.KeepCall{Field: field, Part: p, ManyToOne: column.Parts != nil, From: from, Size: packSize, Column: pack}).Append(nil))
		}
	}
	return kept
}

func cutColumn(c *jsruntime.Column, from, to int) *jsruntime.Column {
	some := &jsruntime.Column{Value: cutCells(&c.Value, from, to)}
	if c.Result != nil {
		result := cutCells(c.Result, from, to)
		some.Result = &result
	}
	for _, one := range c.Infos {
		if one.Row >= from && one.Row < to {
			some.Infos = append(some.Infos, jsruntime.CellInfos{Row: one.Row - from, Infos: one.Infos})
		}
	}
	for _, one := range c.Options {
		if one.Row >= from && one.Row < to {
			some.Options = append(some.Options, jsruntime.CellOptions{Row: one.Row - from, Options: one.Options})
		}
	}
	return some
}

func cutCells(c *jsruntime.Cells, from, to int) jsruntime.Cells {
	var texts intray.Texts
	for i := from; i < to; i++ {
		texts.Append(c.Texts.At(i))
	}
	return jsruntime.Cells{Texts: &texts, Kinds: c.Kinds[from:to]}
}

// same checks that a call with complete records and a lazy call have the same results.
func (s *stage) same(few, many *answerWithChanges) {
	if diff := cmp.Diff(s.lines(few), s.lines(many)); diff != "" {
		s.t.Errorf("a lazy call has another result (-few +many):\n%s", diff)
	}
}

func (s *stage) rowsWith(kind jsruntime.HookKind, columns []*jsruntime.Column, learn bool) *answerWithChanges {
	call := jsruntime.RowsCall{Kind: kind, Rows: s.call, Mode: s.mode, Learn: learn, Fresh: true, Budget: time.Minute}
	call.Rows.Columns = columns
	return s.read(s.ask(call.Append(nil)), learn)
}

func (s *stage) playSteps() {
	for _, hook := range s.hooks {
		switch hook.Kind {
		case jsruntime.HookStep:
			call := jsruntime.StepCall{Hooks: []string{hook.Name}, About: []byte(s.about), NewIDs: "new-"}
			s.applyAnswer(s.read(s.ask(call.Append(nil)), false))
		case jsruntime.HookBeforeFinish:
			call := jsruntime.FinishCall{Count: len(s.rows), About: []byte(s.about), NewIDs: "new-"}
			for f, field := range s.fields {
				call.Keys = append(call.Keys, field.Key)
				call.Values = append(call.Values, cellsOf(len(s.rows), func(i int) any { return s.rows[i][f] }))
			}
			a := s.read(s.ask(call.Append(nil)), false)
			for f := range s.fields {
				s.keep(f, &jsruntime.Column{Value: call.Values[f]})
			}
			call.Lazy, call.Values = true, nil
			s.same(a, s.read(s.ask(call.Append(nil)), false))
			s.applyAnswer(a)
		}
	}
}

// applyAnswer prints an answer and applies its changes.
func (s *stage) applyAnswer(a *answerWithChanges) {
	*s.out = append(*s.out, s.lines(a)...)
	for _, c := range a.Changes {
		if c.HasValue {
			var value any
			if err := unmarshal(valueText(c.Value), &value); err != nil {
				s.t.Fatal(err)
			}
			if s.parts[c.Field] > 0 {
				s.rows[c.Row][c.Field].([]any)[c.Part] = value
			} else {
				s.rows[c.Row][c.Field] = value
			}
		}
		if c.HasInfos {
			key := s.fields[c.Field].Key
			s.infos = slices.DeleteFunc(s.infos, func(p placed) bool { return p.row == c.Row && p.key == key })
			s.infos = append(s.infos, placed{row: c.Row, key: key, infos: c.Infos})
		}
	}
}

func valueText(v jsruntime.Value) string {
	switch v.Kind {
	case jsruntime.ValueText:
		quoted, _ := json.Marshal(v.Text)
		return string(quoted)
	case jsruntime.ValueNull:
		return "null"
	default:
		return v.Text
	}
}

func (s *stage) lines(a *answerWithChanges) (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, c := range a.Changes {
		place := fmt.Sprintf("%d %s", c.Row, s.fields[c.Field].Key)
		if s.parts[c.Field] > 0 {
			place += fmt.Sprintf("/%d", c.Part)
		}
		if c.HasValue && !s.holds(c) {
			say("%s = %s", place, valueText(c.Value))
		}
		for _, info := range c.Infos {
			say("%s %s: %s", place, info.Level, info.Message)
		}
		if c.HasInfos && len(c.Infos) == 0 && s.hasInfos(c) {
			say("%s no info", place)
		}
		for _, o := range c.Options {
			say("%s option %s %s %s", place, o.Label, o.Value, strings.Join(o.AlternateMatches, " "))
		}
	}
	for _, line := range a.Console {
		say("console %s", line)
	}
	for _, c := range a.Commands {
		say("%s %s %s", c.Hook, c.Name, strings.ReplaceAll(fmt.Sprintf("%s", c.Args), "] [", "], ["))
	}
	if a.Cancelled {
		say("cancel %s", a.Message)
	}
	if f := a.Failure; f != nil {
		say("fail %s %s line %d row %d %s: %s", f.Kind, f.Hook, f.Line, f.Row, f.Name, f.Message)
	}
	return list
}

// holds reports whether the cell already has the value. The worker cannot know that for a
// column that was not sent.
func (s *stage) holds(c jsruntime.Change) bool {
	value := s.rows[c.Row][c.Field]
	if s.parts[c.Field] > 0 {
		value = value.([]any)[c.Part]
	}
	text, _ := json.Marshal(value)
	return string(text) == valueText(c.Value)
}

func (s *stage) hasInfos(c jsruntime.Change) bool {
	return slices.ContainsFunc(s.infos, func(p placed) bool {
		return p.row == c.Row && p.key == s.fields[c.Field].Key && len(p.infos) > 0
	})
}
