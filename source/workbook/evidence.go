package workbook

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
)

// maxListed is the maximum number of hidden rows that evidence lists. The maximum number of
// ranges of hidden columns is four times as high.
const maxListed = 5

// hiddenRows records the rows that the source application hides.
type hiddenRows struct {
	count int64
	first []int64
}

func (h *hiddenRows) add(number int64) {
	if h.count++; len(h.first) < maxListed {
		h.first = append(h.first, number)
	}
}

func (h *hiddenRows) String() string {
	return fmt.Sprintf("%d (first: %s)", h.count, strings.Join(h.numbers(), ", "))
}

// numbers returns the row numbers of the first hidden rows.
func (h *hiddenRows) numbers() (list []string) {
	for _, number := range h.first {
		list = append(list, strconv.FormatInt(number, 10))
	}
	return list
}

// addHiddenColumnsEvidence adds the hidden columns of the table to the evidence.
func (r *reader) addHiddenColumnsEvidence() {
	rows, ok := r.rows.(ColumnHider)
	if !ok {
		return
	}
	var spans []string
	for c := 0; c < len(r.columns); c++ {
		if !rows.ColumnHidden(c) {
			continue
		}
		from := c
		for c+1 < len(r.columns) && rows.ColumnHidden(c+1) {
			c++
		}
		span := ColumnName(from)
		if c > from {
			span += ":" + ColumnName(c)
		}
		spans = append(spans, span)
	}
	if most := 4 * maxListed; len(spans) > most {
		spans = append(spans[:most], fmt.Sprintf("and %d more", len(spans)-most))
	}
	if len(spans) > 0 {
		r.addEvidence("hidden columns", strings.Join(spans, ", "), reasonReadNormally())
	}
}

// maxListedNames is the maximum number of names that evidence lists.
const maxListedNames = 20

// JoinNames joins up to 20 names with commas and appends the number of remaining names.
func JoinNames(names []string) string {
	if len(names) <= maxListedNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:maxListedNames], ", "), len(names)-maxListedNames)
}

// HiddenSheets returns the evidence of hidden sheets, or nil if there are none.
func HiddenSheets(sheets []Sheet) []intray.Evidence {
	var names []string
	for _, s := range sheets {
		if s.Hidden {
			names = append(names, s.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []intray.Evidence{{Choice: "hidden sheets", Value: JoinNames(names), Reason: reasonReadNormally()}}
}

// DateSystem returns the evidence of the date system of an Excel workbook.
func DateSystem(epoch1904 bool) intray.Evidence {
	if epoch1904 {
		return intray.Evidence{Choice: "date system", Value: "1904", Reason: intray.NewMessage("workbook.date_system_1904", nil)}
	}
	return intray.Evidence{Choice: "date system", Value: "1900", Reason: intray.NewMessage("workbook.date_system_1900", nil)}
}

func reasonReadNormally() intray.Message { return intray.NewMessage("workbook.hidden_read", nil) }

// addSummaryNotices adds the summary as notices after the last record, unless the summary has
// already been reported. Repairs are always notices, because they change records.
func (r *reader) addSummaryNotices(batch *intray.Records) {
	list := r.repairs()
	if !r.reported {
		list = append(list, r.summaryEvidence()...)
	}
	for _, p := range list {
		batch.Notices = append(batch.Notices, intray.Notice{Type: p.kind, Level: p.level, Text: p.notice})
	}
	r.reported = true
}

// repairs returns the summary of the repairs so far.
func (r *reader) repairs() []part {
	rows, ok := r.rows.(RepairReporter)
	if !ok {
		return nil
	}
	return rows.Repairs().summary()
}

// part is one statement of the summary, as evidence and as a notice.
type part struct {
	evidence intray.Evidence
	notice   intray.Message
	kind     intray.NoticeType
	level    intray.Level
}

// otherPart returns a statement about cells that are read normally.
func otherPart(e intray.Evidence, notice intray.Message) part {
	return part{evidence: e, notice: notice, kind: intray.OtherTables, level: intray.LevelInfo}
}

// summaryEvidence returns the summaries of hidden rows and of merged ranges in the body
// of the table.
func (r *reader) summaryEvidence() (list []part) {
	if n := r.hidden.count; n > 0 {
		list = append(list, otherPart(
			intray.Evidence{Choice: "hidden rows", Value: r.hidden.String(), Reason: reasonReadNormally()},
			intray.NewMessage("workbook.hidden_rows", intray.Params{"n": n, "rows": r.hidden.numbers()}),
		))
	}
	if n := r.merges.count; n > 0 {
		ranges := "ranges"
		if n == 1 {
			ranges = "range"
		}
		e := intray.Evidence{Choice: "merged cells", Value: fmt.Sprintf("%d %s (first: %s)", n, ranges, r.merges.first)}
		params := intray.Params{"n": n, "range": r.merges.first.String()}
		if r.opt.FillMerged {
			e.Reason = intray.NewMessage("workbook.merged_filled", nil)
			list = append(list, otherPart(e, intray.NewMessage("workbook.merged_ranges_filled", params)))
		} else {
			e.Reason = intray.NewMessage("workbook.merged_left_empty", nil)
			list = append(list, otherPart(e, intray.NewMessage("workbook.merged_ranges_left_empty", params)))
		}
	}
	return list
}

// String returns the range in spreadsheet notation, such as A2:B5.
func (g Range) String() string {
	return fmt.Sprintf("%s%d:%s%d", ColumnName(g.FirstColumn), g.FirstRow, ColumnName(g.LastColumn), g.LastRow)
}

// ColumnName returns the letters of the column with the given index, counted from 0: A for 0
// and AA for 26.
func ColumnName(column int) string {
	name := ""
	for n := column + 1; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}
