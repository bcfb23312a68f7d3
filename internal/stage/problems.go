package stage

import (
	"fmt"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/blob"
)

const (
	// fewProblems and problemBytes bound the problems of a row group, and so those
	// that a window reads beside its rows; behind manyGroups of them it is
	// manyProblems, for a file has room for so many groups only.
	fewProblems  = 8192
	manyGroups   = 1024
	manyProblems = 65536
	problemBytes = 4 << 20
)

// problemColumns are the columns of problems.parquet.
func problemColumns() []column {
	return []column{{name: "row"}, {name: "field"}, {name: "part"},
		{name: "code", text: true}, {name: "level", text: true}, {name: "text", text: true}}
}

// problemFile writes problems.parquet, from the first problem on.
type problemFile struct {
	create  func(name string) (blob.Writer, error)
	packer  *packer
	encoder *encoder
	file    *file
	table   problemTable
	group   group
	groups  []ProblemGroup
	// lateFrom is the first of the groups that hold late problems.
	lateFrom int
}

// problemTable holds the columns of a row group of problems.
type problemTable struct {
	rows, fields, parts  []int64
	codes, levels, texts intray.Texts
}

func (t *problemTable) reset() {
	t.rows, t.fields, t.parts = t.rows[:0], t.fields[:0], t.parts[:0]
	t.codes.Reset()
	t.levels.Reset()
	t.texts.Reset()
}

func (t *problemTable) add(row int64, p *intray.Problem) {
	t.rows = append(t.rows, row)
	t.fields = append(t.fields, int64(p.Field))
	t.parts = append(t.parts, int64(p.Part))
	t.codes.AppendString(p.Code)
	t.levels.AppendString(p.Level.String())
	t.texts.AppendString(p.Text.Encode())
}

// full says that the problems at hand are enough for a row group.
func (f *problemFile) full() bool {
	most := fewProblems
	if len(f.groups) >= manyGroups {
		most = manyProblems
	}
	return len(f.table.rows) >= most || len(f.table.texts.Arena)+len(f.table.codes.Arena) >= problemBytes
}

// add adds the problems of a batch whose rows begin with first.
func (f *problemFile) add(first int64, p *packed) error {
	t := &f.table
	for i, row := range p.rows {
		t.add(first+int64(row), &p.kinds[p.of[i]])
		if !f.full() {
			continue
		}
		if err := f.flush(); err != nil {
			return err
		}
	}
	return nil
}

// flush writes the problems at hand as a row group.
func (f *problemFile) flush() error {
	if f.file == nil {
		out, err := f.create(problemsName)
		if err != nil {
			return err
		}
		if f.file, err = newFile(out, problemColumns(), f.packer.codec); err != nil {
			return err
		}
	}
	if err := f.encode(); err != nil {
		return fmt.Errorf("encode problems: %w", err)
	}
	if f.file.full() {
		return fmt.Errorf("the texts of the problems fill more than %d row groups", len(f.groups))
	}
	at, err := f.file.append(&f.group)
	if err != nil {
		return fmt.Errorf("write problems: %w", err)
	}
	rows := f.table.rows
	f.groups = append(f.groups, ProblemGroup{
		rows[0], rows[len(rows)-1], int64(len(rows)), Piece{at.offset, at.length, f.group.crc},
	})
	f.table.reset()
	return nil
}

func (f *problemFile) encode() error {
	t, g := &f.table, &f.group
	g.reset(len(t.rows))
	for _, ints := range [][]int64{t.rows, t.fields, t.parts} {
		if err := f.encoder.ints(g, ints); err != nil {
			return err
		}
	}
	for _, texts := range []*intray.Texts{&t.codes, &t.levels, &t.texts} {
		if err := f.encoder.required(g, texts); err != nil {
			return err
		}
	}
	g.seal()
	return nil
}

// close seals the file, where there is one, and enters its groups in the
// manifest.
func (f *problemFile) close(m *Manifest) error {
	if len(f.table.rows) > 0 {
		if err := f.flush(); err != nil {
			return err
		}
	}
	if f.file == nil {
		return nil
	}
	if err := f.file.close(); err != nil {
		return fmt.Errorf("seal the problems: %w", err)
	}
	m.ProblemGroups, m.LateGroups = f.groups[:f.lateFrom], f.groups[f.lateFrom:]
	return nil
}

func (f *problemFile) abort() {
	if f.file != nil {
		f.file.blob.Abort()
	}
}
