package workbook

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
)

// RepairKind is a kind of damage that does not prevent a sheet from being read.
type RepairKind uint8

const (
	// RowNumbers is a row whose number is not greater than that of the previous row. The row is
	// read in the order of the file. The detail is its number.
	RowNumbers RepairKind = iota
	// CellReferences is a cell whose reference is malformed or names another row, but whose
	// location is certain from its neighbors. The detail is the reference.
	CellReferences
	// RepeatedCells is a cell that the file stores again. Only the last value is read. The
	// detail is the location and the value that is not read.
	RepeatedCells
	// CoveredCells is a cell with a value below a merged cell. The value is not read. The detail
	// is the location and the value.
	CoveredCells
	// TextAfterEnd is text after the end of the XML of a sheet. The detail is the part.
	TextAfterEnd

	repairKinds = iota
)

// RepairReporter is implemented by [Rows] of formats that read damaged sheets.
type RepairReporter interface {
	// Repairs returns the repairs so far.
	Repairs() *Repairs
}

// Repairs counts the repairs of a sheet by kind, and keeps the details of the first ones. The zero
// value has none.
type Repairs [repairKinds]struct {
	count   int64
	details []string
}

// maxRepairDetails is the maximum number of repairs of a kind whose details are kept.
const maxRepairDetails = 20

// Add records a repair.
func (r *Repairs) Add(kind RepairKind, detail string) {
	k := &r[kind]
	if k.count++; len(k.details) < maxRepairDetails {
		k.details = append(k.details, source.Excerpt(detail))
	}
}

// AddValue records a repair that drops a value. It ignores empty values.
func (r *Repairs) AddValue(kind RepairKind, column int, row int64, value []byte) {
	if len(value) == 0 {
		return
	}
	const longest = 1 << 10 // bytes that Add may quote
	r.Add(kind, fmt.Sprintf("%s%d: %s", ColumnName(column), row, value[:min(len(value), longest)]))
}

// SortCells sorts the cells of a row by column. If a column has several cells, it keeps only the
// last one, as other programs do, and records the other values unless they are equal. It returns
// the remaining cells.
func (r *Repairs) SortCells(row int64, cells []Cell) []Cell {
	slices.SortStableFunc(cells, func(a, b Cell) int { return cmp.Compare(a.Column, b.Column) })
	kept := cells[:0]
	for i, c := range cells {
		if i+1 == len(cells) || cells[i+1].Column != c.Column {
			kept = append(kept, c)
		} else if !bytes.Equal(c.Value, cells[i+1].Value) {
			r.AddValue(RepeatedCells, c.Column, row, c.Value)
		}
	}
	return kept
}

// Backslashes returns the evidence that an archive has backslashes between folders, or nil. entry
// is the name of the first such entry, or "".
func Backslashes(entry string) []intray.Evidence {
	if entry == "" {
		return nil
	}
	return []intray.Evidence{{Choice: "part names", Value: source.Excerpt(entry), Reason: intray.NewMessage("workbook.backslashes", nil)}}
}

// TextAfter returns the evidence that parts have text after the end of their XML, or nil if there
// are no such parts.
func TextAfter(parts ...string) []intray.Evidence {
	if len(parts) == 0 {
		return nil
	}
	return []intray.Evidence{{Choice: "text after the end", Value: JoinNames(parts), Reason: intray.NewMessage("workbook.text_after_end", nil)}}
}

// repairTexts are the texts about one kind of repair.
type repairTexts struct {
	choice, reason, notice string
	level                  intray.Level
}

func (k RepairKind) texts() repairTexts {
	switch k {
	case RowNumbers:
		return repairTexts{"row numbers", "workbook.row_numbers_repeat", "workbook.row_numbers_repaired", intray.LevelWarning}
	case CellReferences:
		return repairTexts{"cell references", "workbook.references_malformed", "workbook.references_repaired", intray.LevelInfo}
	case RepeatedCells:
		return repairTexts{"repeated cells", "workbook.cells_repeated", "workbook.repeated_cells_dropped", intray.LevelWarning}
	case TextAfterEnd:
		return repairTexts{"text after the end", "workbook.text_after_end", "workbook.text_after_end_skipped", intray.LevelWarning}
	}
	return repairTexts{"covered cells", "workbook.cells_covered", "workbook.covered_cells_dropped", intray.LevelWarning}
}

// summary returns one statement for each kind of repair.
func (r *Repairs) summary() (list []part) {
	for kind := range RepairKind(repairKinds) {
		k, texts := r[kind], kind.texts()
		if k.count == 0 {
			continue
		}
		found := strings.Join(k.details, "; ")
		if more := k.count - int64(len(k.details)); more > 0 {
			found += fmt.Sprintf("; and %d more", more)
		}
		list = append(list, part{
			evidence: intray.Evidence{Choice: texts.choice, Value: found, Reason: intray.NewMessage(texts.reason, nil)},
			notice:   intray.NewMessage(texts.notice, intray.Params{"n": k.count, "found": found}),
			kind:     intray.RepairedRow, level: texts.level,
		})
	}
	return list
}
