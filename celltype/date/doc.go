// Package date parses and formats dates, times of day and timestamps.
//
// A [Date] is a day of the Gregorian calendar, a [Time] is a time of day, and a
// [Timestamp] is both. None of them has a time zone: the package keeps the time
// as written and only reports an offset. A [Style] describes how to read
// ambiguous cells of a column: which number is the month, which century a
// two-digit year is in, and in which language months are named. A [Sniffer]
// observes the cells of a column. It decides on a style, with the evidence for
// it, or returns an [Ambiguity], which is a question for the user. A [Layout]
// is a format of Luxon tokens in a [Locale]. It formats timestamps for display
// and parses the formatted text.
//
// These rules apply throughout the package. A date without a time is a
// timestamp at 00:00. In a timestamp, 24:00 is the start of the next day; as a
// time of day, it is invalid. Fractions of a second are accepted but dropped
// from the canonical format. Two-digit years are between 1950 and 2049 unless
// the style has a different pivot. Years of one or three digits and missing
// years are never completed. A day that does not exist is an error; it is never
// moved to a different day. A weekday decides the order of day and month if it
// fits only one of them. If it contradicts the date, that is an error.
//
// Fields, rows and problems are out of scope. The package does not use a clock:
// the current date never affects how a cell is read. A date in a calendar other
// than the Gregorian is read only if the cell names the calendar.
package date
