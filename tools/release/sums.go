package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"aead.dev/minisign"
)

const (
	// sumsName is the file with the SHA-256 checksums of all other files, in the format of
	// sha256sum.
	sumsName = "SHA256SUMS"
	// signatureName is the signature of that file, and so of the whole release.
	signatureName = sumsName + ".minisig"
	// publicKeyName is the public key in the repository.
	publicKeyName = "minisign.pub"
)

// signingKey reads the secret key from INTRAY_SIGNING_KEY, which contains the text of a minisign
// key, and decrypts it with INTRAY_SIGNING_PASSWORD if it is encrypted.
func signingKey() (key minisign.PrivateKey, err error) {
	text := []byte(os.Getenv("INTRAY_SIGNING_KEY"))
	switch {
	case len(text) == 0:
		return key, errors.New("INTRAY_SIGNING_KEY is empty: set it to the text of a minisign secret key, as described in CONTRIBUTING.md")
	case minisign.IsEncrypted(text):
		key, err = minisign.DecryptKey(os.Getenv("INTRAY_SIGNING_PASSWORD"), text)
	default:
		err = key.UnmarshalText(text)
	}
	if err != nil {
		return key, fmt.Errorf("read INTRAY_SIGNING_KEY: %w", err)
	}
	return key, nil
}

// readPublicKey reads a public key, by default the one in the repository.
func readPublicKey(repo, file string) (minisign.PublicKey, error) {
	if file == "" {
		file = filepath.Join(repo, publicKeyName)
	}
	key, err := minisign.PublicKeyFromFile(file)
	if err != nil {
		return key, fmt.Errorf("read the public key: %w", err)
	}
	return key, nil
}

// hashFile returns the SHA-256 checksum of a file, in hexadecimal.
func hashFile(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// hashFolder returns the checksums of all files in a folder, sorted by name, in the format of
// sha256sum. It skips the checksums and their signature.
func hashFolder(folder string) ([]byte, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var sums bytes.Buffer
	for _, entry := range entries {
		if name := entry.Name(); name != sumsName && name != signatureName {
			sum, err := hashFile(filepath.Join(folder, name))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&sums, "%s  %s\n", sum, name)
		}
	}
	return sums.Bytes(), nil
}

func writeSums(folder string) error {
	sums, err := hashFolder(folder)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, sumsName), sums, 0o644)
}

// signSums signs the checksums. The comments contain no time, so that the signature depends only
// on the files and the key.
func signSums(folder string, key minisign.PrivateKey, version string) error {
	sums, err := os.ReadFile(filepath.Join(folder, sumsName))
	if err != nil {
		return err
	}
	reader := minisign.NewReader(bytes.NewReader(sums))
	if _, err := io.Copy(io.Discard, reader); err != nil {
		return err
	}
	signature := reader.SignWithComments(key, "intray "+version, "verify with minisign -Vm "+sumsName+" -p "+publicKeyName)
	return os.WriteFile(filepath.Join(folder, signatureName), signature, 0o644)
}

// verify checks the signature of the checksums, and that exactly the files in the list exist and
// have these checksums.
func verify(folder string, key minisign.PublicKey) error {
	sums, err := os.ReadFile(filepath.Join(folder, sumsName))
	if err != nil {
		return err
	}
	signature, err := os.ReadFile(filepath.Join(folder, signatureName))
	if err != nil {
		return err
	}
	reader := minisign.NewReader(bytes.NewReader(sums))
	if _, err := io.Copy(io.Discard, reader); err != nil {
		return err
	}
	if !reader.Verify(key, signature) {
		return fmt.Errorf("the signature of %s is invalid", sumsName)
	}
	actual, err := hashFolder(folder)
	if err != nil {
		return err
	}
	if different := compareSums(sums, actual); different != "" {
		return fmt.Errorf("these files differ from %s:\n%s", sumsName, different)
	}
	return nil
}

// compareSums returns the lines that only one of two lists contains, marked as in a diff.
func compareSums(want, got []byte) string {
	var different strings.Builder
	report := func(mark string, from, other []byte) {
		for line := range bytes.Lines(from) {
			if !bytes.Contains(append([]byte("\n"), other...), append([]byte("\n"), line...)) {
				fmt.Fprintf(&different, "%s %s", mark, line)
			}
		}
	}
	report("-", want, got)
	report("+", got, want)
	return different.String()
}
