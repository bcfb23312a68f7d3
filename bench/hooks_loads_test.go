package bench

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/sandbox"
	"github.com/intraydata/intray/internal/distinct"
)

// A load is a row hook and the rows that it processes.
type load struct {
	Name, Source string
	// Records is the number of distinct rows. They are repeated.
	Records int
	// rows is the number of rows of a full run, for each runtime.
	rows map[runner]int
	// goals are the minimum numbers of rows per CPU second, as fractions of the number that a
	// single Node process reaches on its own.
	goals map[runner]float64
	// Repeats is the number of times that each distinct row occurs in the Records.
	Repeats int
}

// runner is a way to call a hook.
type runner string

// The first two runners are Intray's workers. alone is a Node process without row transfer
// or sandbox. The workers are compared with it.
const (
	quickJS = runner(sandbox.QuickJS)
	node    = runner(sandbox.Node)
	alone   = runner("Node in one process")
)

// loads are a light hook, a medium one and two heavy ones. The heavy hooks compute the edit
// distance of two strings of 50 characters: one with the full matrix, the other with only two
// rows of it. The speeds of JavaScript engines differ more for the latter.
var loads = []load{
	{
		Name: "trivial", Records: 100_000,
		rows:   map[runner]int{quickJS: 200_000, node: 4_000_000, alone: 4_000_000},
		goals:  map[runner]float64{quickJS: 0.025, node: 0.30},
		Source: `(record) => ({ row: { email: { value: record.row.email.value.toLowerCase() } } })`,
	},
	{
		Name: "medium", Records: 100_000,
		rows:  map[runner]int{quickJS: 100_000, node: 1_000_000, alone: 1_000_000},
		goals: map[runner]float64{quickJS: 0.05, node: 0.45},
		Source: `(record) => {
			const row = {};
			const parts = /^(?<first>\S+)\s+(?<last>.+)$/.exec(record.row.name.value);
			if (parts) row.name = { value: parts.groups.last + ", " + parts.groups.first };
			const day = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(record.row.date.value);
			if (day) row.date = { value: day[3] + "-" + day[1].padStart(2, "0") + "-" + day[2].padStart(2, "0") };
			if (record.row.amount.value.startsWith("-")) row.amount = { info: [{ message: "The amount is negative.", level: "warning" }] };
			return { row };
		}`,
	},
	{
		Name: "heavy", Records: 2_000,
		rows:  map[runner]int{quickJS: 2_000, node: 80_000, alone: 80_000},
		goals: map[runner]float64{quickJS: 0.012, node: 0.90},
		Source: `(record) => {
			const a = record.row.note.value, b = record.row.other.value, distance = [];
			for (let i = 0; i <= a.length; i++) distance[i] = [i];
			for (let j = 0; j <= b.length; j++) distance[0][j] = j;
			for (let i = 1; i <= a.length; i++) {
				for (let j = 1; j <= b.length; j++) {
					distance[i][j] = a[i - 1] === b[j - 1] ? distance[i - 1][j - 1] : 1 + Math.min(distance[i - 1][j], distance[i][j - 1], distance[i - 1][j - 1]);
				}
			}
			return { row: { score: { value: distance[a.length][b.length] } } };
		}`,
	},
	{
		Name: "two rows", Records: 2_000,
		rows:  map[runner]int{quickJS: 2_000, node: 80_000, alone: 80_000},
		goals: map[runner]float64{quickJS: 0.012, node: 0.90},
		Source: `(record) => {
			const a = record.row.note.value, b = record.row.other.value;
			let before = [];
			for (let j = 0; j <= b.length; j++) before[j] = j;
			for (let i = 1; i <= a.length; i++) {
				const now = [i];
				for (let j = 1; j <= b.length; j++) {
					const cost = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
					now[j] = Math.min(now[j - 1] + 1, before[j] + 1, before[j - 1] + cost);
				}
				before = now;
			}
			return { row: { score: { value: before[b.length] } } };
		}`,
	},
}

// repeatedRows is how often each distinct row occurs in the loads of repeated, and faster how many times as fast as with
// distinct rows workers must be.
const (
	repeatedRows = 10
	faster       = 5
)

// repeated returns the first three loads with rows that repeat. Workers process as many distinct rows as in the other
// loads, because their JIT compiler needs as many calls to warm up.
func repeated() (list []load) {
	for _, l := range loads[:3] {
		goals, rows := map[runner]float64{}, maps.Clone(l.rows)
		for who, goal := range l.goals {
			goals[who] = faster * goal
			rows[who] *= repeatedRows
		}
		l.Name, l.goals, l.rows, l.Repeats = l.Name+", repeated", goals, rows, repeatedRows
		list = append(list, l)
	}
	return list
}

// loadKeys are the keys of the fields.
var loadKeys = []string{"name", "email", "date", "amount", "note", "other", "score", "city", "country", "phone"}

