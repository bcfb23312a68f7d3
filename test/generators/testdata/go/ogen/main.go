// Package main completes an import with the client that ogen generates.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	"example.com/generated/ogen/api"
	"github.com/go-faster/jx"
)

// key is the source of the API key. The other credentials are not needed.
type key struct{ api.SecuritySource }

func (key) BackendKey(context.Context, api.OperationName) (api.BackendKey, error) {
	return api.BackendKey{APIKey: os.Getenv("INTRAY_KEY")}, nil
}

func main() {
	ctx := context.Background()
	client, err := api.NewClient(os.Getenv("INTRAY_URL"), key{})
	check(err)
	required := api.NewRequiredValidatorValidator(api.RequiredValidator{Rule: api.RequiredValidatorValidateRequired})
	date := api.NewAnyArrayFieldType([]jx.Raw{jx.Raw(`"date"`), jx.Raw(`{"locale": "en-GB"}`)})
	fields := api.Fields{{Key: "name", Label: "Name", Validators: []api.Validator{required}}, {Key: "born", Label: "Born", Type: api.NewOptFieldType(date)}}
	created, err := client.CreateImport(ctx, &api.ImportDraft{Fields: fields, OriginalFilename: api.NewOptNilString("people.csv")}, api.CreateImportParams{})
	check(err)
	it := created.(*api.Import)
	upload(it.Upload.String())
	for it.Status != api.ImportStatusSUCCESSFUL {
		if it.Status == api.ImportStatusFAILED || it.Status == api.ImportStatusNEEDSREVIEW {
			log.Fatal(it.ImportErrors)
		}
		got, err := client.GetImport(ctx, api.GetImportParams{ID: it.ID})
		check(err)
		it = got.(*api.Import)
	}
	result, err := client.GetImportResult(ctx, api.GetImportResultParams{ID: it.ID})
	check(err)
	fmt.Println(it.ResultMetadata.Value.NumDataRows, download(result.(*api.PresignedURL).PresignedURL.String()))
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
