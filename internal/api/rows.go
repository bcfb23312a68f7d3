package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// rowsField is the property whose value is kept apart from the rest of the
// body: it may be large, and nobody needs it decoded.
const rowsField = "initial_data"

// maxDepth is how deep JSON may be nested.
const maxDepth = 64

// splitRows copies the value of the top-level property initial_data to a file
// of its own, and gives the rest of the body with an empty array in its place.
// A body without the property, or with null, has no file.
func (a *API) splitRows(from io.Reader) (rest io.Reader, rows *os.File, err error) {
	s := &splitter{from: from}
	s.dec = jsontext.NewDecoder(s)
	defer func() {
		if err != nil && s.rows != nil {
			_ = s.rows.Close()
		}
	}()
	if s.dec.PeekKind() != '{' {
		return io.MultiReader(bytes.NewReader(s.seen), from), nil, nil
	}
	if err := s.object(a.cfg.TempDir); err != nil {
		return nil, nil, err
	}
	s.keep(s.base + int64(len(s.seen)))
	if s.rows != nil {
		if _, err := s.rows.Seek(0, io.SeekStart); err != nil {
			return nil, nil, fmt.Errorf("rewind initial_data: %w", err)
		}
	}
	return io.MultiReader(&s.skeleton, from), s.rows, nil
}

// splitter reads JSON and sorts its bytes into the skeleton and the rows. It
// stands between the body and the decoder, and holds the bytes that the decoder
// has read and nobody has sorted.
type splitter struct {
	from     io.Reader
	dec      *jsontext.Decoder
	seen     []byte
	base     int64 // offset of seen[0] in the body
	skeleton bytes.Buffer
	rows     *os.File
	size     int64
}

func (s *splitter) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.seen = append(s.seen, p[:n]...)
	return n, err
}

// object sorts the top-level object.
func (s *splitter) object(tempDir string) error {
	if _, err := s.dec.ReadToken(); err != nil {
		return malformed(err)
	}
	for s.dec.PeekKind() != '}' {
		name, err := s.dec.ReadToken()
		if err != nil {
			return malformed(err)
		}
		if name.String() != rowsField {
			if err := s.skip(); err != nil {
				return err
			}
			s.keep(s.dec.InputOffset())
			if s.skeleton.Len() > maxBody {
				return bodyTooLarge(maxBody)
			}
			continue
		}
		if err := s.takeRows(tempDir); err != nil {
			return err
		}
	}
	_, err := s.dec.ReadToken()
	s.keep(s.dec.InputOffset())
	return malformed(err)
}

// keep moves the bytes up to offset to the skeleton.
func (s *splitter) keep(offset int64) {
	n := offset - s.base
	s.skeleton.Write(s.seen[:n])
	s.drop(n)
}

func (s *splitter) drop(n int64) {
	s.seen = s.seen[:copy(s.seen, s.seen[n:])]
	s.base += n
}

// skip passes over one value, and checks it for what JSON allows and we do not.
func (s *splitter) skip() error {
	for depth := s.dec.StackDepth(); ; {
		token, err := s.dec.ReadToken()
		if err != nil {
			return malformed(err)
		}
		if err := s.check(token); err != nil {
			return err
		}
		if s.dec.StackDepth() == depth {
			return nil
		}
	}
}

func (s *splitter) check(token jsontext.Token) error {
	if s.dec.StackDepth() > maxDepth {
		return refuse(http.StatusBadRequest, "malformed_json", fmt.Sprintf("The body is nested deeper than %d levels.", maxDepth))
	}
	if token.Kind() == '"' && strings.ContainsRune(token.String(), 0) {
		return refuse(http.StatusBadRequest, "malformed_json", "The body has the character U+0000 in a text. Remove it.")
	}
	return nil
}

// takeRows moves the value that follows to a file.
func (s *splitter) takeRows(tempDir string) error {
	kind := s.dec.PeekKind()
	// Everything up to the value stays in the skeleton; Peek has read past the
	// colon, so the value begins at the next byte that is not white space.
	s.keep(s.dec.InputOffset())
	if kind == 'n' {
		err := s.skip()
		s.keep(s.dec.InputOffset())
		return err
	}
	if kind == 0 { // no value: the decoder says why
		return s.skip()
	}
	if kind != '[' {
		return invalidField(rowsField, "must be an array of objects")
	}
	start := int64(bytes.IndexByte(s.seen, '['))
	s.keep(s.base + start)
	var err error
	if s.rows, err = spool(tempDir); err != nil {
		return err
	}
	if err := s.spoolRows(); err != nil {
		return err
	}
	s.skeleton.WriteString("[]")
	return nil
}

// spool makes a file without a name: it is gone with its last handle.
func spool(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "rows-*")
	if err != nil {
		return nil, fmt.Errorf("spool initial_data: %w", err)
	}
	return f, os.Remove(f.Name())
}

func (s *splitter) spoolRows() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return malformed(err)
	}
	for row := 0; s.dec.PeekKind() != ']'; row++ {
		if kind := s.dec.PeekKind(); kind != '{' && kind != 0 {
			return invalidField(rowsField, fmt.Sprintf("must be an array of objects; element %d is none", row))
		}
		if err := s.skip(); err != nil {
			return err
		}
		if err := s.spill(); err != nil {
			return err
		}
	}
	if _, err := s.dec.ReadToken(); err != nil {
		return malformed(err)
	}
	return s.spill()
}

// spill moves what was decoded to the file.
func (s *splitter) spill() error {
	n := s.dec.InputOffset() - s.base
	if s.size += n; s.size > maxRows {
		return refuse(http.StatusRequestEntityTooLarge, "initial_data_too_large", "initial_data is larger than "+grouped(maxRows)+" bytes. Upload a file instead.")
	}
	if _, err := s.rows.Write(s.seen[:n]); err != nil {
		return fmt.Errorf("spool initial_data: %w", err)
	}
	s.drop(n)
	return nil
}

func malformed(err error) error {
	if err == nil {
		return nil
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return refuse(http.StatusBadRequest, "malformed_json", fmt.Sprintf("The body is not valid JSON: byte %d: %v.", syntax.ByteOffset, syntax.Err))
	}
	return err
}

// validJSON checks one JSON value by the rules of all bodies, without keeping
// it.
func validJSON(from io.Reader) error {
	s := &splitter{dec: jsontext.NewDecoder(from)}
	if err := s.skip(); err != nil {
		if errors.Is(err, io.EOF) {
			return refuse(http.StatusBadRequest, "body_missing", "The request has no body. Send a JSON document.")
		}
		return err
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return refuse(http.StatusBadRequest, "malformed_json", "The body goes on after its JSON value.")
	}
	return nil
}
