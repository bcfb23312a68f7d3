// Package zipfile reads untrusted ZIP archives.
//
// An [Input] is the file. It records failures of the store, so an unavailable store is never
// reported as a damaged file. [ReadDirectory], [NameProblem] and [CheckExtents] read and check
// the list of entries. They work for every kind of archive, and the caller writes the messages.
//
// An [Archive] is a workbook that is stored as a ZIP archive. A [Part] is one of its entries,
// inflated as a stream. [Limits] sets the maximum number of entries, the maximum sizes of one
// part and of all parts, and the maximum compression ratio. The package does not trust the
// sizes that the archive declares, but counts bytes as they are inflated. A part that is read
// twice counts once.
//
// An Archive and its parts return a *source.UnreadableError, a *source.LimitError, the failure
// of the store, or an error for a canceled context. [Cause] converts the last to the cause of
// the context.
//
// The package does not write archives, ask for passwords, use names as paths or interpret the
// content of entries. It supports the compression methods Store and Deflate. Callers can
// register further methods.
package zipfile

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// ErrPassword reports that a workbook is protected with a password.
var ErrPassword = &source.UnreadableError{Reason: intray.NewMessage("workbook.password", nil)}

// Limits holds the resource limits for reading an archive. Every field must be set.
type Limits struct {
	// InflatedBytes is the maximum inflated size of all parts together, in bytes.
	InflatedBytes int64
	// PartBytes is the maximum inflated size of one part in bytes.
	PartBytes int64
	// Ratio is the maximum number of inflated bytes per compressed byte. It applies to parts
	// of more than 16 MiB.
	Ratio int64
	// Entries is the maximum number of entries.
	Entries int
}

const (
	// entryBytes is the maximum average size of a directory entry in bytes. It leaves room for a
	// name of usual length and a few attributes.
	entryBytes = 512
	// maxSmallPart is the maximum size of a part that is held in memory, in bytes.
	maxSmallPart = 64 << 20
	// minRatioBytes is the inflated size in bytes above which the ratio of a part is checked.
	minRatioBytes = 16 << 20
)

// Archive is the archive of a workbook. It is safe for concurrent use.
type Archive struct {
	in       *Input
	limits   Limits
	foldCase bool
	// parts holds the entries by their names in lower case, with slashes between folders.
	parts map[string]entry
	// backslash is the name of the first entry that uses backslashes between folders, or "".
	backslash string

	mu sync.Mutex
	// inflated is the number of inflated bytes of all parts, and inflatedByPart is the number
	// for each part.
	inflated       int64
	inflatedByPart map[*zip.File]int64
}

// entry is an entry of an archive, with the name of its part.
type entry struct {
	*zip.File
	part string
}

