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

// watched remembers why reading the input failed: an error of the store must
// not pass for a damaged file.
type watched struct {
	source.Input
	// left is how many bytes may still be read; nil where any number may.
	left *int64
	// under is the input that this one is deciphered from: only there can the
	// store fail.
	under *watched

	mu  sync.Mutex
	err error
}

// failed gives the error of the store, where it has failed.
func (w *watched) failed() error {
	if w.under != nil {
		return w.under.failed()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

func (w *watched) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

// errDirectory says that the directory of the archive is larger than allowed.
var errDirectory = errors.New("the directory of the archive is too large")

// errOutside says that an entry claims to begin in front of the file.
var errOutside = errors.New("an entry lies outside of the file")

// ReadAt reads from the input.
func (w *watched) ReadAt(p []byte, at int64) (int, error) {
	if w.left != nil {
		if *w.left -= int64(len(p)); *w.left < 0 {
			return 0, errDirectory
		}
	}
	if at < 0 { // a damaged directory asks for this; it is no fault of the store
		return 0, errOutside
	}
	n, err := w.Input.ReadAt(p, at)
	if n == len(p) {
		return n, nil
	}
	if w.under != nil {
		return n, err
	}
	if errors.Is(err, io.EOF) && at+int64(n) < w.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && !errors.Is(err, io.EOF) {
		w.fail(err)
	}
	return n, err
}

// explain says what an error means that came of reading: the store failed, or
// the file has a problem.
func (w *watched) explain(doing string, err error, problem intray.Message) error {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	failed := w.failed()
	switch {
	case failed != nil:
		return fmt.Errorf("%s: %w", doing, failed)
	case errors.As(err, &unreadable), errors.As(err, &limit):
		return err
	}
	return &source.UnreadableError{Reason: intray.NewMessage("workbook.damaged", intray.Params{"problem": problem})}
}

// archive is the ZIP file that a workbook is.
type archive struct {
	in     *watched
	limits Limits
	// parts are found by their names in lower case, without a slash in front.
	parts map[string]*zip.File

	mu sync.Mutex
	// inflated counts the bytes of all parts; seen those of each.
	inflated int64
	seen     map[*zip.File]int64
}

// directoryBytes is what an entry may take in the directory, names of usual
// length and a few attributes.
const directoryBytes = 512

func openArchive(in *watched, limits Limits) (*archive, error) {
	left := int64(limits.Entries)*directoryBytes + 256<<10
	in.left = &left
	dir, err := zip.NewReader(in, in.Size)
	in.left = nil
	switch {
	case left < 0 || err == nil && len(dir.File) > limits.Entries:
		return nil, &source.LimitError{Reason: intray.NewMessage("workbook.too_many_entries", intray.Params{"limit": limits.Entries})}
	case err != nil:
		return nil, in.explain("read the directory of the archive", err, intray.NewMessage("workbook.directory_unreadable", nil))
	}
	dir.RegisterDecompressor(zip.Deflate, flate.NewReader)
	a := &archive{in: in, limits: limits, parts: make(map[string]*zip.File, len(dir.File)), seen: map[*zip.File]int64{}}
	for _, f := range dir.File {
		if err := a.add(f); err != nil {
			return nil, err
		}
	}
	return a, a.refuseOverlaps(dir.File)
}

func (a *archive) add(f *zip.File) error {
	if why := badName(f.Name); !why.IsZero() {
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.bad_entry_name", intray.Params{"entry": source.Excerpt(f.Name), "problem": why})}
	}
	name := strings.ToLower(f.Name)
	if a.parts[name] != nil {
		return &source.UnreadableError{Reason: intray.NewMessage("workbook.duplicate_entry", intray.Params{"entry": source.Excerpt(f.Name)})}
	}
	a.parts[name] = f
	return nil
}

// badName says what is wrong with the name of an entry, if anything is.
func badName(name string) intray.Message {
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

// localHeader is the fixed part of the header in front of an entry's bytes.
const localHeader = 30

// refuseOverlaps looks for entries that share bytes: bombs do, archivers never.
func (a *archive) refuseOverlaps(files []*zip.File) error {
	type extent struct {
		f          *zip.File
		begin, end int64
	}
	list := make([]extent, 0, len(files))
	for _, f := range files {
		at, err := f.DataOffset()
		if err != nil {
			return a.in.explain(fmt.Sprintf("read the header of the entry %q", f.Name), err, intray.NewMessage("workbook.entry_header", intray.Params{"entry": source.Excerpt(f.Name)}))
		}
		size := int64(min(f.CompressedSize64, uint64(a.in.Size)+1))
		if at+size > a.in.Size {
			return &source.UnreadableError{Reason: intray.NewMessage("workbook.entry_outside_file", intray.Params{"entry": source.Excerpt(f.Name)})}
		}
		list = append(list, extent{f, at - localHeader - int64(len(f.Name)), at + size})
	}
	slices.SortFunc(list, func(x, y extent) int { return cmp.Compare(x.begin, y.begin) })
	for i := 1; i < len(list); i++ {
		if list[i].begin < list[i-1].end {
			return &source.UnreadableError{Reason: intray.NewMessage("workbook.overlapping_entries", intray.Params{"first": source.Excerpt(list[i-1].f.Name), "second": source.Excerpt(list[i].f.Name)})}
		}
	}
	return nil
}

// has says whether there is a part.
func (a *archive) has(name string) bool { return a.parts[strings.ToLower(name)] != nil }

const (
	// smallPart is the most bytes of parts that are kept in memory.
	smallPart = 64 << 20
	// ratioFrom is where a part is large enough for its ratio to matter.
	ratioFrom = 16 << 20
)

// part is an entry of the archive that is being inflated.
type part struct {
	name string
	arc  *archive
	file *zip.File
	from io.ReadCloser
	read int64
	most int64
	// stop ends reading; it is that of the context at hand.
	stop <-chan struct{}
}

// errStopped says that the context ended.
var errStopped = errors.New("reading was stopped")

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
	p := &part{name: name, arc: a, file: file, most: a.limits.PartBytes, stop: ctx.Done()}
	from, err := file.Open()
	if err != nil {
		return nil, a.in.explain(p.doing(), err, p.problem(err))
	}
	p.from = from
	return p, nil
}

// openSmall is open for a part of which much is kept in memory.
func (a *archive) openSmall(ctx context.Context, name string) (*part, error) {
	p, err := a.open(ctx, name)
	if err == nil {
		p.most = min(p.most, smallPart)
	}
	return p, err
}

func (p *part) doing() string { return fmt.Sprintf("inflate the part %q", p.name) }

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
	case <-p.stop:
		return 0, errStopped
	default:
	}
	n, err := p.from.Read(b)
	p.read += int64(n)
	if over := p.count(); over != nil {
		return 0, over
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.arc.in.explain(p.doing(), err, p.problem(err))
	}
	return n, err
}

