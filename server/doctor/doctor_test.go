package doctor

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRunOrder checks that the report has the order of the checks, whichever ends first.
func TestRunOrder(t *testing.T) {
	second := make(chan struct{})
	report, err := Run(t.Context(), "1", nil, []Check{
		{"one", func(_ context.Context, r *Result) { <-second; r.Warn("a", "b", "c") }},
		{"two", func(_ context.Context, r *Result) { close(second); r.Fail("a", "b", "c"); r.Warn("a", "b", "c") }},
		{"three", func(context.Context, *Result) {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, r := range report.Checks {
		got = append(got, r.Check+" "+string(r.Status))
	}
	if diff := cmp.Diff([]string{"one warning", "two failure", "three ok"}, got); diff != "" {
		t.Error(diff)
	}
	if report.Failures != 1 || report.Warnings != 2 || report.Status != Failure {
		t.Errorf("%+v", report)
	}
}

// TestRunLate checks that a check that never ends is reported, and does not delay the report.
func TestRunLate(t *testing.T) {
	never := make(chan struct{})
	defer close(never)
	report, err := run(t.Context(), "1", nil, []Check{
		{"stuck", func(context.Context, *Result) { <-never }},
		{"slow", func(ctx context.Context, r *Result) { <-ctx.Done(); r.Warn("a", "slow", "c") }},
	}, time.Millisecond, 200*time.Millisecond)
	if err != nil || report.Checks[0].Status != Failure || !strings.Contains(report.Checks[0].Findings[0].Problem, "did not end within 1ms") || report.Checks[1].Findings[0].Problem != "slow" {
		t.Errorf("%v, %+v", err, report)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, "1", nil, []Check{{"quick", func(context.Context, *Result) {}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("after an interruption: %v", err)
	}
}

func TestRedact(t *testing.T) {
	secrets := Secrets{"secret-key\n", "", "short"}
	for text, want := range map[string]string{
		"nothing to hide, short":                             "nothing to hide, short",
		"the key secret-key is wrong":                        "the key *** is wrong",
		"postgres://user:pw@host/db?password=pw2 failed":     "postgres://user:***@host/db?*** failed",
		`"s3://id:pw/with/slash@bucket"`:                     `"s3://id:***@bucket"`,
		"postgres://user@host:5432/db":                       "postgres://user@host:5432/db",
		"https://h/x#token and https://h/y":                  "https://h/x?*** and https://h/y",
		"host=h user=u password=pw dbname=d":                 "host=h user=u password=*** dbname=d",
		"https://a.example.org:8080/x, https://b@c":          "https://a.example.org:8080/x, https://b@c",
		"http://u:p@a and http://u:p@b are two":              "http://u:***@a and http://u:***@b are two",
		"--base-url (INTRAY_BASE_URL): https://h/?key=value": "--base-url (INTRAY_BASE_URL): https://h/?***",
	} {
		if got := secrets.Redact(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	report, err := Run(t.Context(), "1", secrets, []Check{{"all", func(_ context.Context, r *Result) {
		r.Detail = "secret-key"
		r.Fail("secret-key", "secret-key", "secret-key")
	}}})
	if err != nil {
		t.Fatal(err)
	}
	want := Result{"all", Failure, mask, []Finding{{Failure, mask, mask, mask}}}
	if diff := cmp.Diff(want, report.Checks[0]); diff != "" {
		t.Error(diff)
	}
}
