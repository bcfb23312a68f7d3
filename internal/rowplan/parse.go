package rowplan

import (
	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/distinct"
)

// parseField parses the columns of a field. intact reports that no cell of recs is double-encoded.
func (p *Plan) parseField(f int, recs *intray.Records, intact bool, b *intray.Batch, n *numbering, scratch []byte) {
	field := &p.Fields[f]
	switch {
	case field.parts > 0:
		for i, column := range field.Columns {
			field.parse(column, recs, intact, b, field.parts+i, n, scratch)
		}
	case len(field.Columns) > 0:
		field.parse(field.Columns[0], recs, intact, b, f, n, scratch)
		if field.twins != nil {
			field.twins.compare(recs, field.Columns[0])
		}
	default:
		for range recs.Len() {
			b.Fields[f].AppendNull(nil)
		}
	}
}

// parse parses a column of the records into b.Fields[at]. If the texts of the column repeat, it parses
// each distinct text once.
func (f *FieldPlan) parse(column int, recs *intray.Records, intact bool, b *intray.Batch, at int, n *numbering, scratch []byte) {
	var repaired map[int][]byte
	if !intact {
		repaired = f.repairColumn(column, recs)
	}
	switch {
	case len(repaired) == 0 && n.number(recs, column):
		f.parseTexts(n, b, at, scratch)
	case f.plain && !recs.HasTyped() && len(repaired) == 0:
		f.copyColumn(column, recs, &b.Fields[at].Values.Texts)
	default:
		n.spans = recs.AppendSpans(n.spans[:0], column)
		f.parseCells(column, recs, n.spans, repaired, b, at, scratch)
	}
}

// copyColumn appends the raw text of a column to the values of a field whose values are its raw text.
func (f *FieldPlan) copyColumn(column int, recs *intray.Records, values *intray.Texts) {
	from := len(values.Arena)
	recs.AppendColumn(column, values)
	if !celltype.MayHaveRemarks(values.Arena[from:]) {
		return
	}
	var counts remarkCounts
	for _, end := range values.Ends[len(values.Ends)-recs.Len():] {
		counts.add(celltype.TextRemarks(values.Arena[from:end]), 1)
		from = int(end)
	}
	f.remarks.add(&counts)
}

// cellParser parses the cells of a field. Most cells are valid and not of the type string, so the parser is
// called without the missingParser around it, and refine only for the other cells.
type cellParser struct {
	celltype.Parser
	missing  missingParser
	isString bool
}

// cellParser returns the parser of the field.
func (f *FieldPlan) cellParser() cellParser {
	p := cellParser{Parser: f.Parser, isString: f.field.Type.Name == intray.TypeString}
	if missing, ok := f.Parser.(missingParser); ok {
		p.Parser, p.missing = missing.Parser, missing
	}
	return p
}

// needsRefining reports whether refine can change a result.
func (p *cellParser) needsRefining(r *celltype.Result) bool {
	return p.isString || r.State == celltype.Invalid
}

// refine returns the result for a cell, given that of the parser: a marker of a missing value is no error,
// and the remarks include those about text.
func (p *cellParser) refine(c celltype.Cell, r celltype.Result) celltype.Result {
	if p.missing.Parser != nil && r.State == celltype.Invalid {
		r = p.missing.readInvalid(c, r)
	}
	if p.isString {
		r.Remarks |= celltype.TextRemarks(c.Raw)
	}
	return r
}

// addProblems adds the problem and the note of a cell to a batch.
func (f *FieldPlan) addProblems(b *intray.Batch, row, at int, result *celltype.Result) {
	if result.State == celltype.Invalid {
		b.Problems = append(b.Problems, intray.Problem{
			Row: row, Field: at, Code: f.code, Level: intray.LevelError, Text: *result.Problem,
		})
	}
	if n := result.Note; n != nil {
		b.Problems = append(b.Problems, intray.Problem{Row: row, Field: at, Code: n.Code, Level: n.Level, Text: n.Text})
	}
}

// parseCells parses each cell of a column. spans are those of its cells. repaired holds the repaired texts of
// double-encoded cells.
func (f *FieldPlan) parseCells(column int, recs *intray.Records, spans []intray.Span, repaired map[int][]byte, b *intray.Batch, at int, scratch []byte) {
	cells := &b.Fields[at]
	typed := recs.HasTyped()
	var counts remarkCounts
	p := f.cellParser()
	for row, span := range spans {
		c := celltype.Cell{Raw: recs.Text(span)}
		if typed {
			c = TypedCell(recs, row, column)
			if f.field.Type.Name != intray.TypeNumber {
				c.Raw = fullText(c)
			}
		}
		raw := c.Raw
		if repaired != nil {
			if text, found := repaired[row]; found {
				c.Raw = text
			}
		}
		result := p.Parse(c, scratch[:0])
		if p.needsRefining(&result) {
			result = p.refine(c, result)
		}
		counts.add(result.Remarks, 1)
		if result.Missing {
			f.missing.add(c.Raw, 1)
		}
		switch result.State {
		case celltype.Unchanged:
			if repaired == nil {
				cells.AppendValue(raw)
			} else {
				appendChanged(cells, c.Raw, raw)
			}
		case celltype.Parsed:
			cells.AppendParsed(result.Value, raw)
		case celltype.Empty, celltype.Invalid:
			cells.AppendNull(raw)
		}
		if result.State == celltype.Invalid || result.Note != nil {
			f.addProblems(b, row, at, &result)
		}
	}
	f.remarks.add(&counts)
}

