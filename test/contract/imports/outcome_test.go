package imports_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outcome is a file whose import has no result, and the notices that it causes.
type outcome struct {
	name   string
	fields []any
	file   string
	// types contains the types of the notices, separated by spaces. The first notice must
	// contain every string in texts.
	types string
	texts []string
}

func needsReview() []outcome {
	strict := []any{with(field("name", "string"), m{"requireMapping": true}), field("town", "string")}
	similar := []any{m{"key": "mail", "label": "E-mail", "alternateMatches": []any{"Address"}}, m{"key": "post", "label": "Post", "alternateMatches": []any{"Address"}}}
	return []outcome{
		{"a required field has no column", people(), "name,town\nA,X\n", "UNMAPPED_FIELDS", []string{"Email"}},
		{"requireMapping and no column", strict, "town\nX\n", "UNMAPPED_FIELDS", []string{"Name"}},
		{"two required fields", []any{field("a", "string", "required"), field("b", "string", "required"), field("c", "string")}, "c\n1\n", "UNMAPPED_FIELDS UNMAPPED_FIELDS", nil},
		{"two columns fit equally", people(), "email,name,name\na@example.org,A,B\n", "COLUMN_CONFLICT", []string{"Name"}},
		{"two spellings fit equally", people(), "email,NAME,Na-me\na@example.org,A,B\n", "COLUMN_CONFLICT", []string{"Name"}},
		{"one column fits two fields", similar, "address\nx\n", "COLUMN_CONFLICT", []string{"Post", "E-mail"}},
		{"no column matches", people()[1:], "phone,fax\n1,2\n", "UNMAPPED_FIELDS", nil},
		{"a header and no row", people(), "email,name\n", "NO_ROWS", nil},
		{"a header without a line end", people(), "email", "NO_ROWS", nil},
		{"a header and blank lines", people(), "email,name\n\n\n", "NO_ROWS", nil},
	}
}

// TestNeedsReview checks that an import needs a review if its file leaves a question open.
// Intray must not guess, and there must be no result.
func TestNeedsReview(t *testing.T) {
	for _, tt := range needsReview() {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(c client) {
				e := c.run(inline(tt.fields, settings(m{"invalidDataBehavior": "INCLUDE_INVALID_ROWS"})), tt.file)
				c.checkOutcome(e.want("NEEDS_REVIEW"), tt)
				if e.uploadDoc()["upload_status"] != "PROCESSING" {
					c.T.Errorf("the upload is %v", e.uploadDoc()["upload_status"])
				}
			})
		})
	}
}

func (c client) checkOutcome(e ended, want outcome) {
	c.T.Helper()
	if e.types() != want.types {
		c.T.Fatalf("the notices are %s, want %s: %s", e.types(), want.types, show(e.notices()))
	}
	first := e.notices()[0]
	for _, text := range want.texts {
		if !strings.Contains(first["message"].(string), text) {
			c.T.Errorf("the message does not contain %q: %s", text, first["message"])
		}
	}
	if first["level"] != "error" {
		c.T.Errorf("the level is %v", first["level"])
	}
	c.Call("GET", importsPath+e.id+"/url/", nil).WantStatus(http.StatusConflict)
	if e.metadata()["numOutputRows"] != 0.0 {
		c.T.Errorf("there are %v rows of output", e.metadata()["numOutputRows"])
	}
}

func unreadable() []outcome {
	return []outcome{
		{"a ZIP file", people(), "PK\x03\x04\x14\x00\x00\x00\x08\x00", "UNREADABLE_FILE", nil},
		{"a PNG file", people(), "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "UNREADABLE_FILE", nil},
		{"a PDF file", people(), "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "UNREADABLE_FILE", nil},
		{"random bytes", people(), "\x00\x9f\x92\x96\xff\xfe\x01\x02", "UNREADABLE_FILE", nil},
		{"JSON that breaks off", people(), "[{\"email\":\"a@example.org\"},\n{\"email\":", "UNREADABLE_FILE", []string{"line 2"}},
		{"too many columns", people(), "email" + strings.Repeat(",", 20_000) + "\na@example.org\n", "TOO_LARGE", nil},
	}
}

// TestUnreadable checks that the import of an unreadable file fails. The notice must have the
// right type and, for truncated JSON, name the line. There must be no partial result.
func TestUnreadable(t *testing.T) {
	for _, tt := range unreadable() {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(c client) {
				e := c.run(inline(tt.fields), tt.file).want("FAILED")
				c.checkOutcome(e, tt)
				if e.uploadDoc()["upload_status"] != "FAILED" {
					c.T.Errorf("the upload is %v", e.uploadDoc()["upload_status"])
				}
			})
		})
	}
}

