package mapping

// Normalize exports normalize to tests in package mapping_test.
var Normalize = normalize

// Accept is the minimum score of a column that is mapped without a question.
const Accept = accept
