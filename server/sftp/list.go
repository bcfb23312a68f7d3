package sftp

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

const (
	// DefaultLimit is the maximum number of files that List returns if the limit is
	// 0.
	DefaultLimit = 100_000
	// maxEntries is the maximum number of directory entries that List reads.
	maxEntries = 1_000_000
	// maxSkipped is the maximum number of skipped entries that a Listing describes.
	maxSkipped = 100
)

// File is one version of a file on a server.
type File struct {
	// Path is the directory as passed to List, joined to the name with a slash if one is needed.
	Path string
	// Size is the size in bytes.
	Size int64
	// Modified is the modification time in whole seconds, in UTC, according to the
	// server. It is zero if the server does not send it.
	Modified time.Time
}

// Name returns the last element of the path.
func (f File) Name() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// SameVersion reports whether f and other have the same path, size and modification time.
func (f File) SameVersion(other File) bool {
	return f.Path == other.Path && f.Size == other.Size && f.Modified.Equal(other.Modified)
}

// Listing is the result of List.
type Listing struct {
	// Files are the regular files whose names match the pattern, sorted by path.
	// Partial files of Upload are not included.
	Files []File
	// Skipped lists the first 100 entries that cannot be fetched, such as those with an invalid
	// name, and symbolic links that match the pattern.
	Skipped []Skipped
	// NumSkipped is the number of all such entries.
	NumSkipped int
}

// Skipped is an entry that cannot be fetched.
type Skipped struct {
	// Name is safe to display: invisible characters are escaped.
	Name string
	// Reason completes the sentence "NAME was skipped because …" for people.
	Reason intray.Message
}

// List returns the regular files of a directory whose names match the pattern. It
// does not descend into subdirectories, and reports symbolic links as skipped. If
// more than limit files match or the directory has more than a million entries,
// List returns a TooMany error. A limit of 0 means DefaultLimit. The directory must
// satisfy ValidDirectory. List changes nothing on the server.
func (s *Session) List(ctx context.Context, directory string, pattern Pattern, limit int) (Listing, error) {
	if err := ValidDirectory(directory); err != nil {
		return Listing{}, &Error{Kind: BadPath, Text: intray.MessageOf(err)}
	}
	limit = cmp.Or(max(limit, 0), DefaultLimit)
	ctx, cancel := context.WithTimeout(ctx, s.cfg.ListTimeout)
	defer cancel()
	l := &lister{session: s, directory: directory, pattern: pattern, limit: limit, names: map[string]bool{}}
	if err := l.run(ctx); err != nil {
		return Listing{}, s.explain(ctx, readingDirectory(directory), err)
	}
	slices.SortFunc(l.found.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return l.found, nil
}

// lister collects the entries of one listing.
type lister struct {
	session    *Session
	directory  string
	pattern    Pattern
	limit      int
	entries    int
	found      Listing
	names      map[string]bool // the names that match the pattern
	incomplete []string        // the names for which the listing has no attributes
}

func (l *lister) run(ctx context.Context) error {
	path := l.directory
	path = cmp.Or(path, ".")
	handle, err := l.session.requestHandle(ctx, newRequest(msgOpendir).string(path))
	if err != nil {
		return err
	}
	defer l.session.closeHandle(ctx, handle)
	for {
		got, err := l.session.request(ctx, newRequest(msgReaddir).string(handle), msgName)
		if isEOF(err) {
			return l.completeAttributes(ctx)
		}
		if err != nil {
			return err
		}
		if err := l.addEntries(&got); err != nil {
			return err
		}
	}
}

func (l *lister) addEntries(got *response) error {
	// A response without entries counts as one entry, so that a server cannot send
	// such responses endlessly.
	l.entries++
	for n := got.uint32(); n > 0; n-- {
		name := got.string()
		got.bytes() // skips the entry in the format of ls -l
		found := got.attributes()
		if got.truncated {
			return l.session.abort(protocolError("a truncated listing"))
		}
		l.entries++
		if err := l.addEntry(name, found); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) addEntry(name string, found attributes) error {
	if l.entries > maxEntries {
		return &Error{Kind: TooMany, Text: intray.NewMessage("sftp.too_many_entries", intray.Params{"server": l.session.address, "n": maxEntries, "directory": shown(l.directory)})}
	}
	if name == "." || name == ".." {
		return nil
	}
	if problem := nameProblem(name); !problem.IsZero() {
		l.skip(name, problem)
		return nil
	}
	if IsPartial(name) || !l.pattern.Match(name) || found.flags&hasMode != 0 && found.isDirectory() {
		return nil
	}
	if l.names[name] {
		l.skip(name, intray.NewMessage("sftp.listed_twice", nil))
		return nil
	}
	if len(l.names) >= l.limit {
		return &Error{Kind: TooMany, Text: intray.NewMessage("sftp.too_many_files", intray.Params{"server": l.session.address, "n": l.limit, "directory": shown(l.directory)})}
	}
	l.names[name] = true
	if found.flags&(hasMode|hasSize|hasTimes) != hasMode|hasSize|hasTimes {
		l.incomplete = append(l.incomplete, name)
		return nil
	}
	l.addFile(name, found)
	return nil
}

// completeAttributes requests attributes that are missing from the listing, as with some servers.
func (l *lister) completeAttributes(ctx context.Context) error {
	for _, name := range l.incomplete {
		found, err := l.session.lstat(ctx, joinPath(l.directory, name))
		if isMissing(err) {
			continue
		}
		if err != nil {
			return err
		}
		if found.flags&hasMode == 0 || !found.isDirectory() {
			l.addFile(name, found)
		}
	}
	return nil
}

func (l *lister) addFile(name string, found attributes) {
	if problem := found.problem(); !problem.IsZero() {
		l.skip(name, problem)
		return
	}
	l.found.Files = append(l.found.Files, found.toFile(joinPath(l.directory, name)))
}

func (l *lister) skip(name string, reason intray.Message) {
	l.found.NumSkipped++
	if len(l.found.Skipped) < maxSkipped {
		l.found.Skipped = append(l.found.Skipped, Skipped{Name: shown(name), Reason: reason})
	}
}

// problem returns why an entry cannot be fetched, or the zero message.
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
