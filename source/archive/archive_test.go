package archive

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

const people = "id,name\n1,Ada\n2,Bob\n"

// peopleSheet returns the expected sheet for the file people.
func peopleSheet(name string) sourcetest.Sheet {
	return sourcetest.Sheet{Name: name, Headers: []string{"id", "name"}, Records: [][]string{{"1", "Ada"}, {"2", "Bob"}}, Lines: []int64{2, 3}}
}

func TestContract(t *testing.T) {
	large := strings.Builder{}
	large.WriteString("n,text\n")
	sheet := sourcetest.Sheet{Headers: []string{"n", "text"}}
	for n := range intray.BatchRows + 3 {
		cells := []string{strings.Repeat("7", 1+n%5), "x"}
		large.WriteString(strings.Join(cells, ",") + "\n")
		sheet.Records = append(sheet.Records, cells)
	}
	samples := []sourcetest.Sample{
		{Name: "people.csv.gz", Text: []byte(gzipped(t, "", people)), Sheets: []sourcetest.Sheet{peopleSheet("")}},
		{Name: "large.csv.gz", Text: []byte(gzipped(t, "", large.String())), Sheets: []sourcetest.Sheet{sheet}},
		{Name: "people.csv.zst", Text: []byte(zstded(t, people)), Sheets: []sourcetest.Sheet{peopleSheet("")}},
		{Name: "one.zip", Text: []byte(zipped(t, file("people.csv", people))), Sheets: []sourcetest.Sheet{peopleSheet("people.csv")}},
		{Name: "two.zip", Text: []byte(zipped(t, file("a.csv", people), file("in/b.csv", people))), Sheets: []sourcetest.Sheet{peopleSheet("a.csv"), peopleSheet("in/b.csv")}},
	}
	sourcetest.Run(t, format(), samples)
}

