// The tests of the files in deploy. Intray itself requires none of these libraries.
module github.com/intraydata/intray/test/deploy

go 1.26.0

replace github.com/intraydata/intray/sdk/go => ../../sdk/go

require github.com/intraydata/intray/sdk/go v0.0.0-00010101000000-000000000000

require (
	github.com/apapsch/go-jsonmerge/v2 v2.0.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/oapi-codegen/runtime v1.9.0 // indirect
)
