package jsregexp

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "ask node for the answers in testdata/cases.ndjson again")

// seed and generated determine the random expressions in the file of stored answers.
const (
	seed      = 20240601
	generated = 1200
)

// question is an expression, inputs, and the answer of Node: a digit for each input, or "error".
type question struct {
	P string   `json:"p"`
	F string   `json:"f"`
	T []string `json:"t"`
	R string   `json:"r,omitempty"`
}

// oracle is a running Node process.
type oracle struct {
	in  io.WriteCloser
	out *bufio.Scanner
}

func newOracle(t *testing.T) *oracle {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("SKIPPED: node is not there to compare with: %v", err)
	}
	cmd := exec.Command(path, filepath.Join("testdata", "oracle.mjs"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	o := &oracle{in: in, out: bufio.NewScanner(out)}
	o.out.Buffer(nil, 1<<20)
	return o
}

// ask stores Node's answer to a question in the question.
func (o *oracle) ask(t rapid.TB, q *question) {
	q.R = ""
	line, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := o.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	if !o.out.Scan() {
		t.Fatalf("node gave no answer to %s: %v", line, o.out.Err())
	}
	var answer question
	if err := json.Unmarshal(o.out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	q.R = answer.R
}

func flagsOf(letters string) Flags {
	var f Flags
	for _, l := range letters {
		switch l {
		case 'i':
			f.IgnoreCase = true
		case 's':
			f.DotAll = true
		case 'm':
			f.Multiline = true
		case 'u':
			f.Unicode = true
		}
	}
	return f
}

// answers returns the answer of each engine that can run the expression, in the
// same format as the answer of Node.
func answers(t rapid.TB, q question) map[string]string {
	e, err := Compile(q.P, flagsOf(q.F))
	if err != nil {
		var bad *SyntaxError
		if !errors.As(err, &bad) {
			t.Fatalf("/%s/%s: %v", q.P, q.F, err)
		}
		return map[string]string{"compiling": "error"}
	}
	all := map[string]string{}
	for name, match := range engines(t, e) {
		digits := ""
		for _, text := range q.T {
			found, err := match([]byte(text))
			switch {
			case errors.Is(err, ErrTimeout):
				digits += "T"
			case found:
				digits += "1"
			default:
				digits += "0"
			}
		}
		all[name] = digits
	}
	return all
}

// agrees reports whether two answers agree. A T in ours is an abandoned match,
// which agrees with everything.
func agrees(ours, theirs string) bool {
	if len(ours) != len(theirs) {
		return false
	}
	for i := range ours {
		if ours[i] != theirs[i] && ours[i] != 'T' {
			return false
		}
	}
	return true
}

// excused reports whether a difference is caused by a deviation of V8 from the
// standard. With the u flag, V8 also tries to match between the two halves of a
// character, where an assertion may match. The standard advances by whole
// characters (ECMA-262, 22.2.7.2 RegExpBuiltinExec and AdvanceStringIndex).
func excused(q question, ours string) bool {
	if !strings.Contains(q.F, "u") || len(ours) != len(q.R) || !absence.MatchString(q.P) {
		return false
	}
	for i, text := range q.T {
		if ours[i] != q.R[i] && (ours[i] != '0' || !strings.ContainsFunc(text, func(r rune) bool { return r > maxCodeUnit })) {
			return false
		}
	}
	return true
}

var absence = regexp.MustCompile(`\\B|\(\?<?!`)

func compare(t rapid.TB, q question) {
	t.Helper()
	for engine, ours := range answers(t, q) {
		if !agrees(ours, q.R) && !excused(q, ours) {
			t.Errorf("/%s/%s on %q: %s says %s, JavaScript %s", q.P, q.F, q.T, engine, ours, q.R)
		}
	}
}

func casesFile() string { return filepath.Join("testdata", "cases.ndjson") }

// TestOracle compares the engines with the stored answers of Node.
func TestOracle(t *testing.T) {
	if *update {
		writeCases(t)
	}
	f, err := os.Open(casesFile())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count, refused := 0, 0
	for dec := json.NewDecoder(f); ; count++ {
		var q question
		if err := dec.Decode(&q); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if q.R == "error" {
			refused++
		}
		if testing.Short() && count%10 != 0 {
			continue
		}
		compare(t, q)
	}
	if count < generated || refused < 100 || refused > count/2 {
		t.Errorf("the file has %d cases, %d of them no expressions", count, refused)
	}
}

func writeCases(t *testing.T) {
	o := newOracle(t)
	f, err := os.Create(casesFile())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	random := rand.New(rand.NewPCG(seed, 0))
	list := handmade()
	for range generated {
		list = append(list, newQuestion(random.IntN))
	}
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	for _, q := range list {
		o.ask(t, &q)
		if err := enc.Encode(q); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLive compares the engines with a running Node process, for new random expressions.
func TestLive(t *testing.T) {
	o := newOracle(t)
	rapid.Check(t, func(t *rapid.T) {
		q := newQuestion(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		o.ask(t, &q)
		compare(t, q)
	})
}
