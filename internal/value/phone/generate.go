//go:build ignore

// The program generate writes the tables of package phone.
package main

import (
	"log"
	"os"

	"github.com/intraydata/intray/internal/value/phone/gen"
)

func main() {
	file, err := gen.Tables()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("plans.bin", file, 0o644); err != nil {
		log.Fatal(err)
	}
}
