package mapping

// Normalize is the spelling by which tests compare names.
var Normalize = normalize

// Accept is the score from which a column is mapped without asking.
const Accept = accept
