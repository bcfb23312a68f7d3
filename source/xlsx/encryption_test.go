package xlsx

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha1"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/intraydata/intray/internal/cfb"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/sourcetest"
	"github.com/intraydata/intray/source/sourcetest/workbooktest"
)

// encryptedFile returns a container with the given encryption settings and encrypted archive.
func encryptedFile(settings, packed []byte) []byte {
	return sourcetest.CompoundFile(sourcetest.Stream{Name: packageStream, Text: packed}, sourcetest.Stream{Name: settingsStream, Text: settings})
}

// withSizeAndPadding returns an archive preceded by its size and padded to whole blocks.
func withSizeAndPadding(file []byte) []byte {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(file)))
	return append(append(head, file...), make([]byte, (cipherBlock-len(file)%cipherBlock)%cipherBlock)...)
}

// encryptStandard encrypts a file as Office 2007 does, with a key of keyBytes bytes.
func encryptStandard(file []byte, password string, keyBytes int) []byte {
	h := sha1.New()
	salt := []byte("0123456789abcdef")
	sum := hashParts(h, hashPassword(h, salt, password, 50_000), make([]byte, 4))
	inner, outer := bytes.Repeat([]byte{0x36}, 64), bytes.Repeat([]byte{0x5C}, 64) // as in HMAC
	for i, b := range sum {
		inner[i] ^= b
		outer[i] ^= b
	}
	block, _ := aes.NewCipher(append(hashParts(h, inner), hashParts(h, outer)...)[:keyBytes])
	encrypt := func(text []byte) []byte {
		for i := 0; i+cipherBlock <= len(text); i += cipherBlock {
			block.Encrypt(text[i:], text[i:])
		}
		return text
	}
	sample := []byte("a sample of it..")
	check := append(hashParts(h, sample), make([]byte, 12)...)
	settings := []byte{4, 0, 2, 0, 36, 0, 0, 0}
	for _, n := range []uint32{32, 36, 0, 26126, 32772, uint32(8 * keyBytes), 24, 0, 0, 16} {
		settings = binary.LittleEndian.AppendUint32(settings, n)
	}
	settings = append(append(settings, salt...), encrypt(sample)...)
	settings = append(append(settings, 20, 0, 0, 0), encrypt(check)...)
	packed := withSizeAndPadding(file)
	encrypt(packed[8:])
	return encryptedFile(settings, packed)
}

// encryptAgile encrypts a file as Office 2010 and later versions do.
func encryptAgile(file []byte, password string, spins int) []byte {
	return encryptedFile(agileStreams(file, password, spins))
}

func agileStreams(file []byte, password string, spins int) (settings, packed []byte) {
	salt, key := []byte("fedcba9876543210"), []byte("an archive's key that is 32 long")
	h := sha512.New()
	sum := hashPassword(h, salt, password, 1000)
	seal := func(text []byte, purpose ...byte) string {
		block, _ := aes.NewCipher(hashParts(h, sum, purpose)[:32])
		text = bytes.Clone(text)
		cipher.NewCBCEncrypter(block, salt).CryptBlocks(text, text)
		return base64.StdEncoding.EncodeToString(text)
	}
	sample := []byte("another sample..")
	text := fmt.Sprintf(`<encryption xmlns:p="x"><keyData keyBits="256" hashAlgorithm="SHA512" saltValue="%[1]s"/><keyEncryptors><keyEncryptor><p:encryptedKey spinCount="%[2]d" keyBits="256" hashAlgorithm="SHA512" saltValue="%[1]s" encryptedVerifierHashInput="%[3]s" encryptedVerifierHashValue="%[4]s" encryptedKeyValue="%[5]s"/></keyEncryptor></keyEncryptors></encryption>`,
		base64.StdEncoding.EncodeToString(salt), spins,
		seal(sample, 0xFE, 0xA7, 0xD2, 0x76, 0x3B, 0x4B, 0x9E, 0x79), seal(hashParts(h, sample), 0xD7, 0xAA, 0x0F, 0x6D, 0x30, 0x61, 0x34, 0x4E), seal(key, 0x14, 0x6E, 0x0B, 0xE7, 0xAB, 0xAC, 0xD0, 0xD6))
	packed = withSizeAndPadding(file)
	block, _ := aes.NewCipher(key)
	for i := 0; 8+i*segmentBytes < len(packed); i++ {
		text := packed[8+i*segmentBytes : min(len(packed), 8+(i+1)*segmentBytes)]
		start := hashParts(h, salt, binary.LittleEndian.AppendUint32(nil, uint32(i)))
		cipher.NewCBCEncrypter(block, start[:cipherBlock]).CryptBlocks(text, text)
	}
	return append([]byte{4, 0, 4, 0, 64, 0, 0, 0}, text...), packed
}

