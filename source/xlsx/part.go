package xlsx

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

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
