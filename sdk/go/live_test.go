package intray_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	intray "github.com/intraydata/intray/sdk/go"
	"github.com/intraydata/intray/sdk/go/api"
)

// These tests need a server: INTRAY_URL and INTRAY_KEY. The tests in test/generators put a proxy in
// front of it, which refuses the first attempt of each request and loses the response to the second.

const schema = `{"fields": [{"key": "name", "label": "Name"}, {"key": "born", "label": "Born", "type": "date"}],
	"settings": {"invalidDataBehavior": "BLOCK_SUBMIT"}}`

// client returns a client of the server, and a context that ends after a minute.
func client(t *testing.T) (context.Context, *intray.Client) {
	t.Helper()
	server := os.Getenv("INTRAY_URL")
	if server == "" {
		t.Skip("SKIPPED: INTRAY_URL is not set")
	}
	t.Parallel()
	c, err := intray.New(server, os.Getenv("INTRAY_KEY"), intray.Config{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx, c
}

func inline(t *testing.T) api.ImportDraft {
	t.Helper()
	draft, err := intray.InlineSchema([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return draft
}

// codeOf returns the code of an error.
func codeOf(err error) string {
	var refused *intray.APIError
	var failed *intray.ImportError
	switch {
	case errors.As(err, &refused):
		return refused.Code
	case errors.As(err, &failed):
		return failed.Code
	}
	return ""
}

func TestImportFile(t *testing.T) {
	ctx, c := client(t)
	draft := inline(t)
	saved, err := c.API.CreateSchemaWithResponse(ctx, nil, api.SchemaDraft{Name: "Go", Fields: *draft.Fields, Settings: *draft.Settings})
	if err != nil {
		t.Fatal(err)
	}
	var progress []intray.Progress
	text := "Name,Born\nAnna,1990-04-03\nBela,\n"
	imp, err := c.ImportFile(ctx, intray.SavedSchema(saved.JSON201.ID), strings.NewReader(text), intray.ImportOptions{
		Name: "saved.csv", OnProgress: func(p intray.Progress) { progress = append(progress, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(text))
	if first, last := progress[0], progress[len(progress)-1]; first != (intray.Progress{Status: "AWAITING_UPLOAD", SentBytes: size, TotalBytes: size}) || last != (intray.Progress{Status: "SUCCESSFUL"}) {
		t.Errorf("progress %v", progress)
	}
	type person struct {
		Name string
		Born *string
	}
	var people []person
	for p, err := range intray.Rows[person](ctx, c, imp.ID) {
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, p)
	}
	born := "1990-04-03"
	if want := []person{{"Anna", &born}, {"Bela", nil}}; !reflect.DeepEqual(people, want) {
		t.Errorf("got %v", people)
	}
	body, err := c.Download(ctx, imp.ID, "csv")
	if err != nil {
		t.Fatal(err)
	}
	defer body.Close()
	if got, err := io.ReadAll(body); err != nil || string(got) != "name,born\nAnna,1990-04-03\nBela,\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestImportOfTheSameKeyContinues(t *testing.T) {
	ctx, c := client(t)
	options := intray.ImportOptions{Name: "again.csv", IdempotencyKey: "go-again"}
	first, err := c.ImportFile(ctx, inline(t), strings.NewReader("Name,Born\nAnna,\n"), options)
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.ImportFile(ctx, inline(t), strings.NewReader("Name,Born\nAnna,\n"), options)
	if err != nil || second.ID != first.ID {
		t.Errorf("got %v, %v, want the import %s", second, err, first.ID)
	}
}

func TestFailedImport(t *testing.T) {
	ctx, c := client(t)
	_, err := c.ImportFile(ctx, inline(t), strings.NewReader(""), intray.ImportOptions{Name: "failed.csv"})
	var failed *intray.ImportError
	if !errors.As(err, &failed) || failed.Code != "EMPTY_FILE" {
		t.Fatalf("got %v", err)
	}
	for _, err := range intray.Rows[map[string]any](ctx, c, failed.Import.ID) {
		if codeOf(err) != "not_finished" {
			t.Errorf("got %v", err)
		}
	}
}

func TestReview(t *testing.T) {
	ctx, c := client(t)
	text := "Name,Born\nAnna,03/04/1990\n"
	_, err := c.ImportFile(ctx, inline(t), strings.NewReader(text), intray.ImportOptions{Name: "review.csv"})
	var failed *intray.ImportError
	if !errors.As(err, &failed) || failed.Code != "NEEDS_REVIEW" || !strings.Contains(failed.Import.ReviewURL, "/review/") {
		t.Fatalf("got %v", err)
	}
	answer := func(imp *api.Import) {
		questions, err := c.API.GetQuestionsWithResponse(ctx, imp.ID)
		if err != nil {
			t.Error(err)
			return
		}
		answers := map[string]*string{}
		for _, q := range questions.JSON200.Questions {
			answers[q.ID] = &q.Choices[0].Value
		}
		if _, err := c.API.AnswerQuestionsWithResponse(ctx, imp.ID, nil, api.AnswersRequest{Answers: answers}); err != nil {
			t.Error(err)
		}
	}
	imp, err := c.WaitForImport(ctx, failed.Import.ID, intray.ImportOptions{OnReview: answer})
	if err != nil || imp.Status != api.ImportStatusSUCCESSFUL {
		t.Errorf("got %v, %v", imp, err)
	}
}

func TestErrorsHaveCodes(t *testing.T) {
	ctx, c := client(t)
	_, err := c.API.GetImportWithResponse(ctx, "00000000-0000-0000-0000-000000000000")
	if codeOf(err) != "not_found" {
		t.Errorf("got %v", err)
	}
	draft := inline(t)
	(*draft.Fields)[0].Key = ""
	_, err = c.ImportFile(ctx, draft, strings.NewReader("x"), intray.ImportOptions{Name: "invalid.csv"})
	var refused *intray.APIError
	if !errors.As(err, &refused) || refused.Code != "invalid" || refused.Status != 400 || refused.Body.FieldMessages["fields"] == nil || !strings.Contains(err.Error(), "fields[0].key") {
		t.Errorf("got %v", err)
	}
	limit := int64(1000)
	draft = inline(t)
	draft.Settings.MaxFileSize = &limit
	_, err = c.ImportFile(ctx, draft, strings.NewReader(strings.Repeat("Name\n", 1<<20)), intray.ImportOptions{Name: "large.csv"})
	if codeOf(err) != "file_too_large" {
		t.Errorf("got %v", err)
	}
}

func TestWebhook(t *testing.T) {
	ctx, c := client(t)
	received := make(chan any, 1)
	secret := ""
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		message, err := intray.VerifyWebhook(secret, r.Header, body)
		if err != nil || message.Event != api.EventNameImportCompleted {
			t.Errorf("got %v, %v", message, err)
			return
		}
		if _, err := intray.VerifyWebhook(secret, r.Header, append(body, ' ')); err == nil {
			t.Error("a changed message is accepted")
		}
		received <- message.Data
	}))
	defer receiver.Close()
	draft := inline(t)
	identifier := "go-webhook"
	draft.Settings.ImportIdentifier = &identifier
	webhook, err := c.API.CreateWebhookWithResponse(ctx, nil, api.WebhookDraft{
		URL: &receiver.URL, Events: []api.EventName{api.EventNameImportCompleted}, ImportIdentifiers: []string{identifier},
	})
	if err != nil {
		t.Fatal(err)
	}
	secret = *webhook.JSON201.Secret
	imp, err := c.StartImport(ctx, draft, strings.NewReader("Name,Born\nAnna,\n"), intray.ImportOptions{Name: "webhook.csv"})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case data := <-received:
		if event, ok := data.(*api.ImportEvent); !ok || event.Headless == nil || event.Headless.ID != imp.ID {
			t.Errorf("got %+v", data)
		}
	case <-ctx.Done():
		t.Error("no message arrived")
	}
}
