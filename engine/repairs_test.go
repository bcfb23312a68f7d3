package engine_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source/formats"
)

// cellLog keeps the values and raw texts of all rows.
type cellLog struct {
	mu   sync.Mutex
	rows map[int64]string
}

func (l *cellLog) StageBatch(b *intray.Batch) (func() error, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for row := range b.Rows() {
		var cells []string
		for i := range b.Fields {
			v, there := b.Fields[i].Value(row)
			cell := string(v)
			if !there {
				cell = "null"
			}
			if raw := string(b.Fields[i].Raw(row)); raw != cell {
				cell += " (" + raw + ")"
			}
			cells = append(cells, cell)
		}
		l.rows[b.First+int64(row)] = strings.Join(cells, " | ")
	}
	return func() error { return nil }, nil
}

// TestDoubleEncodedCells checks that double-encoded cells are repaired in every format and type, that
// their raw text remains, and that each field is reported once.
func TestDoubleEncodedCells(t *testing.T) {
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}},
		{Key: "country", Label: "Country", Type: intray.FieldType{Name: intray.TypeCountry}},
		{Key: "size", Label: "Größe", Type: intray.FieldType{Name: intray.TypeSelect}, SelectOptions: []intray.SelectOption{{Label: "Groß", Value: "big"}, {Label: "Klein", Value: "small"}}},
	}}
	want := []string{
		"Müller (MÃ¼ller) | AT (Ã–sterreich) | big (GroÃŸ)",
		"Weiß | AT (Österreich) | small (Klein)",
		"MÃ¼ller und Weiß | AT (Ã–sterreich) | big (Groß)",
		"Ann | FR (France) | small (Klein)",
	}
	for name, text := range map[string]string{
		"x.csv":  "Name,Country,GrÃ¶ÃŸe\nMÃ¼ller,Ã–sterreich,GroÃŸ\nWeiß,Österreich,Klein\nMÃ¼ller und Weiß,Ã–sterreich,Groß\nAnn,France,Klein\n",
		"x.json": `[{"Name":"MÃ¼ller","Country":"Ã–sterreich","GrÃ¶ÃŸe":"GroÃŸ"},{"Name":"Weiß","Country":"Österreich","GrÃ¶ÃŸe":"Klein"},{"Name":"MÃ¼ller und Weiß","Country":"Ã–sterreich","GrÃ¶ÃŸe":"Groß"},{"Name":"Ann","Country":"France","GrÃ¶ÃŸe":"Klein"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			log := &cellLog{rows: map[int64]string{}}
			out, err := engine.New(engine.Config{Formats: formats.Formats("")}).Run(t.Context(), engine.Import{Input: inputOf(name, text), Schema: schema}, openSink(log))
			if err != nil || out.Verdict != engine.Done {
				t.Fatalf("verdict %d, %v, questions %v", out.Verdict, err, out.Questions)
			}
			for i, row := range want {
				if got := log.rows[int64(i)]; got != row {
					t.Errorf("row %d is %q, want %q", i, got, row)
				}
			}
			var notices []string
			for _, n := range out.Notices {
				if n.Text.Code == "cell.double_encoded" {
					p := n.Text.Params()
					notices = append(notices, fmt.Sprintf("%s: %v × %s → %s", n.Field, p["n"], *n.Value, p["text"]))
				}
			}
			if diff := cmp.Diff([]string{"name: 1 × MÃ¼ller → Müller", "country: 2 × Ã–sterreich → Österreich", "size: 1 × GroÃŸ → Groß"}, notices); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"Name", "Country", "GrÃ¶ÃŸe"}, out.Headers); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(fmt.Sprint(out.Evidence), "name of GrÃ¶ÃŸe") {
				t.Errorf("no evidence about the name: %v", out.Evidence)
			}
		})
	}
}

// TestDoubleEncodedCellBelowTheSample checks that a cell far below the sample is repaired, and that
// the first cell is the example.
func TestDoubleEncodedCellBelowTheSample(t *testing.T) {
	const rows = 60_000
	var text strings.Builder
	text.WriteString("Name,City\n")
	for i := range rows {
		city := "Köln"
		if i >= rows-3 {
			city = fmt.Sprintf("ZÃ¼rich %d", i)
		}
		fmt.Fprintf(&text, "Ann %d,%s\n", i, city)
	}
	schema := &intray.Schema{Settings: intray.DefaultSettings(), Fields: []intray.Field{
		{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}}, {Key: "city", Label: "City", Type: intray.FieldType{Name: intray.TypeString}},
	}}
	log := &cellLog{rows: map[int64]string{}}
	out, err := engine.New(engine.Config{Formats: formats.Formats("")}).Run(t.Context(), engine.Import{Input: inputOf("x.csv", text.String()), Schema: schema}, openSink(log))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("Ann %d | Zürich %[1]d (ZÃ¼rich %[1]d)", rows-1); log.rows[rows-1] != want || len(log.rows) != rows {
		t.Errorf("%d rows, the last is %q, want %q", len(log.rows), log.rows[rows-1], want)
	}
	for _, n := range out.Notices {
		if n.Text.Code == "cell.double_encoded" && n.Text.Params()["n"] == int64(3) && *n.Value == fmt.Sprintf("ZÃ¼rich %d", rows-3) {
			return
		}
	}
	t.Errorf("notices %v", out.Notices)
}
