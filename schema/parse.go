package schema

import (
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/intraydata/intray"
	"github.com/intraydata/intray/celltype"
	"github.com/intraydata/intray/internal/jsonschema"
	"github.com/intraydata/intray/validate/jsregexp"
)

// UnmappedKey is the key of the cells of unmapped columns in a result row. No field may
// have this key.
const UnmappedKey = "$unmapped"

// Parse returns the schema that a document describes, with defaults filled in. If the document
// is invalid, it returns at most jsonschema.MaxIssues issues. It checks the other rules only if
// the document matches its shape. Paths begin with name, fields, settings or hooks. The fields
// are required. Everything else is optional.
//
// Parse does not check the syntax of hooks. Package hooks does.
func Parse(doc Doc) (*intray.Schema, []Issue) { return parse(doc, false) }

// ParseSaved is like Parse, but for a document with the fields of a saved schema. It accepts
// validators that repeat another one, because earlier versions accepted them. It ignores extensions
// of fields that no longer exist.
func ParseSaved(doc Doc) (*intray.Schema, []Issue) { return parse(doc, true) }

func parse(doc Doc, saved bool) (*intray.Schema, []Issue) {
	whole := doc.asObject()
	if issues := FileShape().Validate(whole); len(issues) > 0 {
		return nil, issues
	}
	p := &parser{keys: map[string]int{}, expressions: map[expression]bool{}, expressionSteps: maxExpressionSteps, saved: saved}
	settings, _ := whole["settings"].(map[string]any)
	hooks, _ := whole["hooks"].(map[string]any)
	extensions, _ := whole["extensions"].(map[string]any)
	s := &intray.Schema{Name: doc.Name, Fields: p.readFields(listMember(whole, "fields")), Hooks: readHooks(hooks)}
	for i, f := range s.Fields {
		p.checkKey(i, f.Key)
	}
	readExtensions(s.Fields, extensions)
	if !saved { // fields may have changed since the extensions were saved
		p.checkExtensions("extensions.", s.Fields, extensions)
	}
	for i, f := range s.Fields {
		at := indexedPath("fields", i)
		p.checkValidators(at, f)
		p.checkOptions(at, f)
		if len(p.issues) == 0 {
			err := celltype.Check(f)
			if err == nil {
				_, err = celltype.OutputFormatter(f)
			}
			if err != nil {
				p.addIssue(at+".type", intray.NewMessage("schema.invalid_type", intray.Params{"problem": intray.MessageOf(err)}))
			}
		}
	}
	s.Settings = p.readSettings(settings)
	p.checkHooks(s)
	if len(p.issues) > 0 {
		return nil, p.issues
	}
	return s, nil
}

type parser struct {
	issues []Issue
	// keys maps the keys of fields to their indexes.
	keys map[string]int
	// expressions holds the expressions that were already checked, so that none is checked
	// twice, because checking is slow.
	expressions map[expression]bool
	// expressionSteps is the number of steps that are left for checking expressions.
	expressionSteps int
	// saved reports whether the schema may be one that an earlier version accepted.
	saved bool
}

// maxExpressionSteps is the maximum number of steps for checking the expressions of a schema that
// are expensive to check; see jsregexp.Check. They take about 200 ms.
const maxExpressionSteps = 1 << 23

func (p *parser) addIssue(path string, message intray.Message) {
	if len(p.issues) < jsonschema.MaxIssues {
		p.issues = append(p.issues, Issue{Path: path, Message: message})
	}
}

func (p *parser) checkKey(i int, key string) {
	at := indexedPath("fields", i) + ".key"
	first, taken := p.keys[key]
	switch {
	case taken:
		p.addIssue(at, intray.NewMessage("schema.duplicate_key", intray.Params{"path": indexedPath("fields", first) + ".key", "key": shorten(key)}))
		return
	case key == UnmappedKey:
		p.addIssue(at, intray.NewMessage("schema.reserved_key", intray.Params{"key": key}))
	case len(key) > MaxKeyBytes:
		p.addIssue(at, intray.NewMessage("schema.key_too_long", intray.Params{"n": MaxKeyBytes, "size": len(key)}))
	}
	p.keys[key] = i
}

func (p *parser) checkValidators(at string, f intray.Field) {
	if f.Hidden && len(f.Validators) > 0 {
		p.addIssue(at+".validators", intray.NewMessage("schema.validators_of_hidden_field", nil))
	}
	seen := make(map[string]int, len(f.Validators))
	for i, v := range f.Validators {
		place := at + "." + indexedPath("validators", i)
		if key := ruleKey(v); !p.saved && len(f.Validators) > 1 {
			if first, again := seen[key]; again {
				p.addIssue(place, intray.NewMessage("schema.rule_repeated", intray.Params{"path": indexedPath("validators", first)}))
				continue
			}
			seen[key] = i
		}
		p.checkLength(place, v)
		p.checkRegex(place, v)
		for _, n := range fieldReferences(v) {
			if _, ok := p.keys[n.key]; !ok {
				p.addUnknownField(place+"."+n.path, n.key)
			}
		}
	}
}

