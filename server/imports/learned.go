package imports

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/server/model"
	"github.com/intraydata/intray/server/schemas"
)

// The limits for the learned mappings of an import identifier. If a limit is
// exceeded, the oldest mappings are dropped.
const (
	// MaxMemory is the maximum number of learned mappings.
	MaxMemory = 10_000
	// maxMemorySize is the maximum total size of Field, Text and Value of the mappings, in bytes.
	maxMemorySize = 1 << 20
	// MaxMemoryText is the maximum length of a header, raw value or value, in bytes.
	// Longer mappings are not learned.
	MaxMemoryText = 1 << 10
)

// Memory returns a page of the learned mappings of an import identifier, newest first.
func (s *Service) Memory(ctx context.Context, org, identifier string, page model.PageRequest) (model.Page[model.LearnedMapping], error) {
	return model.View(ctx, s.env.Store, func(tx model.Tx) (model.Page[model.LearnedMapping], error) {
		return tx.Memory.List(ctx, org, identifier, page)
	})
}

// ForgetMemory deletes all learned mappings of an import identifier. Imports that
// have already started keep their copies.
func (s *Service) ForgetMemory(ctx context.Context, org, identifier string) error {
	return s.env.Store.Update(ctx, func(tx model.Tx) error { return tx.Memory.Forget(ctx, org, identifier) })
}

// Lexicon returns all learned mappings of an import identifier, newest first.
func (s *Service) Lexicon(ctx context.Context, org, identifier string) ([]model.LearnedMapping, error) {
	all, err := s.Memory(ctx, org, identifier, model.PageRequest{Limit: MaxMemory})
	return all.Rows, err
}

