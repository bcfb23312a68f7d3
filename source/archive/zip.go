package archive

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

func (u *unpacking) zip(ctx context.Context) error {
	files, err := openDirectory(u.in, u.Limits)
	if err != nil {
		return err
	}
	if err := refuseNames(files, u.Limits.NameBytes); err != nil {
		return err
	}
	if err := refuseOverlaps(u.in, files); err != nil {
		return err
	}
	for _, f := range files {
		name := entryName(f)
		why := aside(f)
		if why == "" {
			why, err = u.entry(ctx, name, f)
		}
		if err != nil {
			return err
		}
		if why != "" {
			u.passed.add(name, why)
		}
	}
	if len(u.members) > 0 {
		return nil
	}
	if u.passed.counts[whyEmpty] > 0 && u.passed.counts[whyUnknown] == 0 {
		return source.ErrEmpty
	}
	return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the zip file holds no table (%s); the formats that can be read are %s", u.passed.reasons("no entries"), u.formats()))}
}

// entry opens one entry. why says why it was passed over, if it was.
func (u *unpacking) entry(ctx context.Context, name string, f *zip.File) (why string, err error) {
	const encrypted, strongly, masked = 1, 1 << 6, 1 << 13
	what := fmt.Sprintf("the member %q of the zip file", name)
	switch {
	case f.Flags&(encrypted|strongly|masked) != 0:
		return "", &source.UnreadableError{Reason: intray.Literal(what + " is encrypted; pack it without a password")}
	case f.Method != zip.Store && f.Method != zip.Deflate && f.Method != zipZstd:
		return "", &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("%s is compressed with method %d, which is not known; pack it with the method Deflate", what, f.Method))}
	}
	src, err := f.Open()
	if err != nil {
		return "", u.in.explain(what, err)
	}
	defer src.Close()
	return u.take(ctx, found{what: what, name: name, why: "the name in the zip file", inZip: true}, src)
}

// refuseNames looks for names that no honest archive has.
func refuseNames(files []*zip.File, most int) error {
	seen := make(map[string]bool, len(files))
	for _, f := range files {
		if len(f.Name) > most {
			return &source.LimitError{Reason: intray.Literal(fmt.Sprintf("the zip file has an entry whose name is longer than %d bytes", most))}
		}
		if why := badName(f.Name); why != "" {
			return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the zip file has the entry %q, whose name %s", f.Name, why))}
		}
		clean := path.Clean(f.Name)
		if seen[clean] && !strings.HasSuffix(f.Name, "/") {
			return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the zip file has the entry %q twice", f.Name))}
		}
		seen[clean] = true
	}
	return nil
}

// badName says what is wrong with the name of an entry, "" if nothing is.
func badName(name string) string {
	switch {
	case name == "":
		return "is empty"
	case strings.ContainsRune(name, '\\'):
		return "has a backslash"
	case strings.ContainsRune(name, 0):
		return "has a NUL character"
	case strings.HasPrefix(name, "/"):
		return "begins with a slash"
	case len(name) > 1 && name[1] == ':':
		return "begins with a drive"
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "leads to another folder"
	}
	return ""
}

// aside says why an entry is passed over without a look at what it holds, ""
// where it is not.
func aside(f *zip.File) string {
	if strings.HasSuffix(f.Name, "/") || f.Mode().IsDir() {
		return "folders"
	}
	for _, part := range strings.Split(path.Clean(f.Name), "/") {
		switch {
		case part == "__MACOSX", strings.EqualFold(part, "Thumbs.db"), strings.EqualFold(part, "desktop.ini"):
			return "leftovers of the system"
		case strings.HasPrefix(part, "."):
			return "hidden files"
		}
	}
	if f.Mode()&fs.ModeType != 0 {
		return "links and devices"
	}
	return ""
}

// localHeader is the fixed part of the header in front of an entry's bytes.
const localHeader = 30

// extent is where in the file an entry lies.
type extent struct {
	name       string
	begin, end int64
}

// refuseOverlaps looks for entries that share bytes: bombs do, archivers never.
func refuseOverlaps(in *watched, files []*zip.File) error {
	list := make([]extent, 0, len(files))
	for _, f := range files {
		at, err := f.DataOffset()
		if err != nil {
			return in.explain(fmt.Sprintf("the entry %q of the zip file", f.Name), err)
		}
		size := int64(min(f.CompressedSize64, uint64(in.Size)+1))
		if at+size > in.Size {
			return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the zip file is damaged: its entry %q ends behind the end of the file", f.Name))}
		}
		list = append(list, extent{f.Name, at - localHeader - int64(len(f.Name)), at + size})
	}
	slices.SortFunc(list, func(x, y extent) int { return cmp.Compare(x.begin, y.begin) })
	for i := 1; i < len(list); i++ {
		if list[i].begin < list[i-1].end {
			return &source.UnreadableError{Reason: intray.Literal(fmt.Sprintf("the entries %q and %q of the zip file overlap, as they do where one is made to fill a disk", list[i-1].name, list[i].name))}
		}
	}
	return nil
}