func TestSheetNames(t *testing.T) {
	box := cabinetMark + "=Jan\n1\n2\n=Feb\n3\n"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"box.gz", gzipped(t, "", box), []string{"Jan", "Feb"}},
		{"box.zst", zstded(t, box), []string{"Jan", "Feb"}},
		{"a.zip", zipped(t, file("a.csv", people)), []string{"a.csv"}},
		{"a.zip", zipped(t, file("box", box)), []string{"box / Jan", "box / Feb"}},
		{"a.zip", zipped(t, file("b/a.csv", people), file("box", box), file("c.csv", people)), []string{"b/a.csv", "box / Jan", "box / Feb", "c.csv"}},
		{"a.zip", zipped(t, file("M\x81ller\x1b.csv", people)), []string{"Müller\uFFFD.csv"}},
		{"a.zip", zipped(t, file("Müller.csv", people)), []string{"Müller.csv"}},
	}
	for _, test := range tests {
		sheets, err := sourcetest.ReadAll(t.Context(), format(), sourcetest.NewInput(test.name, []byte(test.text)), source.Options{})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		var got []string
		for _, s := range sheets {
			got = append(got, s.Name)
			if len(s.Records) == 0 {
				t.Errorf("%s: sheet %q has no records", test.name, s.Name)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestEvidenceOfOneMember(t *testing.T) {
	tests := []struct{ name, text, kind, member string }{
		{"p.csv.gz", gzipped(t, "", people), "gzip", "p.csv"},
		{"P.CSV.GZ", gzipped(t, "", people), "gzip", "P.CSV"},
		{"p.gzip", gzipped(t, "", people), "gzip", "p"},
		{".gz", gzipped(t, "", people), "gzip", ".gz"},
		{"", gzipped(t, "", people), "gzip", ""},
		{"p.gz", gzipped(t, "stored.csv", people), "gzip", "stored.csv"},
		{"p.gz", gzipped(t, "../../etc/stored.csv", people), "gzip", "stored.csv"},
		{"p.gz", gzipped(t, `C:\temp\stored.csv`, people), "gzip", "stored.csv"},
		{"p.gz", gzipped(t, "..", people), "gzip", "p"},
		{"p.gz", gzipped(t, "M\u00fcller.csv", people), "gzip", "Müller.csv"},
		{"p.gz", gzipped(t, "M\u00c3\u00bcller\x07.csv", people), "gzip", "Müller\uFFFD.csv"},
		{"p.csv.zst", zstded(t, people), "zstd", "p.csv"},
		{"p.zip", zipped(t, file("in/p.csv", people)), "zip", "in/p.csv"},
	}
	for _, test := range tests {
		book := open(t, format(), test.name, test.text)
		got := values(book.Evidence())
		if got["archive"] != test.kind || got["member"] != test.member || got["format"] != "csv" || got["encoding"] == "" {
			t.Errorf("%s %q: %v", test.name, test.member, got)
		}
		for choice, reason := range reasons(book.Evidence()) {
			if reason == "" {
				t.Errorf("%s: no reason for %s", test.name, choice)
			}
		}
	}
}

func TestEvidenceOfSeveralMembers(t *testing.T) {
	book := open(t, format(), "a.zip", zipped(t, file("a.csv", people), file("b.csv", people), file("box", cabinetMark+"=Jan\n1\n")))
	got := values(book.Evidence())
	if got["archive"] != "zip" || got["members"] != "a.csv, b.csv, box" || got["format"] != "" {
		t.Errorf("book evidence %v", got)
	}
	for i, want := range []map[string]string{{"member": "a.csv", "format": "csv"}, {"member": "b.csv", "format": "csv"}, {"member": "box", "format": "cabinet", "wood": "oak"}} {
		reader, err := book.Open(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		got := values(reader.Evidence())
		for choice, value := range want {
			if got[choice] != value {
				t.Errorf("sheet %d: evidence %v, want %s=%s", i, got, choice, value)
			}
		}
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestErrorsNameTheMember(t *testing.T) {
	bad := cabinetMark + "=Jan\n1\n!\n"
	want := &source.UnreadableError{Line: 2, Reason: intray.Literal(`in the file "box" in the zip file, a line that cannot be read`)}
	sourcetest.RequireError(t, format(), zipped(t, file("box", bad)), source.Options{}, want)
	sourcetest.RequireError(t, format(), zipped(t, file("box", bad), file("a.csv", people)), source.Options{}, want)
	sourcetest.RequireError(t, format(), gzipped(t, "", bad), source.Options{}, &source.UnreadableError{Line: 2, Reason: intray.Literal("a line that cannot be read")})
	sourcetest.RequireError(t, format(), zipped(t, file("a.csv", people), file("box", cabinetMark)), source.Options{},
		&source.UnreadableError{Line: 1, Reason: intray.Literal(`in the file "box" in the zip file, the cabinet has no sheet`)})
}

func TestRemovesTemporaryFiles(t *testing.T) {
	f := format()
	f.Temp = t.TempDir()
	texts := []string{
		gzipped(t, "", people), gzipped(t, "", people)[:30], zstded(t, people), "PK\x03\x04", "none",
		zipped(t, file("a.csv", people), file("b.csv", people)), zipped(t, file("a.csv", people), file("box", cabinetMark)),
	}
	for _, text := range texts {
		if book, err := f.Open(t.Context(), sourcetest.NewInput("", []byte(text)), source.Options{}); err == nil {
			if err := errors.Join(book.Close(), book.Close()); err != nil {
				t.Errorf("%.20q: %v", text, err)
			}
			if _, err := book.Open(t.Context(), 0); err == nil && len(book.Sheets()) > 1 {
				t.Errorf("%.20q: opened a sheet of a closed book", text)
			}
		}
	}
	left, err := os.ReadDir(f.Temp)
	if err != nil || len(left) > 0 {
		t.Errorf("remaining files: %v, error %v", left, err)
	}
}

func TestMissingTemporaryFolder(t *testing.T) {
	f := format()
	f.Temp = t.TempDir() + "/missing"
	_, err := f.Open(t.Context(), sourcetest.NewInput("", []byte(gzipped(t, "", people))), source.Options{})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "temporary file") {
		t.Errorf("got %v", err)
	}
}

func TestErrorsNameTheTemporaryFile(t *testing.T) {
	s, err := newSpool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.write([]byte("abc")), s.rewind(3), s.rewind(1), s.write([]byte("d")), s.Close(), s.Close()); err != nil || s.size != 2 {
		t.Errorf("size %d, error %v", s.size, err)
	}
	for _, err := range []error{s.write([]byte("abc")), s.rewind(1)} {
		if !errors.Is(err, os.ErrClosed) || !strings.Contains(err.Error(), "temporary file") {
			t.Errorf("closed file: error %v", err)
		}
	}
}

// TestCancelWhileInflating checks that Open returns context.Canceled if the context is
// canceled at the first read.
func TestCancelWhileInflating(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in := sourcetest.NewInput("", []byte(gzipped(t, "", strings.Repeat(people, 1<<16))))
	in.ReaderAt = cancelingInput{in, cancel}
	if _, err := format().Open(ctx, in, source.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// cancelingInput is a file that cancels a context when it is read.
type cancelingInput struct {
	source.Input
	cancel context.CancelFunc
}

func (s cancelingInput) ReadAt(p []byte, at int64) (int, error) {
	s.cancel()
	return s.Input.ReadAt(p, at)
}

func TestConsecutiveStreams(t *testing.T) {
	one, two := people[:9], people[9:]
	skip := "\x5F\x2A\x4D\x18\x03\x00\x00\x00abc"
	texts := map[string]string{
		"gzip":           gzipped(t, "a", one) + gzipped(t, "b", two),
		"gzip, empty":    gzipped(t, "", "") + gzipped(t, "", people) + gzipped(t, "", ""),
		"gzip, padded":   gzipped(t, "", people) + strings.Repeat("\x00", 70_000),
		"zstd":           zstded(t, one) + zstded(t, two, zstd.WithEncoderCRC(false)),
		"zstd, skipping": skip + zstded(t, one) + skip + zstded(t, two),
		"zip with zstd":  zipped(t, packed("a.csv", zipZstd, people)),
		"zip stored":     zipped(t, packed("a.csv", 0, people)),
	}
	for name, text := range texts {
		if score, reason := format().Detect(sourcetest.NewInput("", []byte(text)), []byte(text)); score != 1 {
			t.Errorf("%s: score %v, %s", name, score, reason)
		}
		sheet, err := sourcetest.Read(t, format(), text, source.Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(peopleSheet(sheet.Name), sheet); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, want := range map[string]string{"gzip": "2 compressed streams", "gzip, padded": "70,000 NUL bytes"} {
		if got := reasons(open(t, format(), "", texts[name]).Evidence())["archive"]; !strings.Contains(got, want) {
			t.Errorf("%s: evidence %q does not contain %q", name, got, want)
		}
	}
}