// ReplaceLexicon replaces all learned mappings of an import identifier. A mapping without a time, or
// with a time in the future, has the current time. If two entries are about the same header or text
// of a field, the later one wins.
func (s *Service) ReplaceLexicon(ctx context.Context, org, identifier string, list []model.LearnedMapping) error {
	if err := checkLexicon(list); err != nil {
		return err
	}
	now := s.env.Now()
	return s.env.Store.Update(ctx, func(tx model.Tx) error {
		if err := tx.Memory.Forget(ctx, org, identifier); err != nil {
			return err
		}
		for _, r := range list {
			r.Org, r.ImportIdentifier = org, identifier
			if r.On.IsZero() || r.On.After(now) {
				r.On = now
			}
			if err := tx.Memory.Upsert(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

func checkLexicon(list []model.LearnedMapping) error {
	size := 0
	for _, r := range list {
		size += len(r.Field) + len(r.Text) + len(r.Value)
		if len(r.Text) > MaxMemoryText || len(r.Value) > MaxMemoryText {
			return model.InvalidField("text", intray.NewMessage("lexicon.text_too_long", intray.Params{"text": model.Truncate(r.Text), "n": MaxMemoryText}))
		}
	}
	if len(list) > MaxMemory || size > maxMemorySize {
		return model.InvalidField("columns", intray.NewMessage("lexicon.too_large", intray.Params{"n": MaxMemory, "size": maxMemorySize}))
	}
	return nil
}

// memoryCache holds the learned mappings that this process read last, so that an import does not
// read them again unless they have changed. The zero value is ready to use.
type memoryCache struct {
	mu      sync.Mutex
	entries []memoryEntry
}

// maxMemories is the maximum number of import identifiers in a memoryCache. Each takes about 3 MB
// at most.
const maxMemories = 16

type memoryEntry struct {
	org, identifier string
	version         int64
	memory          *intray.LearnedMappings
}

// find returns the cached mappings, or nil if the cache does not contain that version.
func (c *memoryCache) find(org, identifier string, version int64) *intray.LearnedMappings {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.org == org && e.identifier == identifier && e.version == version {
			return e.memory
		}
	}
	return nil
}

// store adds an entry at the front. It removes other versions of it, and the entries that were stored
// first if there are too many.
func (c *memoryCache) store(e memoryEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	others := slices.DeleteFunc(c.entries, func(o memoryEntry) bool { return o.org == e.org && o.identifier == e.identifier })
	c.entries = append([]memoryEntry{e}, others[:min(len(others), maxMemories-1)]...)
}

// loadMemory sets the learned mappings that a run uses, unless an earlier run has stored them. They are
// stored if the import needs a review, so that its later runs use the same mappings.
func (s *Service) loadMemory(ctx context.Context, imp *model.Import) error {
	if imp.Memory != nil {
		return nil
	}
	schema, err := schemas.Frozen(*imp)
	if err != nil || schema.Settings.ImportIdentifier == "" {
		return err
	}
	imp.Memory, err = s.currentMemory(ctx, imp.Org, schema.Settings.ImportIdentifier)
	return err
}

// currentMemory returns the learned mappings of an import identifier. The caller must not change
// them.
func (s *Service) currentMemory(ctx context.Context, org, identifier string) (*intray.LearnedMappings, error) {
	version, err := model.Get(ctx, s.env.Store, func(tx model.Tx) (int64, error) { return tx.Memory.Version(ctx, org, identifier) })
	if err != nil {
		return nil, err
	}
	if version == 0 {
		return &intray.LearnedMappings{}, nil
	}
	if known := s.memories.find(org, identifier, version); known != nil {
		return known, nil
	}
	entry, err := model.View(ctx, s.env.Store, func(tx model.Tx) (memoryEntry, error) {
		return readMemory(ctx, tx, org, identifier)
	})
	if err != nil {
		return nil, err
	}
	s.memories.store(entry)
	return entry.memory, nil
}

func readMemory(ctx context.Context, tx model.Tx, org, identifier string) (entry memoryEntry, err error) {
	entry = memoryEntry{org: org, identifier: identifier, memory: &intray.LearnedMappings{}}
	if entry.version, err = tx.Memory.Version(ctx, org, identifier); err != nil {
		return entry, err
	}
	all, err := tx.Memory.List(ctx, org, identifier, model.PageRequest{Limit: MaxMemory})
	for _, r := range all.Rows {
		if r.Kind == model.ColumnMemory {
			entry.memory.Columns = append(entry.memory.Columns, intray.LearnedColumn{Field: r.Field, Header: r.Text, On: r.On})
			continue
		}
		entry.memory.Values = append(entry.memory.Values, intray.LearnedValue{Field: r.Field, Text: r.Text, Value: r.Value, On: r.On})
	}
	return entry, err
}

// learnedMappings are the mappings to learn from the answers to the questions of an import.
type learnedMappings struct {
	identifier string
	entries    []model.LearnedMapping
	// fields and headers hold the fields and headers that the answers are about. inFile holds
	// the headers of the file.
	fields, headers, inFile map[string]bool
}

// learnedFrom returns the mappings to learn from an import whose next status is next. It returns
// nil unless the import is successful and has answers. It uses an answer about columns only if
// the answer took effect and the header identifies the columns in the file.
//
// It does not learn the decision that a field has no column. That decision is about
// one file, and would silently drop a column of the next one.
func (s *Service) learnedFrom(imp model.Import, next model.Status) (*learnedMappings, error) {
	if next != model.Successful || len(imp.Answers) == 0 || imp.Sync == model.SyncDisabled {
		return nil, nil
	}
	schema, err := schemas.Frozen(imp)
	if err != nil || schema.Settings.ImportIdentifier == "" {
		return nil, err
	}
	l := &learnedMappings{
		identifier: schema.Settings.ImportIdentifier,
		fields:     map[string]bool{}, headers: map[string]bool{}, inFile: map[string]bool{},
	}
	for _, header := range imp.Outcome.Headers {
		l.inFile[header] = true
	}
	ofFile := len(imp.Outcome.Headers) - imp.Outcome.Derived
	for i, f := range schema.Fields {
		// Columns that a person added are not in the next file.
		if columns := imp.Outcome.Mapping.Fields[i].AllColumns(); !slices.ContainsFunc(columns, func(c int) bool { return c >= ofFile }) {
			l.learnColumns(f.Key, columns, imp)
		}
		l.learnValues(f, imp.Answers)
	}
	for column, header := range imp.Outcome.Headers {
		answer := imp.Answers[intray.AnswerField+strconv.Itoa(column)]
		if answer == intray.NoAnswer && imp.Outcome.Derived == 0 && identifiesColumns(imp.Outcome.Headers, header, []int{column}) {
			l.headers[header] = true
		}
	}
	return l, nil
}

// learnColumns learns the columns of a field if answers selected them.
func (l *learnedMappings) learnColumns(key string, columns []int, imp model.Import) {
	if !isDecided(imp.Answers, key, columns) {
		return
	}
	l.fields[key] = true
	for _, column := range columns {
		if header := imp.Outcome.Headers[column]; !l.headers[header] && identifiesColumns(imp.Outcome.Headers, header, columns) {
			l.headers[header] = true
			l.addEntry(model.LearnedMapping{Kind: model.ColumnMemory, Field: key, Text: header})
		}
	}
}

// isDecided reports whether answers selected the given columns for the field.
func isDecided(answers intray.Answers, key string, columns []int) bool {
	if answer, asked := answers[intray.AnswerColumn+key]; asked {
		var list []int
		for column := range strings.SplitSeq(answer, ",") {
			if n, err := strconv.Atoi(column); err == nil {
				list = append(list, n)
			}
		}
		slices.Sort(list)
		return slices.Equal(list, slices.Sorted(slices.Values(columns))) && (len(list) > 0 || answer == intray.NoAnswer)
	}
	other := func(column int) bool { return answers[intray.AnswerField+strconv.Itoa(column)] != key }
	return len(columns) > 0 && !slices.ContainsFunc(columns, other)
}

// identifiesColumns reports whether columns contains every column with the given header.
func identifiesColumns(headers []string, header string, columns []int) bool {
	for i, other := range headers {
		if other == header && !slices.Contains(columns, i) {
			return false
		}
	}
	return true
}

// learnValues learns the values that answers selected for raw values of a field.
func (l *learnedMappings) learnValues(f intray.Field, answers intray.Answers) {
	if f.Hidden || !f.Type.Name.AcceptsValueAnswers() {
		return
	}
	prefix := intray.AnswerValue + f.Key + ":"
	for id, value := range answers {
		if text, about := strings.CutPrefix(id, prefix); about {
			l.addEntry(model.LearnedMapping{Kind: model.ValueMemory, Field: f.Key, Text: text, Value: value})
		}
	}
}

func (l *learnedMappings) addEntry(r model.LearnedMapping) {
	if r.Text != "" && len(r.Text) <= MaxMemoryText && len(r.Value) <= MaxMemoryText {
		l.entries = append(l.entries, r)
	}
}

// contradicts reports whether the answers contradict an earlier mapping. This is the
// case if they are about its header, or if they are about its field and its header
// belongs to a different column of the same file.
func (l *learnedMappings) contradicts(r model.LearnedMapping) bool {
	return r.Kind == model.ColumnMemory && (l.headers[r.Text] || l.fields[r.Field] && l.inFile[r.Text])
}

// FinishReviewed makes a reviewed import SUCCESSFUL, and saves what was learned from the answers to its
// questions.
func (s *Service) FinishReviewed(ctx context.Context, tx model.Tx, imp *model.Import) error {
	learned, err := s.learnedFrom(*imp, model.Successful)
	if err != nil {
		return err
	}
	if err := s.Transition(ctx, tx, imp, model.Successful); err != nil {
		return err
	}
	return s.saveLearned(ctx, tx, *imp, learned)
}

// saveLearned saves the learned mappings in the transaction that ends the import.
func (s *Service) saveLearned(ctx context.Context, tx model.Tx, imp model.Import, l *learnedMappings) error {
	if l == nil {
		return nil
	}
	earlier, err := tx.Memory.Columns(ctx, imp.Org, l.identifier)
	if err != nil {
		return err
	}
	for _, r := range earlier {
		if l.contradicts(r) {
			if err := tx.Memory.Remove(ctx, r); err != nil {
				return err
			}
		}
	}
	// A fixed order prevents deadlocks between imports that end at the same time.
	slices.SortFunc(l.entries, func(a, b model.LearnedMapping) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Text, b.Text))
	})
	for _, r := range l.entries {
		r.Org, r.ImportIdentifier, r.ImportID, r.On = imp.Org, l.identifier, imp.ID, imp.Modified
		if err := tx.Memory.Upsert(ctx, r); err != nil {
			return err
		}
	}
	return tx.Memory.Trim(ctx, imp.Org, l.identifier, MaxMemory, maxMemorySize)
}
