package jsruntime_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// scene is a case from a file in testdata: hooks, rows and the expected result.
//
// A case starts with "=== title". The lines up to the first "---" are its settings (see set).
// A line such as "--- row" or "--- column KEY" starts a hook. "--- want" starts the result of
// both runtimes. If the results differ, "--- want node" and "--- want quickjs" each start the
// result of one runtime.
type scene struct {
	title, file string
	fields      []jsruntime.Field
	parts       []int
	rows        [][]any // by row and field
	results     map[string][]any
	infos       []placed
	options     []placed
	call        jsruntime.Rows
	mode        string
	about       string
	pins        jsruntime.Pins
	limit       int
	only        string
	spoils      bool // the worker is unusable afterwards
	hooks       []jsruntime.Hook
	targets     map[string]target // of column hooks by name
	want        map[string]string
}

type placed struct {
	row   int
	key   string
	infos []jsruntime.Info
	opts  []intray.SelectOption
}

type target struct{ field, part int }

// groups are the names of the kinds of hooks in a schema.
var groups = map[jsruntime.HookKind]string{
	jsruntime.HookRow: "rowHooks", jsruntime.HookBulkRow: "bulkRowHooks", jsruntime.HookRowDelete: "rowDeleteHooks",
	jsruntime.HookColumn: "columnHooks", jsruntime.HookStep: "stepHooks", jsruntime.HookBeforeFinish: "beforeFinishCallback",
}

func scenes(t *testing.T) (all []*scene) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no cases: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(text), "\n=== ")[1:] {
			s, err := parseScene(part)
			if err != nil {
				t.Fatalf("%s: %s: %v", file, s.title, err)
			}
			s.file = file
			all = append(all, s)
		}
	}
	return all
}

func parseScene(text string) (*scene, error) {
	title, rest, _ := strings.Cut(text, "\n")
	s := &scene{title: title, mode: "init", targets: map[string]target{}, want: map[string]string{}, results: map[string][]any{}}
	s.pins.Now = time.UnixMilli(1_700_000_000_000)
	sections := strings.Split("\n"+rest, "\n--- ")
	for _, line := range strings.Split(sections[0], "\n") {
		name, value, found := strings.Cut(line, ":")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.set(name, strings.TrimSpace(value)); err != nil {
			return s, fmt.Errorf("%s: %w", line, err)
		}
	}
	for _, section := range sections[1:] {
		head, body, _ := strings.Cut(section, "\n")
		s.section(strings.Fields(head), strings.TrimRight(body, "\n"))
	}
	if s.call.Count == 0 {
		s.call.Count = len(s.rows)
	}
	return s, nil
}

func (s *scene) set(name, value string) (err error) {
	words := strings.SplitN(value, " ", 4)
	switch name {
	case "fields":
		for _, word := range strings.Split(value, ", ") {
			key, many, is := strings.Cut(word, "*")
			parts, _ := strconv.Atoi(many)
			if is && parts == 0 {
				parts = -1
			}
			s.fields = append(s.fields, jsruntime.Field{Key: key, ManyToOne: is})
			s.parts = append(s.parts, parts)
		}
	case "row":
		var row []any
		err = unmarshal(value, &row)
		s.rows = append(s.rows, row)
	case "result":
		var list []any
		err = unmarshal(strings.TrimPrefix(value, words[0]), &list)
		s.results[words[0]] = list
	case "info":
		row, _ := strconv.Atoi(words[0])
		level, _ := intray.ParseLevel(words[2])
		s.infos = append(s.infos, placed{row: row, key: words[1], infos: []jsruntime.Info{{Message: words[3], Level: level}}})
	case "option":
		row, _ := strconv.Atoi(words[0])
		s.options = append(s.options, placed{row: row, key: words[1], opts: []intray.SelectOption{{Label: words[2], Value: words[3]}}})
	case "ids":
		err = unmarshal(value, &s.call.IDs)
	case "indexes":
		err = unmarshal(value, &s.call.Indexes)
	case "first":
		s.call.First, err = strconv.ParseInt(value, 10, 64)
	case "mode":
		s.mode = value
	case "about":
		s.about = value
	case "now":
		s.pins.Now, err = time.Parse(time.RFC3339Nano, value)
	case "zone":
		s.pins.TimeZone = value
	case "locale":
		s.pins.Locale = value
	case "limit":
		s.limit, err = strconv.Atoi(value)
	case "only":
		s.only = value
	case "spoils":
		s.spoils = true
	default:
		err = fmt.Errorf("unknown setting")
	}
	return err
}

