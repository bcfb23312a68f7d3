package mapping

// Normalize is what tests judge spellings by.
var Normalize = normalize
