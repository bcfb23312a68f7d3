package number

import "testing"

var benchCells = []struct {
	style Style
	raw   string
}{
	{english, "12345"}, {english, "-1234.50"}, {german, "1234,5"}, {english, "12,345.50"}, {german, "1.234,56"}, {english, "$ 1,234.50"}, {english, "12%"}, {english, "1.5E+03"}, {english, "no number"},
}

func TestReadingAllocatesNothing(t *testing.T) {
	dst := make([]byte, 0, 200)
	usd, err := CompileOptions(map[string]any{"preset": "usd", "min": 0, "max": 1e9})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range benchCells {
		raw := []byte(c.raw)
		if n := testing.AllocsPerRun(10, func() {
			number, _ := c.style.Append(dst[:0], raw)
			usd.CompareBounds(number)
			shown := usd.Round(number[len(number):], number)
			usd.Display.Append(shown[len(shown):], shown)
		}); n > 0 {
			t.Errorf("%q: %v allocations", c.raw, n)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, c := range benchCells {
		b.Run(c.raw, func(b *testing.B) {
			raw, dst := []byte(c.raw), make([]byte, 0, 64)
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = c.style.Append(dst[:0], raw)
			}
		})
	}
}

func BenchmarkObserve(b *testing.B) {
	for _, c := range benchCells {
		b.Run(c.raw, func(b *testing.B) {
			raw := []byte(c.raw)
			var s Sniffer
			b.ReportAllocs()
			for b.Loop() {
				s.Observe(raw)
			}
		})
	}
}

func BenchmarkLayout(b *testing.B) {
	for _, preset := range []string{"default", "usd", "percent_2"} {
		b.Run(preset, func(b *testing.B) {
			o, err := CompileOptions(map[string]any{"preset": preset})
			if err != nil {
				b.Fatal(err)
			}
			number, dst := []byte("-1234567.891"), make([]byte, 0, 64)
			b.ReportAllocs()
			for b.Loop() {
				dst = o.Display.Append(dst[:0], number)
			}
		})
	}
}

func BenchmarkRound(b *testing.B) {
	number, dst := []byte("1234.5678"), make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		dst = Round(dst[:0], number, 2)
	}
}

func BenchmarkCompareBounds(b *testing.B) {
	o, err := CompileOptions(map[string]any{"min": 0, "max": 1e9})
	if err != nil {
		b.Fatal(err)
	}
	number := []byte("1234.5678")
	b.ReportAllocs()
	for b.Loop() {
		if o.CompareBounds(number) != 0 {
			b.Fatal("it is out of bounds")
		}
	}
}
