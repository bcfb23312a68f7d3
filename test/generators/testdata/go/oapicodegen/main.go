// Package main completes an import with the client that oapi-codegen generates.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"example.com/generated/oapicodegen/api"
)

func main() {
	ctx := context.Background()
	client, err := api.NewClientWithResponses(os.Getenv("INTRAY_URL"), api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-Service-License-Key", os.Getenv("INTRAY_KEY"))
		return nil
	}))
	check(err)
	var required api.Validator
	check(required.FromRequiredValidator(api.RequiredValidator{}))
	var date api.FieldType
	check(date.FromFieldType1(api.FieldType1{"date", map[string]any{"locale": "en-GB"}}))
	fields := api.Fields{{Key: "name", Label: "Name", Validators: &[]api.Validator{required}}, {Key: "born", Label: "Born", Type: &date}}
	created, err := client.CreateImportWithResponse(ctx, nil, api.ImportDraft{Fields: &fields, OriginalFilename: text("people.csv")})
	check(err)
	it := created.JSON201
	upload(it.Upload)
	for it.Status != api.ImportStatusSUCCESSFUL {
		if it.Status == api.ImportStatusFAILED || it.Status == api.ImportStatusNEEDSREVIEW {
			log.Fatal(it.ImportErrors)
		}
		got, err := client.GetImportWithResponse(ctx, it.Id)
		check(err)
		it = got.JSON200
	}
	result, err := client.GetImportResultWithResponse(ctx, it.Id, nil)
	check(err)
	fmt.Println(it.ResultMetadata.NumDataRows, download(result.JSON200.PresignedUrl))
}

func upload(address string) {
	file, err := os.ReadFile("people.csv")
	check(err)
	request, err := http.NewRequest("PUT", address, bytes.NewReader(file))
	check(err)
	response, err := http.DefaultClient.Do(request)
	check(err)
	check(response.Body.Close())
}

func download(address string) string {
	response, err := http.Get(address)
	check(err)
	text, err := io.ReadAll(response.Body)
	check(err)
	return string(text)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func text(s string) *string { return &s }
