// Package examples contains example files as customers send them, each with a schema. The
// program embeds the files for the demo.
package examples

import "embed"

// Demo holds crm.csv and crm.schema.json.
//
//go:embed crm.csv crm.schema.json
var Demo embed.FS
