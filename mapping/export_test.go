package mapping

// Normalize is what tests judge spellings by.
var Normalize = normalize

// Accept is the score from which on a column is taken without asking.
const Accept = accept
