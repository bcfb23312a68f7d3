package importlinks

import (
	"context"
	"fmt"
	"io"
	"iter"
	"unicode/utf8"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/output"
)

const (
	// templateRows is the number of rows of a template that have drop-down lists.
	templateRows = 1000
	// minTemplateWidth and maxTemplateWidth are the widths of a column in a template, in characters.
	minTemplateWidth, maxTemplateWidth = 14, 40
)

// WriteTemplate writes a workbook with the headers of the expected fields, and drop-down lists for
// fields with a list of values. The function header returns the header of a field.
func WriteTemplate(ctx context.Context, w io.Writer, fields []ExpectedField, header func(ExpectedField) string) error {
	schema := &intray.Schema{Settings: intray.DefaultSettings()}
	columns := make([]output.SheetColumn, 0, len(fields))
	for _, f := range fields {
		// The key is what the workbook shows, and must be unique.
		name := header(f)
		for n := 2; hasField(schema, name); n++ {
			name = fmt.Sprintf("%s (%d)", header(f), n)
		}
		schema.Fields = append(schema.Fields, intray.Field{Key: name, Label: name, Type: intray.FieldType{Name: intray.TypeString}})
		column := output.SheetColumn{Width: min(max(minTemplateWidth, utf8.RuneCountInString(name)+2), maxTemplateWidth), ListRows: templateRows}
		if f.Type.Name == intray.TypeSelect { // several values in a cell cannot come from a list
			for _, option := range f.Options {
				column.Options = append(column.Options, option.Label)
			}
		}
		columns = append(columns, column)
	}
	none := iter.Seq2[*intray.Batch, error](func(func(*intray.Batch, error) bool) {})
	_, err := output.WriteAnnotated(ctx, w, schema, columns, none)
	return err
}

func hasField(schema *intray.Schema, key string) bool {
	for _, f := range schema.Fields {
		if f.Key == key {
			return true
		}
	}
	return false
}

// InLanguage returns the text for a language tag, or otherwise if there is none. A text for the
// language applies to its regions, too.
func InLanguage(texts map[string]string, tag, otherwise string) string {
	if text, ok := texts[tag]; ok {
		return text
	}
	for length := range tag {
		if tag[length] == '-' {
			if text, ok := texts[tag[:length]]; ok {
				return text
			}
			break
		}
	}
	return otherwise
}
