package validate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
)

// Duplicates are the rows of a table that violate one unique rule.
type Duplicates struct {
	// Problem is the problem to report for each row. Its Row is 0.
	Problem intray.Problem
	Rows    *roaring.Bitmap
}

// UniqueChecker compares the values of all rows of a table, for the rules unique,
// unique_case_insensitive and unique_with. It stores a 128-bit hash for each value and moves the
// hashes to a temporary file after the first few megabytes, so that its memory use does not grow
// with the number of rows. Values are treated as equal if their hashes, computed with a secret
// seed, are equal. With ten million rows, the probability that any two different values have
// equal hashes is less than 1 in 10^24.
type UniqueChecker struct {
	keys []uniqueKey
	sets []*hashSet
	file spillFile
	seed hashSeed
	// budget limits the work.
	budget *Budget
	// batches is a pool of entry batches for reuse.
	batches sync.Pool
}

// uniqueKey is a field, or several fields, whose values must be unique, with
// the problems of the rules that require this.
type uniqueKey struct {
	fields     []int
	ignoreCase bool
	problems   []intray.Problem
}

// uniqueKeys returns the keys of a schema. Fields with the same value of the
// option uniqueKey form one key.
func uniqueKeys(fields []intray.Field, columns [][]int) (keys []uniqueKey) {
	groups := map[string]int{}
	for _, c := range sortedColumns(columns) {
		for _, v := range fields[c.field].Validators {
			switch v.Rule {
			case "unique", "unique_case_insensitive":
				problem := newProblem(v, intray.NewMessage("unique.duplicate", nil))
				problem.Field = c.column
				keys = append(keys, uniqueKey{[]int{c.column}, v.Rule != "unique", []intray.Problem{problem}})
			case "unique_with":
				name := fmt.Sprint(v.Options["uniqueKey"])
				at, known := groups[name]
				if !known {
					at = len(keys)
					groups[name] = at
					keys = append(keys, uniqueKey{})
				}
				if n := len(keys[at].fields); n == 0 || keys[at].fields[n-1] != c.column {
					keys[at].fields = append(keys[at].fields, c.column)
				}
				problem := newProblem(v, intray.Message{})
				problem.Field = c.column
				keys[at].problems = append(keys[at].problems, problem)
			}
		}
	}
	labels := map[int]string{}
	for i, list := range columns {
		for _, column := range list {
			labels[column] = fields[i].Label
		}
	}
	for _, k := range keys {
		k.addMessages(labels)
	}
	return mergeKeys(keys)
}

// fieldColumn is a column and the field whose validators check it.
type fieldColumn struct{ column, field int }

// sortedColumns returns the columns of all fields, sorted.
func sortedColumns(columns [][]int) (list []fieldColumn) {
	for i, all := range columns {
		for _, column := range all {
			list = append(list, fieldColumn{column, i})
		}
	}
	slices.SortFunc(list, func(a, b fieldColumn) int { return a.column - b.column })
	return list
}

// addMessages sets the messages of the problems that have none. labels maps columns to labels.
func (k *uniqueKey) addMessages(labels map[int]string) {
	var named []string
	seen := map[string]bool{}
	for _, f := range k.fields {
		if label := labels[f]; !seen[label] {
			seen[label] = true
			named = append(named, label)
		}
	}
	for i, p := range k.problems {
		if p.Text.IsZero() {
			k.problems[i].Text = duplicateMessage(named)
		}
	}
}

// mergeKeys merges the keys that compare the same values, so that each comparison is made once.
func mergeKeys(keys []uniqueKey) (merged []uniqueKey) {
	known := map[string]int{}
	for _, k := range keys {
		name := fmt.Sprint(k.ignoreCase, k.fields)
		at, again := known[name]
		if !again {
			known[name] = len(merged)
			merged = append(merged, k)
			continue
		}
		merged[at].problems = append(merged[at].problems, k.problems...)
	}
	return merged
}

// duplicateMessage returns a message that lists some of the fields whose
// combined values must be unique.
func duplicateMessage(labels []string) intray.Message {
	const most = 5
	shown := labels[:min(len(labels), most)]
	fields := make([]intray.Message, 0, len(shown))
	for _, label := range shown {
		fields = append(fields, quoted(label))
	}
	if more := len(labels) - most; more > 0 {
		return intray.NewMessage("unique.duplicate_combination_more", intray.Params{"fields": fields, "n": more})
	}
	return intray.NewMessage("unique.duplicate_combination", intray.Params{"fields": fields})
}

