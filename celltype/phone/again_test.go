package phone

import (
	"math/rand/v2"
	"testing"
)

// TestAgain wants that what a reader writes it reads as itself, whatever the
// country and the form.
func TestAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	regions := regionNames()
	failed, read := map[string]int{}, 0
	for i := range *oracleNumbers / 4 {
		region := regions[i%len(regions)]
		for _, c := range []Config{
			{Country: region}, {Country: region, Formatted: true},
			{Country: region, Format: "national"}, {Country: region, Format: "national", Formatted: true},
		} {
			r, err := New(c)
			if err != nil {
				t.Fatal(err)
			}
			raw := madeUp(random, region)
			first, p := r.Append(nil, []byte(raw))
			if p.Code != Read {
				continue
			}
			read++
			if again, p := r.Append(nil, first); string(again) != string(first) || p.Code != Read {
				failed[c.Format+c.Country]++
				if failed[c.Format+c.Country] <= 2 {
					t.Errorf("%+v %q: %q, and that is %q %s", c, raw, first, again, p.Code)
				}
			}
		}
	}
	t.Logf("%d numbers read twice", read)
	if read < *oracleNumbers/4 {
		t.Errorf("%d of %d numbers read", read, *oracleNumbers)
	}
}
