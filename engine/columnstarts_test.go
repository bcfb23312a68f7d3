package engine_test

import (
	"slices"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/engine"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/csv"
)

// TestColumnStarts imports lines without separators: Intray asks where the columns start, and reads
// them as answered.
func TestColumnStarts(t *testing.T) {
	const text = "20240115ABC0012345SMITH     JOHN      \n20240116DEF0000045MILLER    ANN       \n20240117GHI0000099LEE       BOB       \n" +
		"20231231JKL0054321WILLIAMSONCHRISTOPHE\n20240203MNO0000001COOK      EVE       \n20240204PQR0000777BAKER     ZOE       \n"
	schema := &intray.Schema{Fields: []intray.Field{{Key: "name", Label: "Name", Type: intray.FieldType{Name: intray.TypeString}}}, Settings: intray.DefaultSettings()}
	run := func(opt source.Options, answers intray.Answers) *engine.Outcome {
		out, err := engine.New(engine.Config{Formats: []source.Format{csv.Format{}}, Options: opt}).Run(t.Context(),
			engine.Import{Input: inputOf("x.txt", text), Schema: schema, Answers: answers}, openSink(&batchSizes{}))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	out := run(source.Options{}, intray.Answers{intray.AnswerHeaderRow: intray.NoAnswer})
	at := slices.IndexFunc(out.Questions, func(q intray.Question) bool { return q.ID == intray.AnswerColumnStarts })
	if out.Verdict != engine.Open || at < 0 {
		t.Fatalf("verdict %d, questions %v", out.Verdict, out.Questions)
	}
	q := out.Questions[at]
	if len(q.Choices) != 2 || q.Choices[0].Value != "1, 9, 12, 19, 29" || q.Choices[1].Value != intray.NoAnswer || len(q.Choices[0].Examples) != 3 {
		t.Errorf("choices %+v", q.Choices)
	}
	for answer, columns := range map[string]int{"1,9,12,19,29": 5, "1,19": 2, intray.NoAnswer: 2} {
		answers := intray.Answers{intray.AnswerHeaderRow: intray.NoAnswer, intray.AnswerColumn + "name": "0", intray.AnswerColumnStarts: answer}
		if out := run(source.Options{}, answers); out.Verdict != engine.Done || len(out.Headers) != columns || out.DataRows != 6 {
			t.Errorf("%q: verdict %d, %d columns, %d rows, questions %v", answer, out.Verdict, len(out.Headers), out.DataRows, out.Questions)
		}
	}
	out = run(source.Options{ColumnStarts: "1,9,19"}, intray.Answers{intray.AnswerHeaderRow: intray.NoAnswer, intray.AnswerColumn + "name": "2"})
	if out.Verdict != engine.Done || len(out.Headers) != 3 {
		t.Errorf("requested in the options: verdict %d, %d columns", out.Verdict, len(out.Headers))
	}
}
