package server

import (
	"testing"

	"github.com/intraydata/intray/server/model"
)

func TestOOMKills(t *testing.T) {
	for counters, want := range map[string]model.OOMKills{
		"nr_free_pages 1\noom_kill 75\nnumb 2\n": {Machine: "m", Count: 75},
		"nr_free_pages 1\n":                      {}, // before Linux 4.13
		"oom_kill many\n":                        {},
		"":                                       {},
	} {
		if got := parseOOMKills("m", []byte(counters)); got != want {
			t.Errorf("%q: %+v, want %+v", counters, got, want)
		}
	}
	if got := oomKills(); got.Machine == "" || got.Count < 0 {
		t.Errorf("this machine: %+v", got)
	}
}
