package archive

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
)

func unreadable(reason string) error { return &source.UnreadableError{Reason: intray.Literal(reason)} }

func limited(reason string) error { return &source.LimitError{Reason: intray.Literal(reason)} }

// patched returns a zip file in which value replaces a field of each entry in the central
// directory and, if local is not 0, in the local header. central and local are the offsets of
// the field.
func patched(text string, central, local int, value uint16) string {
	raw := []byte(text)
	for at := range raw {
		if strings.HasPrefix(text[at:], "PK\x01\x02") {
			binary.LittleEndian.PutUint16(raw[at+central:], value)
		}
		if local > 0 && strings.HasPrefix(text[at:], "PK\x03\x04") {
			binary.LittleEndian.PutUint16(raw[at+local:], value)
		}
	}
	return string(raw)
}

func TestRefuses(t *testing.T) {
	gz, zst, zp := gzipped(t, "", people), zstded(t, people), zipped(t, file("a.csv", people))
	flip := func(text string, at int) string { return text[:at] + string(text[at]^1) + text[at+1:] }
	tests := []struct {
		name, text string
		want       error
	}{
		{"nothing", "", source.ErrEmpty},
		{"text", people, unreadable("not a gzip, zstd or zip archive")},
		{"gzip of nothing", gzipped(t, "", ""), source.ErrEmpty},
		{"gzip of white space", gzipped(t, "", " \n"), source.ErrEmpty},
		{"zstd of nothing", zstded(t, "", zstd.WithZeroFrames(true)), source.ErrEmpty},
		{"zip of nothing", zipped(t), unreadable("the zip file contains no table (no entries); supported formats are csv, cabinet")},
		{"zip of an empty file", zipped(t, file("a.csv", ""), file("b/", "")), source.ErrEmpty},
		{"zip of folders", zipped(t, file("b/", "")), unreadable("contains no table (folders: 1")},
		{"gzip of an image", gzipped(t, "", "\x89PNG\x00"), unreadable("the gzip file is not in a supported format; supported formats are csv, cabinet")},
		{"zip of an image", zipped(t, file("a.png", "\x89PNG\x00"), file("b.csv", "")), unreadable("contains no table (unsupported files: 1, empty files: 1")},

		{"gzip cut in its header", gz[:7], unreadable("the gzip file is incomplete")},
		{"gzip cut in its text", gz[:len(gz)-12], unreadable("the gzip file is incomplete")},
		{"gzip cut in its checksum", gz[:len(gz)-2], unreadable("the gzip file is incomplete")},
		{"gzip cut in a later header", gz + gz[:5], unreadable("the gzip file is incomplete")},
		{"gzip cut in a later text", gz + gz[:20], unreadable("the gzip file is incomplete")},
		{"gzip with a wrong checksum", flip(gz, len(gz)-6), unreadable("the gzip file is damaged (its contents don't match the checksum)")},
		{"gzip with trailing text", gz + "hello, world", unreadable("followed by other data")},
		{"gzip with a stream after padding", gz + "\x00\x00" + gz, unreadable("followed by other data")},
		{"gzip damaged", gz[:10] + "\xFF\xFF" + gz[12:], unreadable("the gzip file is damaged")},
		{"zstd cut", zst[:len(zst)-5], unreadable("the zstd file is incomplete")},
		{"zstd with a wrong checksum", flip(zst, len(zst)-1), unreadable("the zstd file is damaged")},
		{"zstd with trailing text", zst + "hello, world", unreadable("the zstd file is damaged")},
		{"zstd with a dictionary", "\x28\xB5\x2F\xFD\x21\x07\x03\x01\x00\x00", unreadable("it needs a dictionary")},
		{"zip cut", zp[:len(zp)-30], unreadable("the zip file is damaged")},
		{"zip damaged", zp[:40] + "\xFF\xFF\xFF\xFF" + zp[44:], unreadable("a.csv\" in the zip file is damaged")},
		{"zip with a wrong size", patched(zp, 24, 0, 3), unreadable("the file \"a.csv\" in the zip file is damaged")},
		{"zip with a wrong checksum", patched(zp, 16, 0, 7), unreadable("the file \"a.csv\" in the zip file is damaged")},
		{"encrypted", patched(zp, 8, 6, 1|8), unreadable(`the file "a.csv" in the zip file is encrypted; create it again without a password`)},
		{"an unknown method", patched(zp, 10, 8, 9), unreadable("unsupported compression method 9")},

		{"gzip in gzip", gzipped(t, "", gz), unreadable("archives inside archives (gzip) aren't supported; unpack the gzip file first")},
		{"tar in gzip", gzipped(t, "", strings.Repeat("\x00", 257)+"ustar\x00"), unreadable("archives inside archives (tar) aren't supported")},
		{"zip in zstd", zstded(t, zp), unreadable("archives inside archives (zip) aren't supported")},
		{"zip in zip", zipped(t, file("b.csv", people), file("a.zip", zp)), unreadable(`archives inside archives (zip) aren't supported; unpack the file "a.zip" in the zip file first`)},
		{"7z in zip", zipped(t, file("a.7z", "7z\xBC\xAF\x27\x1C\x00")), unreadable("archives inside archives (7z) aren't supported")},
		{"bzip2 in zip", zipped(t, file("a.bz2", "BZh91AY&SY\x00\x00")), unreadable("archives inside archives (bzip2) aren't supported")},
		{"a text document", zipped(t, file("[Content_Types].xml", "<a/>"), file("word/document.xml", "<a/>")), unreadable("an office document")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sourcetest.RequireError(t, format(), test.text, source.Options{}, test.want)
		})
	}
}

