package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
)

// memberInfo describes a member before its content is known.
type memberInfo struct {
	// label names the member in errors, and name names it in evidence. nameSource describes
	// the source of the name.
	label      intray.Message
	name       string
	nameSource intray.Message
	inZip      bool
}

// member is a file in the archive that contains a table.
type member struct {
	memberInfo
	in           source.Input
	format       source.Format
	reason       intray.Message
	sheets       []source.Sheet
	bookEvidence []intray.Evidence
}

// formatNames returns the names of the formats that a member can have.
func (u *unpacker) formatNames() []string {
	names := make([]string, len(u.Inner))
	for i, f := range u.Inner {
		names[i] = f.Name()
	}
	return names
}

// addSingleMember inflates and opens the only member of a gzip or zstd file.
func (u *unpacker) addSingleMember(ctx context.Context, name string, from intray.Message, src io.Reader) error {
	what := u.kind.file()
	why, err := u.addMember(ctx, memberInfo{label: what, name: name, nameSource: from}, src)
	switch {
	case err != nil:
		return err
	case why == reasonEmpty:
		return source.ErrEmpty
	case !why.IsZero():
		return &source.UnreadableError{Reason: intray.NewMessage("archive.unknown_format", intray.Params{"what": what, "formats": u.formatNames()})}
	}
	return nil
}

// addMember inflates a member and opens it. If it skips the member, it returns the reason.
func (u *unpacker) addMember(ctx context.Context, f memberInfo, src io.Reader) (why intray.Message, err error) {
	from := u.spool.size
	in, err := u.inflate(ctx, f.label, f.name, src)
	if err != nil {
		return why, err
	}
	m := member{memberInfo: f, in: in}
	if why, err = u.detectFormat(&m); err == nil && why.IsZero() {
		why, err = u.listSheets(ctx, &m)
	}
	if err != nil {
		return why, err
	}
	if !why.IsZero() {
		return why, u.spool.rewind(from)
	}
	u.members = append(u.members, m)
	return why, nil
}

// detectFormat sets the format of the member to the inner format with the highest score.
func (u *unpacker) detectFormat(m *member) (why intray.Message, err error) {
	head := make([]byte, min(m.in.Size, source.HeadBytes))
	if len(head) == 0 {
		return reasonEmpty, nil
	}
	if _, err := m.in.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return why, fmt.Errorf("read inflated bytes from their temporary file: %w", err)
	}
	if kind := nestedArchive(m.in, head, u.Limits); kind != "" {
		return why, &source.UnreadableError{Reason: intray.NewMessage("archive.nested", intray.Params{"what": m.label, "format": kind})}
	}
	top := 0.0
	for _, f := range u.Inner {
		if score, reason := f.Detect(m.in, head); score > top {
			m.format, m.reason, top = f, reason, score
		}
	}
	if m.format == nil {
		return reasonUnknown, nil
	}
	return why, nil
}

// nestedArchive returns the archive format of a member, or "" if the member is not an archive.
func nestedArchive(in source.Input, head []byte, limits Limits) string {
	if k, office := detectKind(zipfile.NewInput(in), head, limits); k != noArchive && office == "" {
		return string(k)
	}
	return unsupportedArchive(head)
}

// listSheets opens the member to list its sheets. It leaves a book open only if the archive
// has a single member, because open books can use a lot of memory.
func (u *unpacker) listSheets(ctx context.Context, m *member) (why intray.Message, err error) {
	inner, err := m.format.Open(ctx, m.in, u.opt)
	if errors.Is(err, source.ErrEmpty) {
		return reasonEmpty, nil
	}
	if err != nil {
		return why, m.wrapError(err)
	}
	m.sheets, m.bookEvidence = inner.Sheets(), inner.Evidence()
	if u.sheets += len(m.sheets); u.sheets > u.Limits.Sheets {
		return why, errors.Join(&source.LimitError{Reason: intray.NewMessage("archive.too_many_sheets", intray.Params{"limit": u.Limits.Sheets})}, inner.Close())
	}
	if len(u.members) == 0 {
		u.openBook = inner
		return why, nil
	}
	err = inner.Close()
	if u.openBook != nil {
		err = errors.Join(err, u.openBook.Close())
		u.openBook = nil
	}
	return why, err
}

// wrapError adds the name of the member to an error if the archive is a zip file.
func (m *member) wrapError(err error) error {
	var unreadable *source.UnreadableError
	var limit *source.LimitError
	switch {
	case !m.inZip:
		return err
	case errors.As(err, &unreadable):
		return &source.UnreadableError{Line: unreadable.Line, Reason: within(m.label, unreadable.Reason)}
	case errors.As(err, &limit):
		return &source.LimitError{Line: limit.Line, Reason: within(m.label, limit.Reason)}
	}
	return err
}

