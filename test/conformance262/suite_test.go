package conformance262

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// script is a test of the suite.
type script struct {
	// name is the path relative to the folder "test".
	name string
	head
	// text is the content of the file.
	text string
}

// head is the front matter of a test or harness file.
type head struct {
	flags, includes, features []string
	// If the test must fail, phase is the phase in which it must fail, and wrong is the type
	// of the error. Otherwise, both are "".
	phase, wrong string
}

func (h *head) flag(name string) bool { return slices.Contains(h.flags, name) }

var frontMatter = regexp.MustCompile(`(?s)/\*---(.*?)---\*/`)

// headOf parses the front matter. It supports a simple subset of YAML: keys and lists, on one or
// several lines. It ignores all other text.
func headOf(text string) (h head) {
	found := frontMatter.FindStringSubmatch(text)
	if found == nil {
		return h
	}
	key := ""
	for lines := bufio.NewScanner(strings.NewReader(strings.ReplaceAll(found[1], "\r", "\n"))); lines.Scan(); {
		line := lines.Text()
		word := strings.TrimSpace(line)
		switch {
		case word == "" || strings.HasPrefix(word, "#"):
		case line[0] != ' ' && line[0] != '-':
			var value string
			key, value, _ = strings.Cut(word, ":")
			h.add(key, listed(value))
		case strings.HasPrefix(word, "- "):
			h.add(key, []string{strings.TrimSpace(word[2:])})
		case key == "negative":
			name, value, _ := strings.Cut(word, ":")
			h.add("negative "+name, listed(value))
		}
	}
	return h
}

// listed returns the elements of a list such as [a, b], or a single word as the only element.
func listed(value string) (list []string) {
	for _, one := range strings.Split(strings.Trim(strings.TrimSpace(value), "[]"), ",") {
		if one = strings.TrimSpace(one); one != "" {
			list = append(list, one)
		}
	}
	return list
}

func (h *head) add(key string, values []string) {
	switch key {
	case "flags":
		h.flags = append(h.flags, values...)
	case "includes":
		h.includes = append(h.includes, values...)
	case "features":
		h.features = append(h.features, values...)
	case "negative phase":
		h.phase = strings.Join(values, "")
	case "negative type":
		h.wrong = strings.Join(values, "")
	}
}

// suite is a checkout of Test262.
type suite struct {
	folder string
	// scripts contains the tests to run, sorted by name.
	scripts []script
	// found is the number of all tests. left maps each reason to the number of tests skipped for
	// it.
	found   int
	left    map[string]int
	harness map[string]string
}

// openSuite reads all tests and keeps those to run.
func openSuite(folder string) (*suite, error) {
	s := &suite{folder: folder, left: map[string]int{}, harness: map[string]string{}}
	if err := s.readHarness(); err != nil {
		return nil, fmt.Errorf("TEST262=%s is not a checkout of Test262: %w", folder, err)
	}
	for _, part := range []string{"language", "built-ins"} {
		err := filepath.WalkDir(filepath.Join(folder, "test", part), func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".js") || strings.Contains(name, "_FIXTURE") {
				return err
			}
			return s.read(name)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading the tests of Test262: %w", err)
		}
	}
	if s.found == 0 {
		return nil, fmt.Errorf("TEST262=%s has no tests below test/language and test/built-ins", folder)
	}
	return s, nil
}

// always is the list of harness files that every test includes.
var always = []string{"assert.js", "sta.js"}

// doneFile is the harness file that reports the end of an asynchronous test.
const doneFile = "doneprintHandle.js"

func (s *suite) readHarness() error {
	folder := filepath.Join(s.folder, "harness")
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".js") {
			return err
		}
		text, err := os.ReadFile(name)
		short, _ := filepath.Rel(folder, name)
		s.harness[filepath.ToSlash(short)] = string(text)
		return err
	})
	if err != nil {
		return err
	}
	for _, name := range append([]string{doneFile}, always...) {
		if _, there := s.harness[name]; !there {
			return fmt.Errorf("missing file harness/%s", name)
		}
	}
	return nil
}

func (s *suite) read(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	short, err := filepath.Rel(filepath.Join(s.folder, "test"), name)
	if err != nil {
		return err
	}
	one := script{name: filepath.ToSlash(short), text: string(text), head: headOf(string(text))}
	s.found++
	if why := s.skipReason(&one); why != "" {
		s.left[why]++
		return nil
	}
	s.scripts = append(s.scripts, one)
	return nil
}

// skipReason returns the reason why a test is skipped, or "".
func (s *suite) skipReason(one *script) string {
	if one.flag("module") {
		return "modules"
	}
	for _, feature := range one.features {
		if later[feature] || strings.HasPrefix(feature, "Intl") || strings.HasPrefix(feature, "Temporal") {
			return "newer than ES2020"
		}
	}
	for _, name := range one.includes {
		if _, there := s.harness[name]; !there {
			return "its harness file is not there"
		}
	}
	return s.lacking(one)
}

