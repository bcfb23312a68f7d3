// Package realfiles_test compares how Intray reads files from public repositories with how a person
// reads them. testdata/files.csv lists the files with the right answers. The files themselves are not
// part of the project: set INTRAY_REAL_FILES to a folder that contains them as
// OWNER/NAME/PATH, at the commits in the list.
package realfiles_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/formats"
	"github.com/intraydata/intray/test/suite"
)

// folderVariable is the environment variable with the folder of the files.
const folderVariable = "INTRAY_REAL_FILES"

// maxWrong is the maximum number of files that Intray may read differently without a question or a
// warning about a second table.
const maxWrong = 7

func TestMain(m *testing.M) { os.Exit(suite.Run(m, suite.RealFiles)) }

// realFile is a file with the answers of a person. Fields that a person did not decide are empty.
type realFile struct {
	repository, commit, path string
	sheet                    int
	encoding, delimiter      string
	// header lists the acceptable header rows, such as "1" and "1-2". "none" means no header.
	header []string
	// rows lists the acceptable numbers of records that are not blank, and columns those of columns.
	rows, columns []string
	// uncertain is set if a careful person would ask.
	uncertain bool
}

func readList(t *testing.T) (list []realFile) {
	t.Helper()
	file, err := os.Open("testdata/files.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	all, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range all[1:] {
		sheet, err := strconv.Atoi(row[3])
		if err != nil {
			t.Fatalf("%s: sheet: %v", row[2], err)
		}
		list = append(list, realFile{
			repository: row[0], commit: row[1], path: row[2], sheet: sheet, encoding: row[4], delimiter: row[5],
			header: strings.Fields(row[6]), rows: strings.Fields(row[7]), columns: strings.Fields(row[8]), uncertain: row[9] == "yes",
		})
	}
	return list
}

// reading is how Intray reads a file.
type reading struct {
	encoding, delimiter, header, rows, columns string
	// question is the first choice that Intray asks about, or "".
	question string
	// warned is set if Intray reports another table.
	warned bool
}

// countRows returns the number of records that are not blank, and whether another table was reported.
func countRows(ctx context.Context, reader source.Reader) (rows int, warned bool, err error) {
	var recs intray.Records
	for {
		err := reader.Next(ctx, &recs)
		for _, n := range recs.Notices {
			warned = warned || n.Type == intray.OtherTables && n.Level == intray.LevelWarning
		}
		if errors.Is(err, io.EOF) {
			return rows, warned, nil
		}
		if err != nil {
			return rows, warned, err
		}
		for i := range recs.Len() {
			for c := range recs.NumCells(i) {
				if strings.TrimSpace(string(recs.Cell(i, c))) != "" {
					rows++
					break
				}
			}
		}
	}
}

// readReal reads a sheet of a file.
func readReal(ctx context.Context, name string, sheet int) (r reading, err error) {
	file, err := source.OpenFile(name)
	if err != nil {
		return r, err
	}
	defer file.Close()
	book, err := source.Open(ctx, file.Input, formats.Formats(""), source.Options{})
	if err != nil {
		return r, err
	}
	defer book.Close()
	if sheet > len(book.Sheets()) {
		return r, fmt.Errorf("there is no sheet %d", sheet)
	}
	reader, err := book.Open(ctx, sheet-1)
	if err != nil {
		return r, err
	}
	defer reader.Close()
	rows, warned, err := countRows(ctx, reader)
	if err != nil {
		return r, err
	}
	r.warned = warned
	for _, e := range append(book.Evidence(), reader.Evidence()...) {
		switch e.Choice {
		case "encoding":
			r.encoding = strings.ToLower(e.Value)
		case "delimiter":
			r.delimiter = e.Value
			switch {
			case e.Value == "\t":
				r.delimiter = "tab"
			case strings.TrimSpace(e.Value) == "":
				r.delimiter = "spaces"
			}
		case "header row":
			r.header = strings.ReplaceAll(e.Value, "–", "-")
		}
		if e.Tie && r.question == "" {
			r.question = e.Choice
		}
	}
	r.rows, r.columns = strconv.Itoa(rows), strconv.Itoa(len(reader.Columns()))
	return r, nil
}

// differences compares a reading with the answers of a person.
func (f realFile) differences(r reading) (list []string) {
	compare := func(what, got string, want []string) {
		if len(want) > 0 && !slices.Contains(want, got) {
			list = append(list, fmt.Sprintf("%s %s, want %s", what, got, strings.Join(want, " or ")))
		}
	}
	compare("encoding", r.encoding, strings.Fields(f.encoding))
	if f.delimiter != "" {
		compare("delimiter", r.delimiter, []string{f.delimiter})
	}
	compare("header", r.header, f.header)
	compare("rows", r.rows, f.rows)
	compare("columns", r.columns, f.columns)
	return list
}

// TestRealFiles reads the files and prints each one that Intray reads differently from a person.
func TestRealFiles(t *testing.T) {
	folder := os.Getenv(folderVariable)
	if folder == "" {
		t.Skipf("SKIPPED: set %s to the folder with the files", folderVariable)
	}
	var right, asked, needless, warned, wrong, missing int
	for _, f := range readList(t) {
		r, err := readReal(t.Context(), filepath.Join(folder, f.repository, filepath.FromSlash(f.path)), f.sheet)
		if errors.Is(err, os.ErrNotExist) {
			missing++
			continue
		}
		differences := f.differences(r)
		if err != nil {
			differences = []string{err.Error()}
		}
		verdict := "right"
		switch {
		case r.question != "" && f.uncertain:
			verdict = "asked"
			asked++
		case r.question != "":
			verdict = "asked needlessly"
			needless++
		case len(differences) == 0:
			right++
		case r.warned:
			verdict = "wrong, with a warning"
			warned++
		default:
			verdict = "wrong"
			wrong++
		}
		if verdict != "right" {
			t.Logf("%s: %s/%s, sheet %d: %s %s", verdict, f.repository, f.path, f.sheet, strings.Join(differences, "; "), r.question)
		}
	}
	t.Logf("right %d, asked %d, asked needlessly %d, wrong with a warning %d, wrong %d, missing %d", right, asked, needless, warned, wrong, missing)
	if wrong > maxWrong {
		t.Errorf("%d files are read wrongly without a question, want at most %d", wrong, maxWrong)
	}
}
