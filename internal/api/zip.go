package api

import (
	"bytes"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// zipFrom is how long an answer of the review page must be to be packed, in bytes.
const zipFrom = 1 << 10

var zippers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	return w
}}

// packed gives the body of an answer as it is sent. Those of the review page are
// packed where the browser takes that: they repeat themselves, hold no secrets, and
// are read over lines that may be slow.
func (c *call) packed(text []byte) []byte {
	if c.op.door != reviewed || len(text) < zipFrom {
		return text
	}
	header := c.w.Header()
	header.Add("Vary", "Accept-Encoding")
	if !takesGzip(c.r.Header.Get("Accept-Encoding")) {
		return text
	}
	var to bytes.Buffer
	to.Grow(len(text) / 4)
	w := zippers.Get().(*gzip.Writer)
	defer zippers.Put(w)
	w.Reset(&to)
	if _, err := w.Write(text); err != nil {
		return text
	}
	if err := w.Close(); err != nil {
		return text
	}
	header.Set("Content-Encoding", "gzip")
	return to.Bytes()
}

// takesGzip reads the header Accept-Encoding.
func takesGzip(accepted string) bool {
	for coding := range strings.SplitSeq(accepted, ",") {
		name, weight, _ := strings.Cut(coding, ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return strings.ReplaceAll(weight, " ", "") != "q=0"
		}
	}
	return false
}
