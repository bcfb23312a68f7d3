package numfmt

import "testing"

func BenchmarkAppendShown(b *testing.B) {
	for _, bench := range []struct {
		name, code string
		value      float64
	}{
		{"general whole", "General", 1234567},
		{"general", "General", 1234.56789},
		{"decimals", "#,##0.00", 1234567.891},
		{"accounting", `_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)`, -1234.5},
		{"percent", "0.00%", 0.12345},
		{"scientific", "0.00E+00", 12345.678},
		{"fraction", "# ??/??", 12345.678},
		{"date", "m/d/yyyy", 44196},
		{"moment", "yyyy-mm-dd hh:mm:ss", 44196.75},
	} {
		b.Run(bench.name, func(b *testing.B) {
			f, _ := Compile(bench.code)
			dst := make([]byte, 0, 64)
			b.ReportAllocs()
			for b.Loop() {
				dst = f.AppendFormatted(dst[:0], bench.value, false)
			}
		})
	}
}

func BenchmarkAppendValue(b *testing.B) {
	for _, bench := range []struct {
		name, code string
		value      float64
	}{
		{"whole", "General", 1234567},
		{"number", "General", 1234.56789},
		{"moment", "yyyy-mm-dd hh:mm:ss", 44196.75},
	} {
		b.Run(bench.name, func(b *testing.B) {
			f, _ := Compile(bench.code)
			dst := make([]byte, 0, 64)
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = f.AppendValue(dst[:0], bench.value, false)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Compile(`_("$"* #,##0.00_);_("$"* \(#,##0.00\);_("$"* "-"??_);_(@_)`)
	}
}
