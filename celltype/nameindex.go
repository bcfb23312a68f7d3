package celltype

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// nameIndex finds the names of options that are within a few edits of a text, without comparing
// the text with every name.
//
// Two names that are k edits apart become equal when at most k characters are removed from
// each (the deletion neighborhood of FastSS). This also holds for the first prefixLength
// characters of both, so the index holds the hashes of these prefixes with up to maxEdits
// characters removed. A signature of the characters of each name rejects most names that
// have a common hash with a text but are farther away.
type nameIndex struct {
	names []optionName
	// signatures holds the signature of each name.
	signatures []signature
	// byLength holds the indexes of the names, sorted by length. lengthEnds holds, for each
	// length, the end of its names in byLength.
	byLength, lengthEnds []int32
	// searches counts the searches. deletions returns the index of deletions.
	searches  atomic.Int64
	deletions func() *deletionIndex
}

// deletionIndex finds names by the hashes of their prefixes.
type deletionIndex struct {
	// buckets holds, for each value of the upper bits of a hash, the end of its entries.
	buckets []int32
	entries []deletion
	shift   uint
}

// deletion is the hash of the prefix of a name with up to maxEdits characters removed.
type deletion struct {
	hash uint32
	name int32
}

const (
	// prefixLength is the number of characters of a name that its hashes cover.
	prefixLength = 7
	// maxDeletions is the maximum number of hashes of a name: the prefix itself, and the prefix
	// with one or two characters removed.
	maxDeletions = 1 + prefixLength + prefixLength*(prefixLength-1)/2
	// minIndexed is the minimum number of names, and minSearches of searches, for which the index
	// of deletions is built. Building it takes as long as one or two thousand searches without it.
	minIndexed, minSearches = 256, 1000
)

// newNameIndex returns the index of these names.
func newNameIndex(names []optionName) *nameIndex {
	x := &nameIndex{names: names, signatures: make([]signature, len(names)), byLength: make([]int32, len(names))}
	longest := 0
	for i, n := range names {
		x.signatures[i], x.byLength[i] = signatureOf(n.name), int32(i)
		longest = max(longest, len(n.name))
	}
	slices.SortStableFunc(x.byLength, func(a, b int32) int { return len(names[a].name) - len(names[b].name) })
	x.lengthEnds = make([]int32, longest+1)
	for at, i := range x.byLength {
		x.lengthEnds[len(names[i].name)] = int32(at + 1)
	}
	for n := 1; n <= longest; n++ {
		x.lengthEnds[n] = max(x.lengthEnds[n], x.lengthEnds[n-1])
	}
	x.deletions = sync.OnceValue(func() *deletionIndex { return newDeletionIndex(names) })
	return x
}

// newDeletionIndex returns the index of these names. It sorts the entries with a counting sort.
func newDeletionIndex(names []optionName) *deletionIndex {
	var room [maxDeletions]uint32
	total := 0
	for _, n := range names {
		total += len(appendDeletions(room[:0], n.name))
	}
	width := bits.Len(uint(total)) - 2
	x := &deletionIndex{buckets: make([]int32, 1<<width+1), entries: make([]deletion, total), shift: uint(32 - width)}
	for _, n := range names {
		for _, hash := range appendDeletions(room[:0], n.name) {
			x.buckets[hash>>x.shift+1]++
		}
	}
	for i := range len(x.buckets) - 1 {
		x.buckets[i+1] += x.buckets[i]
	}
	next := slices.Clone(x.buckets)
	for i, n := range names {
		for _, hash := range appendDeletions(room[:0], n.name) {
			x.entries[next[hash>>x.shift]] = deletion{hash, int32(i)}
			next[hash>>x.shift]++
		}
	}
	return x
}

// bucket returns the entries whose hashes have the same upper bits as the given hash.
func (x *deletionIndex) bucket(hash uint32) []deletion {
	return x.entries[x.buckets[hash>>x.shift]:x.buckets[hash>>x.shift+1]]
}