func TestRefusesNames(t *testing.T) {
	tests := map[string]string{
		"/a.csv": "starts with a slash", "C:a.csv": "starts with a drive letter", `b\a.csv`: "contains a backslash",
		"../a.csv": "points to another folder", "b/../../a.csv": "points to another folder", "..": "points to another folder",
		"__MACOSX/../a.csv": "points to another folder", "a\x00.csv": "contains a NUL character", "": "is empty",
	}
	for name, why := range tests {
		sourcetest.RequireError(t, format(), zipped(t, file(name, people)), source.Options{}, unreadable(fmt.Sprintf(`the zip file contains the entry "%s", whose name %s`, strings.ReplaceAll(name, "\x00", " "), why)))
	}
	for _, twice := range [][2]string{{"a.csv", "a.csv"}, {"a.csv", "./a.csv"}, {"b/a.csv", "b//a.csv"}, {"a.csv/", "a.csv"}} {
		text := zipped(t, file(twice[0], ""), file(twice[1], people))
		sourcetest.RequireError(t, format(), text, source.Options{}, unreadable(fmt.Sprintf("the zip file contains the entry %q twice", twice[1])))
	}
	sourcetest.RequireError(t, format(), zipped(t, file("a..csv", people), file("b/", ""), file("b/", "")), source.Options{}, nil)
}

// TestRefusesOverlaps checks that an archive is rejected if two entries share bytes.
func TestRefusesOverlaps(t *testing.T) {
	text := zipped(t, file("a.csv", people), file("b.csv", people))
	second := strings.LastIndex(text, "PK\x01\x02")
	raw := []byte(text)
	binary.LittleEndian.PutUint32(raw[second+42:], 0)
	sourcetest.RequireError(t, format(), string(raw), source.Options{}, unreadable("in the zip file overlap"))
}

func TestSkipsMembers(t *testing.T) {
	link := file("link.csv", "/etc/passwd")
	link.SetMode(fs.ModeSymlink | 0o777)
	text := zipped(t, file("b/", ""), file("__MACOSX/._a.csv", people), file("b/.hidden.csv", people), file(".git/config.csv", people),
		file("Thumbs.db", people), link, file("empty.csv", ""), file("blank.csv", "\n"), file("logo.png", "\x89PNG\x00"), file("letter.docx", zipped(t, file("[Content_Types].xml", "<a/>"))), file("./a.csv", people))
	book := open(t, format(), "a.zip", text)
	if sheets := book.Sheets(); len(sheets) != 1 || sheets[0].Name != "./a.csv" {
		t.Errorf("sheets %v", sheets)
	}
	why := reasons(book.Evidence())["passed over"]
	for _, want := range []string{"folders: 1", "system files: 2", "hidden files: 2", "links and devices: 1", "empty files: 2", "unsupported files: 2"} {
		if !strings.Contains(why, want) {
			t.Errorf("%q does not contain %q", why, want)
		}
	}
	if got := values(book.Evidence())["passed over"]; !strings.HasPrefix(got, "b/, __MACOSX/._a.csv, ") {
		t.Errorf("skipped members: %q", got)
	}
	many := []entry{file("a.csv", people)}
	for n := range 30 {
		many = append(many, file(fmt.Sprint("folder", n, "/"), ""))
	}
	if got := values(open(t, format(), "", zipped(t, many...)).Evidence())["passed over"]; !strings.HasSuffix(got, " and 10 more") {
		t.Errorf("skipped members: %q", got)
	}
}

