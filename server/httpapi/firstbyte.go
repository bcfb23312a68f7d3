package httpapi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// afterFirstByte runs the function write until it has written a byte, and returns a stream for the
// response, which continues it. If write fails before that, afterFirstByte returns its error, so that the
// client receives it as an error response instead of a connection that is closed.
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
