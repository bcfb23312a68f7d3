package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/internal/wire"
)

// maxLexiconFile is the maximum size of a lexicon file, in bytes.
const maxLexiconFile = 4 << 20

// readLexicon reads a file with learned mappings, as the server exports it. It returns none if the
// name is "".
func readLexicon(name string) (learned intray.LearnedMappings, err error) {
	if name == "" {
		return learned, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return learned, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxLexiconFile+1))
	if err != nil {
		return learned, err
	}
	if len(text) > maxLexiconFile {
		return learned, fmt.Errorf("%s: a lexicon can have at most %d bytes", name, maxLexiconFile)
	}
	var lexicon wire.Lexicon
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&lexicon); err != nil {
		return learned, fmt.Errorf("%s: expected a lexicon, such as {\"columns\": [{\"field\": \"email\", \"header\": \"Mail\"}], \"values\": []}: %w", name, err)
	}
	for i, c := range lexicon.Columns {
		on, err := rememberedTime(c.RememberedDate)
		if err != nil || c.Field == "" || c.Header == "" {
			return learned, fmt.Errorf("%s: entry %d of columns needs a field, a header and, if remembered_date is given, a date such as 2026-01-31T15:04:05Z", name, i+1)
		}
		learned.Columns = append(learned.Columns, intray.LearnedColumn{Field: c.Field, Header: c.Header, On: on})
	}
	for i, v := range lexicon.Values {
		on, err := rememberedTime(v.RememberedDate)
		if err != nil || v.Field == "" || v.Text == "" {
			return learned, fmt.Errorf("%s: entry %d of values needs a field, a text and, if remembered_date is given, a date such as 2026-01-31T15:04:05Z", name, i+1)
		}
		learned.Values = append(learned.Values, intray.LearnedValue{Field: v.Field, Text: v.Text, Value: v.Value, On: on})
	}
	return learned, nil
}

// rememberedTime parses the time of an entry in a lexicon. Without one, it returns the current time.
func rememberedTime(text string) (time.Time, error) {
	if text == "" {
		return time.Now().UTC(), nil
	}
	return time.Parse(time.RFC3339Nano, text)
}
