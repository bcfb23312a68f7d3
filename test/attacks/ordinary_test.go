package attacks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// ordinaryRows is the number of rows of an ordinary file. The import of so many rows takes long
// enough that its time does not depend on single delays.
const ordinaryRows = 500_000

// ordinarySchema is the schema of the ordinary imports.
var ordinarySchema = map[string]any{
	"fields": []any{
		map[string]any{"key": "number", "label": "Order number", "validators": []any{map[string]any{"validate": "unique"}}},
		map[string]any{"key": "name", "label": "Name", "validators": []any{map[string]any{"validate": "required"}}},
		map[string]any{"key": "email", "label": "E-mail", "type": "email"},
		map[string]any{"key": "ordered", "label": "Ordered", "type": "date"},
		map[string]any{"key": "amount", "label": "Amount", "type": "number"},
	},
}

// ordinaryFile returns a CSV file without errors.
func ordinaryFile() []byte {
	var out bytes.Buffer
	out.WriteString("Order number,Name,E-mail,Ordered,Amount\n")
	for i := range ordinaryRows {
		fmt.Fprintf(&out, "A-%07d,Person %d,person%d@example.org,2026-%02d-%02d,%d.%02d\n", i, i%5000, i%70000, i%12+1, i%28+1, i%9000, i%100)
	}
	return out.Bytes()
}

// importOrdinary imports the ordinary file. It returns the time from the request that creates the
// import until the whole result has been received, and the hash of the result.
func importOrdinary(c *client, file []byte) (took time.Duration, sum string, err error) {
	schema, err := json.Marshal(ordinarySchema)
	if err != nil {
		return 0, "", err
	}
	began := time.Now()
	id, err := c.send(schema, "orders.csv", file)
	if err != nil {
		return 0, "", err
	}
	got, _, err := c.await(id)
	if err != nil {
		return 0, "", err
	}
	if got.Status != "SUCCESSFUL" {
		return 0, "", fmt.Errorf("it is %s: %v", got.Status, got.Errors)
	}
	_, sum, err = c.result(id)
	took = time.Since(began)
	if err != nil {
		return 0, "", err
	}
	return took, sum, c.delete(id)
}
