package realm

import "unicode/utf8"

// What an answer may hold; more than that is refused. The prelude keeps to the
// same bounds and tells the hook's author, so only a forged answer meets these.
const (
	maxName     = 1 << 10 // bytes of a name
	maxValue    = 3 << 20 // bytes of a text
	maxList     = 10_000  // elements of a value that is a list
	maxInfos    = 100     // messages of a cell
	maxMessage  = 8 << 10 // bytes of a message
	maxOptions  = 10_000  // options of a cell
	maxCommands = 10_000  // commands of a call
	maxConsole  = 20      // lines of console output
	maxHooks    = 10_000  // hooks of a schema
)

// ReadLoaded reads the answer to a [Load]: nothing, or what is wrong.
func ReadLoaded(raw string) ([]Fault, error) {
	s := &scanner{raw: raw}
	if !utf8.ValidString(raw) {
		s.fail("it is no UTF-8")
	}
	var faults []Fault
	s.object(func(name string) {
		switch name {
		case "faults":
			s.list(maxHooks, func(int) { faults = append(faults, s.fault()) })
		case "console":
			s.console()
		default:
			s.fail("it has an unknown member")
		}
	})
	s.end()
	if s.err != nil {
		return nil, s.err
	}
	return faults, nil
}

func (s *scanner) fault() (f Fault) {
	s.object(func(name string) {
		switch name {
		case "hook":
			f.Hook = s.text(maxName)
		case "name":
			f.Name = s.text(maxName)
		case "message":
			f.Message = s.text(maxMessage)
		case "line":
			f.Line = int(s.integer(0, 1<<31))
		case "column":
			f.Column = int(s.integer(0, 1<<31))
		default:
			s.fail("a fault has an unknown member")
		}
	})
	return f
}

// ReadAnswer reads the answer to any other call. The bytes may be forged:
// whatever the call does not allow for is an error, and nothing is taken then.
// What it gives is part of raw.
//
// The changes are handed out one by one, in the order in which hooks made them; a
// later one of a cell counts. Each is gone with the next. Where there is an error
// in the end, those before it count for nothing.
func ReadAnswer(raw string, bounds Bounds, each func(c *Change)) (*Answer, error) {
	s := &scanner{raw: raw}
	if !utf8.ValidString(raw) {
		s.fail("it is no UTF-8")
	}
	a := &Answer{}
	s.object(func(name string) { s.member(a, name, bounds, each) })
	s.end()
	if s.err == nil && len(a.Used) > 0 && !bounds.Learn {
		s.fail("it names columns that nobody asked for")
	}
	if s.err != nil {
		return nil, s.err
	}
	return a, nil
}

func (s *scanner) member(a *Answer, name string, bounds Bounds, each func(c *Change)) {
	switch name {
	case "changes":
		s.changes(bounds, each)
	case "used":
		a.Used = s.fields(bounds)
	case "miss":
		if a.Missed = s.fields(bounds); len(a.Missed) == 0 {
			s.fail("it lacks columns and names none")
		}
	case "times":
		s.list(maxHooks, func(int) { a.Times = append(a.Times, s.time()) })
	case "console":
		a.Console = s.console()
	case "commands":
		s.list(maxCommands, func(int) { a.Commands = append(a.Commands, s.command()) })
	case "more":
		a.More = s.boolean()
	case "cancel":
		a.Cancelled = s.boolean()
	case "message":
		a.Message = s.text(maxMessage)
	case "failure":
		a.Failure = s.failure()
	default:
		s.fail("it has an unknown member")
	}
}

func (s *scanner) fields(bounds Bounds) []int {
	list := []int{}
	s.list(len(bounds.Parts), func(int) {
		list = append(list, int(s.integer(0, int64(len(bounds.Parts))-1)))
	})
	return list
}

func (s *scanner) console() (lines []string) {
	s.list(maxConsole, func(int) { lines = append(lines, s.text(maxName)) })
	return lines
}

func (s *scanner) time() (t HookTime) {
	s.object(func(name string) {
		switch name {
		case "hook":
			t.Hook = s.text(maxName)
		case "ms":
			t.Took = s.milliseconds()
		default:
			s.fail("a time has an unknown member")
		}
	})
	return t
}

func (s *scanner) command() (c Command) {
	s.object(func(name string) {
		switch name {
		case "hook":
			c.Hook = s.text(maxName)
		case "name":
			c.Name = s.text(maxName)
		case "args":
			s.list(4, func(int) { c.Args = append(c.Args, []byte(s.any(0))) })
		case "line":
			c.Line = int(s.integer(0, 1<<31))
		case "column":
			c.Column = int(s.integer(0, 1<<31))
		default:
			s.fail("a command has an unknown member")
		}
	})
	if !commands[c.Name] {
		s.fail("there is no command of that name")
	}
	return c
}

// commands are the names of all commands.
var commands = map[string]bool{
	"addField": true, "removeField": true, "updateInfoMessages": true, "setHeaderRowOverride": true, "addRows": true,
	"removeRows": true, "setUser": true, "setDevelopmentMode": true, "setConfirmationMessage": true,
}

func (s *scanner) failure() *Failure {
	f := &Failure{}
	s.object(func(name string) {
		switch name {
		case "kind":
			f.Kind = Kind(s.text(maxName))
		case "row":
			f.Row = s.integer(-1, 1<<53)
		case "hook":
			f.Hook = s.text(maxName)
		case "name":
			f.Name = s.text(maxName)
		case "message":
			f.Message = s.text(maxMessage)
		case "line":
			f.Line = int(s.integer(0, 1<<31))
		case "column":
			f.Column = int(s.integer(0, 1<<31))
		default:
			s.fail("a failure has an unknown member")
		}
	})
	switch f.Kind {
	case KindThrew, KindReturned, KindStuck, KindTime, KindMemory, KindNull:
	default:
		s.fail("there is no failure of that kind")
	}
	return f
}
