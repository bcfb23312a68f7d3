package server

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/intraydata/intray/server/retention"
	"github.com/intraydata/intray/server/sqlstore"
)

// explainFingerprint returns an error that states what to do about an error of
// [retention.CheckFingerprint]. It returns other errors unchanged.
func (c *Config) explainFingerprint(err error) error {
	switch {
	case errors.Is(err, retention.ErrNoFingerprint):
		return usageErrorf("no server has stored files for this database, so there is nothing to delete; check --data and --database-url")
	case errors.Is(err, retention.ErrOtherStore):
		return c.explainOtherStore()
	case errors.Is(err, retention.ErrOtherBlobs):
		return c.explainOtherBlobs()
	}
	return err
}

// explainOtherStore explains that the database is new, but the files belong to a different one.
func (c *Config) explainOtherStore() error {
	switch {
	case c.BlobURL != "":
		return fmt.Errorf("%s belongs to a different database; check --database-url, or choose a different prefix", c.BlobURL)
	case c.DatabaseURL != "":
		return fmt.Errorf("%s belongs to a different database; check --database-url, or use a different --data folder", c.blobDir())
	}
	return fmt.Errorf("%s belongs to a different database; restore that database (%s), or use a different --data folder", c.blobDir(), sqliteName)
}

// explainOtherBlobs explains that the files of the database are elsewhere.
func (c *Config) explainOtherBlobs() error {
	switch {
	case c.BlobURL != "":
		return fmt.Errorf("%s does not contain the files of this database; set --blob-url to the value that the other processes use", c.BlobURL)
	case c.DatabaseURL != "":
		return errors.New("this database stores its files elsewhere; set --blob-url, or share the blobs folder")
	}
	return fmt.Errorf("%s does not contain the files of this database; restore it and %s from the same backup", c.blobDir(), sqliteName)
}

// logStores logs which database this process uses and where it stores files.
func (c *Config) logStores() {
	files := c.BlobURL
	if files == "" {
		files = c.blobDir()
	}
	c.Log.Info("stores opened", "database", c.databaseName(), "files", files)
}

// databaseName returns the URL of the PostgreSQL database without its password and parameters, or
// the path of the SQLite database.
func (c *Config) databaseName() string {
	if c.DatabaseURL == "" {
		return filepath.Join(c.Data, sqliteName)
	}
	if sqlstore.CheckURL(c.DatabaseURL) != nil { // its parts may contain the password
		return "PostgreSQL"
	}
	used, err := pgconn.ParseConfig(c.DatabaseURL)
	if err != nil {
		return "PostgreSQL"
	}
	return "postgres://" + used.User + "@" + net.JoinHostPort(used.Host, strconv.Itoa(int(used.Port))) + "/" + used.Database
}
