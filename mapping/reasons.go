package mapping

import (
	"math"

	"github.com/intraydata/intray"
)

// reason makes the message for a column of which the header, shortened, is known
// then. Most candidates are dropped, and their reasons are never made.
type reason func(header string) intray.Message

// fixed is a reason that is the same for all columns.
func fixed(m intray.Message) reason { return func(string) intray.Message { return m } }

// made are the messages of reasons for a column.
func made(reasons []reason, column intray.Column) []intray.Message {
	header := Shorten(column.Header)
	list := make([]intray.Message, len(reasons))
	for i, why := range reasons {
		list[i] = why(header)
	}
	return list
}

// percent rounds a part of 1.
func percent(share float64) int { return int(math.RoundToEven(share * 100)) }

// columnMessage names a column. People count from 1.
func columnMessage(c intray.Column) intray.Message {
	return intray.NewMessage("column.named", intray.Params{"header": Shorten(c.Header), "column": c.Index + 1})
}

// quoted is a name in a list of such.
func quoted(name string) intray.Message {
	return intray.NewMessage("text.quoted", intray.Params{"text": Shorten(name)})
}

// joinParts is the value of a parameter: the first of total parts, and the number of
// those left out.
func joinParts(parts []intray.Message, total int) any {
	if more := total - len(parts); more > 0 {
		return intray.NewMessage("list.more", intray.Params{"list": parts, "n": more})
	}
	return parts
}
