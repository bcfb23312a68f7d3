package jsruntime_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/hooks/jsruntime"
)

// loads lists three hooks of increasing cost.
var loads = []struct{ name, source string }{
	{"trivial", `(record) => ({ row: { email: { value: record.row.email.value.toLowerCase() } } })`},
	{"medium", `(record) => {
		const row = {};
		const parts = /^(?<first>\S+)\s+(?<last>.+)$/.exec(record.row.name.value);
		if (parts) row.name = { value: parts.groups.last + ", " + parts.groups.first };
		const day = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(record.row.date.value);
		if (day) row.date = { value: day[3] + "-" + day[1].padStart(2, "0") + "-" + day[2].padStart(2, "0") };
		if (record.row.amount.value.startsWith("-")) row.amount = { info: [{ message: "The amount is negative.", level: "warning" }] };
		return { row };
	}`},
	{"heavy", `(record) => {
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
	}`},
}

const benchRows = 1000

var benchKeys = []string{"name", "email", "date", "amount", "note", "other", "score", "city", "country", "phone"}

// benchCell returns a cell of a generated table.
func benchCell(key string, i int) string {
	switch key {
	case "name":
		return fmt.Sprintf("Given%d Family%d", i*7919%997, i)
	case "email":
		return fmt.Sprintf("Person.%d@Example%d.COM", i, i%13)
	case "date":
		return fmt.Sprintf("%d/%d/20%02d", i%12+1, i%28+1, i%30)
	case "amount":
		return strconv.Itoa(i%200 - 20)
	case "note", "other":
		return fmt.Sprintf("%-50.50s", strings.Repeat(key+strconv.Itoa(i*31%1009), 9))
	default:
		return fmt.Sprintf("%s %d", key, i%500)
	}
}

func benchColumns() []*jsruntime.Column {
	var columns []*jsruntime.Column
	for _, key := range benchKeys {
		texts := &intray.Texts{}
		for i := range benchRows {
			texts.AppendString(benchCell(key, i))
		}
		columns = append(columns, &jsruntime.Column{Value: jsruntime.Cells{Texts: texts}})
	}
	return columns
}

