package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// secretVariables are the environment variables that contain secrets. Each can also be in a file,
// whose name is in the variable with the suffix _FILE.
var secretVariables = []string{"INTRAY_MASTER_KEY", "INTRAY_NEW_MASTER_KEY", "INTRAY_DATABASE_URL", "INTRAY_BACKEND_KEY", "INTRAY_FRONTEND_KEY"}

// maxSecretFile is the maximum size of a file with a secret, in bytes.
const maxSecretFile = 64 << 10

// loadSecretFiles sets the variables whose secrets are in files. It returns an error if both a
// variable and its file are set.
func loadSecretFiles(get func(name string) string, set func(name, value string) error) error {
	for _, name := range secretVariables {
		file := get(name + "_FILE")
		if file == "" {
			continue
		}
		if get(name) != "" {
			return fmt.Errorf("%s and %s_FILE are both set; unset one of them", name, name)
		}
		secret, err := readSecret(file)
		if err == nil {
			err = set(name, secret)
		}
		if err != nil {
			return fmt.Errorf("%s_FILE: %w", name, err)
		}
	}
	return nil
}

// readSecret returns the content of a file without the line break at its end.
func readSecret(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxSecretFile+1))
	switch {
	case err != nil:
		return "", err
	case len(content) > maxSecretFile:
		return "", fmt.Errorf("%s is longer than %d bytes, so it contains no secret", name, maxSecretFile)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	if secret == "" {
		return "", errors.New(name + " is empty")
	}
	return secret, nil
}
