package intray

// Edit is what a person typed into a cell; "" empties it.
type Edit struct {
	// Row counts from the first row of the batch.
	Row int
	// Field is the place of the field in the schema of the run, and Part which of
	// its columns is meant, where it takes several.
	Field, Part int
	Text        string
}