// loadCell returns the text of one cell.
func loadCell(key string, row int) string {
	switch key {
	case "name":
		return fmt.Sprintf("Given%d Family%d", row*7919%997, row)
	case "email":
		return fmt.Sprintf("Person.%d@Example%d.COM", row, row%13)
	case "date":
		return fmt.Sprintf("%d/%d/20%02d", row%12+1, row%28+1, row%30)
	case "amount":
		return strconv.Itoa(row%200 - 20)
	case "note", "other":
		return fmt.Sprintf("%-50.50s", strings.Repeat(key+strconv.Itoa(row*31%1009), 9))
	default:
		return fmt.Sprintf("%s %d", key, row%500)
	}
}

// loadFields returns the fields of the schema.
func loadFields() (fields []intray.Field) {
	for _, key := range loadKeys {
		fields = append(fields, intray.Field{Key: key, Label: key, Type: intray.FieldType{Name: intray.TypeString}})
	}
	return fields
}

// batchRows returns the number of rows per call: about as many as in a batch of an import,
// but at most half of the rows.
func batchRows(records int) int { return min(5000, records/2) }

// loadTexts returns, for each row, the number of the row whose text it has. The repetitions of a text are in random
// rows of a batch.
func loadTexts(records, repeats int) []int {
	texts := make([]int, records)
	for i := range texts {
		texts[i] = i
	}
	size, random := batchRows(records), rand.New(rand.NewPCG(1, 2))
	for first := 0; first < records && repeats > 1; first += size {
		for i, at := range random.Perm(size) {
			texts[first+at] = first + i/repeats
		}
	}
	return texts
}

// loadBatches returns the rows as an import processes them: if the texts of a column repeat, each is stored once.
func loadBatches(records, repeats int) (list []*intray.Batch) {
	size, texts := batchRows(records), loadTexts(records, repeats)
	for first := 0; first < records; first += size {
		b := &intray.Batch{}
		b.Reset(len(loadKeys))
		b.First = int64(first)
		for row := first; row < first+size; row++ {
			b.Lines = append(b.Lines, int64(row)+2)
			for f, key := range loadKeys {
				b.Fields[f].AppendValue([]byte(loadCell(key, texts[row])))
			}
		}
		for f := range b.Fields {
			encodeTexts(&b.Fields[f].Values)
		}
		list = append(list, b)
	}
	return list
}

// encodeTexts stores each distinct text of a column once if that pays, as the parser of an import does.
func encodeTexts(c *intray.TextColumn) {
	var table distinct.Table
	table.Reset()
	codes, most := []int32{}, distinct.MaxCodes(c.Len())
	for i := range c.Len() {
		codes = append(codes, table.Code(c.At(i), 0))
		if !table.Pays(i, most) {
			return
		}
	}
	*c = intray.TextColumn{Texts: table.Texts, Codes: codes}
}

// loadRecords returns the rows of loadBatches in the format in which a hook receives them.
func loadRecords(records, repeats int) []any {
	list, texts := make([]any, records), loadTexts(records, repeats)
	for i := range list {
		row := map[string]any{}
		for _, key := range loadKeys {
			text := loadCell(key, texts[i])
			row[key] = map[string]any{"value": text, "resultValue": text, "info": []string{}}
		}
		list[i] = map[string]any{"row": row, "index": i, "rowId": strconv.Itoa(i)}
	}
	return list
}

func TestLoads(t *testing.T) {
	for records, size := range map[int]int{10: 5, 1000: 500, 20_000: 5000} {
		list := loadBatches(records, 1)
		if len(list) != records/size || list[1].First != int64(size) || list[1].Rows() != size {
			t.Errorf("%d rows make %d batches, the second of %d rows from row %d; want batches of %d", records, len(list), list[1].Rows(), list[1].First, size)
		}
	}
	sent, _ := loadBatches(10, 1)[1].Fields[1].Value(2)
	own := loadRecords(10, 1)[7].(map[string]any)["row"].(map[string]any)["email"].(map[string]any)["value"]
	if string(sent) != "Person.7@Example7.COM" || own != string(sent) {
		t.Errorf("row 7 is %q for a worker, but %q in Node alone", sent, own)
	}
	times := map[int]int{}
	for row, text := range loadTexts(20_000, 10) {
		if times[text]++; text/5000 != row/5000 {
			t.Errorf("row %d has the text of row %d of another batch", row, text)
		}
	}
	if len(times) != 2000 || times[5499] != 10 {
		t.Errorf("%d texts, one of them in %d rows", len(times), times[5499])
	}
	for _, l := range loads {
		for who, rows := range l.rows {
			if rows%batchRows(l.Records) != 0 {
				t.Errorf("%s: %d rows for %s are not a multiple of the batch size", l.Name, rows, who)
			}
		}
	}
}
