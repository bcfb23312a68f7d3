package ods

import (
	"io"
	"strings"

	"github.com/intraydata/intray/internal/xmlscan"
)

// The namespaces that this package distinguishes.
const (
	nsOffice xmlscan.Namespace = iota + 1
	nsTable
	nsText
	nsStyle
	// nsCalc is an extension by which applications mark the results of formulas that
	// are errors.
	nsCalc
	// nsDraw includes the namespace of 3D drawings.
	nsDraw
	nsManifest
)

// namespaces start with the prefixes that practically all documents use.
var namespaces = xmlscan.Namespaces{
	ByURI: namespaceByURI,
	Defaults: []xmlscan.Binding{
		{Prefix: "manifest", Namespace: nsManifest}, {Prefix: "dr3d", Namespace: nsDraw}, {Prefix: "draw", Namespace: nsDraw}, {Prefix: "style", Namespace: nsStyle},
		{Prefix: "calcext", Namespace: nsCalc}, {Prefix: "text", Namespace: nsText}, {Prefix: "office", Namespace: nsOffice}, {Prefix: "table", Namespace: nsTable},
	},
}

// namespaceByURI returns the namespace of a URI of OpenDocument 1.3 or its
// extensions.
func namespaceByURI(uri string) xmlscan.Namespace {
	if uri == "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0" {
		return nsCalc
	}
	name, found := strings.CutPrefix(uri, "urn:oasis:names:tc:opendocument:xmlns:")
	if !found {
		return 0
	}
	switch name {
	case "office:1.0":
		return nsOffice
	case "table:1.0":
		return nsTable
	case "text:1.0":
		return nsText
	case "style:1.0":
		return nsStyle
	case "drawing:1.0", "dr3d:1.0":
		return nsDraw
	case "manifest:1.0":
		return nsManifest
	}
	return 0
}

// newScanner returns a scanner of a part.
func newScanner(src io.Reader, part string, limits Limits) (*xmlscan.Scanner, error) {
	return xmlscan.New(src, xmlscan.Config{Part: part, TextBytes: limits.CellBytes, Depth: limits.Depth, Namespaces: &namespaces})
}