// TestRepairedFiles checks that faults that can be repaired are repaired and reported.
func TestRepairedFiles(t *testing.T) {
	const ok = "email,name\na@example.org,A\n"
	for _, tt := range []struct{ name, file, wantNotice, rows string }{
		{"text after a closing quote", ok + "b@example.org,\"B\"x\n", "REPAIRED_ROW", `{"email":"b@example.org","name":"\"B\"x","town":null}`},
		{"a quote that is never closed", ok + "b@example.org,\"B\n\nc@example.org,C\n", "REPAIRED_ROW", `{"email":"b@example.org","name":"\"B","town":null},{"email":"c@example.org","name":"C","town":null}`},
		{"another encoding", ok + "b@example.org,J\xfcrgen Wei\xdfm\xfcller und S\xf6hne\nc@example.org,K\xe4the Gr\xf6\xdfer aus K\xf6ln\nd@example.org,\xdcbung f\xfcr \xc4rzte in M\xfcnchen\ne@example.org,B\xe4ckerei Stra\xdfenfu\xdf\n", "",
			`{"email":"e@example.org","name":"Bäckerei Straßenfuß","town":null}`},
		{"UTF-16", "\xff\xfee\x00m\x00a\x00i\x00l\x00\n\x00a\x00@\x00b\x00.\x00o\x00r\x00g\x00\n\x00", "", `{"email":"a@b.org","name":null,"town":null}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(c client) {
				e := c.run(inline(people()), tt.file).want("SUCCESSFUL")
				if rows := e.rows(); !strings.HasSuffix(rows, tt.rows+"]") {
					c.T.Errorf("the rows are %s", rows)
				}
				if tt.wantNotice != "" && e.types() != tt.wantNotice {
					c.T.Errorf("the notices are %s", show(e.notices()))
				}
			})
		})
	}
}

// TestUnreadableAtTheEnd checks that a fault in the last line of a large file leaves no
// partial result.
func TestUnreadableAtTheEnd(t *testing.T) {
	each(t, func(c client) {
		e := c.run(inline(people()), "["+strings.Repeat("{\"email\":\"a@example.org\"},\n", 200_000)+"{\"email\":").want("FAILED")
		if e.types() != "UNREADABLE_FILE" || !strings.Contains(e.notices()[0]["message"].(string), "line 200,001") {
			c.T.Errorf("%s", show(e.notices()))
		}
		c.Call("GET", importsPath+e.id+"/url/", nil).WantStatus(http.StatusConflict)
	})
}

// TestRaggedRows imports records with too few and too many cells. Intray must not guess
// which cell belongs to which column.
func TestRaggedRows(t *testing.T) {
	const file = "email,name,town\na@example.org,A,X\nb@example.org\nc@example.org,C,X,extra\nd@example.org,D,X,,\n"
	each(t, func(c client) {
		e := c.run(inline(people()), file).want("SUCCESSFUL")
		e.checkCounts(4, 2, 1, 2)
		want := `[{"email":"a@example.org","name":"A","town":"X"},{"email":"d@example.org","name":"D","town":"X"}]`
		if diff := cmp.Diff(want, e.rows()); diff != "" {
			c.T.Error(diff)
		}
		for i, n := range e.notices() {
			if n["type"] != "VALIDATION" || n["rowIndex"] != float64(i+1) || n["fieldKey"] != nil {
				c.T.Errorf("%s", show(n))
			}
		}
		blocked := c.run(inline(people(), settings(m{"invalidDataBehavior": "BLOCK_SUBMIT"})), file)
		blocked.want("NEEDS_REVIEW").checkCounts(4, 0, 1, 2)
		kept := c.run(inline(people(), settings(m{"invalidDataBehavior": "INCLUDE_INVALID_ROWS"})), file)
		kept.want("SUCCESSFUL").checkCounts(4, 4, 1, 2)
	})
}

// TestMatching checks that columns match a field by key, label and alternate name, each in
// several spellings.
func TestMatching(t *testing.T) {
	fields := []any{m{"key": "email_address", "label": "Your E-mail", "type": "email", "alternateMatches": []any{"Mail to"}}, field("name", "string")}
	each(t, func(c client) {
		for _, header := range []string{"email_address", "Your E-mail", "Mail to", "YOUR E-MAIL", "your email", "emailAddress", " Email Address ", "MAIL_TO", "\uFEFFemail_address"} {
			e := c.run(inline(fields), "x,"+header+"\n1,a@example.org\n")
			if strings.HasPrefix(header, "\uFEFF") {
				e = c.run(inline(fields), header+"\na@example.org\n")
			}
			if diff := cmp.Diff(`[{"email_address":"a@example.org","name":null}]`, e.rows()); diff != "" {
				c.T.Errorf("%q: %s", header, diff)
			}
		}
		exact := c.run(inline(fields), "Mail to,Your E-mail\nx@example.org,a@example.org\n")
		if diff := cmp.Diff(`[{"email_address":"a@example.org","name":null}]`, exact.rows()); diff != "" {
			c.T.Errorf("the label takes precedence over an alternate name: %s", diff)
		}
	})
}

// TestFilesOfRows checks that JSON files are imported like CSV files.
func TestFilesOfRows(t *testing.T) {
	each(t, func(c client) {
		for _, file := range []string{`[{"email":"a@example.org","name":"A"}]`, "{\"email\":\"a@example.org\",\"name\":\"A\"}\n", "\uFEFF[{\"name\":\"A\",\"email\":\"a@example.org\"}]"} {
			e := c.run(inline(people(), m{"original_filename": "people.json"}), file)
			if diff := cmp.Diff(`[{"email":"a@example.org","name":"A","town":null}]`, e.rows()); diff != "" {
				c.T.Errorf("%s: %s", file, diff)
			}
		}
	})
}

var sentence = regexp.MustCompile(`(?s)^[\p{Lu}\d].*\.$`)

// TestMessagesAreSentences checks that the message of each notice is a sentence if an import
// needs a review or its file is unreadable.
func TestMessagesAreSentences(t *testing.T) {
	c := onSQLite(t)
	for _, tt := range append(needsReview(), unreadable()...) {
		for _, n := range c.run(inline(tt.fields), tt.file).notices() {
			if !sentence.MatchString(n["message"].(string)) {
				t.Errorf("%s: not a sentence: %s", tt.name, n["message"])
			}
		}
	}
}