func quoted(label string) intray.Message {
	return intray.NewMessage("text.quoted", intray.Params{"text": intray.Shorten(label)})
}

// UniqueChecker returns a checker for the rows of one table, or nil if no rule needs one.
// Temporary files are created in the directory temp, or in os.TempDir if temp is "".
func (r *Rules) UniqueChecker(temp string, budget *Budget) *UniqueChecker {
	if len(r.unique) == 0 {
		return nil
	}
	u := &UniqueChecker{keys: r.unique, budget: budget, file: spillFile{dir: temp}, seed: newHashSeed()}
	for range u.keys {
		set := newHashSet(&u.file, len(u.keys))
		set.check = budget.check
		u.sets = append(u.sets, set)
	}
	return u
}

// hashSteps is the number of steps for the hash of a row, and valueSteps for each of its values.
const hashSteps, valueSteps = 32, 8

// AddBatch adds the values of a batch. It is safe for concurrent use. If the budget is
// exhausted, it returns [ErrTooMuchWork].
func (u *UniqueChecker) AddBatch(b *intray.Batch) error {
	g, _ := u.batches.Get().(*entryBatch)
	if g == nil {
		g = &entryBatch{}
	}
	defer u.batches.Put(g)
	for i, key := range u.keys {
		if err := u.budget.spend(&work{steps: int64(b.Rows() * (hashSteps + valueSteps*len(key.fields)))}); err != nil {
			return err
		}
		g.entries = slices.Grow(g.entries[:0], b.Rows())
		for row := range b.Rows() {
			text, has := key.appendKeyText(b, row, &g.text)
			if has {
				g.entries = append(g.entries, entry{u.seed.hash(text), uint32(b.First + int64(row))})
			}
		}
		if err := u.sets[i].addEntries(g); err != nil {
			return fmt.Errorf("spill values of rows from %d: %w", b.First, err)
		}
	}
	return nil
}

// appendKeyText returns the text of a row's key in the form used for
// comparison. It reports false if all cells of the key are empty.
func (k *uniqueKey) appendKeyText(b *intray.Batch, row int, scratch *[]byte) ([]byte, bool) {
	if len(k.fields) == 1 {
		text := b.Fields[k.fields[0]].Values.At(row)
		if len(text) == 0 || celltype.IsBlank(text) {
			return nil, false
		}
		if k.ignoreCase {
			text = foldCase(text, scratch)
		}
		return text, true
	}
	all, has := (*scratch)[:0], false
	for _, f := range k.fields {
		text := b.Fields[f].Values.At(row)
		if celltype.IsBlank(text) {
			text = nil
		}
		has = has || len(text) > 0
		all = binary.AppendUvarint(all, uint64(len(text)))
		all = append(all, text...)
	}
	*scratch = all
	return all, has
}

// foldCase returns text in lower case, for comparison. ASCII text needs no allocation.
func foldCase(text []byte, scratch *[]byte) []byte {
	out := (*scratch)[:0]
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return bytes.ToLower(bytes.ToUpper(text)) // ſ and s are equal, and so are ς and σ
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		out = append(out, c)
	}
	*scratch = out
	return out
}

// Finish returns the rows that violate each rule. It omits rules without violations. If several
// rows have equal values, all of them violate the rule, including the first. If the budget is
// exhausted, Finish returns [ErrTooMuchWork].
func (u *UniqueChecker) Finish() ([]Duplicates, error) {
	var found []Duplicates
	for i, key := range u.keys {
		rows, err := u.sets[i].duplicateRows()
		if err != nil {
			return nil, fmt.Errorf("find duplicate values: %w", err)
		}
		u.sets[i] = nil // the memory of its partitions is not needed any longer
		if rows.IsEmpty() {
			continue
		}
		for _, p := range key.problems {
			found = append(found, Duplicates{p, rows})
		}
	}
	return found, nil
}

// Close removes the temporary file.
func (u *UniqueChecker) Close() error { return u.file.close() }