// within prefixes a problem with its location.
func within(what, problem intray.Message) intray.Message {
	return intray.NewMessage("archive.problem", intray.Params{"what": what, "problem": problem})
}

// sheetName returns the name that a sheet of the member has in the archive.
func (m *member) sheetName(sheet int) string {
	own := m.sheets[sheet].Name
	switch {
	case !m.inZip:
		return own
	case own == "":
		return m.name
	}
	return m.name + " / " + own
}

// evidence returns the evidence about the member: its name, its format and the evidence of its
// book.
func (m *member) evidence() []intray.Evidence {
	list := []intray.Evidence{
		{Choice: "member", Value: m.name, Reason: m.nameSource},
		{Choice: "format", Value: m.format.Name(), Reason: m.reason},
	}
	return append(list, m.bookEvidence...)
}

const (
	// chunkBytes is the number of bytes inflated between two checks of the context.
	chunkBytes = 128 << 10
	// minRatioBytes is the inflated size in bytes above which the ratio of a member is
	// checked. Small files can legitimately repeat one row many times.
	minRatioBytes = 10 << 20
)

// inflate writes the bytes of src to the spool and returns them as a file. The parameter what
// names the file in errors.
func (u *unpacker) inflate(ctx context.Context, what intray.Message, name string, src io.Reader) (source.Input, error) {
	from, before := u.spool.size, u.in.BytesRead()
	chunk := make([]byte, chunkBytes)
	for {
		if err := ctx.Err(); err != nil {
			return source.Input{}, err
		}
		n, end := src.Read(chunk)
		u.inflated += int64(n)
		if why := u.exceededLimit(what, u.spool.size-from+int64(n), u.in.BytesRead()-before); !why.IsZero() {
			return source.Input{}, &source.LimitError{Reason: why}
		}
		if err := u.spool.write(chunk[:n]); err != nil {
			return source.Input{}, err
		}
		if errors.Is(end, io.EOF) {
			size := u.spool.size - from
			return source.Input{Name: name, ReaderAt: io.NewSectionReader(u.spool.file, from, size), Size: size}, nil
		}
		if end != nil {
			return source.Input{}, readError(u.in, what, end)
		}
	}
}

// exceededLimit returns the reason if a member with the given inflated and compressed sizes in
// bytes exceeds a limit. Otherwise it returns the zero Message.
func (u *unpacker) exceededLimit(what intray.Message, inflated, compressed int64) intray.Message {
	l := u.Limits
	switch {
	case inflated > l.MemberBytes:
		return intray.NewMessage("archive.inflates_too_large", intray.Params{"what": what, "limit": l.MemberBytes})
	case u.inflated > l.InflatedBytes:
		return intray.NewMessage("archive.too_large", intray.Params{"limit": l.InflatedBytes})
	case inflated > minRatioBytes && inflated/l.Ratio > compressed:
		return intray.NewMessage("archive.ratio_too_high", intray.Params{"what": what, "limit": l.Ratio})
	}
	return intray.Message{}
}

// maxListedNames is the maximum number of members that evidence lists by name.
const maxListedNames = 20

// joinNames joins names with commas. If total is higher than the number of names, it adds the
// number of omitted names.
func joinNames(names []string, total int) string {
	text := strings.Join(names, ", ")
	if total > len(names) {
		text += fmt.Sprintf(" and %d more", total-len(names))
	}
	return text
}

// skippedMembers records the members without a table. The zero value is ready to use.
type skippedMembers struct {
	names []string
	total int
	// causes holds the distinct reasons in the order in which they first occurred, and counts
	// holds the number of members for each.
	causes []intray.Message
	counts map[intray.Message]int
}

func (p *skippedMembers) record(name string, why intray.Message) {
	if p.counts == nil {
		p.counts = map[intray.Message]int{}
	}
	if !slices.Contains(p.causes, why) {
		p.causes = append(p.causes, why)
	}
	p.counts[why]++
	if p.total++; p.total <= maxListedNames {
		p.names = append(p.names, name)
	}
}

// summary returns each reason with the number of members skipped for it.
func (p *skippedMembers) summary() []intray.Message {
	list := make([]intray.Message, len(p.causes))
	for i, why := range p.causes {
		list[i] = intray.NewMessage("archive.passed_count", intray.Params{"members": why, "count": p.counts[why]})
	}
	return list
}

func (p *skippedMembers) evidence() []intray.Evidence {
	if p.total == 0 {
		return nil
	}
	return []intray.Evidence{{Choice: "passed over", Value: joinNames(p.names, p.total), Reason: intray.NewMessage("archive.passed_over", intray.Params{"reasons": p.summary()})}}
}