// Open reads the directory of an archive. It rejects archives that no spreadsheet program
// writes: with unsafe names, with names that differ only in case, or with entries that share
// bytes. A backslash in a name is read as a slash, because some programs on Windows write
// backslashes. If foldCase is set, part names are not case-sensitive, as Office Open XML requires.
func Open(in *Input, limits Limits, foldCase bool) (*Archive, error) {
	dir, err := ReadDirectory(in, limits.Entries, entryBytes)
	switch {
	case errors.Is(err, ErrTooManyEntries):
		return nil, &source.LimitError{Reason: intray.NewMessage("workbook.too_many_entries", intray.Params{"limit": limits.Entries})}
	case err != nil:
		return nil, in.Explain("read the directory of the archive", err, intray.NewMessage("workbook.directory_unreadable", nil))
	}
	a := &Archive{in: in, limits: limits, foldCase: foldCase, parts: make(map[string]entry, len(dir.File)), inflatedByPart: map[*zip.File]int64{}}
	for _, f := range dir.File {
		part := strings.ReplaceAll(f.Name, `\`, "/")
		if part != f.Name && a.backslash == "" {
			a.backslash = f.Name
		}
		if why := NameProblem(part); !why.IsZero() {
			return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.bad_entry_name", intray.Params{"entry": source.Excerpt(f.Name), "problem": why})}
		}
		name := strings.ToLower(part)
		if a.parts[name].File != nil {
			return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.duplicate_entry", intray.Params{"entry": source.Excerpt(f.Name)})}
		}
		a.parts[name] = entry{f, part}
	}
	return a, a.explainExtents(CheckExtents(in, dir.File))
}

// explainExtents converts an error of CheckExtents to the error to report.
func (a *Archive) explainExtents(err error) error {
	var header *HeaderError
	var outside *OutsideError
	var overlap *OverlapError
	switch {
	case errors.As(err, &header):
		return a.in.Explain(fmt.Sprintf("read the header of the entry %q", header.Entry), header.Err, intray.NewMessage("workbook.entry_header", intray.Params{"entry": source.Excerpt(header.Entry)}))
	case errors.As(err, &outside):
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.entry_outside_file", intray.Params{"entry": source.Excerpt(outside.Entry)})}
	case errors.As(err, &overlap):
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.overlapping_entries", intray.Params{"first": source.Excerpt(overlap.First), "second": source.Excerpt(overlap.Second)})}
	}
	return err
}

// find returns the entry of a part, or nil if there is none.
func (a *Archive) find(name string) *zip.File {
	e := a.parts[strings.ToLower(name)]
	if !a.foldCase && e.part != name {
		return nil
	}
	return e.File
}

// Backslash returns the name of the first entry that has backslashes between folders, or "".
func (a *Archive) Backslash() string { return a.backslash }

// Has reports whether the archive has a part with the given name.
func (a *Archive) Has(name string) bool { return a.find(name) != nil }

// Names returns the part names of all entries in no particular order.
func (a *Archive) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := range maps.Values(a.parts) {
			if !yield(e.part) {
				return
			}
		}
	}
}

// Open opens a part for reading. Reads fail after ctx is canceled.
func (a *Archive) Open(ctx context.Context, name string) (*Part, error) {
	file := a.find(name)
	if file == nil {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.part_missing", intray.Params{"part": source.Excerpt(name)})}
	}
	const encrypted = 0x1
	if file.Flags&encrypted != 0 {
		return nil, ErrPassword
	}
	p := &Part{Name: name, in: a.in, archive: a, file: file, limit: a.limits.PartBytes, done: ctx.Done()}
	src, err := file.Open()
	if err != nil {
		return nil, p.explain(err)
	}
	p.src = src
	return p, nil
}

// OpenSmall is like Open, but for a part that the caller holds in memory. The part can have at
// most 64 MiB.
func (a *Archive) OpenSmall(ctx context.Context, name string) (*Part, error) {
	p, err := a.Open(ctx, name)
	if err == nil {
		p.limit = min(p.limit, maxSmallPart)
	}
	return p, err
}

// addInflated records how many bytes of a part have been inflated, counted from the beginning of
// the part. It returns the number of inflated bytes of all parts.
func (a *Archive) addInflated(file *zip.File, read int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if before := a.inflatedByPart[file]; read > before {
		a.inflated += read - before
		a.inflatedByPart[file] = read
	}
	return a.inflated
}

// Part reads a part of an archive. It must not be used concurrently.
type Part struct {
	// Name is the name under which the part was opened.
	Name string

	in *Input
	// archive and file are nil for a whole file, to which no limits apply.
	archive *Archive
	file    *zip.File
	src     io.Reader
	read    int64
	limit   int64
	// done is closed when the current context is canceled.
	done <-chan struct{}
}

// WholeFile returns a Part that reads a whole file that is not an archive.
func WholeFile(ctx context.Context, in *Input, name string) *Part {
	return &Part{Name: name, in: in, src: io.NewSectionReader(in, 0, in.Size), done: ctx.Done()}
}

// SetContext replaces the context. Later reads fail after ctx is canceled.
func (p *Part) SetContext(ctx context.Context) { p.done = ctx.Done() }

// Close releases the resources of the part. It returns no error, because closing the part
// cannot affect bytes that were already read.
func (p *Part) Close() {
	if c, ok := p.src.(io.Closer); ok {
		_ = c.Close()
	}
}

// Read reads inflated bytes. It returns a *source.LimitError if a limit is exceeded.
func (p *Part) Read(b []byte) (int, error) {
	select {
	case <-p.done:
		return 0, errCanceled
	default:
	}
	n, err := p.src.Read(b)
	p.read += int64(n)
	if p.file != nil {
		if over := p.checkLimits(); over != nil {
			return 0, over
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.explain(err)
	}
	return n, err
}

// checkLimits counts the bytes read for the first time and checks the limits.
func (p *Part) checkLimits() error {
	limits := &p.archive.limits
	inflated := p.archive.addInflated(p.file, p.read)
	switch {
	case p.read > p.limit:
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_large", intray.Params{"part": source.Excerpt(p.Name), "limit": p.limit})}
	case inflated > limits.InflatedBytes:
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_large", intray.Params{"limit": limits.InflatedBytes})}
	case p.read > minRatioBytes && p.read/limits.Ratio > int64(p.file.CompressedSize64):
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_ratio_too_high", intray.Params{"part": source.Excerpt(p.Name), "limit": limits.Ratio})}
	}
	return nil
}

// explain converts an error from inflating the part to the error to report.
func (p *Part) explain(err error) error {
	problem := intray.NewMessage("workbook.part_not_decompressed", nil)
	switch {
	case errors.Is(err, zip.ErrChecksum):
		problem = intray.NewMessage("workbook.part_wrong_checksum", nil)
	case errors.Is(err, zip.ErrAlgorithm):
		problem = intray.NewMessage("workbook.part_unknown_method", nil)
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem = intray.NewMessage("workbook.part_cut_short", nil)
	}
	problem = intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(p.Name), "problem": problem})
	return p.in.Explain(fmt.Sprintf("read the part %q", p.Name), err, problem)
}
