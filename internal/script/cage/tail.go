package cage

import (
	"io"
	"strings"
	"sync"
)

const (
	// firstWords and lastWords are how much of the standard error is kept. A
	// runtime that ends tells why first, and then all that it was at.
	firstWords = 1 << 10
	lastWords  = 8 << 10
	// mostWords is how much a worker may write to its standard error before it
	// counts as a flood.
	mostWords = 4 << 20
	// gap stands for what was between.
	gap = "\n[...]\n"
)

// tail keeps the beginning and the end of a stream.
type tail struct {
	mu    sync.Mutex
	first []byte
	kept  []byte
	cut   bool
}

// follow reads until the end, or until the stream gave more than most bytes; it
// then says true.
func (t *tail) follow(from io.Reader, most int) bool {
	buf := make([]byte, 4<<10)
	for total := 0; total <= most; {
		n, err := from.Read(buf)
		t.add(buf[:n])
		total += n
		if err != nil {
			return false
		}
	}
	return true
}

func (t *tail) add(text []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	head := min(len(text), firstWords-len(t.first))
	t.first = append(t.first, text[:head]...)
	t.kept = append(t.kept, text[head:]...)
	if over := len(t.kept) - lastWords; over > 0 {
		t.kept, t.cut = append(t.kept[:0], t.kept[over:]...), true
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	between := ""
	if t.cut {
		between = gap
	}
	return strings.ToValidUTF8(string(t.first)+between+string(t.kept), "\uFFFD")
}