// spent returns the processor time of this process and a child process.
func spent(b *testing.B, child int) time.Duration {
	b.Helper()
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		b.Fatal(err)
	}
	total := time.Duration(own.Utime.Nano() + own.Stime.Nano())
	if child == 0 {
		return total
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
	if err != nil {
		b.Skipf("the processor time of another process is not known here: %v", err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
	for _, field := range fields[11:13] {
		ticks, _ := strconv.Atoi(field)
		total += time.Duration(ticks) * 10 * time.Millisecond
	}
	return total
}

// BenchmarkHooks measures rows per second of processor time, adding up the time of both
// processes.
func BenchmarkHooks(b *testing.B) {
	for _, runtime := range runtimes {
		for _, load := range loads {
			b.Run(runtime.name+"/"+load.name, func(b *testing.B) {
				w := runtime.open(b)
				child := 0
				if node, is := w.(*nodeWorker); is {
					child = node.cmd.Process.Pid
				}
				benchHook(b, w, child, load.source)
			})
		}
	}
}

func benchHook(b *testing.B, w worker, child int, source string) {
	call, bounds := learnHook(b, w, source)
	var request []byte
	run := func() {
		request = call.Append(request[:0])
		raw, err := w.Handle(request)
		if err != nil {
			b.Fatal(err)
		}
		answer, err := readAnswer(raw, bounds)
		if err != nil || answer.Failure != nil || answer.Missed != nil || len(answer.Changes) == 0 {
			b.Fatalf("%.300s: %v", raw, err)
		}
	}
	for range 20 {
		run()
	}
	b.ResetTimer()
	before := spent(b, child)
	for range b.N {
		run()
	}
	took := spent(b, child) - before
	b.ReportMetric(float64(b.N)*benchRows/max(took.Seconds(), 0.001), "rows/cpu-s")
}

// learnHook loads a hook and calls it once with all columns. It returns a call with only
// the columns that the hook uses.
func learnHook(b *testing.B, w worker, source string) (*jsruntime.RowsCall, jsruntime.Bounds) {
	load := jsruntime.LoadCall{Hooks: []jsruntime.Hook{{Kind: jsruntime.HookRow, Name: "rowHooks[0]", Source: source}}}
	for _, key := range benchKeys {
		load.Fields = append(load.Fields, jsruntime.Field{Key: key})
	}
	mustLoad(b, w, &load)
	columns := benchColumns()
	call := &jsruntime.RowsCall{Kind: jsruntime.HookRow, Mode: "init", Learn: true, Budget: time.Minute, Rows: jsruntime.Rows{Count: benchRows, Columns: columns}}
	bounds := jsruntime.Bounds{Rows: benchRows, Fields: make([]jsruntime.FieldBounds, len(columns)), Learn: true, MaxChanges: benchRows * len(columns)}
	raw, err := w.Handle(call.Append(nil))
	if err != nil {
		b.Fatal(err)
	}
	answer, err := readAnswer(raw, bounds)
	if err != nil {
		b.Fatal(err)
	}
	used := make([]*jsruntime.Column, len(columns))
	for _, f := range answer.Used {
		used[f] = columns[f]
	}
	call.Rows.Columns, call.Learn, bounds.Learn = used, false, false
	return call, bounds
}

// alone runs the same hooks in Node without the prelude, on records that have already been
// created, and prints the rows per second of processor time.
const alone = `
const [source, records] = [process.argv[1], JSON.parse(require("fs").readFileSync(0, "utf8"))];
const hook = eval(source);
const kept = [];
const run = () => { for (let i = 0; i < records.length; i++) kept[i] = hook(records[i], "init"); };
for (let i = 0; i < 20; i++) run();
const start = process.cpuUsage();
let rows = 0;
for (const end = Date.now() + 700; Date.now() < end; rows += records.length) run();
const { user, system } = process.cpuUsage(start);
console.log(rows / (user + system) * 1e6);
`

// BenchmarkNodeAlone is the reference for the other benchmarks.
func BenchmarkNodeAlone(b *testing.B) {
	type cell struct {
		Value       string   `json:"value"`
		ResultValue string   `json:"resultValue"`
		Info        []string `json:"info"`
	}
	type record struct {
		Row   map[string]cell `json:"row"`
		Index int             `json:"index"`
		ID    string          `json:"rowId"`
	}
	var records []record
	for i := range benchRows * 10 {
		row := map[string]cell{}
		for _, key := range benchKeys {
			text := benchCell(key, i)
			row[key] = cell{text, text, []string{}}
		}
		records = append(records, record{row, i, strconv.Itoa(i)})
	}
	text, err := json.Marshal(records)
	if err != nil {
		b.Fatal(err)
	}
	for _, load := range loads {
		b.Run(load.name, func(b *testing.B) {
			cmd := exec.Command("node", "-e", alone, "--", load.source)
			cmd.Stdin = strings.NewReader(string(text))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				b.Skipf("Node does not run here: %v", err)
			}
			rate, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(rate, "rows/cpu-s")
		})
	}
}

// BenchmarkParent measures writing a request and reading its answer, for rows with one column
// and one change each.
func BenchmarkParent(b *testing.B) {
	texts := &intray.Texts{}
	raw := []byte(`{"changes":[1`)
	for i := range benchRows {
		texts.AppendString(benchCell("email", i))
		raw = append(raw, fmt.Sprintf(`,"person.%d@example.com"`, i)...)
	}
	raw = append(raw, `],"times":[]}`...)
	columns := make([]*jsruntime.Column, 10)
	columns[0] = &jsruntime.Column{Value: jsruntime.Cells{Texts: texts}}
	call := jsruntime.RowsCall{Kind: jsruntime.HookRow, Mode: "init", Rows: jsruntime.Rows{Count: benchRows, Columns: columns}}
	b.Run("write", func(b *testing.B) {
		b.ReportAllocs()
		var request []byte
		for b.Loop() {
			request = call.Append(request[:0])
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := readAnswer(raw, jsruntime.Bounds{Rows: benchRows, Fields: make([]jsruntime.FieldBounds, 10), MaxChanges: benchRows * 10}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
