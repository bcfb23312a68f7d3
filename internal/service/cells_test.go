package service_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/service"
)

// told is what a trace says in short: raw, value, and each step with its text.
func told(t intray.Trace) (list []string) {
	show := func(text *string) string {
		if text == nil {
			return "null"
		}
		return *text
	}
	list = append(list, t.Field+" "+t.Raw+" "+show(t.Value))
	for _, s := range t.Steps {
		list = append(list, s.Step+" "+show(s.Text)+": "+strings.Join(intray.RenderAll(s.Reasons), "; "))
	}
	return list
}

func (f *fixture) trace(imp service.Import, row int64, key string) (all []string, err error) {
	err = f.Trace(f.ctx, f.now(imp), row, key, func(_ intray.Field, t intray.Trace) error {
		if t.Row != row || t.Line != row+2 {
			f.Errorf("row %d is told of as row %d of line %d", row, t.Row, t.Line)
		}
		all = append(all, told(t)...)
		return nil
	})
	return all, err
}

// TestTrace asks where cells came from.
func TestTrace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		settings, key string
		row           int64
		want          []string
	}{
		{"", "name", 0, []string{"name Ada Ada", "read Ada: ", "map Ada: the header is the field", "parse Ada: as string", "check Ada: no rule is broken", `output "Ada": `}},
		{"", "email", 1, []string{"email nobody null", "read nobody: ", "map nobody: the header is the field", "parse null: the text has no value", "check null: error email: ", "output null: the row is left out"}},
		{`{"invalidDataBehavior":"BLOCK_SUBMIT"}`, "email", 1, []string{"email nobody", "read", "map", "parse", "check", "output null: there is no result yet"}},
		{"", "", 1, []string{"email nobody", "read", "map", "parse", "check", "output", "name Bob", "read", "map", "parse", "check", "output"}},
	} {
		got, err := f.trace(f.finished(badFile, c.settings), c.row, c.key)
		must(t, err)
		if len(got) != len(c.want) {
			t.Errorf("row %d, %q: %q", c.row, c.key, got)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i], want) {
				t.Errorf("row %d, %q: %q, want %q", c.row, c.key, got[i], want)
			}
		}
	}
}

func TestTraceIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	done := f.finished(badFile, "")
	for _, c := range []struct {
		name, key string
		row       int64
		field     string
	}{{"a row beyond the last", "email", 2, "row"}, {"a row far beyond", "", 1 << 62, "row"}, {"an unknown field", "nothing", 0, "field"}} {
		_, err := f.trace(done, c.row, c.key)
		f.refused(err, service.NotFound, "not_found")
		var e *service.Error
		if !errors.As(err, &e) || len(e.Fields[c.field]) != 1 {
			t.Errorf("%s: %+v", c.name, e)
		}
	}
	for _, imp := range []service.Import{f.create(""), f.finished("", ""), f.finished("A,B\n1,2\n", ""), f.pending(badFile, "")} {
		_, err := f.trace(imp, 0, "")
		f.refused(err, service.Conflict, "no_rows")
		if err != nil && !strings.Contains(err.Error(), string(f.now(imp).Status)) {
			t.Errorf("the refusal does not tell the status %s: %v", f.now(imp).Status, err)
		}
	}
	must(t, f.DeleteUpload(f.ctx, f.org, done.UploadID))
	_, err := f.trace(done, 0, "")
	f.refused(err, service.NotFound, "not_found")
}

// TestTraceOfMany tells of a field that several columns feed.
func TestTraceOfMany(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp := f.imported(f.org, tags, "", "E-Mail,Tag,tag\na@example.org,A,B\n")
	must(t, f.Trace(f.ctx, f.status(imp, service.Successful), 0, "tags", func(field intray.Field, cell intray.Trace) error {
		if diff := cmp.Diff([]intray.TracedColumn{{Index: 1, Header: "Tag"}, {Index: 2, Header: "tag"}}, cell.Columns); diff != "" || !field.ManyToOne {
			t.Error(diff)
		}
		if last := cell.Steps[len(cell.Steps)-1]; cell.Raw != `["A","B"]` || last.Text == nil || *last.Text != `["A","B"]` {
			t.Errorf("raw %s, last %+v", cell.Raw, last)
		}
		return nil
	}))
}

// TestTraceEndsWithItsReader ends where what is told is not wanted, or the blobs
// are out of reach.
func TestTraceEndsWithItsReader(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	imp, calls := f.finished(badFile, ""), 0
	err := f.Trace(f.ctx, imp, 0, "", func(intray.Field, intray.Trace) error { calls++; return errUnheard })
	if !errors.Is(err, errUnheard) || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
	f.blobs.failing(func(context.Context, string, string) error { return errUnheard })
	if _, err := f.trace(imp, 0, ""); !errors.Is(err, errUnheard) {
		t.Errorf("with blobs out of reach: error %v", err)
	}
}
