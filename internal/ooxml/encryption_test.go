package ooxml

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/cfb"
	"github.com/intraydata/intray/internal/zipfile"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// testLimits returns limits that no test reaches by accident.
func testLimits() Limits {
	return Limits{Limits: zipfile.Limits{InflatedBytes: 1 << 20, PartBytes: 1 << 20, Ratio: 250, Entries: 100}, TextBytes: 1 << 16, Depth: 16}
}

// readPart opens an archive and returns the content of the part "a".
func readPart(ctx context.Context, in source.Input) (string, error) {
	arc, err := Open(in, testLimits())
	if err != nil {
		return "", err
	}
	p, err := arc.Open(ctx, "a")
	if err != nil {
		return "", err
	}
	defer p.Close()
	text, err := io.ReadAll(p)
	return string(text), err
}

// incompressible returns text of the given length that cannot be compressed.
func incompressible(length int) string {
	random := rand.NewChaCha8([32]byte{})
	text := make([]byte, length)
	_, _ = random.Read(text)
	return string(text)
}

func archiveWith(t testing.TB, text string) []byte {
	return sourcetest.Zip(t, sourcetest.File("a", text))
}

// patched returns a copy of a file in which the number at an offset is replaced with value.
func patched(file []byte, offset int, value uint32) []byte {
	file = bytes.Clone(file)
	binary.LittleEndian.PutUint32(file[offset:], value)
	return file
}

func TestEncrypted(t *testing.T) {
	text := incompressible(3 * segmentBytes)
	plain := archiveWith(t, text)
	agile := workbooktest.EncryptAgile(plain, workbooktest.DefaultPassword, 1000)
	for name, tc := range map[string]struct {
		file []byte
		want string
	}{
		"not encrypted":                  {plain, ""},
		"standard":                       {workbooktest.EncryptStandard(plain, workbooktest.DefaultPassword, 16), ""},
		"standard of 192 bits":           {workbooktest.EncryptStandard(plain, workbooktest.DefaultPassword, 24), ""},
		"standard of 256 bits":           {workbooktest.EncryptStandard(plain, workbooktest.DefaultPassword, 32), ""},
		"agile":                          {agile, ""},
		"standard with another password": {workbooktest.EncryptStandard(plain, "secret", 16), "password-protected"},
		"agile with another password":    {workbooktest.EncryptAgile(plain, "secret", 1000), "password-protected"},
		"excessive spin count":           {workbooktest.EncryptAgile(plain, workbooktest.DefaultPassword, 2_000_000_000), "password-protected"},
		"unknown encryption":             {workbooktest.EncryptedFile([]byte{9, 0, 9, 0, 0, 0, 0, 0}, workbooktest.WithSizeAndPadding(plain)), "password-protected"},
		"without settings":               {workbooktest.EncryptedFile(nil, workbooktest.WithSizeAndPadding(plain)), "password-protected"},
		"truncated":                      {agile[:len(agile)/2], "damaged"},
		"truncated early":                {agile[:600], "damaged"},
		"a table after the end":          {patched(agile, 76, uint32(len(agile)/512-1)), "the encrypted workbook is damaged"},
		"an old workbook":                {sourcetest.CompoundFile(sourcetest.Stream{Name: "Workbook"}), "it may be an .xls workbook"},
		"empty":                          {nil, "the file is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readPart(t.Context(), sourcetest.NewInput("", tc.file))
			switch {
			case tc.want == "":
				if err != nil || got != text {
					t.Errorf("%d bytes, error %v", len(got), err)
				}
			case !sourcetest.IsTyped(err) || !strings.Contains(err.Error(), tc.want):
				t.Errorf("error %v, want %q", err, tc.want)
			}
		})
	}
}

// TestTruncatedSettings checks that encryption settings that end before their declared size are
// rejected, unless the 64 KiB that the reader needs are complete.
func TestTruncatedSettings(t *testing.T) {
	text := incompressible(2 * segmentBytes)
	settings, packed := workbooktest.AgileStreams(archiveWith(t, text), workbooktest.DefaultPassword, 1000)
	settings = append(settings, strings.Repeat(" ", 2*maxSettingsBytes)...)
	file := workbooktest.EncryptedFile(settings, packed)
	entry := bytes.Index(file, sourcetest.UTF16LE(settingsStream))
	start := binary.LittleEndian.Uint32(file[entry+116:])
	fat := 512 * (binary.LittleEndian.Uint32(file[76:]) + 1)
	for sectors, want := range map[uint32]string{maxSettingsBytes/512 - 1: "the encrypted workbook is damaged", maxSettingsBytes / 512: ""} {
		truncated := patched(file, int(fat+4*(start+sectors-1)), 0xFFFFFFFE)
		got, err := readPart(t.Context(), sourcetest.NewInput("", truncated))
		if want == "" && (err != nil || got != text) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d sectors: %d bytes, error %v, want %q", sectors, len(got), err, want)
		}
	}
}

// TestContainerLoops checks that loops of sectors cause no errors other than typed ones.
func TestContainerLoops(t *testing.T) {
	good := workbooktest.EncryptAgile(archiveWith(t, "text"), workbooktest.DefaultPassword, 1000)
	table := len(good) - 512
	for place := table; place < table+80; place += 4 {
		for next := range uint32(16) {
			if _, err := readPart(t.Context(), sourcetest.NewInput("", patched(good, place, next))); err != nil && !sourcetest.IsTyped(err) {
				t.Fatalf("sector %d after %d: %v", next, (place-table)/4, err)
			}
		}
	}
}

// TestLargeSettings checks that encryption settings that are too large for a short stream are
// read correctly.
func TestLargeSettings(t *testing.T) {
	settings, packed := workbooktest.AgileStreams(archiveWith(t, "text"), workbooktest.DefaultPassword, 1000)
	settings = bytes.Replace(settings, []byte("</encryption>"), []byte(strings.Repeat(" ", 5000)+"</encryption>"), 1)
	if got, err := readPart(t.Context(), sourcetest.NewInput("", workbooktest.EncryptedFile(settings, packed))); err != nil || got != "text" {
		t.Errorf("%q, error %v", got, err)
	}
}

func TestStoreFailsEncrypted(t *testing.T) {
	for _, length := range []int{1, 2 * segmentBytes} { // a short stream and a long one
		file := workbooktest.EncryptAgile(archiveWith(t, incompressible(length)), workbooktest.DefaultPassword, 1000)
		sourcetest.FailEachRead(t, sourcetest.NewInput("", file), func(in source.Input) error {
			_, err := readPart(t.Context(), in)
			return err
		})
	}
}

// FuzzEncrypted opens arbitrary files. The result must be an archive or a typed error.
func FuzzEncrypted(f *testing.F) {
	f.Add(workbooktest.EncryptAgile(archiveWith(f, "text"), workbooktest.DefaultPassword, 1000))
	f.Add(workbooktest.EncryptStandard(archiveWith(f, "text"), workbooktest.DefaultPassword, 16))
	f.Add([]byte(cfb.Magic))
	f.Fuzz(func(t *testing.T, file []byte) {
		Detect(sourcetest.NewInput("", file), file[:min(len(file), source.HeadBytes)], testLimits())
		if _, err := readPart(t.Context(), sourcetest.NewInput("", file)); err != nil && !sourcetest.IsTyped(err) {
			t.Fatal(err)
		}
	})
}
