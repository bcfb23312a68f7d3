package mapping_test

import (
	"testing"

	"github.com/intraydata/intray"
)

// TestCues checks meanings that a column has because of a second column.
func TestCues(t *testing.T) {
	product := []intray.Field{field("sku", "SKU"), field("name", "Product name"), field("description", "Description")}
	person := []intray.Field{field("state", "State"), field("status", "Status")}
	for what, c := range map[string]struct {
		fields  []intray.Field
		headers []string
		want    []int
	}{
		"the description next to the number is the name": {product, []string{"Artikelnummer", "Bezeichnung"}, []int{0, 1, none}},
		"a code is the number of goods":                  {product, []string{"Código", "Descripción"}, []int{0, 1, none}},
		"a reference, too":                               {product, []string{"Référence", "Désignation"}, []int{0, 1, none}},
		"no number":                                      {product, []string{"Description"}, []int{none, none, 0}},
		"another name":                                   {product, []string{"SKU", "Name", "Description"}, []int{0, 1, 2}},
		"an item is the name":                            {product, []string{"SKU", "Item", "Description"}, []int{0, 1, 2}},
		"the plain one of two descriptions":              {product, []string{"Código (SKU)", "Descrição", "Descrição complementar"}, []int{0, 1, 2}},
		"two plain descriptions":                         {product, []string{"SKU", "Descripción", "Descripción"}, []int{0, none, none}},
		"a state next to a city":                         {person, []string{"Cidade", "Estado"}, []int{1, none}},
		"a state before a postal code":                   {person, []string{"Estado", "CEP"}, []int{0, none}},
		"a status elsewhere":                             {person, []string{"Cidade", "Valor", "Estado"}, []int{none, 2}},
		"a status after the state":                       {person, []string{"UF", "Nota", "Estado"}, []int{0, 2}},
		"the status of a city":                           {person, []string{"City", "Status"}, []int{none, 1}},
	} {
		t.Run(what, func(t *testing.T) {
			m, questions := suggest(t, c.fields, c.headers...)
			for i, want := range c.want {
				if m.Fields[i].Column != want {
					t.Errorf("%s is %+v, want column %d: %+v", c.fields[i].Key, m.Fields[i], want, questions)
				}
			}
		})
	}
}