func TestLimits(t *testing.T) {
	zeros := strings.Repeat("0", 11<<20)
	two := zipped(t, file("a.csv", people), file("b.csv", people))
	tests := []struct {
		name, text string
		limits     Limits
		want       error
	}{
		{"all bytes", gzipped(t, "", people), Limits{InflatedBytes: 19}, limited("the gzip file is larger than 19 bytes when decompressed")},
		{"all bytes, enough", gzipped(t, "", people), Limits{InflatedBytes: 20}, nil},
		{"all bytes together", two, Limits{InflatedBytes: 39, MemberBytes: 20}, limited("the archive is larger than 39 bytes when decompressed")},
		{"all bytes together, enough", two, Limits{InflatedBytes: 40}, nil},
		{"with skipped members", zipped(t, file("a.csv", people), file("b.png", "\x89PNG\x00")), Limits{InflatedBytes: 24}, limited("larger than 24 bytes")},
		{"bytes of a member", two, Limits{MemberBytes: 19}, limited(`the file "a.csv" in the zip file is larger than 19 bytes when decompressed`)},
		{"ratio of gzip", gzipped(t, "", zeros), Limits{Ratio: 500}, limited("more than 500 times larger when decompressed")},
		{"ratio of zstd", zstded(t, zeros), Limits{}, limited("more than 1,000 times larger when decompressed")},
		{"ratio of zip", zipped(t, file("a.csv", zeros)), Limits{Ratio: 500}, limited(`the file "a.csv" in the zip file is more than 500 times larger when decompressed`)},
		{"ratio of little", gzipped(t, "", cabinetMark+"=Jan\n"+zeros[:10<<20-20]), Limits{Ratio: 1}, nil},
		{"members", two, Limits{Members: 1}, limited("more than 1 entries")},
		{"members, enough", two, Limits{Members: 2}, nil},
		{"names", two, Limits{NameBytes: 4}, limited("longer than 4 bytes")},
		{"sheets", two, Limits{Sheets: 1}, limited("more than 1 sheets")},
		{"sheets, enough", two, Limits{Sheets: 2}, nil},
		{"names, enough", two, Limits{NameBytes: 5}, nil},
		{"bytes of a member, enough", two, Limits{MemberBytes: 20}, nil},
		{"memory", "\x28\xB5\x2F\xFD\x00\x90\x01\x00\x00", Limits{}, limited("in the zstd file, the compressed data needs a window of more than 134,217,728 bytes")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := format()
			f.Limits = test.limits
			sourcetest.RequireError(t, f, test.text, source.Options{}, test.want)
		})
	}
}

// TestLargeDirectory checks that an archive is rejected if its directory has far more entries
// than the limit.
func TestLargeDirectory(t *testing.T) {
	many := make([]entry, 20_000)
	for n := range many {
		many[n] = packed(fmt.Sprintf("%0200d.csv", n), zip.Store, "")
	}
	sourcetest.RequireError(t, format(), zipped(t, many...), source.Options{}, limited("more than 1,000 entries"))
}

