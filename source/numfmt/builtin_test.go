package numfmt

import "testing"

func TestBuiltin(t *testing.T) {
	for id := -2; id < 300; id++ {
		code := Builtin(id)
		if code == "" {
			if id >= 0 && id <= 22 || id >= 37 && id <= 49 {
				t.Errorf("format %d is missing", id)
			}
			continue
		}
		if _, ok := Compile(code); !ok {
			t.Errorf("format %d, %q, does not compile", id, code)
		}
	}
}

// Each test case consists of the id of a built-in format and the displayed text of each of the
// numbers.
func TestBuiltinsShow(t *testing.T) {
	numbers := [...]float64{-1234.5678, 0, 0.0625, 45678.5, 1e6 / 3}
	for _, r := range []struct {
		id   int
		want [len(numbers)]string
	}{
		{0, [...]string{"-1234.5678", "0", "0.0625", "45678.5", "333333.3333"}},
		{1, [...]string{"-1235", "0", "0", "45679", "333333"}},
		{2, [...]string{"-1234.57", "0.00", "0.06", "45678.50", "333333.33"}},
		{3, [...]string{"-1,235", "0", "0", "45,679", "333,333"}},
		{4, [...]string{"-1,234.57", "0.00", "0.06", "45,678.50", "333,333.33"}},
		{5, [...]string{"($1,235)", "$0 ", "$0 ", "$45,679 ", "$333,333 "}},
		{6, [...]string{"($1,235)", "$0 ", "$0 ", "$45,679 ", "$333,333 "}},
		{7, [...]string{"($1,234.57)", "$0.00 ", "$0.06 ", "$45,678.50 ", "$333,333.33 "}},
		{8, [...]string{"($1,234.57)", "$0.00 ", "$0.06 ", "$45,678.50 ", "$333,333.33 "}},
		{9, [...]string{"-123457%", "0%", "6%", "4567850%", "33333333%"}},
		{10, [...]string{"-123456.78%", "0.00%", "6.25%", "4567850.00%", "33333333.33%"}},
		{11, [...]string{"-1.23E+03", "0.00E+00", "6.25E-02", "4.57E+04", "3.33E+05"}},
		{12, [...]string{"-1234 4/7", "0    ", "0    ", "45678 1/2", "333333 1/3"}},
		{13, [...]string{"-1234 46/81", "0      ", "  1/16", "45678  1/2 ", "333333  1/3 "}},
		{37, [...]string{"(1,235)", "0 ", "0 ", "45,679 ", "333,333 "}},
		{38, [...]string{"(1,235)", "0 ", "0 ", "45,679 ", "333,333 "}},
		{39, [...]string{"(1,234.57)", "0.00 ", "0.06 ", "45,678.50 ", "333,333.33 "}},
		{40, [...]string{"(1,234.57)", "0.00 ", "0.06 ", "45,678.50 ", "333,333.33 "}},
		{41, [...]string{" (1,235)", " - ", " 0 ", " 45,679 ", " 333,333 "}},
		{42, [...]string{" $(1,235)", " $- ", " $0 ", " $45,679 ", " $333,333 "}},
		{43, [...]string{" (1,234.57)", " -   ", " 0.06 ", " 45,678.50 ", " 333,333.33 "}},
		{44, [...]string{" $(1,234.57)", " $-   ", " $0.06 ", " $45,678.50 ", " $333,333.33 "}},
		{48, [...]string{"-1.2E+3", "0.0E+0", "62.5E-3", "45.7E+3", "333.3E+3"}},
		{49, [...]string{"-1234.5678", "0", "0.0625", "45678.5", "333333.3333"}},
	} {
		f, _ := Compile(Builtin(r.id))
		for i, want := range r.want {
			if got := string(f.AppendFormatted(nil, numbers[i], false)); got != want {
				t.Errorf("format %d shows %v as %q, want %q", r.id, numbers[i], got, want)
			}
		}
	}
}

func TestBuiltinDatesShow(t *testing.T) {
	numbers := [...]float64{0.0625, 45678.5, 36526.99999}
	for _, r := range []struct {
		id   int
		want [len(numbers)]string
	}{
		{14, [...]string{"1/0/00", "1/21/25", "1/1/00"}},
		{15, [...]string{"0-Jan-00", "21-Jan-25", "1-Jan-00"}},
		{16, [...]string{"0-Jan", "21-Jan", "1-Jan"}},
		{17, [...]string{"Jan-00", "Jan-25", "Jan-00"}},
		{18, [...]string{"1:30 AM", "12:00 PM", "11:59 PM"}},
		{19, [...]string{"1:30:00 AM", "12:00:00 PM", "11:59:59 PM"}},
		{20, [...]string{"1:30", "12:00", "23:59"}},
		{21, [...]string{"1:30:00", "12:00:00", "23:59:59"}},
		{22, [...]string{"1/0/00 1:30", "1/21/25 12:00", "1/1/00 23:59"}},
		{45, [...]string{"30:00", "00:00", "59:59"}},
		{46, [...]string{"1:30:00", "1096284:00:00", "876647:59:59"}},
		{47, [...]string{"30:00.0", "00:00.0", "59:59.1"}},
	} {
		f, _ := Compile(Builtin(r.id))
		for i, want := range r.want {
			if got := string(f.AppendFormatted(nil, numbers[i], false)); got != want {
				t.Errorf("format %d shows %v as %q, want %q", r.id, numbers[i], got, want)
			}
		}
	}
}
