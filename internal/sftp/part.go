package sftp

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/intraydata/intray"
)

// A part is a file that Put has not finished. It is named after what it is to
// become: ".orders.csv.intray-0123456789abcdef.part".
const (
	partMark   = ".intray-"
	partEnding = ".part"
	partBytes  = 8
)

// maxPartName is the longest name that servers take, in bytes. A longer name
// stays out of the part's.
const maxPartName = 255

// PartAge is how long after its last change a part is taken for forgotten.
const PartAge = 24 * time.Hour

func partName(name string, random io.Reader) (string, error) {
	var number [partBytes]byte
	if _, err := io.ReadFull(random, number[:]); err != nil {
		return "", fmt.Errorf("naming an unfinished file: %w", err)
	}
	ending := partMark + hex.EncodeToString(number[:]) + partEnding
	if 1+len(name)+len(ending) > maxPartName {
		name = ""
	}
	return "." + name + ending, nil
}

// IsPart tells whether this is the name of a file that a Put of this program
// began and did not finish.
func IsPart(name string) bool {
	rest, ends := strings.CutSuffix(name, partEnding)
	at := strings.LastIndex(rest, partMark)
	if !ends || at < 0 || name[0] != '.' {
		return false
	}
	number := rest[at+len(partMark):]
	_, err := hex.DecodeString(number)
	return err == nil && len(number) == 2*partBytes && number == strings.ToLower(number)
}

// Stale gives those parts that were forgotten: whoever wrote them has stopped.
// A part whose age the server does not tell is not among them.
func Stale(parts []File, now time.Time) []File {
	var stale []File
	for _, f := range parts {
		if !f.Modified.IsZero() && now.Sub(f.Modified) >= PartAge {
			stale = append(stale, f)
		}
	}
	return stale
}

// RemovePart removes a part from the server, and refuses whatever is none. One
// that is gone already is no error.
func (s *Session) RemovePart(ctx context.Context, f File) error {
	if !IsPart(f.Name()) {
		return &Error{Kind: BadPath, Text: intray.NewMessage("sftp.not_unfinished_file", intray.Params{"server": s.address, "path": shown(f.Path)})}
	}
	err := s.askStatus(ctx, newMessage(msgRemove), func(m message) message { return m.text(f.Path) })
	if isMissing(err) {
		return nil
	}
	return s.explain(ctx, removingFile(f.Path), err)
}
