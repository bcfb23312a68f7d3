package httpapi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// afterFirstByte starts write, waits until it has written a byte, and returns a function that streams
// the output of write to the response. If write fails before its first byte, afterFirstByte returns the
// error, so that the client receives an error response instead of a closed connection.
func afterFirstByte(write func(w io.Writer) error) (stream func(w io.Writer) error, err error) {
	from, to := io.Pipe()
	go func() {
		err := errors.New("writing was aborted")
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("write a response: %v", p)
			}
			to.CloseWithError(err)
		}()
		err = write(to)
	}()
	ready := bufio.NewReaderSize(from, 64<<10)
	if _, err := ready.Peek(1); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return func(w io.Writer) error {
		_, err := io.Copy(w, ready)
		return errors.Join(err, from.Close()) // ends write if it still runs
	}, nil
}
