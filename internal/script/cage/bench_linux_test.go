package cage

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkCall is what a call costs where nothing is computed. A batch of a
// thousand rows has some 174 kB.
func BenchmarkCall(b *testing.B) {
	w := lend(b, open(b, Config{}))
	for _, size := range []int{100, 174_000, 4 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			request := append([]byte("size "), bytes.Repeat([]byte("x"), size)...)
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := w.Call(b.Context(), request, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart is what a fresh worker costs: started, jailed, ready, ended.
func BenchmarkStart(b *testing.B) {
	c := open(b, Config{Workers: 2})
	for b.Loop() {
		w, err := c.start(<-c.slots)
		if err != nil {
			b.Fatal(err)
		}
		w.Close()
	}
}