// appendDeletions appends the distinct hashes of the prefix of a name with up to maxEdits
// characters removed, sorted.
func appendDeletions(to []uint32, name []rune) []uint32 {
	prefix := name[:min(len(name), prefixLength)]
	from := len(to)
	to = append(to, hashWithout(prefix, -1, -1))
	for i := range prefix {
		to = append(to, hashWithout(prefix, i, -1))
		for j := range i {
			to = append(to, hashWithout(prefix, j, i))
		}
	}
	slices.Sort(to[from:])
	return to[:from+len(slices.Compact(to[from:]))]
}

// hashWithout returns the hash of a prefix without the characters at two positions. The hash of
// a negative position removes nothing.
func hashWithout(prefix []rune, i, j int) uint32 {
	hash := uint64(0)
	for at, r := range prefix {
		if at != i && at != j {
			hash = (hash + uint64(r) + 1) * 0x9E3779B97F4A7C15
			hash ^= hash >> 29
		}
	}
	return uint32(hash >> 32)
}

// signature is a set of the characters of a name. A character that appears several times is
// contained several times, as different elements.
type signature uint64

func signatureOf(name []rune) (s signature) {
	// Characters with the same index in counts are treated as the same character.
	var counts [64]uint16
	for _, r := range name {
		at := uint64(r) * 0x9E3779B97F4A7C15 >> 58
		s |= 1 << ((at<<8 + uint64(counts[at])) * 0x9E3779B97F4A7C15 >> 58)
		counts[at]++
	}
	return s
}

// near reports whether two names may be at most edits apart: an edit adds and removes at most
// one element of a signature.
func (s signature) near(other signature, edits int) bool {
	return bits.OnesCount64(uint64(s&^other)) <= edits && bits.OnesCount64(uint64(other&^s)) <= edits
}

// nearName is a name that was found, and its distance from the text.
type nearName struct {
	name     *optionName
	distance int
}

// search is a search for the names that are close to a text.
type search struct {
	index     *nameIndex
	text      []rune
	signature signature
	// steps is the number of steps so far; see [MaxSearchSteps].
	steps int
}

func (x *nameIndex) newSearch(text []rune) *search {
	return &search{index: x, text: text, signature: signatureOf(text)}
}

// within calls yield for each name that is at most maxEdits edits from the text, until yield
// returns false. It may pass a name several times.
func (s *search) within(yield func(nearName) bool) {
	if len(s.index.names) < minIndexed || s.index.searches.Add(1) < minSearches {
		s.scan(maxEdits, yield)
		return
	}
	var room [maxDeletions]uint32
	x, hashes, candidates := s.index.deletions(), appendDeletions(room[:0], s.text), 0
	for _, hash := range hashes {
		candidates += len(x.bucket(hash))
	}
	if candidates >= len(s.index.names) {
		s.scan(maxEdits, yield) // many names have a common prefix
		return
	}
	for _, hash := range hashes {
		for _, e := range x.bucket(hash) {
			if e.hash == hash && !s.try(e.name, maxEdits, yield) {
				return
			}
		}
	}
}

// scan calls yield for each name that is at most the given number of edits from the text, until
// yield returns false.
func (s *search) scan(edits int, yield func(nearName) bool) {
	x := s.index
	least, most := max(0, len(s.text)-edits), min(len(s.text)+edits, len(x.lengthEnds)-1)
	if least > most {
		return
	}
	from := int32(0)
	if least > 0 {
		from = x.lengthEnds[least-1]
	}
	for _, name := range x.byLength[from:x.lengthEnds[most]] {
		if !s.try(name, edits, yield) {
			return
		}
	}
}

// try passes a name to yield if it is at most the given number of edits from the text. It
// returns false if yield does.
func (s *search) try(name int32, edits int, yield func(nearName) bool) bool {
	s.steps++
	if !s.signature.near(s.index.signatures[name], edits) {
		return true
	}
	s.steps += len(s.text) * (2*edits + 1)
	n := &s.index.names[name]
	d := editDistance(s.text, n.name, edits+1)
	return d > edits || yield(nearName{n, d})
}
