package csv

import (
	"errors"
	"strings"
	"testing"

	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

// TestNotTable checks the reasons for which texts are refused, and that similar texts are read.
func TestNotTable(t *testing.T) {
	python := "import os\n\ndef main():\n    x = os.getcwd()\n    print(x)\n\nmain()\n"
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2\nsize 12345\n", "file.lfs_pointer"},
		{"a.csv", "version,https\n1,x\n2,y\n", ""},
		{"~$report.xlsx", "\x05Ada Lovelace     ", "file.lock_file"},
		{"in/.~lock.report.ods#", ",ada,host,24.11.2026 10:00,file:///home/ada;", "file.lock_file"},
		{"a.xml", "<?xml version=\"1.0\"?>\n<rss><channel><title>a, b</title></channel></rss>\n", "file.markup"},
		{"a.csv", "<!DOCTYPE html>\n<p>Not found</p>", "file.markup"},
		{"a.csv", "<Error><Code>AccessDenied</Code>\n<Message>Access, denied</Message></Error>\n", "file.markup"},
		{"a.csv", "<ticker>,<date>,<open>\nabc,2026-01-02,3\n", ""},
		{"a.csv", "<b>,<c>\n1,2\n", ""},
		{"a.csv", "Error 404: the requested resource was not found\n", "file.one_sentence"},
		{"a.csv", "Your session has expired, please log in and try it once more", "file.one_sentence"},
		{"a.csv", "first name,last name,street and number\n", ""},
		{"a.csv", "e-mail address\n", ""},
		{"a.csv", "one;two three;four\n", ""},
		{"a.py", python, "file.source_code"},
		{"a.txt", "\"\"\"About\nthis file.\n\"\"\"\n" + python, "file.source_code"},
		{"a.go", "// Package a is one.\npackage a\n\nimport \"fmt\"\n\nfunc f() {\n\tfmt.Println(1, 2)\n}\n", "file.source_code"},
		{"a.sql", "-- a dump\nCREATE TABLE a (\n  id int,\n  name text\n);\nINSERT INTO a VALUES (1, 'x');\n", "file.source_code"},
		{"a.sh", "#!/bin/sh\necho a\necho b\nexit\n", "file.source_code"},
		{"a.js", "/*\n * a, b\n */\nconst a = [1, 2];\nfunction f(b) {\n  return b;\n}\n", "file.source_code"},
		{"a.csv", "from city,to city,km\nBonn,Ulm,400\nUlm,Kiel,800\n", ""},
		{"a.csv", "class,function;\na,b;\nc,d;\ne,f;\n", ""},
		{"a.csv", "import quota,tons\nwheat,3\nrice,4\n", ""},
		{"a.csv", "import date,rule\n2026-01-02,a = b\n2026-01-03,b = c\n2026-01-04,c = d\n", ""},
		{"a.csv", "package name;config\na;{\"x\": 1}\nb;{\"x\": 2}\nc;{\"x\": 3}\n", ""},
		{"a.csv", "# a comment\nid,name\n1,x\n", ""},
	} {
		book, err := Format{}.Open(t.Context(), sourcetest.NewInput(c.name, []byte(c.text)), source.Options{})
		got := ""
		var unreadable *source.UnreadableError
		if errors.As(err, &unreadable) {
			got = unreadable.Reason.Code
		} else if err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("%s %.40q: %q, want %q", c.name, c.text, got, c.want)
		}
		if err == nil {
			sourcetest.CloseAfter(t, book)
		}
		for _, opt := range []source.Options{{AsIs: true}, {Delimiter: ","}} {
			if _, err := (Format{}).Open(t.Context(), sourcetest.NewInput(c.name, []byte(c.text)), opt); err != nil {
				t.Errorf("%s %.40q with %+v: error %v", c.name, c.text, opt, err)
			}
		}
	}
	long := strings.Repeat("word ", 1000)
	if err := checkIsTable("a.csv", []byte(long), true); err == nil || len(err.Error()) > 300 {
		t.Errorf("a long line: %.400v", err)
	}
}
