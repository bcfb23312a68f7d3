package ods

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

const (
	// smallPart is the most bytes of parts other than the content.
	smallPart = 64 << 20
	// ratioFrom is where a part is large enough for its ratio to matter.
	ratioFrom = 16 << 20
)

// part is an entry of the archive that is being inflated, or a flat document.
type part struct {
	name string
	pack *pack
	// file is nil for a flat document, which is as large as it is.
	file *zip.File
	from io.Reader
	read int64
	most int64
	// stop ends reading; it is that of the context at hand.
	stop <-chan struct{}
}

// open begins to inflate a part.
func (p *pack) open(ctx context.Context, name string) (*part, error) {
	file := p.parts[name]
	const encrypted = 0x1
	if file.Flags&encrypted != 0 {
		return nil, errProtected
	}
	opened := &part{name: name, pack: p, file: file, most: p.limits.PartBytes, stop: ctx.Done()}
	from, err := file.Open()
	if err != nil {
		return nil, p.in.explain(opened.doing(), err, opened.problem(err))
	}
	opened.from = from
	return opened, nil
}

// openSmall is open for a part beside the content.
func (p *pack) openSmall(ctx context.Context, name string) (*part, error) {
	opened, err := p.open(ctx, name)
	if err == nil {
		opened.most = min(opened.most, smallPart)
	}
	return opened, err
}

// openContent opens the part with the sheets.
func (p *pack) openContent(ctx context.Context) (*part, error) {
	if !p.flat {
		return p.open(ctx, contentPart)
	}
	return &part{name: "document", pack: p, from: io.NewSectionReader(p.in, 0, p.in.Size), stop: ctx.Done()}, nil
}

func (p *part) doing() string { return fmt.Sprintf("read the part %q", p.name) }

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
	if p.file != nil {
		if over := p.count(); over != nil {
			return 0, over
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.pack.in.explain(p.doing(), err, p.problem(err))
	}
	return n, err
}

// count adds what was not read before, and keeps the limits.
func (p *part) count() error {
	inflated := p.pack.count(p.file, p.read)
	limits := p.pack.limits
	switch {
	case p.read > p.most:
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_too_large", intray.Params{"part": source.Excerpt(p.name), "limit": p.most})}
	case inflated > limits.InflatedBytes:
		return &source.LimitError{Reason: intray.NewMessage("workbook.too_large", intray.Params{"limit": limits.InflatedBytes})}
	case p.read > ratioFrom && p.read/limits.Ratio > int64(p.file.CompressedSize64):
		return &source.LimitError{Reason: intray.NewMessage("workbook.part_ratio_too_high", intray.Params{"part": source.Excerpt(p.name), "limit": limits.Ratio})}
	}
	return nil
}

// count notes that a part was read that far, and gives how much was inflated of
// all parts.
func (p *pack) count(file *zip.File, read int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if before := p.seen[file]; read > before {
		p.inflated += read - before
		p.seen[file] = read
	}
	return p.inflated
}

// end gives back what inflating needs. Nothing that was read depends on it.
func (p *part) end() {
	if c, ok := p.from.(io.Closer); ok {
		_ = c.Close()
	}
}
