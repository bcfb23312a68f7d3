//go:build ignore

// The program generate writes the tables of package phone.
package main

import (
	"log"
	"os"

	"github.com/intraydata/intray/tools/phonegen"
)

func main() {
	file, err := phonegen.Tables()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("plans.bin", file, 0o644); err != nil {
		log.Fatal(err)
	}
}
