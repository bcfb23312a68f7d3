// Package zipfile reads ZIP archives that come from untrusted senders.
//
// An [Input] is the file. It remembers whether the store failed, so that a store
// that is down is never reported as a damaged file. [ReadDirectory],
// [NameProblem] and [CheckExtents] read and check the list of entries. They are
// for every kind of archive and leave the messages to the caller.
//
// An [Archive] is the archive that a workbook is, and a [Part] one of its
// entries, inflated as a stream. [Limits] bound the number of entries, the bytes
// of one part and of all parts, and how many bytes may come of one compressed
// byte. Sizes that the archive declares are not trusted: bytes are counted as
// they come. A part that is read twice counts once.
//
// Errors of an Archive and its parts are *source.UnreadableError,
// *source.LimitError, the failure of the store, or the end of the context, which
// [Cause] returns.
//
// The package writes no archives, asks for no passwords, never uses a name as a
// path and does not know what an entry holds. Compression other than Store and
// Deflate is left to the caller.
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

// ErrPassword reports a workbook that only a password opens.
var ErrPassword = &source.UnreadableError{Reason: intray.NewMessage("workbook.password", nil)}

// Limits bound what reading an archive may cost. Every field must be set.
type Limits struct {
	// InflatedBytes is the most bytes that all parts may inflate to.
	InflatedBytes int64
	// PartBytes is the most bytes that one part may inflate to.
	PartBytes int64
	// Ratio is how many bytes may come of one compressed byte, as soon as a part
	// has 16 MiB.
	Ratio int64
	// Entries is the most entries.
	Entries int
}

const (
	// entryBytes is the space in the directory of an entry of a workbook: a name of
	// usual length and a few attributes.
	entryBytes = 512
	// maxSmallPart is the most bytes of a part that is held in memory.
	maxSmallPart = 64 << 20
	// minRatioBytes is the size from which on the ratio of a part counts.
	minRatioBytes = 16 << 20
)

// Archive is the archive of a workbook. It is safe for concurrent use.
type Archive struct {
	in       *Input
	limits   Limits
	foldCase bool
	// parts are found by their names in lower case.
	parts map[string]*zip.File

	mu sync.Mutex
	// inflated counts the bytes of all parts, inflatedByPart those of each.
	inflated       int64
	inflatedByPart map[*zip.File]int64
}

// Open reads the directory of an archive and refuses entries that no archiver of
// workbooks writes: bad names, names that differ in case only, and shared bytes.
// With foldCase, parts are found by names of any case, as Office Open XML has it.
func Open(in *Input, limits Limits, foldCase bool) (*Archive, error) {
	dir, err := ReadDirectory(in, limits.Entries, entryBytes)
	switch {
	case errors.Is(err, ErrTooManyEntries):
		return nil, &source.LimitError{Reason: intray.NewMessage("workbook.too_many_entries", intray.Params{"limit": limits.Entries})}
	case err != nil:
		return nil, in.Explain("read the directory of the archive", err, intray.NewMessage("workbook.directory_unreadable", nil))
	}
	a := &Archive{in: in, limits: limits, foldCase: foldCase, parts: make(map[string]*zip.File, len(dir.File)), inflatedByPart: map[*zip.File]int64{}}
	for _, f := range dir.File {
		if why := NameProblem(f.Name); !why.IsZero() {
			return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.bad_entry_name", intray.Params{"entry": source.Excerpt(f.Name), "problem": why})}
		}
		name := strings.ToLower(f.Name)
		if a.parts[name] != nil {
			return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.duplicate_entry", intray.Params{"entry": source.Excerpt(f.Name)})}
		}
		a.parts[name] = f
	}
	return a, a.explainExtents(CheckExtents(in, dir.File))
}

// explainExtents returns the error to report for one of CheckExtents.
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

// find returns the entry of a part, and nil if there is none.
func (a *Archive) find(name string) *zip.File {
	f := a.parts[strings.ToLower(name)]
	if f == nil || !a.foldCase && f.Name != name {
		return nil
	}
	return f
}

// Has reports whether there is a part.
func (a *Archive) Has(name string) bool { return a.find(name) != nil }

// Names returns the names of all entries, in no order.
func (a *Archive) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for f := range maps.Values(a.parts) {
			if !yield(f.Name) {
				return
			}
		}
	}
}

// Open begins to inflate a part, until ctx ends.
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

// OpenSmall is Open for a part that is held in memory. It may have 64 MiB.
func (a *Archive) OpenSmall(ctx context.Context, name string) (*Part, error) {
	p, err := a.Open(ctx, name)
	if err == nil {
		p.limit = min(p.limit, maxSmallPart)
	}
	return p, err
}

// addInflated counts a part that was read up to a byte, and returns how many
// bytes all parts have inflated to.
func (a *Archive) addInflated(file *zip.File, read int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if before := a.inflatedByPart[file]; read > before {
		a.inflated += read - before
		a.inflatedByPart[file] = read
	}
	return a.inflated
}

// Part is a part that is being read. It is for one goroutine.
type Part struct {
	// Name is the name that the part was opened by.
	Name string

	in *Input
	// archive and file are nil for a whole file, which no limits apply to.
	archive *Archive
	file    *zip.File
	src     io.Reader
	read    int64
	limit   int64
	// done ends reading. It belongs to the current context.
	done <-chan struct{}
}

// WholeFile returns a file that is not an archive as its only part.
func WholeFile(ctx context.Context, in *Input, name string) *Part {
	return &Part{Name: name, in: in, src: io.NewSectionReader(in, 0, in.Size), done: ctx.Done()}
}

// SetContext makes reads from now on end with ctx.
func (p *Part) SetContext(ctx context.Context) { p.done = ctx.Done() }

// Close releases what inflating needs. Nothing that was read depends on it, so
// there is no error.
func (p *Part) Close() {
	if c, ok := p.src.(io.Closer); ok {
		_ = c.Close()
	}
}

// Read inflates bytes and keeps the limits.
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

// checkLimits counts what was not read before.
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

// explain returns the error to report for one of inflating.
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
