// Package date reads and writes days, times of day and timestamps as text.
//
// A [Date] is a day of the Gregorian calendar, a [Time] a time of day, a
// [Timestamp] both. None has a zone: the clock of a cell is kept as written,
// and an offset next to it is only reported. A [Style] describes how a column
// writes its days if a cell alone is ambiguous: which number is the month,
// which century two digits mean, which language names the months. A [Sniffer]
// observes the cells of a column and decides the style with evidence, or
// returns an [Ambiguity], which is a question for a person. A [Layout] is a
// format of Luxon tokens in a [Locale]. It writes timestamps for people and
// reads them back.
//
// Some conventions hold everywhere. A day alone is a timestamp at 00:00, and
// 24:00 is the start of the next day; a time of day cannot be 24:00. Fractions
// of a second are read, and dropped from the canonical forms. Years of two
// digits are 1950 to 2049 unless the style has another pivot; years of one or
// three digits, and missing years, are never completed. A day that does not
// exist is an error and never moved. A weekday that contradicts its date is an
// error, or decides the order of day and month if it fits one of them.
//
// Out of scope are fields, rows and problems. The package has no clock: the
// current date never decides a reading. Calendars other than the Gregorian are
// read only if the cell names them.
package date