// count adds what was not read before, and keeps the limits.
func (p *part) count() error {
	inflated := p.arc.count(p.file, p.read)
	switch {
	case p.read > p.most:
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_large", intray.Params{"part": source.Excerpt(p.name), "limit": p.most})}
	case inflated > p.arc.limits.InflatedBytes:
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_large", intray.Params{"limit": p.arc.limits.InflatedBytes})}
	case p.read > ratioFrom && p.read/p.arc.limits.Ratio > int64(p.file.CompressedSize64):
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_ratio_too_high", intray.Params{"part": source.Excerpt(p.name), "limit": p.arc.limits.Ratio})}
	}
	return nil
}

// count notes that a part was read that far, and gives how much was inflated of
// all parts.
func (a *archive) count(file *zip.File, read int64) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if before := a.seen[file]; read > before {
		a.inflated += read - before
		a.seen[file] = read
	}
	return a.inflated
}

// drain inflates the rest, which checks the part's sum.
func (p *part) drain() error {
	_, err := io.Copy(io.Discard, struct{ io.Reader }{p})
	return err
}

// end gives back what inflating needs. Nothing that was read depends on it.
func (p *part) end() { _ = p.from.Close() }

// stopped gives the error of the context where that is what ended reading.
func stopped(ctx context.Context, err error) error {
	if errors.Is(err, errStopped) {
		return context.Cause(ctx)
	}
	return err
}