func unmarshal(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

func (s *scene) section(head []string, body string) {
	if head[0] == "want" {
		s.want[strings.Join(head[1:], "")] = body
		return
	}
	kind, name := jsruntime.HookKind(head[0]), groups[jsruntime.HookKind(head[0])]
	if kind != jsruntime.HookBeforeFinish {
		name += fmt.Sprintf("[%d]", s.count(kind))
	}
	s.hooks = append(s.hooks, jsruntime.Hook{Kind: kind, Name: name, Source: body})
	if kind == jsruntime.HookColumn {
		key, part, _ := strings.Cut(head[1], "/")
		n, _ := strconv.Atoi(part)
		s.targets[name] = target{s.fieldAt(key), n}
	}
}

func (s *scene) count(kind jsruntime.HookKind) (n int) {
	for _, hook := range s.hooks {
		if hook.Kind == kind {
			n++
		}
	}
	return n
}

func (s *scene) fieldAt(key string) int {
	for f, field := range s.fields {
		if field.Key == key {
			return f
		}
	}
	return -1
}

func (s *scene) fieldBounds() []jsruntime.FieldBounds {
	list := make([]jsruntime.FieldBounds, len(s.fields))
	for f, field := range s.fields {
		list[f] = jsruntime.FieldBounds{ManyToOne: field.ManyToOne, Columns: max(s.parts[f], 0)}
	}
	return list
}

// columns returns the columns with the current values of the rows.
func (s *scene) columns() []*jsruntime.Column {
	list := make([]*jsruntime.Column, len(s.fields))
	for f, field := range s.fields {
		list[f] = &jsruntime.Column{}
		if !field.ManyToOne {
			s.fill(list[f], field.Key, func(i int) any { return s.rows[i][f] })
			continue
		}
		list[f].Parts = make([]jsruntime.Column, max(s.parts[f], 0))
		for p := range list[f].Parts {
			s.fill(&list[f].Parts[p], fmt.Sprintf("%s/%d", field.Key, p), func(i int) any { return s.rows[i][f].([]any)[p] })
		}
	}
	return list
}

func (s *scene) fill(column *jsruntime.Column, key string, at func(i int) any) {
	column.Value = cellsOf(len(s.rows), at)
	if list := s.results[key]; list != nil {
		result := cellsOf(len(list), func(i int) any { return list[i] })
		column.Result = &result
	}
	for _, one := range s.infos {
		if one.key == key {
			column.Infos = append(column.Infos, jsruntime.CellInfos{Row: one.row, Infos: one.infos})
		}
	}
	for _, one := range s.options {
		if one.key == key {
			column.Options = append(column.Options, jsruntime.CellOptions{Row: one.row, Options: one.opts})
		}
	}
}

func cellsOf(n int, at func(i int) any) jsruntime.Cells {
	var texts intray.Texts
	cells := jsruntime.Cells{Texts: &texts}
	for i := range n {
		value := at(i)
		kind, text := kindOf(value)
		cells.Kinds = append(cells.Kinds, kind)
		texts.AppendString(text)
	}
	return cells
}

func kindOf(value any) (jsruntime.ValueKind, string) {
	text, _ := json.Marshal(value)
	switch value := value.(type) {
	case string:
		return jsruntime.ValueText, value
	case nil:
		return jsruntime.ValueNull, ""
	case bool:
		return jsruntime.ValueBool, string(text)
	case json.Number:
		return jsruntime.ValueNumber, string(text)
	default:
		return jsruntime.ValueList, string(text)
	}
}
