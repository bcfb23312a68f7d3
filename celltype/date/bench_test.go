package date

import "testing"

var benchCells = []string{
	"2021-03-04", "25/12/2021", "4.3.2021", "4/3/21", "2021-03-04T15:20:07Z", "12/25/2021 3:20 PM", "20210304", "4 March 2021", "3. März 2021", "Thu, 4 Mar 2021 15:20:00 +0100", "2021年3月4日", "not a date",
}

var benchStyle = Style{Orders: [patternCount]Order{Slash: DMY, ShortSlash: DMY, Dot: DMY}, Autofix: true}

func TestReadingAllocatesNothing(t *testing.T) {
	layout, err := CompileLayout("EEEE, d MMMM yyyy h:mm a", "ar-EG", WantDateTime, false)
	if err != nil {
		t.Fatal(err)
	}
	text := layout.Append(nil, Timestamp{Date{2021, 3, 4}, Time{Hour: 15, Minute: 20}})
	dst := make([]byte, 0, 200)
	for _, cell := range benchCells {
		raw := []byte(cell)
		if n := testing.AllocsPerRun(10, func() {
			r := benchStyle.Read(raw, WantDateTime)
			dst = r.Append(dst[:0], true)
			dst = layout.Append(dst[:0], r.Timestamp)
			layout.Read(text, WantDateTime)
			ReadSerial(raw, Since1900, WantDateTime)
		}); n != 0 {
			t.Errorf("%q: %v allocations", cell, n)
		}
	}
	if r := layout.Read(text, WantDateTime); r.Reason != Read || r.Hour != 15 {
		t.Errorf("%q: %+v", text, r)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, cell := range benchCells {
		b.Run(cell, func(b *testing.B) {
			raw := []byte(cell)
			b.ReportAllocs()
			for b.Loop() {
				benchStyle.Read(raw, WantDateTime)
			}
		})
	}
}

func BenchmarkReadTime(b *testing.B) {
	for _, cell := range []string{"15:20", "15:20:07", "3:20 PM", "14h30"} {
		b.Run(cell, func(b *testing.B) {
			raw := []byte(cell)
			b.ReportAllocs()
			for b.Loop() {
				benchStyle.Read(raw, WantTime)
			}
		})
	}
}

func BenchmarkReadAndAppend(b *testing.B) {
	raw, dst := []byte("25/12/2021"), make([]byte, 0, 16)
	b.ReportAllocs()
	for b.Loop() {
		r := benchStyle.Read(raw, WantDate)
		dst = r.Date.Append(dst[:0])
	}
}

func BenchmarkSnifferObserve(b *testing.B) {
	c, raw := NewSniffer(WantDate), []byte("25/12/2021")
	b.ReportAllocs()
	for b.Loop() {
		c.Observe(raw)
	}
}

func BenchmarkLayout(b *testing.B) {
	l, err := CompileLayout("d MMMM yyyy", "de", WantDate, false)
	if err != nil {
		b.Fatal(err)
	}
	text, dst := l.Append(nil, Timestamp{Date: Date{2021, 3, 4}}), make([]byte, 0, 64)
	b.Run("append", func(b *testing.B) {
		for b.Loop() {
			dst = l.Append(dst[:0], Timestamp{Date: Date{2021, 3, 4}})
		}
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			l.Read(text, WantDate)
		}
	})
}