// ruleKey returns a key that is equal for two validators that check the same and have the same
// level.
func ruleKey(v intray.Validator) string {
	options := v.Options
	if flags, has := options["regexOptions"].(map[string]any); has {
		options = maps.Clone(options)
		flags = maps.Clone(flags)
		maps.DeleteFunc(flags, func(_ string, on any) bool { return on == false })
		if options["regexOptions"] = flags; len(flags) == 0 {
			delete(options, "regexOptions")
		}
	}
	if len(options) == 0 {
		return v.Rule + " " + v.Level.String()
	}
	text, err := json.Marshal(options)
	if err != nil {
		return "" // options are decoded JSON, which can always be encoded
	}
	return v.Rule + " " + v.Level.String() + " " + string(text)
}

// expression identifies a regular expression that was checked.
type expression struct {
	source string
	flags  jsregexp.Flags
}

// checkRegex checks that a regular expression is valid in JavaScript.
func (p *parser) checkRegex(at string, v intray.Validator) {
	source, has := v.Options["regex"].(string)
	if !has {
		return
	}
	flags, _ := v.Options["regexOptions"].(map[string]any)
	one := expression{source, jsregexp.Flags{
		IgnoreCase: boolMember(flags, "ignoreCase"), DotAll: boolMember(flags, "dotAll"),
		Multiline: boolMember(flags, "multiline"), Unicode: boolMember(flags, "unicode"),
	}}
	if p.expressions[one] {
		return
	}
	if len(p.expressions) == MaxExpressions {
		p.addIssue(at+".regex", intray.NewMessage("schema.too_many_expressions", intray.Params{"n": MaxExpressions}))
		return
	}
	p.expressions[one] = true
	if err := jsregexp.Check(source, one.flags, &p.expressionSteps); err != nil {
		p.addIssue(at+".regex", intray.NewMessage("schema.invalid_regex", intray.Params{"problem": intray.MessageOf(err)}))
	}
}

// checkLength checks the minimum and the maximum of a length validator.
func (p *parser) checkLength(at string, v intray.Validator) {
	if v.Rule != "length" {
		return
	}
	least, hasLeast := jsonschema.Int64(v.Options["min"])
	most, hasMost := jsonschema.Int64(v.Options["max"])
	switch {
	case !hasLeast && !hasMost:
		p.addIssue(at, intray.NewMessage("schema.length_without_bounds", nil))
	case hasLeast && hasMost && least > most:
		p.addIssue(at+".min", intray.NewMessage("schema.min_above_max", intray.Params{"limit": most}))
	}
}

// checkOptions checks that a select field has options and that no two of them share a name.
func (p *parser) checkOptions(at string, f intray.Field) {
	isSelect := f.Type.Name == intray.TypeSelect || f.Type.Name == intray.TypeMultiSelect
	if isSelect && len(f.SelectOptions) == 0 {
		p.addIssue(at+".selectOptions", intray.NewMessage("schema.options_missing", intray.Params{"type": string(f.Type.Name)}))
	}
	taken := map[string]int{}
	for i, o := range f.SelectOptions {
		for _, name := range append([]string{o.Label, o.Value}, o.AlternateMatches...) {
			if other, ok := taken[name]; ok && other != i {
				p.addIssue(at+"."+indexedPath("selectOptions", i), intray.NewMessage("schema.duplicate_option", intray.Params{"path": indexedPath("selectOptions", other), "name": shorten(name)}))
				break
			}
			taken[name] = i
		}
	}
}

func (p *parser) addUnknownField(path, key string) {
	p.addIssue(path, intray.NewMessage("schema.unknown_field", intray.Params{"key": shorten(key)}))
}

// shorten returns the part of text that a message shows.
func shorten(text string) string {
	const most = 200
	n := 0
	for i := range text {
		if n++; n > most {
			return text[:i] + "…"
		}
	}
	return text
}

func indexedPath(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }

// ParseUnchecked returns the schema that a document describes. Parse must already have
// accepted the document. Otherwise, ParseUnchecked may panic.
func ParseUnchecked(doc Doc) *intray.Schema {
	whole := doc.asObject()
	p := &parser{}
	settings, _ := whole["settings"].(map[string]any)
	hooks, _ := whole["hooks"].(map[string]any)
	extensions, _ := whole["extensions"].(map[string]any)
	fields := p.readFields(listMember(whole, "fields"))
	readExtensions(fields, extensions)
	return &intray.Schema{
		Name: doc.Name, Fields: fields,
		Settings: p.readSettings(settings), Hooks: readHooks(hooks),
	}
}

// CheckOverlay returns the issues in settings and hooks that will be merged into a saved
// schema. After the merge, Parse checks the fields to which hooks refer.
func CheckOverlay(over Doc) []Issue {
	stand := []any{map[string]any{"key": "field", "label": "Field"}}
	_, all := Parse(Doc{Fields: stand, Settings: over.Settings, Hooks: over.Hooks})
	var issues []Issue
	for _, issue := range all {
		if !strings.HasPrefix(issue.Path, "hooks.columnHooks") || !strings.HasSuffix(issue.Path, ".fieldName") {
			issues = append(issues, issue)
		}
	}
	return issues
}
