package csv

import (
	"bytes"
	"path"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/source"
	"github.com/intraydata/intray/source/headerdetect"
)

// checkIsTable returns an error that says what a text is if it is certainly no table. name is the
// name of the file, and whole reports whether sample is the whole text.
func checkIsTable(name string, sample []byte, whole bool) error {
	text := bytes.TrimSpace(sample)
	switch base := path.Base(strings.ReplaceAll(name, `\`, "/")); {
	case strings.HasPrefix(base, "~$"), strings.HasPrefix(base, ".~lock."):
		return notTable("file.lock_file", nil)
	case whole && bytes.HasPrefix(text, []byte("version https://git-lfs.github.com/spec/")):
		return notTable("file.lfs_pointer", nil)
	case isMarkup(text, whole):
		return notTable("file.markup", nil)
	case whole && isSentence(text):
		return notTable("file.one_sentence", intray.Params{"text": source.Excerpt(string(text))})
	case isSourceCode(text):
		return notTable("file.source_code", nil)
	}
	return nil
}

func notTable(code string, params intray.Params) error {
	return &source.UnreadableError{Reason: intray.NewMessage(code, params)}
}

// isMarkup reports whether a text is XML or HTML: it starts with a declaration, or it starts and
// ends with the same element.
func isMarkup(text []byte, whole bool) bool {
	lower := bytes.ToLower(text[:min(len(text), 64)])
	for _, begin := range []string{"<?xml", "<!doctype", "<!--"} {
		if bytes.HasPrefix(lower, []byte(begin)) {
			return true
		}
	}
	if len(text) == 0 || text[0] != '<' {
		return false
	}
	end := bytes.IndexAny(text, "> \t\r\n/")
	return whole && end > 1 && bytes.HasSuffix(text, []byte("</"+string(text[1:end])+">"))
}

// minSentenceWords is the minimum number of words in a sentence.
const minSentenceWords = 3

// isSentence reports whether a text is a single line of words, such as an error message of the
// server from which a file was downloaded. A line that can be split into several short cells can
// be a header.
func isSentence(text []byte) bool {
	if bytes.ContainsAny(text, "\r\n\t;|") {
		return false
	}
	words := strings.Fields(string(text))
	if len(words) < minSentenceWords || bytes.ContainsRune(text, '"') {
		return false
	}
	return !bytes.ContainsRune(text, ',') || len(words) >= 3*(1+bytes.Count(text, []byte(",")))
}

// minStatements is the minimum number of statements in source code, and codeLines is the maximum
// number of lines that are examined.
const minStatements, codeLines = 3, 60

// isSourceCode reports whether a text is a program or a script: it begins like one, at least a third
// of the first lines look like statements, and no delimiter splits the lines regularly.
func isSourceCode(text []byte) bool {
	first := firstCodeLine(text)
	for _, begin := range sqlBegins {
		if len(first) >= len(begin) && strings.EqualFold(first[:len(begin)], begin) {
			return true
		}
	}
	begins := false
	for _, begin := range codeBegins {
		begins = begins || strings.HasPrefix(first, begin)
	}
	if !begins {
		return false
	}
	lines, statements := 0, 0
	for line := range bytes.Lines(text) {
		cut := strings.TrimSpace(string(line[:min(len(line), 200)]))
		if cut == "" {
			continue
		}
		if lines++; isStatement(cut) {
			statements++
		}
		if lines == codeLines {
			break
		}
	}
	return statements >= minStatements && 3*statements >= lines && !isDelimited(text)
}

// isDelimited reports whether four in five of the first lines have the same number of some
// delimiter. A delimiter at the end of a line, such as the semicolon of a statement, does not count.
func isDelimited(text []byte) bool {
	for _, delim := range []byte(",;\t|") {
		counts := map[int]int{}
		lines := 0
		for line := range bytes.Lines(text) {
			line = bytes.TrimRight(line, "\r\n"+string(delim))
			if len(line) == 0 {
				continue
			}
			counts[bytes.Count(line, []byte{delim})]++
			if lines++; lines == codeLines {
				break
			}
		}
		for n, same := range counts {
			if n > 0 && 5*same >= 4*lines {
				return true
			}
		}
	}
	return false
}

// firstCodeLine returns the first line that is neither blank nor a comment, or the first line if
// it names an interpreter.
func firstCodeLine(text []byte) string {
	comment := ""
	for line := range bytes.Lines(text[:min(len(text), 16<<10)]) {
		cut := strings.TrimSpace(string(line[:min(len(line), 200)]))
		switch {
		case strings.HasPrefix(cut, "#!"), strings.HasPrefix(cut, "<?php"):
			return cut
		case cut == "":
		case comment != "":
			if strings.Contains(cut, comment) {
				comment = ""
			}
		case strings.HasPrefix(cut, "/*") && !strings.Contains(cut, "*/"):
			comment = "*/"
		case strings.HasPrefix(cut, `"""`) && strings.Count(cut, `"""`) == 1:
			comment = `"""`
		case strings.HasPrefix(cut, "//"), strings.HasPrefix(cut, "/*"), strings.HasPrefix(cut, "#") && !strings.HasPrefix(cut, "#include"), strings.HasPrefix(cut, "--"), strings.HasPrefix(cut, `"""`):
		default:
			return cut
		}
	}
	return ""
}

// sqlBegins are the beginnings of SQL scripts, in any case. Their further lines rarely look like
// statements.
var sqlBegins = []string{"CREATE TABLE ", "CREATE INDEX ", "CREATE DATABASE ", "DROP TABLE ", "INSERT INTO ", "ALTER TABLE "}

// codeBegins are the beginnings of common programs and scripts.
var codeBegins = []string{
	"#!/", "<?php", "#include", "package ", "import ", "from ", "using ", "namespace ", "module ", "require ", "library(", "use ", `"use strict"`, "'use strict'",
	"def ", "class ", "public ", "function ", "const ", "let ", "var ", "fn ", "func ", "pub ", "@", "SELECT ", "select ", "SET ", "BEGIN", "export ",
}

// isStatement reports whether a line looks like a part of a program.
func isStatement(line string) bool {
	for _, begin := range codeBegins {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	for _, begin := range []string{"//", "/*", "* ", "}", "{", ")", "if ", "if(", "for ", "for(", "while ", "return", "else", "elif ", "try", "except", "end", "echo ", "print", "VALUES", "fi", "done"} {
		if strings.HasPrefix(line, begin) && !headerdetect.KindOf(line).IsTyped() {
			return true
		}
	}
	for _, end := range []string{"{", "}", "};", ");", "):", "(", "[", "]", "],", "->", "=>"} {
		if strings.HasSuffix(line, end) {
			return true
		}
	}
	return strings.Contains(line, " = ") || strings.Contains(line, "()") || strings.Contains(line, " := ")
}
