package engine

import (
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/rowplan"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

func TestPanickingParserIsAnError(t *testing.T) {
	file := "E-Mail,Name\nada@example.org,Ada\n"
	book, err := csv.Format{}.Open(t.Context(), source.Input{ReaderAt: strings.NewReader(file), Size: int64(len(file))}, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	reader, err := book.Open(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	schema := &intray.Schema{Fields: []intray.Field{
		{Key: "email", Label: "E-Mail", Type: intray.FieldType{Name: intray.TypeEmail}},
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeEmail}},
	}}
	p, err := rowplan.Compile(schema, intray.Mapping{Fields: []intray.Match{{Column: 0}, {Column: 1}}}, make([]string, 2))
	if err != nil {
		t.Fatal(err)
	}
	p.Fields[1].Parser = panickingParser{}
	e := New(Config{Workers: 4})
	err = recoverPanic(func() error { return e.runPipeline(t.Context(), reader, p, discardSink{}, &Outcome{}, func(int64) {}) })()
	if err == nil || !strings.Contains(err.Error(), "boom at Ada") || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("error %v, want the panic and its stack", err)
	}
}

// panickingParser panics on every cell.
type panickingParser struct{}

func (panickingParser) Parse(c celltype.Cell, _ []byte) celltype.Result {
	panic("boom at " + string(c.Raw))
}

// discardSink discards all batches.
type discardSink struct{}

func (discardSink) StageBatch(*intray.Batch) (func() error, error) {
	return func() error { return nil }, nil
}