func TestDetect(t *testing.T) {
	office := []string{"[Content_Types].xml", "mimetype", "META-INF/manifest.xml", "_rels/.rels", `xl\workbook.xml`, "/xl/worksheets/sheet1.xml", "word/document.xml", "ppt/presentation.xml"}
	for _, name := range office {
		text := zipped(t, packed(name, zip.Store, "application/vnd.oasis.opendocument.spreadsheet"))
		for _, cut := range []int{0, 90} { // with and without the directory
			text := text[:len(text)-cut]
			sourcetest.RequireScore(t, format(), "a.zip", text, 0, 0)
		}
	}
	parts := make([]entry, 2000)
	for n := range parts {
		parts[n] = packed(fmt.Sprintf("%0100d.xml", n), zip.Store, "")
	}
	sourcetest.RequireScore(t, format(), "", zipped(t, append(parts, file("[Content_Types].xml", "<a/>"))...), 0, 0)
	for _, text := range []string{people, "", "PK", "PK\x07\x08", "\x1F\x8B", "\x1F\x8B\x07", "\x50\x2A\x4D\x18", "\x50\x2A\x4D\x18\xFF\xFF\xFF\xFF", "\x50\x2A\x4D\x18\x00\x00\x00\x00abcd"} {
		sourcetest.RequireScore(t, format(), "a.zip", text, 0, 0)
	}
	for _, text := range []string{
		gzipped(t, "", people), zstded(t, people), zipped(t), "PK\x03\x04", "PK\x03\x04\x00\x00",
		zipped(t, file("xl/a.csv", people)), zipped(t, file("word/list.csv", people), file("my mimetype", people)),
	} {
		sourcetest.RequireScore(t, format(), "a.csv", text, 1, 1)
	}
}

// TestFalseZip64Record checks that an archive is rejected if its ZIP64 record declares too many
// entries, even if those entries do not exist.
func TestFalseZip64Record(t *testing.T) {
	honest := zipped(t, file("a.csv", people))
	end := strings.Index(honest, "PK\x05\x06")
	// large returns an archive with a ZIP64 record that declares the given number of entries.
	large := func(entries uint64) string {
		le, raw := binary.LittleEndian, []byte(honest[:end])
		raw = le.AppendUint64(append(raw, "PK\x06\x06"...), 44)
		raw = append(raw, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		raw = le.AppendUint64(le.AppendUint64(raw, entries), entries)
		raw = le.AppendUint64(raw, uint64(le.Uint32([]byte(honest[end+12:]))))
		raw = le.AppendUint64(raw, uint64(le.Uint32([]byte(honest[end+16:]))))
		raw = append(raw, "PK\x06\x07\x00\x00\x00\x00"...)
		raw = le.AppendUint32(le.AppendUint64(raw, uint64(end)), 1)
		return string(raw) + "PK\x05\x06\x00\x00\x00\x00" + strings.Repeat("\xFF", 12) + "\x00\x00"
	}
	sourcetest.RequireError(t, format(), large(1), source.Options{}, nil)
	sourcetest.RequireError(t, format(), large(1<<32|1), source.Options{}, limited("more than 1,000 entries"))
	// The record is also found before a comment of the maximum length.
	commented := func(entries uint64) string {
		text := large(entries)
		return text[:len(text)-2] + "\xFF\xFF" + strings.Repeat("c", 1<<16-1)
	}
	sourcetest.RequireError(t, format(), commented(1), source.Options{}, nil)
	sourcetest.RequireError(t, format(), commented(1<<32|1), source.Options{}, limited("more than 1,000 entries"))
}

// TestExceededLimit checks the exact limits of a member, including the ratio above 10 MiB.
func TestExceededLimit(t *testing.T) {
	const large = minRatioBytes + 2
	tests := []struct {
		name                        string
		inflated, compressed, total int64
		want                        string
	}{
		{"at all limits", large, large / 2, large + 1, ""},
		{"member", large + 1, large, large + 1, "archive.inflates_too_large"},
		{"all members", large, large, large + 2, "archive.too_large"},
		{"ratio", large, large/2 - 1, large, "archive.ratio_too_high"},
		{"ratio at 10 MiB", minRatioBytes, 1, large, ""},
	}
	for _, test := range tests {
		u := &unpacker{Format: Format{Limits: Limits{MemberBytes: large, InflatedBytes: large + 1, Ratio: 2}}, inflated: test.total}
		if got := u.exceededLimit(intray.Literal("it"), test.inflated, test.compressed); got.Code != test.want {
			t.Errorf("%s: %q, want %q", test.name, got.Code, test.want)
		}
	}
}