// lacks is a feature that hooks omit on purpose.
type lacks struct {
	what string
	// in is the list of folders whose tests cover only this feature. features is the list of
	// names that the suite uses for it.
	in, features []string
	// code matches tests and included harness files that use the feature.
	code *regexp.Regexp
}

// missing contains the features that hooks omit, with the reasons.
var missing = []lacks{
	{
		// A hook is a single function, so all of its code is in the schema.
		what:     "not for hooks: modules, which a hook cannot load",
		in:       []string{"language/import/", "language/export/", "language/module-code/", "language/expressions/dynamic-import/", "language/expressions/import.meta/"},
		features: []string{"dynamic-import", "import.meta", "export-star-as-namespace-from-module"},
		code:     regexp.MustCompile(`\bimport\s*\(`),
	},
	{
		// Threads and the garbage collector would affect the results.
		what:     "not for hooks: threads and the garbage collector, which would show in results",
		in:       []string{"built-ins/Atomics/", "built-ins/SharedArrayBuffer/"},
		features: []string{"Atomics", "SharedArrayBuffer", "host-gc-required"},
		code:     regexp.MustCompile(`\$262\s*\.\s*(agent|gc)\b|\b(SharedArrayBuffer|Atomics)\b`),
	},
	{
		what:     "not for hooks: several realms, or a host that offers $262",
		features: []string{"cross-realm", "IsHTMLDDA"},
		code:     regexp.MustCompile(`\$262\b|\$DETACHBUFFER\b`),
	},
	{
		// All code must be in the schema, where the author of the schema can read it.
		what: "not for hooks: code made from text (eval, the Function constructors)",
		in: []string{
			"language/eval-code/", "built-ins/eval/", "built-ins/Function/", "built-ins/GeneratorFunction/", "built-ins/AsyncFunction/",
			"built-ins/AsyncGeneratorFunction/",
		},
		code: regexp.MustCompile(`\beval\b|\b(Async)?(Generator)?Function\s*\(|\bnew\s+(Async)?(Generator)?Function\b`),
	},
	{
		// A hook is a function, so it has no global code.
		what: "not for hooks: the global scope, a file's first characters",
		in:   []string{"language/global-code/", "language/comments/hashbang/"},
	},
	{
		what: "not for hooks: timers",
		code: regexp.MustCompile(`\bsetTimeout\b`),
	},
}

var comment = regexp.MustCompile(`(?s)/\*.*?\*/|(?m:^\s*//.*$)`)

// lacking returns the description of the first feature that a test needs and hooks omit, or "".
func (s *suite) lacking(one *script) string {
	if one.flag("raw") && one.phase == "" {
		return "not for hooks: raw text outside a function"
	}
	code := comment.ReplaceAllString(one.text, "")
	for _, name := range one.includes {
		code += "\n" + comment.ReplaceAllString(s.harness[name], "")
	}
	for _, m := range missing {
		within := slices.ContainsFunc(m.in, func(folder string) bool { return strings.HasPrefix(one.name, folder) })
		marked := slices.ContainsFunc(m.features, func(feature string) bool { return slices.Contains(one.features, feature) })
		if within || marked || m.code != nil && m.code.MatchString(code) {
			return m.what
		}
	}
	return ""
}

// later contains the features added after ES2020, by their names in the suite.
var later = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`
		AggregateError Promise.any WeakRef FinalizationRegistry FinalizationGroup FinalizationRegistry.prototype.cleanupSome
		logical-assignment-operators numeric-separator-literal String.prototype.replaceAll stable-typedarray-sort
		align-detached-buffer-semantics-with-web-reality

		Array.prototype.at String.prototype.at TypedArray.prototype.at String.prototype.item Array.prototype.item TypedArray.prototype.item
		class-fields-private class-fields-private-in class-fields-public class-methods-private class-static-block
		class-static-fields-private class-static-fields-public class-static-methods-private
		error-cause Object.hasOwn regexp-match-indices top-level-await arbitrary-module-namespace-names

		array-find-from-last change-array-by-copy hashbang symbols-as-weakmap-keys

		array-grouping arraybuffer-transfer resizable-arraybuffer promise-with-resolvers regexp-v-flag
		String.prototype.isWellFormed String.prototype.toWellFormed Atomics.waitAsync

		Float16Array import-attributes import-assertions json-modules iterator-helpers set-methods promise-try
		regexp-duplicate-named-groups regexp-modifiers RegExp.escape

		Array.fromAsync Error.isError Math.sumPrecise uint8array-base64 json-parse-with-source iterator-sequencing upsert
		explicit-resource-management

		Atomics.pause ShadowRealm decorators canonical-tz source-phase-imports source-phase-imports-module-source import-defer
		import-text import-bytes joint-iteration immutable-arraybuffer nonextensible-applies-to-private await-dictionary
		legacy-regexp error-stack-accessor export-default-from iterator-chunking iterator-join iterator-includes
		promise-allkeyed promise-all-keyed typedarray-concat error-captureStackTrace
	`) {
		set[name] = true
	}
	return set
}()
