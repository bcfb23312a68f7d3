package sftp

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

// The limits of listing.
const (
	// DefaultLimit is how many files a listing gives at most where the caller
	// names no limit.
	DefaultLimit = 100_000
	// maxEntries is how many entries of a directory are looked at.
	maxEntries = 1_000_000
	// maxSkipped is how many entries are reported one by one.
	maxSkipped = 100
)

// File is one version of a file on a server.
type File struct {
	// Path is the directory as it was named, a slash and the name.
	Path string
	// Size is in bytes.
	Size int64
	// Modified is by the server's clock, in whole seconds and UTC. It is zero
	// where the server does not tell.
	Modified time.Time
}

// Name is the last part of the path.
func (f File) Name() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// SameVersion tells whether both are the same version of the same file.
func (f File) SameVersion(other File) bool {
	return f.Path == other.Path && f.Size == other.Size && f.Modified.Equal(other.Modified)
}

// Listing is what a directory holds.
type Listing struct {
	// Files are regular files whose names fit, in the order of their names. What
	// Put did not finish is not among them.
	Files []File
	// Skipped are entries whose names fit or cannot be used, but which are no
	// files to fetch: the first 100.
	Skipped []Skipped
	// NumSkipped counts all of them.
	NumSkipped int
}

// Skipped is an entry that was left aside.
type Skipped struct {
	// Name can be shown: what cannot be seen in it is escaped.
	Name string
	// Reason completes the sentence "It was skipped because …".
	Reason intray.Message
}

// List gives the regular files of a directory whose names fit, at most limit of
// them; 0 means DefaultLimit. It does not look into the folders in it and does
// not follow the symbolic links, which are reported as skipped. A directory with more fitting
// files, or with more than a million entries, is a TooMany error. It changes
// nothing on the server. The directory is one that ValidDirectory accepts.
func (s *Session) List(ctx context.Context, path string, pattern Pattern, limit int) (Listing, error) {
	if err := ValidDirectory(path); err != nil {
		return Listing{}, &Error{Kind: BadPath, Text: intray.MessageOf(err)}
	}
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ListTimeout)
	defer cancel()
	l := &lister{session: s, directory: path, pattern: pattern, limit: limit, known: map[string]bool{}}
	if l.limit <= 0 {
		l.limit = DefaultLimit
	}
	if err := l.run(ctx); err != nil {
		return Listing{}, s.explain(ctx, readingDirectory(path), err)
	}
	slices.SortFunc(l.found.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return l.found, nil
}

// lister gathers one listing.
type lister struct {
	session   *Session
	directory string
	pattern   Pattern
	limit     int
	entries   int
	found     Listing
	known     map[string]bool // names that were taken
	unclear   []string        // names of which the listing does not tell enough
}

func (l *lister) run(ctx context.Context) error {
	at := l.directory
	if at == "" {
		at = "."
	}
	handle, err := l.session.requestHandle(ctx, newMessage(msgOpendir), func(m message) message { return m.text(at) })
	if err != nil {
		return err
	}
	defer l.session.closeHandle(ctx, handle)
	for {
		if err := l.read(ctx, handle); isEOF(err) {
			return l.resolveUnclear(ctx)
		} else if err != nil {
			return err
		}
	}
}

// read asks for some more entries.
func (l *lister) read(ctx context.Context, handle string) error {
	got, err := l.session.request(ctx, newMessage(msgReaddir), func(m message) message { return m.text(handle) })
	if err != nil {
		return err
	}
	if got.kind != msgName {
		return l.session.abortIfBroken(got.unexpected())
	}
	// An answer without entries counts as one, so that there is an end to them.
	l.entries++
	for n := got.uint32(); n > 0; n-- {
		name := got.text()
		got.bytes() // the same once more, as ls -l prints it
		seen := got.attributes()
		if got.short {
			return l.session.abort(protocolError("a listing cut short"))
		}
		l.entries++
		if err := l.addEntry(name, seen); err != nil {
			return err
		}
	}
	return nil
}

// addEntry sorts one entry.
func (l *lister) addEntry(name string, seen attributes) error {
	if l.entries > maxEntries {
		return &Error{Kind: TooMany, Text: intray.NewMessage("sftp.too_many_entries", intray.Params{"server": l.session.address, "n": maxEntries, "directory": shown(l.directory)})}
	}
	if name == "." || name == ".." {
		return nil
	}
	if problem := nameProblem(name); !problem.IsZero() {
		l.skipEntry(name, problem)
		return nil
	}
	if !l.pattern.Match(name) || IsPart(name) {
		return nil
	}
	if seen.flags&hasMode != 0 && seen.isDirectory() {
		return nil
	}
	if l.known[name] {
		l.skipEntry(name, intray.NewMessage("sftp.listed_twice", nil))
		return nil
	}
	if len(l.known) >= l.limit {
		return &Error{Kind: TooMany, Text: intray.NewMessage("sftp.too_many_files", intray.Params{"server": l.session.address, "n": l.limit, "directory": shown(l.directory)})}
	}
	l.known[name] = true
	if seen.flags&(hasMode|hasSize|hasTimes) != hasMode|hasSize|hasTimes {
		l.unclear = append(l.unclear, name)
		return nil
	}
	l.addFile(name, seen)
	return nil
}

// resolveUnclear asks one by one for what the listing left open, as that of some servers
// does.
func (l *lister) resolveUnclear(ctx context.Context) error {
	for _, name := range l.unclear {
		seen, err := l.session.lstat(ctx, joinPath(l.directory, name))
		if isMissing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if seen.flags&hasMode == 0 || !seen.isDirectory() {
			l.addFile(name, seen)
		}
	}
	return nil
}

func (l *lister) addFile(name string, seen attributes) {
	if problem := seen.problem(); !problem.IsZero() {
		l.skipEntry(name, problem)
		return
	}
	l.found.Files = append(l.found.Files, seen.toFile(joinPath(l.directory, name)))
}

func (l *lister) skipEntry(name string, reason intray.Message) {
	l.found.NumSkipped++
	if len(l.found.Skipped) < maxSkipped {
		l.found.Skipped = append(l.found.Skipped, Skipped{Name: shown(name), Reason: reason})
	}
}

const (
	modeTypeMask  = 0o170000
	modeDirectory = 0o040000
	modeRegular   = 0o100000
	modeLink      = 0o120000
)

func (a attributes) isDirectory() bool { return a.mode&modeTypeMask == modeDirectory }

// problem says why this is no file to fetch; the zero message where it is one.
func (a attributes) problem() intray.Message {
	kind := a.mode & modeTypeMask
	switch {
	case a.flags&hasMode == 0 || kind == 0:
		return intray.NewMessage("sftp.type_unknown", nil)
	case kind == modeLink:
		return intray.NewMessage("sftp.symbolic_link", nil)
	case kind != modeRegular:
		return intray.NewMessage("sftp.not_regular_file", nil)
	case a.flags&hasSize == 0:
		return intray.NewMessage("sftp.size_unknown", nil)
	case a.size > math.MaxInt64:
		return intray.NewMessage("sftp.size_invalid", intray.Params{"size": strconv.FormatUint(a.size, 10)})
	}
	return intray.Message{}
}

func (a attributes) toFile(path string) File {
	f := File{Path: path, Size: int64(a.size)}
	if a.flags&hasTimes != 0 {
		f.Modified = time.Unix(int64(a.modified), 0).UTC()
	}
	return f
}