// numbering numbers the distinct texts of one column of a batch, and holds how they were parsed. It reuses
// memory.
type numbering struct {
	// spans are those of the cells of the column.
	spans []intray.Span
	texts distinct.Table
	// codes holds the code of each row.
	codes []int32
	// isNumber holds, for each code, whether the source stored its cells as numbers.
	isNumber []bool
	// values numbers the distinct values, because several texts can have the same value.
	values distinct.Table
	parsed []parsedText
}

// parsedText describes how a distinct text was parsed.
type parsedText struct {
	// value and raw are the codes of the value and, unless it equals the value, of the raw text. raw is
	// -1 if the raw text is not stored.
	value, raw int32
	// isPlain reports that the value is the raw text, and there is nothing to report or to count.
	isPlain, isNull bool
	rows            int64
	// result holds the remarks and problems. It has no value.
	result celltype.Result
}

// number numbers the texts of a column. It reports false if they do not repeat enough, or if some have a
// typed value other than the text.
func (n *numbering) number(recs *intray.Records, column int) bool {
	rows := recs.Len()
	most := distinct.MaxCodes(rows)
	if most == 0 || recs.HasTypedValues() {
		return false
	}
	t, numbers := &n.texts, recs.HasTyped()
	t.Reset()
	n.spans = recs.AppendSpans(n.spans[:0], column)
	n.codes, n.isNumber = n.codes[:0], n.isNumber[:0]
	mark := uint8(0)
	for row, span := range n.spans {
		text := recs.Text(span)
		if numbers {
			if mark = 0; len(text) > 0 && recs.IsNumber(row, column) {
				mark = 1
			}
		}
		code := t.Code(text, mark)
		n.codes = append(n.codes, code)
		if int(code) == len(n.isNumber) {
			n.isNumber = append(n.isNumber, mark == 1)
		}
		if !t.Pays(row, most) {
			return false
		}
	}
	return true
}

// parseTexts parses the distinct texts of a column and fills the cells of all rows.
func (f *FieldPlan) parseTexts(n *numbering, b *intray.Batch, at int, scratch []byte) {
	cells := &b.Fields[at]
	n.values.Reset()
	n.parsed = n.parsed[:0]
	areValues := true
	p := f.cellParser()
	for code := range n.texts.Len() {
		c := celltype.Cell{Raw: n.texts.Texts.At(code)}
		if n.isNumber[code] {
			c.Kind, c.Typed = intray.CellNumber, c.Raw
		}
		result := p.Parse(c, scratch[:0])
		if p.needsRefining(&result) {
			result = p.refine(c, result)
		}
		one := parsedText{raw: -1, result: result}
		value, text := result.Canonical(c)
		one.isNull = !text
		one.value = n.values.Code(value, 0)
		if result.State == celltype.Parsed || one.isNull && len(c.Raw) > 0 {
			one.raw = int32(cells.Raws.Texts.Len())
			cells.Raws.Texts.Append(c.Raw)
		}
		one.isPlain = result.State == celltype.Unchanged && result.Remarks == 0 && result.Note == nil
		areValues = areValues && one.isPlain && int(one.value) == code
		one.result.Value = nil // it is only valid until the next call
		n.parsed = append(n.parsed, one)
	}
	values := &cells.Values
	values.Texts.AppendRange(&n.values.Texts, 0, n.values.Len())
	values.Codes = append(values.Codes, n.codes...)
	if areValues {
		return
	}
	for row, code := range n.codes {
		one := &n.parsed[code]
		values.Codes[row] = one.value
		if one.isPlain {
			continue
		}
		one.rows++
		if one.isNull {
			cells.Nulls = append(cells.Nulls, uint32(row))
		}
		if one.raw >= 0 {
			cells.RawRows = append(cells.RawRows, uint32(row))
			cells.Raws.Codes = append(cells.Raws.Codes, one.raw)
		}
		f.addProblems(b, row, at, &one.result)
	}
	f.countRemarks(n)
}

// countRemarks counts the rows with remarks and with markers of missing values.
func (f *FieldPlan) countRemarks(n *numbering) {
	var counts remarkCounts
	for code := range n.parsed {
		one := &n.parsed[code]
		counts.add(one.result.Remarks, one.rows)
		if one.result.Missing {
			f.missing.add(n.texts.Texts.At(code), one.rows)
		}
	}
	f.remarks.add(&counts)
}
