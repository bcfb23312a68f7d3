package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/intraydata/intray/server"
	"github.com/intraydata/intray/server/integrity"
)

type moveCommand struct {
	storeFlags
	listFlags
	Cancel bool `help:"Give up an incomplete move, so that servers can use the data folder again." env:"-"`
}

// Help returns the text that --help prints after the flags.
func (moveCommand) Help() string {
	return `Moves the SQLite database of a data folder to the empty PostgreSQL database of
--database-url, and the files to the bucket of --blob-url, if it is set. Stop the server
first, and start it afterwards with the same flags.

Set the master key, if it is not in the file master.key, with INTRAY_MASTER_KEY. The
command compares all rows and verifies all files. If it is interrupted, run it again:
until it has succeeded, no server starts with either database. The data folder keeps
its files. Delete intray.db, and blobs if the files were moved, when you no longer need
them.

The exit status is 1 if stored files are damaged. The move is complete nevertheless.`
}

// Run moves the installation.
func (c *moveCommand) Run(ctx context.Context, s streams) error {
	if c.Cancel {
		if err := server.CancelMove(ctx, c.adminConfig(s)); err != nil {
			return err
		}
		fmt.Fprintln(s.out, "Servers can use the data folder again. Delete the target database, and the files in the bucket.")
		return nil
	}
	list := verified{Damage: []verifiedEntry{}}
	shown := newStatusLine(s.err)
	sum, err := server.Move(ctx, c.adminConfig(s), server.MoveOptions{
		Progress: func(what string, n int64) { shown.show("%s: %d", what, n) },
		Verify: integrity.Options{
			Report:   list.add,
			Progress: func(sum integrity.Summary) { shown.show("%s verified", pluralize(sum.Imports, "import")) },
		},
	})
	shown.clear()
	if err != nil {
		return err
	}
	list.setSummary(sum)
	err = c.write(s.out, list, func(w io.Writer) error {
		fmt.Fprintln(w, "The move is complete. Start the server with the same --database-url and --blob-url.")
		return list.writeText(w)
	})
	if err == nil && list.Damaged > 0 {
		err = errors.New("the damaged files were already damaged or missing before the move; run intray verify --repair, and restore what it cannot repair from a backup")
	}
	return err
}
