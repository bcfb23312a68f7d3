// Package examples holds files as people send them, each with a schema. The files
// of the demo are part of the program.
package examples

import "embed"

// Demo holds crm.csv and crm.schema.json.
//
//go:embed crm.csv crm.schema.json
var Demo embed.FS
