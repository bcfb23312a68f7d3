package phone

import (
	"fmt"
	"sync"
	"testing"
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

// TestTogether checks that several goroutines can use a reader at the same time.
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
