// The programs that generate files for Intray, and the tests that compare the results with
// the libraries that they were generated from. Intray itself requires none of these
// libraries.
module github.com/intraydata/intray/tools

go 1.26.0

require (
	github.com/intraydata/intray v0.0.0
	github.com/nlnwa/whatwg-url v0.6.2
	github.com/nyaruka/phonenumbers v1.8.1
	pgregory.net/rapid v1.3.0
)

require (
	github.com/bits-and-blooms/bitset v1.24.4 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/intraydata/intray => ../
