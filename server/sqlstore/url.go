package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
)

// These errors replace those of the driver, which contain the URL, and with it the password.
var (
	errInvalidURL   = errors.New("invalid database URL; enter one such as postgres://user:password@host:5432/name. In the user and password, write @ as %40, / as %2F and % as %25")
	errUnescapedURL = errors.New("the user or password in the database URL seems to contain a special character; write @ as %40, / as %2F and % as %25")
)

// CheckURL returns an error unless a database URL can be parsed, and it is certain where its password
// ends. The error contains no part of the URL, except the name of a file that cannot be read.
//
// A password with an unescaped @ or / would otherwise continue in the host or the database name, which
// appear in messages.
func CheckURL(address string) error {
	_, rest, _ := strings.Cut(address, "://")
	if i := strings.IndexAny(rest, "@/"); i >= 0 && rest[i] == '@' {
		rest = rest[i+1:]
	}
	place, query, _ := strings.Cut(rest, "?")
	if strings.Contains(place, "@") {
		return errUnescapedURL
	}
	for parameter := range strings.SplitSeq(query, "&") {
		if key, _, _ := strings.Cut(parameter, "="); strings.Contains(parameter, "@") && !isFreeText(key) {
			return errUnescapedURL
		}
	}
	_, err := parseURL(address)
	return err
}

// isFreeText reports whether the values of a parameter may contain any character.
func isFreeText(parameter string) bool {
	switch parameter {
	case "user", "password", "sslpassword", "application_name", "options":
		return true
	}
	return false
}

// parseURL parses a database URL. Its error contains no part of the URL, except the name of a file that
// cannot be read.
func parseURL(address string) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(address)
	var file *fs.PathError
	switch {
	case errors.As(err, &file):
		return nil, fmt.Errorf("a file in the database URL cannot be read: %w", file)
	case err != nil:
		return nil, errInvalidURL
	}
	return config, nil
}
