() => new Array(2 ** 31).join("abcdef").length
