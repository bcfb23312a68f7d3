package xlsx

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/flate"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// trackedInput remembers why reading the input failed: an error of the store must
// not pass for a damaged file.
type trackedInput struct {
	source.Input
	// remaining is how many bytes may still be read; nil where any number may.
	remaining *int64
	// underlying is the input that this one is deciphered from: only there can the
	// store fail.
	underlying *trackedInput

	mu  sync.Mutex
	err error
}

// storeErr gives the error of the store, where it has failed.
func (w *trackedInput) storeErr() error {
	if w.underlying != nil {
		return w.underlying.storeErr()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *trackedInput) setStoreErr(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

// errDirectoryTooLarge says that the directory of the archive is larger than allowed.
var errDirectoryTooLarge = errors.New("the directory of the archive is too large")

// errOutsideFile says that an entry claims to begin in front of the file.
var errOutsideFile = errors.New("an entry lies outside of the file")

// ReadAt reads from the input.
func (w *trackedInput) ReadAt(p []byte, at int64) (int, error) {
	if w.remaining != nil {
		if *w.remaining -= int64(len(p)); *w.remaining < 0 {
			return 0, errDirectoryTooLarge
		}
	}
	if at < 0 { // a damaged directory asks for this; it is no fault of the store
		return 0, errOutsideFile
	}
	n, err := w.Input.ReadAt(p, at)
	if n == len(p) {
		return n, nil
	}
	if w.underlying != nil {
		return n, err
	}
	if errors.Is(err, io.EOF) && at+int64(n) < w.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		w.setStoreErr(err)
	}
	return n, err
}

// wrapErr says what an error means that came of reading: the store failed, or
// the file has a problem.
func (w *trackedInput) wrapErr(action string, err error, problem intray.Message) error {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	failed := w.storeErr()
	switch {
	case failed != nil:
		return fmt.Errorf("%s: %w", action, failed)
	case errors.As(err, &unreadable), errors.As(err, &limit):
		return err
	}
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// archive is the ZIP file that a workbook is.
type archive struct {
	in     *trackedInput
	limits Limits
	// parts are found by their names in lower case, without a slash in front.
	parts map[string]*zip.File

	mu sync.Mutex
	// inflated counts the bytes of all parts; seen those of each.
	inflated       int64
	inflatedByPart map[*zip.File]int64
}

// directoryEntryBytes is what an entry may take in the directory, names of usual
// length and a few attributes.
const directoryEntryBytes = 512

func openArchive(in *trackedInput, limits Limits) (*archive, error) {
	left := int64(limits.Entries)*directoryEntryBytes + 256<<10
	in.remaining = &left
	dir, err := zip.NewReader(in, in.Size)
	in.remaining = nil
	switch {
	case left < 0 || err == nil && len(dir.File) > limits.Entries:
		return nil, &source.LimitError{Reason: intray.NewMessage("workbook.too_many_entries", intray.Params{"limit": limits.Entries})}
	case err != nil:
		return nil, in.wrapErr("read the directory of the archive", err, intray.NewMessage("workbook.directory_unreadable", nil))
	}
	dir.RegisterDecompressor(zip.Deflate, flate.NewReader)
	a := &archive{in: in, limits: limits, parts: make(map[string]*zip.File, len(dir.File)), inflatedByPart: map[*zip.File]int64{}}
	for _, f := range dir.File {
		if err := a.addEntry(f); err != nil {
			return nil, err
		}
	}
	return a, a.checkOverlaps(dir.File)
}

func (a *archive) addEntry(f *zip.File) error {
	if why := invalidNameReason(f.Name); !why.IsZero() {
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.bad_entry_name", intray.Params{"entry": source.Excerpt(f.Name), "problem": why})}
	}
	name := strings.ToLower(f.Name)
	if a.parts[name] != nil {
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.duplicate_entry", intray.Params{"entry": source.Excerpt(f.Name)})}
	}
	a.parts[name] = f
	return nil
}

// invalidNameReason says what is wrong with the name of an entry, if anything is.
func invalidNameReason(name string) intray.Message {
	switch {
	case name == "":
		return intray.NewMessage("archive.name_empty", nil)
	case strings.ContainsRune(name, '\\'):
		return intray.NewMessage("archive.name_with_backslash", nil)
	case strings.ContainsRune(name, 0):
		return intray.NewMessage("archive.name_with_nul", nil)
	case strings.HasPrefix(name, "/"):
		return intray.NewMessage("archive.name_with_leading_slash", nil)
	case len(name) > 1 && name[1] == ':':
		return intray.NewMessage("archive.name_with_drive", nil)
	case slices.Contains(strings.Split(name, "/"), ".."):
		return intray.NewMessage("archive.name_leaves_folder", nil)
	}
	return intray.Message{}
}

// localHeaderBytes is the fixed part of the header in front of an entry's bytes.
const localHeaderBytes = 30

// checkOverlaps looks for entries that share bytes: bombs do, archivers never.
func (a *archive) checkOverlaps(files []*zip.File) error {
	type extent struct {
		f          *zip.File
		begin, end int64
	}
	list := make([]extent, 0, len(files))
	for _, f := range files {
		at, err := f.DataOffset()
		if err != nil {
			return a.in.wrapErr(fmt.Sprintf("read the header of the entry %q", f.Name), err, intray.NewMessage("workbook.entry_header", intray.Params{"entry": source.Excerpt(f.Name)}))
		}
		size := int64(min(f.CompressedSize64, uint64(a.in.Size)+1))
		if at+size > a.in.Size {
			return &source.UnreadableError{Reason: intray.NewMessage("workbook.entry_outside_file", intray.Params{"entry": source.Excerpt(f.Name)})}
		}
		list = append(list, extent{f, at - localHeaderBytes - int64(len(f.Name)), at + size})
	}
	slices.SortFunc(list, func(x, y extent) int { return cmp.Compare(x.begin, y.begin) })
	for i := 1; i < len(list); i++ {
		if list[i].begin < list[i-1].end {
			return &source.UnreadableError{Reason: intray.NewMessage("workbook.overlapping_entries", intray.Params{"first": source.Excerpt(list[i-1].f.Name), "second": source.Excerpt(list[i].f.Name)})}
		}
	}
	return nil
}

// hasPart says whether there is a part.
func (a *archive) hasPart(name string) bool { return a.parts[strings.ToLower(name)] != nil }

const (
	// maxSmallPart is the most bytes of parts that are kept in memory.
	maxSmallPart = 64 << 20
	// minRatioBytes is where a part is large enough for its ratio to matter.
	minRatioBytes = 16 << 20
)

// part is an entry of the archive that is being inflated.
type part struct {
	name  string
	arc   *archive
	file  *zip.File
	src   io.ReadCloser
	read  int64
	limit int64
	// done ends reading; it is that of the context at hand.
	done <-chan struct{}
}

// errCanceled says that the context ended.
var errCanceled = errors.New("reading was stopped")

// open begins to inflate a part.
func (a *archive) open(ctx context.Context, name string) (*part, error) {
	file := a.parts[strings.ToLower(name)]
	if file == nil {
		return nil, &source.UnreadableError{Reason: intray.NewMessage("workbook.part_missing", intray.Params{"part": source.Excerpt(name)})}
	}
	const encrypted = 0x1
	if file.Flags&encrypted != 0 {
		return nil, errProtected
	}
	p := &part{name: name, arc: a, file: file, limit: a.limits.PartBytes, done: ctx.Done()}
	from, err := file.Open()
	if err != nil {
		return nil, a.in.wrapErr(p.action(), err, p.problem(err))
	}
	p.src = from
	return p, nil
}

// openSmall is open for a part of which much is kept in memory.
func (a *archive) openSmall(ctx context.Context, name string) (*part, error) {
	p, err := a.open(ctx, name)
	if err == nil {
		p.limit = min(p.limit, maxSmallPart)
	}
	return p, err
}

func (p *part) action() string { return fmt.Sprintf("inflate the part %q", p.name) }

// problem says what is wrong with a part that cannot be inflated.
func (p *part) problem(err error) intray.Message {
	problem := intray.NewMessage("workbook.part_not_decompressed", nil)
	switch {
	case errors.Is(err, zip.ErrChecksum):
		problem = intray.NewMessage("workbook.part_wrong_checksum", nil)
	case errors.Is(err, zip.ErrAlgorithm):
		problem = intray.NewMessage("workbook.part_unknown_method", nil)
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem = intray.NewMessage("workbook.part_cut_short", nil)
	}
	return intray.NewMessage("workbook.part", intray.Params{"part": source.Excerpt(p.name), "problem": problem})
}

// Read inflates, and counts what comes.
func (p *part) Read(b []byte) (int, error) {
	select {
	case <-p.done:
		return 0, errCanceled
	default:
	}
	n, err := p.src.Read(b)
	p.read += int64(n)
	if over := p.checkLimits(); over != nil {
		return 0, over
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.arc.in.wrapErr(p.action(), err, p.problem(err))
	}
	return n, err
}

// checkLimits adds what was not read before, and keeps the limits.
func (p *part) checkLimits() error {
	inflated := p.arc.addInflated(p.file, p.read)
	switch {
	case p.read > p.limit:
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_large", intray.Params{"part": source.Excerpt(p.name), "limit": p.limit})}
	case inflated > p.arc.limits.InflatedBytes:
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_large", intray.Params{"limit": p.arc.limits.InflatedBytes})}
	case p.read > minRatioBytes && p.read/p.arc.limits.Ratio > int64(p.file.CompressedSize64):
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_ratio_too_high", intray.Params{"part": source.Excerpt(p.name), "limit": p.arc.limits.Ratio})}
	}
	return nil
}

// addInflated notes that a part was read that far, and gives how much was inflated of
// all parts.
func (a *archive) addInflated(file *zip.File, read int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if before := a.inflatedByPart[file]; read > before {
		a.inflated += read - before
		a.inflatedByPart[file] = read
	}
	return a.inflated
}

// discardRest inflates the rest, which checks the part's sum.
func (p *part) discardRest() error {
	_, err := io.Copy(io.Discard, struct{ io.Reader }{p})
	return err
}

// close gives back what inflating needs. Nothing that was read depends on it.
func (p *part) close() { _ = p.src.Close() }

// causeIfCanceled gives the error of the context where that is what ended reading.
func causeIfCanceled(ctx context.Context, err error) error {
	if errors.Is(err, errCanceled) {
		return context.Cause(ctx)
	}
	return err
}
