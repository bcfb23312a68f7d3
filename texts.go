package intray

// Texts is a list of short texts laid end to end in one arena, so that a
// million cells cost a few allocations. The zero value is an empty list.
type Texts struct {
	// Arena holds the texts, one after the other.
	Arena []byte
	// Ends holds, for each text, where it ends in Arena. A text starts where
	// the one before it ends.
	Ends []uint32
}

// Len is the number of texts.
func (t *Texts) Len() int { return len(t.Ends) }

// Append adds a copy of b as the last text.
func (t *Texts) Append(b []byte) {
	t.Arena = append(t.Arena, b...)
	t.Ends = append(t.Ends, uint32(len(t.Arena)))
}

// AppendString adds s as the last text.
func (t *Texts) AppendString(s string) {
	t.Arena = append(t.Arena, s...)
	t.Ends = append(t.Ends, uint32(len(t.Arena)))
}

// At gives text i. It is part of the arena: it must not be changed, and it is
// gone with the next Reset.
func (t *Texts) At(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Arena[start:t.Ends[i]:t.Ends[i]]
}

// Reset empties the list and keeps its memory.
func (t *Texts) Reset() {
	t.Arena = t.Arena[:0]
	t.Ends = t.Ends[:0]
}

// Truncate keeps the first n texts.
func (t *Texts) Truncate(n int) {
	t.Ends = t.Ends[:n]
	end := uint32(0)
	if n > 0 {
		end = t.Ends[n-1]
	}
	t.Arena = t.Arena[:end]
}
