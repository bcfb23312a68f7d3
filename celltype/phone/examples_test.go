package phone

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

func ExampleReader_Append() {
	r, err := New(Config{Country: "DE", Formatted: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, cell := range []string{"089/123456", "+1 (201) 555-0123", "089 123456 ext. 7", "+1 123 555 0123"} {
		number, problem := r.Append(nil, []byte(cell))
		fmt.Printf("%q %s\n", number, problem.Code)
	}
	// Output:
	// "+49 89 123456" read
	// "+1 201-555-0123" read
	// "+49 89 123456" extension_left_out
	// "" not_valid
}

// examples gives the library's example numbers of every kind and region.
func examples(yield func(region string, n *phonenumbers.PhoneNumber) bool) {
	for _, region := range regionNames() {
		for _, kind := range kinds {
			n := phonenumbers.GetExampleNumberForType(region, kind)
			if n != nil && phonenumbers.IsValidNumber(n) && !yield(region, n) {
				return
			}
		}
	}
}

// TestExamples reads every example number in all forms in which it is written.
func TestExamples(t *testing.T) {
	count := 0
	for region, n := range examples {
		count++
		want := phonenumbers.Format(n, phonenumbers.E164)
		r, err := New(Config{Country: region})
		if err != nil {
			t.Fatal(err)
		}
		abroad, err := New(Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []phonenumbers.PhoneNumberFormat{phonenumbers.E164, phonenumbers.INTERNATIONAL, phonenumbers.RFC3966} {
			raw := phonenumbers.Format(n, form)
			for _, reader := range []*Reader{r, abroad} {
				if got, p := reader.Append(nil, []byte(raw)); string(got) != want {
					t.Errorf("%s %q: %q %s, want %s", region, raw, got, p.Code, want)
				}
			}
		}
	}
	if count < 1000 {
		t.Errorf("%d examples, want at least 1000", count)
	}
}

// TestNationalExamples reads every example number as it is written in its own
// country: by the library, and by a reader in digits alone.
func TestNationalExamples(t *testing.T) {
	for region, n := range examples {
		want := phonenumbers.Format(n, phonenumbers.E164)
		r, err := New(Config{Country: region})
		if err != nil {
			t.Fatal(err)
		}
		national, err := New(Config{Country: region, Format: "national"})
		if err != nil {
			t.Fatal(err)
		}
		alone, _ := national.Append(nil, []byte(want))
		for _, raw := range []string{phonenumbers.Format(n, phonenumbers.NATIONAL), string(alone)} {
			if region == "AR" && strings.HasPrefix(raw, "09 15-") {
				continue // the module leaves out the area code
			}
			if got, p := r.Append(nil, []byte(raw)); string(got) != want {
				t.Errorf("%s %q: %q %s, want %s", region, raw, got, p.Code, want)
			}
		}
	}
}

// TestTogether reads from several goroutines.
func TestTogether(t *testing.T) {
	r := configured(t, `{"country":"AR"}`)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				if got, p := r.Append(nil, []byte("011 15-2345-6789")); string(got) != "+5491123456789" {
					t.Errorf("%q %s", got, p.Code)
				}
			}
		})
	}
	all.Wait()
}