func TestEncrypted(t *testing.T) {
	var rows strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&rows, `<row><c><v>%d</v></c></row>`, i*i*7919%100003)
	}
	plain := simple(rows.String()).zip(t)
	want, err := readBytes(t.Context(), plain, Limits{})
	if err != nil || len(want) != 3000 || len(plain) < 2*segmentBytes {
		t.Fatalf("%d cells in %d bytes, error %v", len(want), len(plain), err)
	}
	agile := encryptAgile(plain, defaultPassword, 1000)
	for name, tc := range map[string]struct {
		file []byte
		want string
	}{
		"standard":                       {encryptStandard(plain, defaultPassword, 16), ""},
		"standard of 192 bits":           {encryptStandard(plain, defaultPassword, 24), ""},
		"standard of 256 bits":           {encryptStandard(plain, defaultPassword, 32), ""},
		"agile":                          {agile, ""},
		"standard with another password": {encryptStandard(plain, "secret", 16), "password-protected"},
		"agile with another password":    {encryptAgile(plain, "secret", 1000), "password-protected"},
		"excessive spin count":           {encryptAgile(plain, defaultPassword, 2_000_000_000), "password-protected"},
		"unknown encryption":             {encryptedFile([]byte{9, 0, 9, 0, 0, 0, 0, 0}, withSizeAndPadding(plain)), "password-protected"},
		"without settings":               {encryptedFile(nil, withSizeAndPadding(plain)), "password-protected"},
		"truncated":                      {agile[:len(agile)/2], "damaged"},
		"truncated early":                {agile[:600], "damaged"},
		"a table after the end":          {patched(agile, cfb.Magic, 76, uint32(len(agile)/512-1)), "the encrypted workbook is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readBytes(t.Context(), tc.file, Limits{})
			switch {
			case tc.want == "":
				if err != nil || len(got) != 3000 || got[2999] != want[2999] {
					t.Errorf("%d cells, error %v", len(got), err)
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
	plain := simple(strings.Repeat(`<row><c><v>1</v></c></row>`, 3000)).zip(t)
	settings, packed := agileStreams(plain, defaultPassword, 1000)
	settings = append(settings, strings.Repeat(" ", 2*maxSettingsBytes)...)
	file := encryptedFile(settings, packed)
	entry := bytes.Index(file, sourcetest.UTF16LE(settingsStream))
	start := binary.LittleEndian.Uint32(file[entry+116:])
	fat := 512 * (binary.LittleEndian.Uint32(file[76:]) + 1)
	for sectors, want := range map[uint32]string{maxSettingsBytes/512 - 1: "the encrypted workbook is damaged", maxSettingsBytes / 512: ""} {
		truncated := bytes.Clone(file)
		binary.LittleEndian.PutUint32(truncated[fat+4*(start+sectors-1):], 0xFFFFFFFE)
		got, err := readBytes(t.Context(), truncated, Limits{})
		if want == "" && (err != nil || len(got) != 3000) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%d sectors: %d cells, error %v, want %q", sectors, len(got), err, want)
		}
	}
}

// TestContainerLoops checks that loops of sectors cause no errors other than typed ones.
func TestContainerLoops(t *testing.T) {
	good := encryptAgile(simple(`<row><c><v>1</v></c></row>`).zip(t), defaultPassword, 1000)
	table := len(good) - 512
	for place := table; place < table+80; place += 4 {
		for next := range uint32(16) {
			file := bytes.Clone(good)
			binary.LittleEndian.PutUint32(file[place:], next)
			if _, err := readBytes(t.Context(), file, Limits{}); err != nil && !sourcetest.IsTyped(err) {
				t.Fatalf("sector %d after %d: %v", next, (place-table)/4, err)
			}
		}
	}
}

// TestLargeSettings checks that encryption settings that are too large for a short stream are
// read correctly.
func TestLargeSettings(t *testing.T) {
	plain := simple(`<row><c><v>1</v></c></row>`).zip(t)
	settings, packed := agileStreams(plain, defaultPassword, 1000)
	settings = bytes.Replace(settings, []byte("</encryption>"), []byte(strings.Repeat(" ", 5000)+"</encryption>"), 1)
	if got, err := readBytes(t.Context(), encryptedFile(settings, packed), Limits{}); err != nil || len(got) != 1 {
		t.Errorf("%v, error %v", got, err)
	}
}

func TestStoreFailsEncrypted(t *testing.T) {
	for _, rows := range []int{1, 3000} { // a short stream and a long one
		file := encryptAgile(simple(strings.Repeat(`<row><c><v>1</v></c></row>`, rows)).zip(t), defaultPassword, 1000)
		sourcetest.FailEachRead(t, input(file), func(in source.Input) error {
			book, err := Open(t.Context(), in, Limits{})
			if err == nil {
				_, err = workbooktest.ReadSheet(t.Context(), book, 0)
			}
			return err
		})
	}
}
