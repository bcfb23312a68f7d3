package cage

import (
	"io"
	"strings"
	"sync"
)

const (
	// lastWords is how much of the standard error is kept.
	lastWords = 8 << 10
	// mostWords is how much a worker may write to its standard error before it
	// counts as a flood.
	mostWords = 4 << 20
)

// tail keeps the end of a stream.
type tail struct {
	mu   sync.Mutex
	kept []byte
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
	t.kept = append(t.kept, text...)
	if over := len(t.kept) - lastWords; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
}

func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.kept), "\uFFFD")
}
